import SessionModel

/// A whole session as bytes that are read without parsing text: column 12 of a compiled trace.
///
/// All numbers are little-endian. A text is its length in bytes as u32, and UTF-8; a text that is absent has the length
/// 2^32 - 1.
///
///     u64  events
///     u64  objects
///     header: u8 (1: synthetic, 2: scripted, 4: with a user, 8: with frames; or their sum), i64 clock error (-1:
///     unknown), texts title, recorder, started, and user if there is one
///     for each object: text key, i64 bytes, i64 pixel width, i64 pixel height (-1: unknown), u16 frames (0: unknown)
///                      if the trace has any, text content type, u32 response headers, then two texts for each
///     for each event, 64 bytes:
///         i64 time, i32 object, i32 status, u8 kind, u8 detail, u8 flags, 5 bytes of 0, then five words of 8 bytes
///
/// Kinds are the raw values of ``Kind``. The detail is the variant or the scroll phase. The words of a `scroll` are
/// offset and velocity as IEEE 754 numbers. The words of a `fetch` are bytes, time to the first byte, transfer time,
/// time in the queue and time to connect. Flags 1, 2, 4, 16 and 32 mark the known ones. Flag 8 marks a body that is not
/// an image. The detail of a `fetch` is the protocol: 0 for unknown, then 1, 2 and 3 for HTTP/1.1, HTTP/2 and HTTP/3.
/// Flag 1 of an `appear` and a `prefetch` marks that the first two words are width and height of the view, in pixels.
/// The words of a `list` are position and row. The flags of a `served` are 0 for memory, 1 for the disk, 2 for the
/// network. The word of a `cost` is its bytes.
enum SessionBytes {
    private enum Kind: UInt8 {
        case appear, disappear, prefetch, scroll, fetch, memoryWarning, background, foreground, terminate, remove, list,
            served, cost
    }

    private static let eventLength = 64
    private static let absent = UInt32.max
    /// The flag of an `appear` or a `prefetch` whose first two words are the size of the view.
    private static let hasViewSize: UInt8 = 1
    private static let phases = ScrollPhase.allCases
    private static let protocols = FetchProtocol.allCases

    static func encode(_ trace: Trace) -> [UInt8] {
        var writer = Writer()
        writer.bytes.reserveCapacity(trace.events.count * eventLength + trace.objects.count * 128)
        writer.append(UInt64(trace.events.count))
        writer.append(UInt64(trace.objects.count))
        let user: UInt8 = trace.header.user == nil ? 0 : 4
        let frames: UInt8 = trace.objects.contains { $0.frames != nil } ? 8 : 0
        writer.append((trace.header.synthetic ? 1 : 0) + (trace.header.scripted ? 2 : 0) + user + frames)
        writer.append(trace.header.clockError ?? -1)
        for text in [trace.header.title, trace.header.recorder, trace.header.started] { writer.append(text) }
        if let user = trace.header.user { writer.append(user) }
        for object in trace.objects {
            writer.append(object.key)
            for number in [object.bytes, object.pixelWidth, object.pixelHeight] { writer.append(Int64(number ?? -1)) }
            if frames > 0 { writer.append(UInt16(clamping: object.frames ?? 0)) }
            writer.append(object.contentType)
            writer.append(UInt32(object.headers.count))
            for header in object.headers {
                writer.append(header.name)
                writer.append(header.value)
            }
        }
        for event in trace.events { writer.append(event) }
        return writer.bytes
    }

