/// One event on its way from the app to the file.
struct RecordedEvent: Sendable {
    /// Microseconds since the recording began.
    var time: Int64
    var action: Action
    /// Events that found the queue full just before this one.
    var droppedBefore = 0

    enum Action: Sendable {
        case cell(CellEvent, key: String, TraceRecorder.Variant)
        case scroll(TraceRecorder.ScrollPhase, offset: Double, velocity: Double)
        case fetch(key: String, FetchFacts, ObjectFacts)
        /// What a key names, learned apart from a fetch: no event, but an object line.
        case object(key: String, ObjectFacts)
        case system(SystemEvent)
    }

    enum CellEvent: String, Sendable { case appear, disappear, prefetch }

    enum SystemEvent: String, Sendable {
        case memoryWarning = "memory_warning"
        case background, foreground, terminate
    }

    /// About what it holds of memory while it waits.
    var byteCount: Int {
        let key =
            switch action {
            case .cell(_, let key, _), .fetch(let key, _, _), .object(let key, _): key.utf8.count
            case .scroll, .system: 0
            }
        return MemoryLayout<Self>.stride + key
    }

    /// After these the system may end the app without another word, so they are not left to wait.
    var isUrgent: Bool {
        if case .system(let event) = action { event != .foreground } else { false }
    }
}

/// How a fetch went. Times in microseconds; nil where unknown.
struct FetchFacts: Sendable, Equatable {
    var status: Int
    var timeToFirstByte: Int64?
    var transferTime: Int64?

    /// How long before its end the request was sent, as far as that is known.
    var duration: Int64 { (timeToFirstByte ?? 0) + (transferTime ?? 0) }
}

/// What may be known of an object; nil where unknown.
struct ObjectFacts: Sendable, Equatable {
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

    /// The response headers that bear on caching; a trace carries no others.
    static let headerNames = ["cache-control", "etag", "expires", "last-modified", "age", "vary"]
}
