import Basics
import CacheTraces
import NIOCore
import Synchronization

/// A simulated slower network, by the options `--latency`, `--bandwidth`, `--link` and `--loss`.
public struct NetworkShape: Sendable, Equatable {
    /// A round trip: the additional time between a request and the first byte of its response.
    public var latency = TimeAmount.zero
    /// The bandwidth of each connection; nil for no limit.
    public var bytesPerSecond: Double?
    /// The bandwidth of the link that all connections share; nil for no limit.
    public var linkBytesPerSecond: Double?
    /// The share of lost segments, from 0 to below 1.
    public var loss = 0.0
    public var seed: UInt64 = 1

    public init() {}

    var isPlain: Bool { latency == .zero && bytesPerSecond == nil && linkBytesPerSecond == nil && loss == 0 }
}

/// The link that all connections of a server share. Segments leave it one after the other, in the order in which the
/// connections ask, so connections that always have something to send get equal shares.
final class LinkQueue: Sendable {
    private let rate: Double
    /// When the link has sent all earlier segments.
    private let free = Mutex(NIODeadline.uptimeNanoseconds(0))

    init(bytesPerSecond: Double) { rate = bytesPerSecond }

    /// Sends `count` bytes, not before `start`. Returns when they have been sent.
    func send(_ count: Int, from start: NIODeadline) -> NIODeadline {
        free.withLock { free in
            free = max(free, start) + .nanoseconds(Int64(Double(count) / rate * 1e9))
            return free
        }
    }
}

/// One connection over a simulated network: computes when which bytes are delivered.
///
/// Bodies go in TCP segments of 1,460 bytes, which leave one after the other at the link's rate and arrive a latency
/// later. A segment is lost with probability p, and so is each of its retransmissions. TCP delivers in order: the
/// segments behind a lost one wait for its retransmission and then arrive together. The retransmission comes one round
/// trip later if three segments follow the lost one (fast retransmit, RFC 5681), and otherwise after a timeout of a
/// round trip and 200 ms (Linux's minimum; RFC 6298), doubled each time. The congestion window is not modelled: losses
/// delay data, but do not lower the rate.
///
/// With a shared link, the latency delays the request instead of each segment, so that all connections compete for the
/// link at the same time.
struct ShapedLink {
    static let segment = 1460
    /// Segments that arrive within this time are delivered together.
    static let tick = TimeAmount.milliseconds(1)
    static let longestPiece = 256 << 10

    private let shape: NetworkShape
    private var random: SplitMix64
    /// When the link has sent all earlier segments.
    private var free = NIODeadline.uptimeNanoseconds(0)
    /// When the last segment was delivered.
    private var delivered = NIODeadline.uptimeNanoseconds(0)
    /// A segment that is sent but was not part of the last piece.
    private var waiting: (bytes: Int, arrival: NIODeadline)?
    private let link: LinkQueue?

    /// - Parameter link: The link that all connections share; nil without a limit.
    init(_ shape: NetworkShape, connection: UInt64, link: LinkQueue? = nil) {
        self.shape = shape
        self.link = link
        random = SplitMix64(seed: shape.seed &* 0x9E37_79B9_7F4A_7C15 &+ connection)
    }

    /// Starts a response to a request that has just arrived. Returns when its head is due; the head itself takes no
    /// time.
    mutating func begin(at now: NIODeadline) -> NIODeadline {
        free = max(free, now)
        delivered = max(delivered, now + shape.latency)
        if link != nil { free = delivered }
        waiting = nil
        return delivered
    }

    /// Whether ``next(left:)`` takes room on a link that others use, so that it must not be called before its time.
    var isShared: Bool { link != nil }

    /// Returns the next bytes of a body, at least one of the `left` remaining ones, and when they are due.
    mutating func next(left: Int) -> (bytes: Int, due: NIODeadline) {
        guard shape.bytesPerSecond != nil || link != nil || shape.loss > 0 else {
            return (min(left, Self.longestPiece), delivered)
        }
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
        // The piece has arrived with its last segment.
        return (bytes, delivered)
    }

    private mutating func send(_ count: Int, behind left: Int) -> (bytes: Int, arrival: NIODeadline) {
        let begin = free
        if let rate = shape.bytesPerSecond { free = free + .nanoseconds(Int64(Double(count) / rate * 1e9)) }
        if let link { free = max(free, link.send(count, from: begin)) }
        var arrival = link == nil ? free + shape.latency : free
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
    /// A number from 0 to below 1.
    fileprivate mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
