import Basics
import SessionModel

/// Reads CSV files; see ``CSVFormat``.
struct CSVTraceReader: ~Copyable {
    private let file: String
    private let window: ByteWindow
    private var rows: CSVRows
    private var requests: Requests
    private var keys = CSVKeys()
    /// The number of fields of every row; nil if it does not matter.
    private var width: Int?

    static func read(_ input: TraceInput, _ options: CSVFormat.Options, _ notes: inout ReadingNotes) throws -> Requests
    {
        let start = input.textStart
        let window = input.content ?? ByteWindow(input)
        let bytes = window.bytes
        let preamble = CSVPreamble(bytes, from: min(start, bytes.count), delimiter: options.delimiter?.asciiValue)
        let firstLine = bytes[preamble.start..<bytes.endOfLine(from: preamble.start)]
        let delimiter = options.delimiter?.asciiValue ?? preamble.delimiter ?? CSVColumns.delimiter(of: firstLine)
        let requests = Requests(windows: input.windows, replacesZeroes: true, keepsTimes: input.keepsTimes)
        let rows = CSVRows(bytes, from: preamble.start, line: preamble.lineCount + 1, delimiter: delimiter)
        var reader = CSVTraceReader(window, rows: rows, requests)
        if preamble.skipped > 0 {
            notes.warnings.append("\(preamble.skipped) lines before the table (comments, a title, sep=) are skipped")
        }
        reader.requests.reserve(rows: bytes, from: start, length: max(input.count, bytes.count))
        do {
            do {
                try reader.read(options, &notes)
            } catch let error as CSVRows.Malformed {
                throw Self.error(error, file: input.path)
            } catch let error as CSVColumns.Unknown {
                throw TraceError(file: input.path, at: .line(preamble.lineCount + 1), error.message)
            }
        } catch {
            try window.checkRest()
            throw error
        }
        return reader.finish()
    }

    private static func error(_ error: CSVRows.Malformed, file: String) -> TraceError {
        switch error.problem {
        case .openQuote:
            TraceError(
                file: file, at: .line(error.row),
                "the quoted field that begins in this row does not end; expected a closing \"")
        case .textAfterQuote, .quoteInField:
            TraceError(
                file: file, at: .line(error.line),
                "expected a delimiter or the end of the line after the closing quote; double a quote within a field")
        }
    }

    private consuming func finish() -> Requests {
        requests.keep(keys)
        return requests
    }

    private init(_ window: ByteWindow, rows: CSVRows, _ requests: consuming Requests) {
        file = window.path
        self.window = window
        self.rows = rows
        self.requests = requests
    }

    private mutating func read(_ options: CSVFormat.Options, _ notes: inout ReadingNotes) throws {
        guard try nextRow() else {
            throw TraceError(file: file, "the file is empty; expected rows of time, key, size")
        }
        let first = rows.fields.map { rows.text($0) ?? "" }
        let hasHeader = options.hasHeader ?? (CSVColumns.isHeader(first) || options.names(oneOf: first))
        let columns = try CSVColumns(names: hasHeader ? first : [], first: first, options: options)
        // Without names, a row of another width has other columns.
        width = hasHeader ? nil : first.count
        if columns.time == nil {
            notes.warnings.append("there is no time column: requests are assumed to be 1 ms apart; pass --time-column")
        }
        if columns.size == nil {
            notes.warnings.append("there is no size column: sizes are unknown; pass --size-column")
        }
        var unit = columns.timeUnit
        var count: Int64 = 0
        var isRow = !hasHeader
        // Consecutive failures. In files without plain rows, the fast path is tried rarely.
        var failures = 0
        while true {
            if isRow {
                do {
                    try readRow(columns, &unit, ordinal: count)
                    count += 1
                } catch let error as TraceError {
                    try notes.report(error)
                }
            }
            isRow = true
            if failures < 16 || count % 256 == 0 {
                failures = readPlainRows(columns, unit, &count) > 0 ? 0 : failures + 1
            }
            guard try nextRow() else { break }
        }
        guard count > 0 else { throw TraceError(file: file, "the file has a header and no rows; expected requests") }
    }

