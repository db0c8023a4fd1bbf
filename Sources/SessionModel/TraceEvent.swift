/// The number of an object within one trace: 0, 1, 2 … in order of first appearance.
public typealias ObjectID = Int32

/// The rendition of an object that a view cell shows.
public enum Variant: UInt8, Sendable, Codable, CaseIterable {
    case thumbnail
    case full
}

/// Where the app had an image from that it showed.
public enum ServedSource: UInt8, Sendable, Codable, CaseIterable {
    case memory
    case disk
    case network
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

/// The protocol that a fetch used. It decides how many fetches share a connection.
public enum FetchProtocol: String, Sendable, Codable, CaseIterable {
    /// HTTP/1.0 or HTTP/1.1: one fetch at a time for each connection.
    case http1 = "http/1.1"
    /// HTTP/2: all fetches from a host share a connection.
    case http2 = "h2"
    /// HTTP/3: as HTTP/2, over QUIC.
    case http3 = "h3"

    /// Creates a protocol from its name as recorders write it: an ALPN identifier (`h2`), a version of HTTP
    /// (`HTTP/2.0`, `1.1`), or `spdy` and `quic` for the predecessors of HTTP/2 and HTTP/3. Returns nil for other
    /// texts.
    public init?(recorded text: String) {
        // The most frequent names, without a search in them.
        switch text {
        case "h2":
            self = .http2
            return
        case "h3":
            self = .http3
            return
        case "http/1.1":
            self = .http1
            return
        default: break
        }
        let name = text.lowercased()
        if name.hasPrefix("h3") || name.hasPrefix("http/3") || name.contains("quic") {
            self = .http3
        } else if name.hasPrefix("h2") || name.hasPrefix("http/2") || name.hasPrefix("spdy") {
            self = .http2
        } else if name.hasPrefix("http/1") || name == "1.0" || name == "1.1" {
            self = .http1
        } else {
            return nil
        }
    }

    /// Whether all fetches from a host share a connection.
    public var isMultiplexed: Bool { self != .http1 }
}

/// The outcome and the times of one recorded fetch.
///
/// The phases follow one another: the wait for a connection, the connection, the time to the first byte, the transfer.
/// A recorder that does not separate the first two leaves them out, and its time to the first byte may contain them.
public struct Fetch: Sendable, Equatable {
    /// The HTTP status; 0 if no response came.
    public var status: Int
    /// Bytes of the response body, 0 for a 304, which has no body; nil if not recorded. The size of the image is
    /// ``TraceObject/bytes``.
    public var bytes: Int?
    /// Microseconds in the client's queue, before a connection was assigned or opened; nil if not recorded.
    public var queued: Int64?
    /// Microseconds to open a connection: name lookup, TCP and TLS; nil if the fetch used an open connection, or if not
    /// recorded.
    public var connect: Int64?
    /// Microseconds from the request to the first byte of the response; nil if not recorded. If ``hasPhases``, the time
    /// begins when the connection is open, and belongs to the network and the server alone.
    public var timeToFirstByte: Int64?
    /// Microseconds from the first byte to the last; nil if not recorded.
    public var transferTime: Int64?
    /// The protocol; nil if not recorded.
    public var networkProtocol: FetchProtocol?
    /// Whether the body was not a decodable image, whatever the status is.
    public var isUndecodable = false

    public init(
        status: Int = 200, bytes: Int? = nil, queued: Int64? = nil, connect: Int64? = nil,
        timeToFirstByte: Int64? = nil, transferTime: Int64? = nil
    ) {
        self.status = status
        self.bytes = bytes
        self.queued = queued
        self.connect = connect
        self.timeToFirstByte = timeToFirstByte
        self.transferTime = transferTime
    }

    /// Whether the response is usable: a status from 200 to 299, or 304.
    public var succeeded: Bool { (200..<300).contains(status) || status == 304 }

    /// Whether the recorder separated the wait for a connection, and the connection, from the time to the first byte.
    public var hasPhases: Bool { queued != nil || connect != nil || networkProtocol != nil }

