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
        // Indirect, so that the many cells and scrolls stay small.
        indirect case fetch(key: String, FetchFacts, ObjectFacts)
        /// What a key names, learned apart from a fetch: no event, but an object line.
        indirect case object(key: String, ObjectFacts)
        case system(SystemEvent)
    }

    enum CellEvent: String, Sendable { case appear, disappear, prefetch }

    enum SystemEvent: String, Sendable {
        case memoryWarning = "memory_warning"
        case background, foreground, terminate
    }

    /// About what it holds of memory while it waits.
    var byteCount: Int {
        let rest =
            switch action {
            case .cell(_, let key, _): key.utf8.count
            case .fetch(let key, _, let object), .object(let key, let object): key.utf8.count + object.byteCount
            case .scroll, .system: 0
            }
        return MemoryLayout<Self>.stride + rest
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
    /// The body was no image, whatever the status says.
    var isUndecodable = false

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

    var byteCount: Int {
        headers.reduce(MemoryLayout<Self>.stride + (contentType?.utf8.count ?? 0)) {
            $0 + MemoryLayout<Header>.stride + $1.value.utf8.count
        }
    }

    /// The response headers that bear on caching; a trace carries no others.
    static let headerNames = ["cache-control", "etag", "expires", "last-modified", "age", "vary"]
}
