/// Splits CSV text (RFC 4180) into rows and fields, as ranges of the file.
///
/// Invariant: `position` is within `0...bytes.count`; every field's range is within `bytes`.
struct CSVRows {
    struct Field {
        var range: Range<Int>
        /// Whether the field contains doubled quotes, each of which means one quote.
        var hasDoubledQuotes = false
    }

    struct Malformed: Error {
        var line: Int
        var message: String
    }

    private(set) var bytes: UnsafeRawBufferPointer
    let delimiter: UInt8
    private(set) var position: Int
    /// The line on which the current row begins, from 1.
    private(set) var line = 0
    private var nextLine = 1
    private(set) var fields: [Field] = []

    init(_ bytes: UnsafeRawBufferPointer, from start: Int, delimiter: UInt8) {
        self.bytes = bytes
        self.delimiter = delimiter
        position = start
    }

    /// Moves to the next row that is not blank. Returns false at the end.
    mutating func next() throws(Malformed) -> Bool {
        repeat {
            guard position < bytes.count else { return false }
            line = nextLine
            fields.removeAll(keepingCapacity: true)
            while try !nextField() {}
        } while fields.count == 1 && fields[0].range.isEmpty
        return true
    }

    /// The place before a row, to which ``move(to:from:)`` returns.
    struct Mark {
        fileprivate(set) var position: Int
        fileprivate var nextLine: Int
    }

    var mark: Mark { Mark(position: position, nextLine: nextLine) }

    /// Continues at a mark, which is the first of `bytes` now.
    mutating func move(to bytes: UnsafeRawBufferPointer, from mark: Mark) {
        self.bytes = bytes
        position = 0
        nextLine = mark.nextLine
    }

    /// Continues at `position`, after `lines` lines that another reader has read.
    mutating func skip(to position: Int, lines: Int) {
        self.position = min(max(position, self.position), bytes.count)
        nextLine += lines
    }

    /// Returns the bytes of a field as they are in the file.
    func raw(_ field: Field) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[field.range]) }

    /// Returns the text of a field with quotes decoded; nil if it is not UTF-8.
    func text(_ field: Field) -> String? {
        let raw = raw(field)
        guard field.hasDoubledQuotes else { return String(validating: raw, as: UTF8.self) }
        return String(validating: unquoted(field), as: UTF8.self)
    }

    /// Returns the bytes of a field with quotes decoded.
    func unquoted(_ field: Field) -> [UInt8] {
        var unquoted: [UInt8] = []
        var wasQuote = false
        for byte in raw(field) {
            wasQuote = byte == 0x22 && !wasQuote
            if !wasQuote { unquoted.append(byte) }
        }
        return unquoted
    }

    /// Reads one field. Returns whether it is the last of its row.
    private mutating func nextField() throws(Malformed) -> Bool {
        if position < bytes.count, bytes[position] == 0x22 { return try quotedField() }
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == delimiter || byte == 0x0A { break }
            position += 1
        }
        var end = position
        if end > start, bytes[end - 1] == 0x0D, end == bytes.count || bytes[end] == 0x0A { end -= 1 }
        fields.append(Field(range: start..<end))
        return endField()
    }

    private mutating func quotedField() throws(Malformed) -> Bool {
        position += 1
        var field = Field(range: position..<position)
        let start = position
        while true {
            guard position < bytes.count else {
                throw Malformed(
                    line: line, message: "the quoted field that begins in this row does not end; expected a closing \"")
            }
            let byte = bytes[position]
            if byte == 0x0A { nextLine += 1 }
            if byte == 0x22 {
                guard position + 1 < bytes.count, bytes[position + 1] == 0x22 else { break }
                field.hasDoubledQuotes = true
                position += 1
            }
            position += 1
        }
        field.range = start..<position
        fields.append(field)
        position += 1
        if position < bytes.count, bytes[position] == 0x0D { position += 1 }
        guard position == bytes.count || bytes[position] == delimiter || bytes[position] == 0x0A else {
            throw Malformed(
                line: nextLine,
                message:
                    "expected a delimiter or the end of the line after the closing quote; double a quote within a field"
            )
        }
        return endField()
    }

    private mutating func endField() -> Bool {
        guard position < bytes.count else { return true }
        let endsRow = bytes[position] == 0x0A
        position += 1
        if endsRow { nextLine += 1 }
        return endsRow
    }
}