    /// Moves to the next row. A row that reaches the end of the window may continue behind it, and is read again after
    /// the window has moved there.
    private mutating func nextRow() throws -> Bool {
        while true {
            let mark = rows.mark
            var failure: CSVRows.Malformed?
            var isRow = false
            do { isRow = try rows.next() } catch { failure = error }
            if window.hasEnd || rows.position < rows.bytes.count {
                if let failure { throw failure }
                return isRow
            }
            try window.advance(to: mark.position)
            rows.move(to: window.bytes, from: mark)
        }
    }

    /// Reads the plain rows that follow, and returns their number.
    private mutating func readPlainRows(_ columns: CSVColumns, _ unit: CSVFormat.TimeUnit?, _ count: inout Int64) -> Int
    {
        let plain = Self.readPlainRows(behind: rows, columns, unit, width, &requests, &keys)
        rows.skip(to: plain.end, lines: plain.rows)
        count += Int64(plain.rows)
        return plain.rows
    }

    private mutating func readRow(_ columns: CSVColumns, _ unit: inout CSVFormat.TimeUnit?, ordinal: Int64) throws {
        if let width, rows.fields.count != width {
            throw problem("expected \(width) fields, as in the first row, found \(rows.fields.count)")
        }
        let key = try field(columns.key, "key")
        var time = ordinal * 1000
        if let column = columns.time { time = try readTime(try field(column, "time"), &unit) }
        var bytes = Requests.unknownSize
        if let column = columns.size, rows.fields.indices.contains(column), !rows.fields[column].range.isEmpty {
            bytes = try readSize(rows.fields[column])
        }
        let object = key.hasDoubledQuotes ? rows.unquoted(key).withUnsafeBytes { number($0) } : number(rows.raw(key))
        guard let object else { throw problem("the key is not UTF-8; write the file as UTF-8") }
        requests.append(object, at: time, bytes: bytes)
    }

    private mutating func number(_ key: UnsafeRawBufferPointer) -> UInt32? { keys.number(of: key, next: requests.next) }

    private func field(_ column: Int, _ what: String) throws -> CSVRows.Field {
        guard rows.fields.indices.contains(column) else {
            throw problem("expected the \(what) in column \(column + 1), but the row has \(rows.fields.count) fields")
        }
        return rows.fields[column]
    }

    private func readSize(_ field: CSVRows.Field) throws -> Int {
        if let size = wholeNumber(field), size <= TraceLimits.bytes { return Int(size) }
        throw problem("expected the size as a whole number of bytes, found '\(rows.text(field) ?? "?")'")
    }

    private func readTime(_ field: CSVRows.Field, _ unit: inout CSVFormat.TimeUnit?) throws -> Int64 {
        if let whole = wholeNumber(field) {
            let unit = unit ?? Self.guess(Double(whole))
            if unit == .seconds, whole <= TraceLimits.time / 1_000_000 { return whole * 1_000_000 }
            let microseconds = Double(whole) * unit.microseconds
            if microseconds <= Double(TraceLimits.time) { return Int64(microseconds) }
        } else if let text = rows.text(field) {
            if let number = Double(text), number >= 0 {
                let microseconds = (number * (unit ?? Self.guess(number)).microseconds).rounded()
                if microseconds <= Double(TraceLimits.time) { return Int64(microseconds) }
            }
            if let date = Timestamp.microseconds(text) { return date }
        }
        throw problem("expected the time as a number or a date (RFC 3339), found '\(rows.text(field) ?? "?")'")
    }

    /// Returns the unit of a Unix time, by its magnitude.
    private static func guess(_ time: Double) -> CSVFormat.TimeUnit {
        time < 1e11 ? .seconds : time < 1e14 ? .milliseconds : time < 1e17 ? .microseconds : .nanoseconds
    }

