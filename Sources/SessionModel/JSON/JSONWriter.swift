/// Writes JSON (RFC 8259) into a byte buffer, as UTF-8 without spaces.
///
/// The caller balances begin and end, and writes a key before the value of each member.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Empties the buffer without freeing its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    package mutating func beginObject() { open("{") }
    package mutating func endObject() { close("}") }
    package mutating func beginArray() { open("[") }
    package mutating func endArray() { close("]") }

    package mutating func key(_ key: String) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ string: String) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: (byte < 16 ? "0" : "").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func integer(_ value: some BinaryInteger) { literal(String(value)) }

    /// Writes the shortest digits that read back as the same Double, or null for infinity and not-a-number.
    package mutating func double(_ value: Double) {
        if !value.isFinite { return null() }
        let digits = value.description
        literal(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
    }

    package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }
    package mutating func null() { literal("null") }

    /// Ends a line of JSON Lines. The next value starts a new text.
    package mutating func newline() {
        bytes.append(0x0A)
        needsComma = false
    }

    private mutating func literal(_ text: String) {
        comma()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: Character) {
        comma()
        bytes.append(bracket.asciiValue ?? 0)
        needsComma = false
    }

    private mutating func close(_ bracket: Character) {
        bytes.append(bracket.asciiValue ?? 0)
        needsComma = true
    }
}
