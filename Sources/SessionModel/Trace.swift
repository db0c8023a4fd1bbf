/// A recording: a header, the objects it names, and its events in order of time.
///
/// A reader builds one through ``TraceBuilder``; everything else only reads it.
public struct Trace: Sendable, Equatable {
    public var header: TraceHeader
    /// Indexed by ``ObjectID``.
    public var objects: [TraceObject]
    /// Sorted by time; events of one instant stand in the order in which they happened.
    public var events: [TraceEvent]

    public init(header: TraceHeader = TraceHeader(), objects: [TraceObject] = [], events: [TraceEvent] = []) {
        self.header = header
        self.objects = objects
        self.events = events
    }

    /// Microseconds from the first event to the last.
    public var duration: Int64 {
        guard let first = events.first, let last = events.last else { return 0 }
        return last.time - first.time
    }
}

/// What is said of a trace as a whole.
public struct TraceHeader: Sendable, Equatable {
    /// What was recorded, in a few words; a chart's title.
    public var title: String?
    /// The program that recorded it.
    public var recorder: String?
    /// When the recording began, RFC 3339; nil where unknown.
    public var started: String?
    /// Made by a model, not by a person.
    public var synthetic: Bool
    /// Microseconds by which times of different origin may be off from one another, as those of a page and of its
    /// server; nil where one clock gave them all.
    public var clockError: Int64?

    public init(
        title: String? = nil, recorder: String? = nil, started: String? = nil, synthetic: Bool = false,
        clockError: Int64? = nil
    ) {
        self.title = title
        self.recorder = recorder
        self.started = started
        self.synthetic = synthetic
        self.clockError = clockError
    }
}

/// What a key names.
public struct TraceObject: Sendable, Equatable {
    /// Usually the URL. Any string: long, with line breaks, with emoji.
    public var key: String
    /// Encoded bytes of the body; nil where the recording does not say.
    public var bytes: Int?
    public var contentType: String?
    public var pixelWidth: Int?
    public var pixelHeight: Int?
    /// Response headers that bear on caching (`cache-control`, `etag`, `expires`, `last-modified`, `age`, `vary`),
    /// names in lower case.
    public var headers: [HTTPField]

    public init(
        key: String, bytes: Int? = nil, contentType: String? = nil, pixelWidth: Int? = nil, pixelHeight: Int? = nil,
        headers: [HTTPField] = []
    ) {
        self.key = key
        self.bytes = bytes
        self.contentType = contentType
        self.pixelWidth = pixelWidth
        self.pixelHeight = pixelHeight
        self.headers = headers
    }
}

/// One header of a response.
public struct HTTPField: Sendable, Equatable, Codable {
    /// In lower case.
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
