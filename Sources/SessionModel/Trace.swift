// The headers of objects have this type, so readers of traces need it too.
@_exported import struct HTTPCaching.HTTPField

/// A recorded session: a header, the objects that its keys name, and its events in order of time.
///
/// Readers and recorders build a trace with ``TraceBuilder``.
public struct Trace: Sendable, Equatable {
    public var header: TraceHeader
    /// Indexed by ``ObjectID``.
    public var objects: [TraceObject]
    /// Sorted by time. Events with equal times stand in the order in which they happened.
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

/// The facts that concern a whole trace.
public struct TraceHeader: Sendable, Equatable {
    /// A short title. Charts use it.
    public var title: String?
    /// The program that recorded or made the trace.
    public var recorder: String?
    /// The date at which the recording began, RFC 3339; nil if unknown.
    public var started: String?
    /// Whether a model made the trace.
    public var synthetic: Bool
    /// Whether a program operated the app, and not a person.
    public var scripted: Bool
    /// The microseconds by which times from different clocks may differ, such as those of a page and of its server; nil
    /// if one clock gave all times.
    public var clockError: Int64?
    /// The person of the session, by a pseudonym; nil if unknown. Sessions with the same text are one person's.
    public var user: String?

    public init(
        title: String? = nil, recorder: String? = nil, started: String? = nil, synthetic: Bool = false,
        scripted: Bool = false, clockError: Int64? = nil, user: String? = nil
    ) {
        self.user = user
        self.title = title
        self.recorder = recorder
        self.started = started
        self.synthetic = synthetic
        self.scripted = scripted
        self.clockError = clockError
    }
}

/// An object that a key names, with its recorded facts.
public struct TraceObject: Sendable, Equatable {
    /// Usually the URL. Any text, of any length and with any characters.
    public var key: String
    /// Encoded bytes of the body; nil if not recorded.
    public var bytes: Int?
    public var contentType: String?
    public var pixelWidth: Int?
    public var pixelHeight: Int?
    /// Response headers that affect caching (`cache-control`, `etag`, `expires`, `last-modified`, `age`, `vary`), with
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
