/// One event on its way from the app to the file.
struct RecordedEvent: Sendable {
    /// Microseconds since the recording began.
    var time: Int64
    var action: Action
    /// The number of events that were dropped just before this one.
    var droppedBefore = 0

    enum Action: Sendable {
        case cell(CellEvent, key: String, TraceRecorder.Variant, TraceRecorder.ViewSize?)
        case scroll(TraceRecorder.ScrollPhase, offset: Double, velocity: Double)
        // Indirect, so that the frequent events of cells and scrolling stay small.
        indirect case fetch(key: String, FetchFacts, RecordedObject)
        /// Facts about an object without a fetch: an object line, not an event.
        indirect case object(key: String, RecordedObject)
        /// The app removed the object from its cache.
        case removal(key: String)
        indirect case list(ListPart)
        case served(key: String, TraceRecorder.Variant, TraceRecorder.Source)
        case cost(key: String, TraceRecorder.Variant, bytes: Int)
        case system(SystemEvent)
    }

    enum CellEvent: String, Sendable { case appear, disappear, prefetch }

    enum SystemEvent: String, Sendable {
        case memoryWarning = "memory_warning"
        case background, foreground, terminate
    }

    /// The approximate number of bytes of memory of a waiting event.
    var byteCount: Int {
        let rest =
            switch action {
            case .cell(_, let key, _, _), .removal(let key), .served(let key, _, _), .cost(let key, _, _):
                key.utf8.count
            case .list(let part): part.keys.reduce(0) { $0 + $1.utf8.count + MemoryLayout<String>.stride }
            case .fetch(let key, _, let object), .object(let key, let object): key.utf8.count + object.byteCount
            case .scroll, .system: 0
            }
        return MemoryLayout<Self>.stride + rest
    }

    /// The number of events in the trace: 0 for an object line, and one for each position of a list.
    var eventCount: Int {
        switch action {
        case .object: 0
        case .list(let part): part.keys.count
        default: 1
        }
    }

    /// Whether the event is written at once, because the system can end the app after it without notice.
    var isUrgent: Bool {
        if case .system(let event) = action { event != .foreground } else { false }
    }
}

/// The result of a fetch. Times are in microseconds, nil if unknown.
struct FetchFacts: Sendable, Equatable {
    var status: Int
    /// Microseconds, as `Fetch` of the module `SessionModel` defines them.
    var queued: Int64?
    var connect: Int64?
    var timeToFirstByte: Int64?
    var transferTime: Int64?
    /// The ALPN identifier of the protocol.
    var networkProtocol: String?
    /// Whether the body could not be decoded as an image, whatever the status is.
    var isUndecodable = false

    /// The time from the request to the end, as far as it is known.
    var duration: Int64 { (queued ?? 0) + (connect ?? 0) + (timeToFirstByte ?? 0) + (transferTime ?? 0) }
}

/// The facts about an object; nil if unknown.
struct RecordedObject: Sendable, Equatable {
    var bytes: Int?
    var contentType: String?
    var pixelWidth: Int?
    var pixelHeight: Int?
    var headers: [Header] = []

    struct Header: Sendable, Equatable {
        /// In lower case.
        var name: String
        var value: String
    }

    var byteCount: Int {
        headers.reduce(MemoryLayout<Self>.stride + (contentType?.utf8.count ?? 0)) {
            $0 + MemoryLayout<Header>.stride + $1.value.utf8.count
        }
    }

    /// The response headers that concern caching. A trace contains no others.
    static let headerNames = ["cache-control", "etag", "expires", "last-modified", "age", "vary"]
}
