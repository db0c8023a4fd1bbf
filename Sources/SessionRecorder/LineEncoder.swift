/// Encodes events as lines of CacheReplay's native format, JSON Lines, version 1.
///
/// An object gets its number and its line before the first event that names it. The field `dropped`, which readers
/// ignore, is the number of events that were lost just before a line.
struct LineEncoder {
    private(set) var line = JSONLine()
    private let privacy: KeyPrivacy
    /// By the app's key, so that keys are hashed only once. At most as large as the file.
    private var numbers: [String: Int] = [:]
    private var nextNumber = 0
    private var lastObject: (number: Int, key: String)?

    init(privacy: KeyPrivacy) { self.privacy = privacy }

    var bytes: [UInt8] { line.bytes }

    mutating func removeBytes() { line.removeAll() }

    /// Forgets the objects, for a new file or after lines were lost. Numbers continue, so that the files of a recording
    /// can be joined.
    mutating func forgetObjects() {
        numbers.removeAll()
        lastObject = nil
    }

    mutating func appendHeader(title: String?, started: String, part: Int) {
        line.begin()
        line.member("cachereplay_trace", 1)
        line.member("title", title)
        line.member("recorder", "SessionRecorder 1")
        line.member("started", started)
        line.member("synthetic", false)
        line.member("part", part)
        line.member("hashed_keys", privacy.hashing != nil)
        line.member("stripped_queries", privacy.stripsQuery)
        line.member("stripped_hosts", privacy.stripsHost)
        line.end()
    }

    mutating func append(_ event: RecordedEvent, dropped: Int) {
        switch event.action {
        case .cell(let name, let key, let variant, let viewSize):
            let number = number(of: key)
            begin(event.time, name.rawValue, dropped)
            line.member("o", number)
            line.member("variant", variant.rawValue)
            line.member("width", viewSize?.width)
            line.member("height", viewSize?.height)
        case .removal(let key):
            let number = number(of: key)
            begin(event.time, "remove", dropped)
            line.member("o", number)
        case .scroll(let phase, let offset, let velocity):
            begin(event.time, "scroll", dropped)
            line.member("phase", phase.rawValue)
            line.member("offset", offset)
            line.member("velocity", velocity)
        case .fetch(let key, let fetch, let object):
            let number = number(of: key)
            begin(event.time, "fetch", dropped)
            line.member("o", number)
            line.member("status", fetch.status)
            line.member("queued_us", fetch.queued)
            line.member("connect_us", fetch.connect)
            line.member("ttfb_us", fetch.timeToFirstByte)
            line.member("transfer_us", fetch.transferTime)
            line.member("protocol", fetch.networkProtocol)
            if fetch.isUndecodable { line.member("undecodable", true) }
            members(of: object)
        case .list(let part):
            append(part, at: event.time, dropped: dropped)
            return
        case .served(let key, let variant, let source):
            let number = number(of: key)
            begin(event.time, "served", dropped)
            line.member("o", number)
            line.member("variant", variant.rawValue)
            line.member("from", source.rawValue)
        case .cost(let key, let variant, let bytes):
            let number = number(of: key)
            begin(event.time, "cost", dropped)
            line.member("o", number)
            line.member("variant", variant.rawValue)
            line.member("bytes", bytes)
        case .object(let key, let object):
            declare(key, object, dropped: dropped)
            return
        case .system(let name): begin(event.time, name.rawValue, dropped)
        }
        line.end()
    }

    private mutating func append(_ part: ListPart, at time: Int64, dropped: Int) {
        for (index, key) in part.keys.enumerated() {
            let number = number(of: key)
            begin(time, "list", index == 0 ? dropped : 0)
            line.member("o", number)
            line.member("variant", part.variant.rawValue)
            line.member("position", part.first + index)
            line.member("row", (part.first + index) / part.columns)
            line.end()
        }
    }

    /// Appends a line with the number of events dropped after the last event. Returns false if there is no line for it,
    /// because no object is known.
    mutating func appendNote(dropped: Int) -> Bool {
        guard let lastObject else { return false }
        line.begin()
        line.member("e", "object")
        line.member("o", lastObject.number)
        line.member("key", lastObject.key)
        line.member("dropped", dropped)
        line.end()
        return true
    }

    private mutating func begin(_ time: Int64, _ event: String, _ dropped: Int) {
        line.begin()
        line.member("t", time)
        line.member("e", event)
        if dropped > 0 { line.member("dropped", dropped) }
    }

    private mutating func number(of key: String) -> Int {
        numbers[key] ?? declare(key, RecordedObject(), dropped: 0)
    }

    @discardableResult
    private mutating func declare(_ key: String, _ object: RecordedObject, dropped: Int) -> Int {
        let number = numbers[key] ?? nextNumber
        if number == nextNumber {
            numbers[key] = number
            nextNumber += 1
        }
        let written = privacy.written(key)
        lastObject = (number, written)
        line.begin()
        line.member("e", "object")
        line.member("o", number)
        line.member("key", written)
        if dropped > 0 { line.member("dropped", dropped) }
        members(of: object)
        line.end()
        return number
    }

    private mutating func members(of object: RecordedObject) {
        line.member("bytes", object.bytes)
        line.member("type", object.contentType)
        line.member("width", object.pixelWidth)
        line.member("height", object.pixelHeight)
        line.member("headers", object.headers.map(privacy.written))
    }
}

/// Writes JSON objects (RFC 8259), one per line, into a byte buffer.
struct JSONLine {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func begin() {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    mutating func end() {
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    mutating func member(_ name: StaticString, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        key(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes the shortest digits that are read as the same Double. Omits numbers that are not finite, which JSON does
    /// not have.
    mutating func member(_ name: StaticString, _ value: Double) {
        guard value.isFinite else { return }
        key(name)
        let digits = value.description
        bytes.append(contentsOf: (digits.hasSuffix(".0") ? digits.dropLast(2) : digits[...]).utf8)
    }

    /// Writes an object of strings; omits it if it is empty.
    mutating func member(_ name: StaticString, _ headers: [RecordedObject.Header]) {
        guard !headers.isEmpty else { return }
        key(name)
        bytes.append(UInt8(ascii: "{"))
        for (index, header) in headers.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            string(header.name)
            bytes.append(UInt8(ascii: ":"))
            string(header.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a member's name, which must not need escapes.
    private mutating func key(_ name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func string(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: (byte < 16 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
