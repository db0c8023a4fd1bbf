import Basics
import CacheTraces
import NIOCore

/// A network that is slower than the one that there is: what `--latency`, `--bandwidth` and `--loss` ask for, for each
/// connection.
public struct NetworkShape: Sendable, Equatable {
    /// A round trip: what passes between a request and the first byte of its response, beside all else.
    public var latency = TimeAmount.zero
    /// Of the link to the client; nil: as fast as it goes.
    public var bytesPerSecond: Double?
    /// The share of segments that are lost, 0 or more and below 1.
    public var loss = 0.0
    public var seed: UInt64 = 1

    public init() {}

    var isPlain: Bool { latency == .zero && bytesPerSecond == nil && loss == 0 }
}

/// One connection over such a network: says when which bytes are to be handed on.
///
/// Bodies go in TCP segments of 1,460 bytes, which leave one after the other at the link's rate and arrive a latency
/// later. A segment is lost with probability p, and so is each of its repetitions. TCP delivers in order: what is
/// behind a lost segment waits for its repetition and then arrives at once. The repetition comes a round trip later
/// where three segments behind it tell of the loss (fast retransmit, RFC 5681), and else after a timeout of a round
/// trip and 200 ms (Linux's least; RFC 6298), doubled each time. The congestion window is not modelled: losses delay,
/// they do not slow the connection down.
struct ShapedLink {
    static let segment = 1460
    /// What arrives within this of one another is handed on together.
    static let tick = TimeAmount.milliseconds(1)
    static let longestPiece = 256 << 10

    private let shape: NetworkShape
    private var random: SplitMix64
    /// When the link has sent what was before.
    private var free = NIODeadline.uptimeNanoseconds(0)
    /// When the last segment was delivered.
    private var delivered = NIODeadline.uptimeNanoseconds(0)
    /// The segment that is under way and did not fit the last piece.
    private var waiting: (bytes: Int, arrival: NIODeadline)?

    init(_ shape: NetworkShape, connection: UInt64) {
        self.shape = shape
        random = SplitMix64(seed: shape.seed &* 0x9E37_79B9_7F4A_7C15 &+ connection)
    }

    /// Begins a response to a request that came now. The head takes no time of its own.
    mutating func begin(at now: NIODeadline = .now()) -> NIODeadline {
        free = max(free, now)
        delivered = max(delivered, now + shape.latency)
        waiting = nil
        return delivered
    }

    /// The next bytes of a body of which `left` are still to come, at least one, and when they are due.
    mutating func next(left: Int) -> (bytes: Int, due: NIODeadline) {
        guard shape.bytesPerSecond != nil || shape.loss > 0 else { return (min(left, Self.longestPiece), delivered) }
        var bytes = 0
        var due = delivered
        while bytes < left, bytes < Self.longestPiece {
            let (count, arrival) = waiting ?? send(min(Self.segment, left - bytes), behind: left - bytes)
            if bytes == 0 {
                due = arrival
            } else if arrival - due > Self.tick {
                waiting = (count, arrival)
                break
            }
            waiting = nil
            bytes += count
            delivered = arrival
        }
        // All of the piece has arrived when its last segment has.
        return (bytes, delivered)
    }

    private mutating func send(_ count: Int, behind left: Int) -> (bytes: Int, arrival: NIODeadline) {
        if let rate = shape.bytesPerSecond { free = free + .nanoseconds(Int64(Double(count) / rate * 1e9)) }
        var arrival = free + shape.latency
        if shape.loss > 0, random.fraction() < shape.loss {
            var timeout = shape.latency + .milliseconds(200)
            var wait = left > 4 * Self.segment ? shape.latency : timeout
            repeat {
                arrival = arrival + wait
                if wait == timeout { timeout = timeout * 2 }
                wait = timeout
            } while random.fraction() < shape.loss
        }
        return (count, max(arrival, delivered))
    }
}

extension SplitMix64 {
    /// From 0, inclusive, to 1.
    fileprivate mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