    /// Returns the value of a field of at most 18 digits.
    private func wholeNumber(_ field: CSVRows.Field) -> Int64? {
        guard !field.range.isEmpty, field.range.count <= 18 else { return nil }
        var value: Int64 = 0
        for byte in rows.bytes[field.range] {
            let digit = byte &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    private func problem(_ message: String) -> TraceError {
        TraceError(file: file, at: .line(rows.line), message)
    }
}

extension Requests {
    private static let mostReserved = 1 << 24

    /// Reserves memory for the number of lines in a text of `length` bytes, estimated from the first of them.
    ///
    /// The estimate of a text with short lines at its start only can be far too high. A column is therefore reserved
    /// for at most ``mostReserved`` requests, and grows.
    fileprivate mutating func reserve(rows bytes: UnsafeRawBufferPointer, from start: Int, length: Int) {
        let sample = bytes[min(start, bytes.count)...].prefix(64 * 1024)
        let lines = sample.count { $0 == 0x0A }
        guard lines > 0 else { return }
        let estimate = Double(length) / Double(sample.count) * Double(lines) * 1.05
        reserve(estimate < Double(Self.mostReserved) ? Int(estimate) : Self.mostReserved)
    }
}

extension CSVTraceReader {
    /// Reads plain rows: time and size in digits, the key without quotes or in quotes without doubled quotes. Stops at
    /// the first other row, or near the end of the bytes, where the general reader takes over.
    ///
    /// Large files consist of plain rows. Digits are converted eight at a time, and keys that are numbers are never
    /// compared as text.
    static func readPlainRows(
        behind reader: CSVRows, _ columns: CSVColumns, _ unit: CSVFormat.TimeUnit?, _ width: Int?,
        _ requests: inout Requests, _ keys: inout CSVKeys
    ) -> (end: Int, rows: Int) {
        let start = reader.position
        guard let rows = PlainRows(reader, columns, unit, width) else { return (start, 0) }
        let hash = keys.texts.hash
        var batch = NumberedBatch()
        var texts = TextBatch()
        var position = start
        var count = 0
        while let row = rows.row(at: position) {
            // Objects are numbered in order of appearance, so one of the two batches is empty.
            if let text = row.text {
                if batch.count > 0 { requests.append(&batch, numbering: &keys.numbers) }
                if row.isASCII, let base = text.baseAddress {
                    let hash = hash.of(base, count: text.count)
                    keys.texts.prefetch(hash)
                    texts.append(text, hash: hash, at: row.time, bytes: row.size)
                    if texts.isFull { requests.append(&texts, numbering: &keys.texts) }
                } else {
                    requests.append(&texts, numbering: &keys.texts)
                    guard let object = keys.texts.number(of: text, next: requests.next) else { break }
                    requests.append(object, at: row.time, bytes: row.size)
                }
            } else {
                if texts.count > 0 { requests.append(&texts, numbering: &keys.texts) }
                batch.append(row.id, at: row.time, bytes: row.size)
                if batch.isFull { requests.append(&batch, numbering: &keys.numbers) }
            }
            count &+= 1
            position = row.end
        }
        requests.append(&batch, numbering: &keys.numbers)
        requests.append(&texts, numbering: &keys.texts)
        return (position, count)
    }
}

/// Reads plain rows of the columns that a trace needs. It refuses every other row, whether or not it is valid.
private struct PlainRows {
    /// A row with an id or a text as its key.
    struct Row {
        var id: UInt64 = 0
        var text: UnsafeRawBufferPointer?
        /// Whether ``text`` is ASCII.
        var isASCII = false
        /// Microseconds.
        var time: Int64 = 0
        var size = Requests.unknownSize
        /// The start of the next row.
        var end = 0
    }

    private let scanner: PlainScanner
    private let keyColumn: Int
    private let timeColumn: Int
    /// -1 without a column.
    private let sizeColumn: Int
    private let lastColumn: Int
    /// Whether every row ends behind ``lastColumn``, and has all columns before it.
    private let isExact: Bool
    private let unit: CSVFormat.TimeUnit?
    // Copies, because a global constant is looked up at each use.
    private let maximumSize = UInt64(TraceLimits.bytes)
    private let maximumTime = TraceLimits.time
    private let maximumSeconds = TraceLimits.time / 1_000_000

    /// Creates a reader of the bytes of `reader`; nil if none of its rows can be read.
    init?(_ reader: CSVRows, _ columns: CSVColumns, _ unit: CSVFormat.TimeUnit?, _ width: Int?) {
        let delimiter = reader.delimiter
        guard let time = columns.time, delimiter &- 0x30 >= 10, delimiter != 0x2E, unit != .nanoseconds,
            let base = reader.bytes.baseAddress
        else { return nil }
        // A column that is used twice is left to the general reader.
        guard columns.key != time, columns.key != columns.size, time != columns.size else { return nil }
        scanner = PlainScanner(base, count: reader.bytes.count, delimiter: delimiter)
        (keyColumn, timeColumn, sizeColumn) = (columns.key, time, columns.size ?? -1)
        lastColumn = max(width.map { $0 - 1 } ?? -1, columns.key, time, columns.size ?? -1)
        isExact = width != nil
        self.unit = unit
    }

    /// Returns the row at `start`; nil if it is not plain.
    @inline(__always)
    func row(at start: Int) -> Row? {
        var row = Row()
        var place = start
        var column = 0
        while true {
            guard place <= scanner.limit else { return nil }
            let end: Int? =
                if column == keyColumn {
                    readKey(at: place, into: &row)
                } else if column == timeColumn {
                    readTime(at: place, into: &row)
                } else if column == sizeColumn {
                    readSize(at: place, into: &row)
                } else {
                    scanner.endOfField(from: place)
                }
            guard let end else { return nil }
            place = end
            if column == lastColumn {
                if isExact, scanner.byte(place) == scanner.delimiter { return nil }
                break
            }
            guard scanner.byte(place) == scanner.delimiter else {
                // Sizes may be missing. A row without another needed column is left to the general reader.
                guard !isExact, column >= keyColumn, column >= timeColumn else { return nil }
                break
            }
            place &+= 1
            column &+= 1
        }
        guard let end = scanner.endOfRow(from: place) else { return nil }
        row.end = end
        return row
    }

    /// Reads a key and returns the end of its field; nil if it is not plain.
    @inline(__always)
    private func readKey(at place: Int, into row: inout Row) -> Int? {
        // A number that is not in canonical form is a text.
        let first = scanner.byte(place) &- 0x30
        if first < 10, let (value, end) = scanner.number(at: place), first != 0 || end == place &+ 1 {
            row.id = value
            return end
        }
        guard let (text, isASCII, end) = scanner.text(at: place) else { return nil }
        row.text = text
        row.isASCII = isASCII
        return end
    }

    /// Reads a time and returns the end of its field; nil if it is not plain.
    @inline(__always)
    private func readTime(at place: Int, into row: inout Row) -> Int? {
        if let (value, end) = scanner.number(at: place) {
            guard end > place, let time = microseconds(value) else { return nil }
            row.time = time
            return end
        }
        guard unit == nil || unit == .seconds, let (time, end) = scanner.decimalSeconds(at: place) else { return nil }
        row.time = time
        return end
    }

    /// Converts a time to microseconds. Without a unit, the magnitude determines it, as in the general reader.
    @inline(__always)
    private func microseconds(_ value: UInt64) -> Int64? {
        guard value < 100_000_000_000_000_000 else { return nil }
        let time = Int64(truncatingIfNeeded: value)
        if time < maximumSeconds, unit == nil || unit == .seconds { return time &* 1_000_000 }
        let factor: Int64 =
            switch unit {
            case .seconds: 1_000_000
            case .milliseconds: 1_000
            case .microseconds: 1
            default: time < 100_000_000_000 ? 1_000_000 : time < 100_000_000_000_000 ? 1_000 : 1
            }
        return time <= maximumTime / factor ? time &* factor : nil
    }

    /// Reads a size, possibly empty, and returns the end of its field; nil if it is not plain.
    @inline(__always)
    private func readSize(at place: Int, into row: inout Row) -> Int? {
        guard let (value, end) = scanner.number(at: place), value <= maximumSize else { return nil }
        row.size = end == place ? Requests.unknownSize : Int(value)
        return end
    }
}