    /// Microseconds from the request to the last byte; nil if no part was recorded.
    public var duration: Int64? {
        guard queued != nil || connect != nil || timeToFirstByte != nil || transferTime != nil else { return nil }
        return (queued ?? 0) + (connect ?? 0) + (timeToFirstByte ?? 0) + (transferTime ?? 0)
    }
}

/// The size of the view that shows an image, in pixels of the screen. Some caches keep a bitmap of each size.
public struct ViewSize: Sendable, Hashable {
    /// From 1 to 65,535.
    public var width: UInt16
    /// From 1 to 65,535.
    public var height: UInt16

    /// Creates a size. Returns nil for a side outside 1 to 65,535 pixels.
    public init?(width: Int, height: Int) {
        guard let width = UInt16(exactly: width), let height = UInt16(exactly: height), width > 0, height > 0 else {
            return nil
        }
        self.width = width
        self.height = height
    }
}

public struct TraceEvent: Sendable, Equatable {
    /// Microseconds since the start of the trace.
    public var time: Int64
    public var action: Action
    // 0 without a size. As an optional, the size would make each event 8 bytes larger.
    private var viewWidth: UInt16 = 0
    private var viewHeight: UInt16 = 0

    /// The size of the view of an ``Action/appear(_:_:)`` or an ``Action/prefetch(_:_:)``; nil if not recorded, and for
    /// all other events. A prefetch without a size loads the image in its own size.
    public var viewSize: ViewSize? {
        get { ViewSize(width: Int(viewWidth), height: Int(viewHeight)) }
        set { (viewWidth, viewHeight) = newValue.map { ($0.width, $0.height) } ?? (0, 0) }
    }

    public enum Action: Sendable, Equatable {
        /// A view cell that shows the object became visible. This is a **request**.
        case appear(ObjectID, Variant)
        /// The view cell that has shown the object longest left the screen.
        case disappear(ObjectID, Variant)
        /// The app asked for the object before it was needed.
        case prefetch(ObjectID, Variant)
        /// The list moved. The offset is in points, the velocity in points per second.
        case scroll(ScrollPhase, offset: Double, velocity: Double)
        /// The object was fetched. The event's time is the time of the request.
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
        /// The list shows the object at this position, in this row. Both count from 0. The event names what the list
        /// holds, whether or not the user ever scrolls there. A position that is named again has the new object from
        /// then on. ``ListOrder`` collects these events.
        case list(ObjectID, Variant, position: Int32, row: Int32)
        /// The app showed the image of the oldest request of the object and the variant that was not served yet. This
        /// is an observation of the app's own cache, and has no effect on a replay.
        case served(ObjectID, Variant, ServedSource)
        /// The cost that the app's memory cache charges for the image. This is an observation of the app's own cache,
        /// and has no effect on a replay.
        case cost(ObjectID, Variant, bytes: Int)
    }

    public init(time: Int64, _ action: Action, viewSize: ViewSize? = nil) {
        self.time = time
        self.action = action
        self.viewSize = viewSize
    }
}

extension TraceEvent.Action {
    /// The names of all kinds of events, indexed by ``kind``.
    package static let names = [
        "appear", "disappear", "prefetch", "scroll", "fetch", "memory_warning", "background", "foreground", "terminate",
        "remove", "list", "served", "cost",
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
        case .list: 10
        case .served: 11
        case .cost: 12
        }
    }

    /// The name of the kind of event in files and tables.
    public var name: String { Self.names[kind] }

    /// The object of the event; nil for events that concern the whole app.
    public var object: ObjectID? {
        switch self {
        case .appear(let object, _), .disappear(let object, _), .prefetch(let object, _), .fetch(let object, _),
            .remove(let object), .list(let object, _, _, _), .served(let object, _, _),
            .cost(let object, _, _):
            object
        case .scroll, .memoryWarning, .background, .foreground, .terminate: nil
        }
    }
}

extension ServedSource: CustomStringConvertible {
    /// Creates a source from its name in files: `memory`, `disk` or `network`. Returns nil for other texts.
    public init?(name: some StringProtocol) {
        guard let source = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = source
    }

    /// `memory`, `disk` or `network`.
    public var description: String {
        switch self {
        case .memory: "memory"
        case .disk: "disk"
        case .network: "network"
        }
    }
}

extension Variant: CustomStringConvertible {
    public var description: String { self == .thumbnail ? "thumbnail" : "full" }
}
