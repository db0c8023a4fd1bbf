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
