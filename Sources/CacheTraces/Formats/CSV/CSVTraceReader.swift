import Basics
import SessionModel

/// Reads CSV files; see ``CSVFormat``.
struct CSVTraceReader: ~Copyable {
    private let file: String
    private let window: ByteWindow
    private var rows: CSVRows
    private var requests: Requests
    private var keys = CSVKeys()

    static func read(_ input: TraceInput, _ options: CSVFormat.Options, _ notes: inout ReadingNotes) throws -> Requests
    {
        let start = input.textStart
        let window = input.content ?? ByteWindow(input)
        let bytes = window.bytes
        let firstLine = bytes[min(start, bytes.count)..<bytes.endOfLine(from: start)]
        let delimiter = options.delimiter?.asciiValue ?? CSVColumns.delimiter(of: firstLine)
        let requests = Requests(windows: input.windows, replacesZeroes: true, keepsTimes: input.keepsTimes)
        var reader = CSVTraceReader(window, rows: CSVRows(bytes, from: start, delimiter: delimiter), requests)
        reader.requests.reserve(rows: bytes, from: start, length: max(input.count, bytes.count))
        do {
            do {
                try reader.read(options, &notes)
            } catch let error as CSVRows.Malformed {
                throw Self.error(error, file: input.path)
            } catch let error as CSVColumns.Unknown {
                throw TraceError(file: input.path, at: .line(1), error.message)
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
        let hasHeader = options.hasHeader ?? CSVColumns.isHeader(first)
        let columns = try CSVColumns(names: hasHeader ? first : [], width: first.count, options: options)
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
        let plain = Self.readPlainRows(behind: rows, columns, unit, &requests, &keys)
        rows.skip(to: plain.end, lines: plain.rows)
        count += Int64(plain.rows)
        return plain.rows
    }

    private mutating func readRow(_ columns: CSVColumns, _ unit: inout CSVFormat.TimeUnit?, ordinal: Int64) throws {
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
