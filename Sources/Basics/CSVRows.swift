/// Splits CSV text (RFC 4180) into rows and fields, as ranges of the bytes: quoted fields, doubled quotes, line breaks
/// inside of quotes; lines end in LF or CRLF.
///
/// Invariant: `position` is within `0...bytes.count`; every field's range is within `bytes`.
package struct CSVRows {
    package struct Field {
        package var range: Range<Int>
        /// Whether the field contains doubled quotes, each of which means one quote.
        package var hasDoubledQuotes = false
    }

    /// How text is read that RFC 4180 does not allow.
    package enum Strictness: Sendable {
        /// A quote in the middle of a field, and a carriage return without a line feed, are text: for the files of
        /// other programs.
        case lenient
        /// A quote in the middle of a field is an error. A carriage return without a line feed ends a line.
        case strict
    }

    package struct Malformed: Error {
        package enum Problem: Sendable {
            /// A quoted field has no closing quote.
            case openQuote
            /// Text follows a closing quote.
            case textAfterQuote
            /// A quote is in the middle of a field; only of ``Strictness/strict``.
            case quoteInField
        }

        package var problem: Problem
        /// The line on which the row begins, from 1.
        package var row: Int
        /// The line of the problem; of an open quote, the line on which its field begins.
        package var line: Int
    }

    package private(set) var bytes: UnsafeRawBufferPointer
    package let delimiter: UInt8
    private let isStrict: Bool
    package private(set) var position: Int
    /// The line on which the current row begins, from 1.
    package private(set) var line = 0
    private var nextLine: Int
    package private(set) var fields: [Field] = []

    package init(
        _ bytes: UnsafeRawBufferPointer, from start: Int, line: Int = 1, delimiter: UInt8 = UInt8(ascii: ","),
        _ strictness: Strictness = .lenient
    ) {
        self.bytes = bytes
        self.delimiter = delimiter
        isStrict = strictness == .strict
        position = start
        nextLine = line
    }

    /// Moves to the next row that is not blank. Returns false at the end.
    package mutating func next() throws(Malformed) -> Bool {
        repeat {
            guard position < bytes.count else { return false }
            line = nextLine
            fields.removeAll(keepingCapacity: true)
            while try !nextField() {}
        } while fields.count == 1 && fields[0].range.isEmpty
        return true
    }

    /// The place before a row, to which ``move(to:from:)`` returns.
    package struct Mark {
        package fileprivate(set) var position: Int
        fileprivate var nextLine: Int
    }

    package var mark: Mark { Mark(position: position, nextLine: nextLine) }

    /// Continues at a mark, which is the first of `bytes` now.
    package mutating func move(to bytes: UnsafeRawBufferPointer, from mark: Mark) {
        self.bytes = bytes
        position = 0
        nextLine = mark.nextLine
    }

    /// Continues at `position`, after `lines` lines that another reader has read.
    package mutating func skip(to position: Int, lines: Int) {
        self.position = min(max(position, self.position), bytes.count)
        nextLine += lines
    }

    /// Returns the bytes of a field as they are in the file.
    package func raw(_ field: Field) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[field.range]) }

    /// Returns the text of a field with quotes decoded; nil if it is not UTF-8.
    package func text(_ field: Field) -> String? {
        let raw = raw(field)
        guard field.hasDoubledQuotes else { return String(validating: raw, as: UTF8.self) }
        return String(validating: unquoted(field), as: UTF8.self)
    }

    /// Returns the bytes of a field with quotes decoded.
    package func unquoted(_ field: Field) -> [UInt8] {
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
            if isStrict {
                if byte == 0x0D { break }
                if byte == 0x22 { throw malformed(.quoteInField, nextLine) }
            }
            position += 1
        }
        var end = position
        if end > start, bytes[end - 1] == 0x0D, end == bytes.count || bytes[end] == 0x0A { end -= 1 }
        fields.append(Field(range: start..<end))
        return endField()
    }

    private mutating func quotedField() throws(Malformed) -> Bool {
        let opening = nextLine
        position += 1
        var field = Field(range: position..<position)
        let start = position
        while true {
            guard position < bytes.count else { throw malformed(.openQuote, opening) }
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
        if !isStrict, position < bytes.count, bytes[position] == 0x0D { position += 1 }
        guard
            position == bytes.count || bytes[position] == delimiter || bytes[position] == 0x0A
                || isStrict && bytes[position] == 0x0D
        else { throw malformed(.textAfterQuote, nextLine) }
        return endField()
    }

    private mutating func endField() -> Bool {
        guard position < bytes.count else { return true }
        let isReturn = isStrict && bytes[position] == 0x0D
        let endsRow = isReturn || bytes[position] == 0x0A
        if isReturn, position + 1 < bytes.count, bytes[position + 1] == 0x0A { position += 1 }
        position += 1
        if endsRow { nextLine += 1 }
        return endsRow
    }

    private func malformed(_ problem: Malformed.Problem, _ line: Int) -> Malformed {
        Malformed(problem: problem, row: self.line, line: line)
    }
}
