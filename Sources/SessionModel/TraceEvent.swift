/// The number of an object within one trace: 0, 1, 2 … in order of first appearance.
public typealias ObjectID = Int32

/// Which rendition of an object a cell asks for.
public enum Variant: UInt8, Sendable, Codable, CaseIterable {
    case thumbnail
    case full
}

/// How a list is moving.
public enum ScrollPhase: String, Sendable, Codable, CaseIterable {
    /// A finger moves the list.
    case dragged
    /// The finger has left; the list still moves.
    case decelerating
    /// The list stands still.
    case atRest = "at_rest"
}

/// How one fetch went when the trace was recorded.
public struct Fetch: Sendable, Equatable {
    /// The HTTP status; 0 where no response came.
    public var status: Int
    /// Bytes of the response body, 0 for a 304, which has none; nil where the recording does not say. The image's size
    /// is its object's.
    public var bytes: Int?
    /// Microseconds from the request to the first byte of the response; nil where not recorded.
    public var timeToFirstByte: Int64?
    /// Microseconds from the first byte to the last; nil where not recorded.
    public var transferTime: Int64?
    /// The body was no image that could be decoded, whatever the status says.
    public var isUndecodable: Bool

    public init(
        status: Int = 200, bytes: Int? = nil, timeToFirstByte: Int64? = nil, transferTime: Int64? = nil,
        isUndecodable: Bool = false
    ) {
        self.status = status
        self.bytes = bytes
        self.timeToFirstByte = timeToFirstByte
        self.transferTime = transferTime
        self.isUndecodable = isUndecodable
    }

    /// Whether a body was delivered that a cache may keep.
    public var succeeded: Bool { (200..<300).contains(status) || status == 304 }

    /// Microseconds from the request to the last byte; nil where neither part was recorded.
    public var duration: Int64? {
        timeToFirstByte == nil && transferTime == nil ? nil : (timeToFirstByte ?? 0) + (transferTime ?? 0)
    }
}

/// One thing that happened while a trace was recorded.
public struct TraceEvent: Sendable, Equatable {
    /// Microseconds since the start of the trace.
    public var time: Int64
    public var action: Action

    public enum Action: Sendable, Equatable {
        /// A cell that shows the object became visible: a **request**.
        case appear(ObjectID, Variant)
        /// The cell that has shown the object longest vanished.
        case disappear(ObjectID, Variant)
        /// The app asked for the object ahead of need.
        case prefetch(ObjectID, Variant)
        /// The list moved: offset in points, velocity in points per second.
        case scroll(ScrollPhase, offset: Double, velocity: Double)
        /// The object was fetched; the event's time is that of the request.
        case fetch(ObjectID, Fetch)
        case memoryWarning
        case background
        case foreground
        case terminate
    }

    public init(time: Int64, _ action: Action) {
        self.time = time
        self.action = action
    }
}
