/// The number of an object within one trace: 0, 1, 2 … in order of first appearance.
public typealias ObjectID = Int32

/// The rendition of an object that a view cell shows.
public enum Variant: UInt8, Sendable, Codable, CaseIterable {
    case thumbnail
    case full
}

/// The state of motion of a list.
public enum ScrollPhase: String, Sendable, Codable, CaseIterable {
    /// A finger moves the list.
    case dragged
    /// The finger has left, and the list still moves.
    case decelerating
    /// The list does not move.
    case atRest = "at_rest"
}

/// The outcome and the times of one recorded fetch.
public struct Fetch: Sendable, Equatable {
    /// The HTTP status; 0 if no response came.
    public var status: Int
    /// Bytes of the response body, 0 for a 304, which has no body; nil if not recorded. The size of the image is
    /// ``TraceObject/bytes``.
    public var bytes: Int?
    /// Microseconds from the request to the first byte of the response; nil if not recorded.
    public var timeToFirstByte: Int64?
    /// Microseconds from the first byte to the last; nil if not recorded.
    public var transferTime: Int64?
    /// Whether the body was not a decodable image, whatever the status is.
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

    /// Whether the response is usable: a status from 200 to 299, or 304.
    public var succeeded: Bool { (200..<300).contains(status) || status == 304 }

    /// Microseconds from the request to the last byte; nil if neither part was recorded.
    public var duration: Int64? {
        timeToFirstByte == nil && transferTime == nil ? nil : (timeToFirstByte ?? 0) + (transferTime ?? 0)
    }
}

/// One event of a session.
public struct TraceEvent: Sendable, Equatable {
    /// Microseconds since the start of the trace.
    public var time: Int64
    public var action: Action

    public enum Action: Sendable, Equatable {
        /// A view cell that shows the object became visible. This is a **request**.
        case appear(ObjectID, Variant)
        /// The view cell that has shown the object longest left the screen.
        case disappear(ObjectID, Variant)
        /// The app asked for the object before it was needed.
        case prefetch(ObjectID, Variant)
        /// The list moved. The offset is in points, the velocity in points per second.
        case scroll(ScrollPhase, offset: Double, velocity: Double)
        /// The object was fetched. The event's time is that of the request.
        case fetch(ObjectID, Fetch)
        /// The system asked the app to free memory.
        case memoryWarning
        /// The app left the foreground.
        case background
        /// The app came back to the foreground.
        case foreground
        /// The app ended.
        case terminate
        /// The app removed the object from its cache, in both variants, from memory and from disk.
        case remove(ObjectID)
    }

    public init(time: Int64, _ action: Action) {
        self.time = time
        self.action = action
    }
}

extension TraceEvent.Action {
    /// The names of all kinds of events, indexed by ``kind``.
    package static let names = [
        "appear", "disappear", "prefetch", "scroll", "fetch", "memory_warning", "background", "foreground", "terminate",
        "remove",
    ]

    /// The number of the kind of event, from 0.
    package var kind: Int {
        switch self {
        case .appear: 0
        case .disappear: 1
        case .prefetch: 2
        case .scroll: 3
        case .fetch: 4
        case .memoryWarning: 5
        case .background: 6
        case .foreground: 7
        case .terminate: 8
        case .remove: 9
        }
    }

    /// The name of the kind of event in files and tables.
    public var name: String { Self.names[kind] }

    /// The object of the event; nil for events that concern the whole app.
    public var object: ObjectID? {
        switch self {
        case .appear(let object, _), .disappear(let object, _), .prefetch(let object, _), .fetch(let object, _),
            .remove(let object):
            object
        case .scroll, .memoryWarning, .background, .foreground, .terminate: nil
        }
    }
}

extension Variant: CustomStringConvertible {
    /// `thumbnail` or `full`.
    public var description: String { self == .thumbnail ? "thumbnail" : "full" }
}
