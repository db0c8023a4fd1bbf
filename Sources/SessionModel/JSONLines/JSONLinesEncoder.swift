import Basics

/// Writes the native format into a byte buffer, event by event. <doc:NativeFormat> specifies the format.
///
/// A recorder appends the buffer to its file and empties it after each event, so that the file contains every complete
/// event even if the process is killed.
public struct JSONLinesEncoder: Sendable {
    private var writer = JSONWriter()

    /// Creates an encoder with an empty buffer.
    public init() {}

    /// The complete lines since the last ``removeAll()``.
    public var bytes: [UInt8] { writer.bytes }

    /// Empties the buffer without freeing its memory.
    public mutating func removeAll() { writer.removeAll() }

    /// Appends a whole trace. The line of each object stands before the first event that names it.
    public mutating func append(_ trace: Trace) {
        append(trace.header)
        let sizedByFetches = trace.objectsSizedByFetches
        var next = 0
        func write(through last: Int, _ encoder: inout Self) {
            while next <= last, next < trace.objects.count {
                encoder.append(trace.objects[next], as: ObjectID(next), bytesStayUnknown: sizedByFetches.contains(next))
                next += 1
            }
        }
        for event in trace.events {
            if let object = event.action.object { write(through: Int(object), &self) }
            append(event)
        }
        write(through: trace.objects.count - 1, &self)
    }

    /// Appends the header, which must be the first line.
    public mutating func append(_ header: TraceHeader) {
        writer.beginObject()
        member("cachereplay_trace", JSONLinesFormat.version)
        member("title", header.title)
        member("recorder", header.recorder)
        member("started", header.started)
        writer.member("synthetic", header.synthetic)
        if header.scripted { writer.member("scripted", true) }
        member("clock_error_us", header.clockError)
        if let user = header.user { member("user", user) }
        endLine()
    }

    /// Appends the line that describes `object` and gives it a number, which must precede the events that use it.
    public mutating func append(_ object: TraceObject, as id: ObjectID) {
        append(object, as: id, bytesStayUnknown: false)
    }

    private mutating func append(_ object: TraceObject, as id: ObjectID, bytesStayUnknown: Bool) {
        writer.beginObject()
        member("e", "object")
        member("o", id)
        member("key", object.key)
        if bytesStayUnknown {
            writer.key("bytes")
            writer.null()
        }
        member("bytes", object.bytes)
        member("type", object.contentType)
        member("width", object.pixelWidth)
        member("height", object.pixelHeight)
        member("frames", object.frames)
        if !object.headers.isEmpty {
            writer.key("headers")
            writer.beginObject()
            for field in object.headers { member(field.name, field.value) }
            writer.endObject()
        }
        endLine()
    }

    public mutating func append(_ event: TraceEvent) {
        writer.beginObject()
        member("t", event.time)
        member("e", event.action.name)
        switch event.action {
        case .appear(let object, let variant), .prefetch(let object, let variant):
            member("o", object)
            if variant == .thumbnail { member("variant", "thumbnail") }
            member("width", event.viewSize?.width)
            member("height", event.viewSize?.height)
        case .disappear(let object, let variant):
            member("o", object)
            if variant == .thumbnail { member("variant", "thumbnail") }
        case .scroll(let phase, let offset, let velocity):
            member("phase", phase.rawValue)
            writer.key("offset")
            writer.double(offset)
            writer.key("velocity")
            writer.double(velocity)
        case .fetch(let object, let fetch):
            member("o", object)
            member("status", fetch.status)
            member("bytes", fetch.bytes)
            member("queued_us", fetch.queued)
            member("connect_us", fetch.connect)
            member("ttfb_us", fetch.timeToFirstByte)
            member("transfer_us", fetch.transferTime)
            member("protocol", fetch.networkProtocol?.rawValue)
            if fetch.isUndecodable { writer.member("undecodable", true) }
        case .remove(let object): member("o", object)
        case .list(let object, let variant, let position, let row):
            member("o", object)
            if variant == .thumbnail { member("variant", "thumbnail") }
            member("position", position)
            if row != position { member("row", row) }
        case .served(let object, let variant, let source):
            member("o", object)
            if variant == .thumbnail { member("variant", "thumbnail") }
            member("from", source.description)
        case .cost(let object, let variant, let bytes):
            member("o", object)
            if variant == .thumbnail { member("variant", "thumbnail") }
            member("bytes", bytes)
        case .memoryWarning, .background, .foreground, .terminate: break
        }
        endLine()
    }

    private mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        writer.key(name)
        writer.string(value)
    }

    private mutating func member(_ name: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        writer.key(name)
        writer.integer(Int64(value))
    }

    private mutating func endLine() {
        writer.endObject()
        writer.newline()
    }
}

extension Trace {
    /// The objects of unknown size whose fetches have a size, which a reader must not use as the object's.
    fileprivate var objectsSizedByFetches: Set<Int> {
        var sizedByFetches: Set<Int> = []
        for case .fetch(let object, let fetch) in events.lazy.map(\.action)
        where fetch.bytes != nil && Int(object) < objects.count && objects[Int(object)].bytes == nil {
            sizedByFetches.insert(Int(object))
        }
        return sizedByFetches
    }
}

/// The native format: JSON Lines, with every event of a session. <doc:NativeFormat> specifies it.
///
/// ``JSONLinesEncoder`` writes it; ``Trace/init(jsonLines:named:)`` reads it.
public enum JSONLinesFormat {
    /// The version that the header states.
    public static let version: Int64 = 1

    /// Every value of the field `e`.
    static let eventNames = TraceEvent.Action.names + ["object"]
}