    /// - Throws: ``Damage`` for bytes that no session has.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws -> Trace {
        var reader = Reader(bytes: bytes)
        let eventCount = try reader.count(eachAtLeast: eventLength)
        let objectCount = try reader.count(eachAtLeast: 36)
        let kind = try reader.number(UInt8.self)
        var header = TraceHeader(synthetic: kind & 1 == 1, scripted: kind & 2 == 2)
        header.clockError = try reader.optional(upTo: TraceLimits.time)
        header.title = try reader.text()
        header.recorder = try reader.text()
        header.started = try reader.text()
        if kind & 4 == 4 { header.user = try reader.text() }
        var objects: [TraceObject] = []
        objects.reserveCapacity(objectCount)
        for _ in 0..<objectCount { objects.append(try reader.object(hasFrames: kind & 8 == 8)) }
        var events: [TraceEvent] = []
        events.reserveCapacity(eventCount)
        var last: Int64 = 0
        for _ in 0..<eventCount {
            let event = try reader.event(objects: objectCount)
            guard event.time >= last else { throw reader.damage("the times of events fall") }
            last = event.time
            events.append(event)
        }
        guard reader.offset == bytes.count else { throw reader.damage("there are bytes behind the last event") }
        return Trace(header: header, objects: objects, events: events)
    }

    /// Bytes that no session has.
    struct Damage: Error {
        var offset: Int
        var message: String
    }

    private struct Writer {
        var bytes: [UInt8] = []

        mutating func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }

        mutating func append(_ text: String?) {
            guard let text else { return append(SessionBytes.absent) }
            append(UInt32(text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }

        mutating func append(_ event: TraceEvent) {
            func record(
                _ kind: Kind, _ object: ObjectID = 0, status: Int = 0, detail: UInt8 = 0, flags: UInt8 = 0,
                _ words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
            ) {
                append(event.time)
                append(object)
                append(Int32(clamping: status))
                append(kind.rawValue)
                append(detail)
                append(flags)
                bytes.append(contentsOf: [0, 0, 0, 0, 0])
                append(words.0)
                append(words.1)
                append(words.2)
                append(words.3)
                append(words.4)
            }
            func request(_ kind: Kind, _ object: ObjectID, _ variant: Variant) {
                guard let size = event.viewSize else { return record(kind, object, detail: variant.rawValue) }
                record(
                    kind, object, detail: variant.rawValue, flags: SessionBytes.hasViewSize,
                    (UInt64(size.width), UInt64(size.height), 0, 0, 0))
            }
            switch event.action {
            case .appear(let object, let variant): request(.appear, object, variant)
            case .disappear(let object, let variant): record(.disappear, object, detail: variant.rawValue)
            case .prefetch(let object, let variant): request(.prefetch, object, variant)
            case .scroll(let phase, let offset, let velocity):
                let detail = UInt8(SessionBytes.phases.firstIndex(of: phase) ?? 0)
                record(.scroll, detail: detail, (offset.bitPattern, velocity.bitPattern, 0, 0, 0))
            case .fetch(let object, let fetch):
                var flags: UInt8 = fetch.isUndecodable ? 8 : 0
                func word(_ number: Int64?, _ flag: UInt8) -> UInt64 {
                    guard let number else { return 0 }
                    flags |= flag
                    return UInt64(bitPattern: number)
                }
                let words = (
                    word(fetch.bytes.map(Int64.init), 1), word(fetch.timeToFirstByte, 2), word(fetch.transferTime, 4),
                    word(fetch.queued, 16), word(fetch.connect, 32)
                )
                let detail = fetch.networkProtocol.flatMap(SessionBytes.protocols.firstIndex(of:)).map { $0 + 1 } ?? 0
                record(.fetch, object, status: fetch.status, detail: UInt8(detail), flags: flags, words)
            case .memoryWarning: record(.memoryWarning)
            case .background: record(.background)
            case .foreground: record(.foreground)
            case .terminate: record(.terminate)
            case .remove(let object): record(.remove, object)
            case .list(let object, let variant, let position, let row):
                record(.list, object, detail: variant.rawValue, (UInt64(position), UInt64(row), 0, 0, 0))
            case .served(let object, let variant, let source):
                record(.served, object, detail: variant.rawValue, flags: source.rawValue)
            case .cost(let object, let variant, let bytes):
                record(.cost, object, detail: variant.rawValue, (UInt64(max(0, bytes)), 0, 0, 0, 0))
            }
        }
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var offset = 0

        func damage(_ message: String) -> Damage { Damage(offset: offset, message: message) }

        mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type = Number.self) throws
            -> Number
        {
            let size = MemoryLayout<Number>.size
            guard bytes.count - offset >= size else { throw damage("the session ends early") }
            defer { offset += size }
            return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }

        /// A count of elements, each of which has at least this many bytes: a larger count would allocate for nothing.
        mutating func count(eachAtLeast least: Int) throws -> Int {
            let count = try number(UInt64.self)
            guard count <= UInt64(bytes.count / least), count <= UInt64(Int32.max) else {
                throw damage("the count \(count) is larger than the session has room for")
            }
            return Int(count)
        }

        mutating func optional(upTo limit: Int64) throws -> Int64? {
            let number = try number(Int64.self)
            guard (-1...limit).contains(number) else { throw damage("the number \(number) is out of range") }
            return number < 0 ? nil : number
        }

        mutating func text() throws -> String? {
            let length = try number(UInt32.self)
            guard length != SessionBytes.absent else { return nil }
            guard bytes.count - offset >= Int(length) else { throw damage("a text ends behind the session") }
            guard let text = String(validating: bytes[offset..<offset + Int(length)], as: UTF8.self) else {
                throw damage("a text is not UTF-8")
            }
            offset += Int(length)
            return text
        }

        mutating func requiredText() throws -> String {
            guard let text = try text() else { throw damage("a text is missing") }
            return text
        }

        mutating func object(hasFrames: Bool) throws -> TraceObject {
            var object = TraceObject(key: try requiredText())
            object.bytes = try optional(upTo: TraceLimits.bytes).map { Int($0) }
            object.pixelWidth = try optional(upTo: TraceLimits.pixels).map { Int($0) }
            object.pixelHeight = try optional(upTo: TraceLimits.pixels).map { Int($0) }
            if hasFrames, case let frames = try number(UInt16.self), frames > 0 { object.frames = Int(frames) }
            object.contentType = try text()
            for _ in 0..<(try number(UInt32.self)) {
                object.headers.append(HTTPField(try requiredText(), try requiredText()))
            }
            return object
        }

        mutating func event(objects: Int) throws -> TraceEvent {
            let time = try number(Int64.self)
            let object = try number(ObjectID.self)
            let status = Int(try number(Int32.self))
            let rawKind = try number(UInt8.self)
            let detail = try number(UInt8.self)
            let flags = try number(UInt8.self)
            offset += 5
            let words = (
                try number(UInt64.self), try number(UInt64.self), try number(UInt64.self), try number(UInt64.self),
                try number(UInt64.self)
            )
            guard (0...TraceLimits.time).contains(time) else { throw damage("the time \(time) is out of range") }
            guard let kind = Kind(rawValue: rawKind) else { throw damage("the event kind \(rawKind) is unknown") }
            let fields = EventFields(
                object: object, objects: objects, status: status, detail: detail, flags: flags, words: words)
            return TraceEvent(time: time, try action(kind, fields), viewSize: try viewSize(kind, fields))
        }

        /// The fields of an event besides its time and kind.
        private struct EventFields {
            let object: ObjectID
            let objects: Int
            let status: Int
            let detail: UInt8
            let flags: UInt8
            let words: (UInt64, UInt64, UInt64, UInt64, UInt64)
        }

        private func action(_ kind: Kind, _ fields: EventFields) throws -> TraceEvent.Action {
            switch kind {
            case .appear: return .appear(try object(fields), try variant(fields))
            case .disappear: return .disappear(try object(fields), try variant(fields))
            case .prefetch: return .prefetch(try object(fields), try variant(fields))
            case .scroll:
                let phase = Int(fields.detail)
                guard phase < SessionBytes.phases.count else { throw damage("the phase \(phase) is unknown") }
                let (offset, velocity) = (Double(bitPattern: fields.words.0), Double(bitPattern: fields.words.1))
                guard offset.isFinite, velocity.isFinite else { throw damage("a scroll position is not finite") }
                return .scroll(SessionBytes.phases[phase], offset: offset, velocity: velocity)
            case .fetch:
                let fetch = try fetch(fields)
                return .fetch(try object(fields), fetch)
            case .memoryWarning: return .memoryWarning
            case .background: return .background
            case .foreground: return .foreground
            case .terminate: return .terminate
            case .remove: return .remove(try object(fields))
            case .list:
                let (position, row) = (try place(fields.words.0), try place(fields.words.1))
                return .list(try object(fields), try variant(fields), position: position, row: row)
            case .served:
                guard let source = ServedSource(rawValue: fields.flags) else {
                    throw damage("the source \(fields.flags) is unknown")
                }
                return .served(try object(fields), try variant(fields), source)
            case .cost:
                guard fields.words.0 <= UInt64(TraceLimits.bytes) else {
                    throw damage("the cost \(fields.words.0) is out of range")
                }
                return .cost(try object(fields), try variant(fields), bytes: Int(fields.words.0))
            }
        }

        /// Returns the size of the view of an `appear` or a `prefetch`; nil if it was not recorded, and for other
        /// kinds.
        private func viewSize(_ kind: Kind, _ fields: EventFields) throws -> ViewSize? {
            guard kind == .appear || kind == .prefetch, fields.flags != 0 else { return nil }
            guard fields.flags == SessionBytes.hasViewSize else {
                throw damage("the flags \(fields.flags) of a request are unknown")
            }
            let (width, height) = (fields.words.0, fields.words.1)
            guard let size = ViewSize(width: Int(clamping: width), height: Int(clamping: height)) else {
                throw damage("the view size \(width) × \(height) is out of range")
            }
            return size
        }

        private func fetch(_ fields: EventFields) throws -> Fetch {
            func known(_ word: UInt64, _ flag: UInt8, upTo limit: Int64 = TraceLimits.time) throws -> Int64? {
                guard fields.flags & flag != 0 else { return nil }
                guard word <= UInt64(limit) else { throw damage("the number \(word) is out of range") }
                return Int64(word)
            }
            let (number, words) = (Int(fields.detail), fields.words)
            guard fields.status >= 0 else { throw damage("the status \(fields.status) is out of range") }
            guard number <= SessionBytes.protocols.count else { throw damage("the protocol \(number) is unknown") }
            var fetch = Fetch(
                status: fields.status, bytes: try known(words.0, 1, upTo: TraceLimits.bytes).map { Int($0) },
                queued: try known(words.3, 16), connect: try known(words.4, 32),
                timeToFirstByte: try known(words.1, 2), transferTime: try known(words.2, 4))
            fetch.networkProtocol = number == 0 ? nil : SessionBytes.protocols[number - 1]
            fetch.isUndecodable = fields.flags & 8 != 0
            return fetch
        }

        private func variant(_ fields: EventFields) throws -> Variant {
            guard let variant = Variant(rawValue: fields.detail) else {
                throw damage("the variant \(fields.detail) is unknown")
            }
            return variant
        }

        private func object(_ fields: EventFields) throws -> ObjectID {
            guard (0..<fields.objects).contains(Int(fields.object)) else {
                throw damage("there is no object \(fields.object)")
            }
            return fields.object
        }

        private func place(_ word: UInt64) throws -> Int32 {
            guard word <= UInt64(TraceLimits.position) else { throw damage("the position \(word) is out of range") }
            return Int32(word)
        }
    }
}
