/// The reason why a visible cell waits for its image. The blank time of a request is the sum of its waits.
public enum Wait: Int, Sendable, CaseIterable, Codable, BitwiseCopyable {
    /// The main lane is busy: with lookups, stores, reads or decoding.
    case mainLane
    /// A free disk lane.
    case diskQueue
    case diskRead
    /// A free decode lane.
    case decodeQueue
    case decode
    /// The list is at rest: the cache holds fetches back while it scrolls.
    case gate
    /// A connection, or a token of a rate limit.
    case connectionQueue
    /// The connection opens.
    case connect
    case firstByte
    case transfer
    /// The answer of the origin whether a stored object is current, with the queue for a connection.
    case validation
    /// The pause before a failed fetch is tried again.
    case retryPause
    /// Nothing: the request has ended without its image, or the cache has forgotten it.
    case nothing

    /// The name in `waits.csv` and JSON.
    public var name: String {
        switch self {
        case .mainLane: "main_lane"
        case .diskQueue: "disk_queue"
        case .diskRead: "disk_read"
        case .decodeQueue: "decode_queue"
        case .decode: "decode"
        case .gate: "gate"
        case .connectionQueue: "connection_queue"
        case .connect: "connect"
        case .firstByte: "first_byte"
        case .transfer: "transfer"
        case .validation: "validation"
        case .retryPause: "retry_pause"
        case .nothing: "nothing"
        }
    }

    /// The order in which time is taken back from waits: a delivery ahead waits for the main lane.
    static let takenBackFirst = [Wait.mainLane] + allCases.reversed().filter { $0 != .mainLane }
}

/// The time that the visible cell of a request waited for each ``Wait``, in nanoseconds, in the order of its cases.
///
/// The requests of a run share one array.
public struct WaitTimes: Sendable, Equatable, RandomAccessCollection {
    private let all: [Int64]
    private let start: Int

    public init(_ times: [Int64] = Array(repeating: 0, count: Wait.allCases.count)) {
        self.init(times, request: 0)
    }

    /// - Parameter all: The waits of all requests, request after request.
    init(_ all: [Int64], request: Int) {
        self.all = all
        start = request * Self.kinds
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { Self.kinds }
    public subscript(position: Int) -> Int64 { all[start + position] }

    public static func == (one: WaitTimes, other: WaitTimes) -> Bool { one.elementsEqual(other) }

    static let kinds = Wait.allCases.count
}
