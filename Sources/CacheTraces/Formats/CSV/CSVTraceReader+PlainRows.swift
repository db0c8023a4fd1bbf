import Basics
import SessionModel

extension CSVTraceReader {
    /// Reads plain rows: time and size in digits, the key without quotes or in quotes without doubled quotes. Stops at
    /// the first other row, or near the end of the bytes, where the general reader takes over.
    ///
    /// Large files consist of plain rows. Digits are converted eight at a time, and keys that are numbers are never
    /// compared as text.
    static func readPlainRows(
        behind reader: CSVRows, _ columns: CSVColumns, _ unit: CSVFormat.TimeUnit?, _ requests: inout Requests,
        _ keys: inout CSVKeys
    ) -> (end: Int, rows: Int) {
        let start = reader.position
        guard let rows = PlainRows(reader, columns, unit) else { return (start, 0) }
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
    private let unit: CSVFormat.TimeUnit?
    // Copies, because a global constant is looked up at each use.
    private let maximumSize = UInt64(TraceLimits.bytes)
    private let maximumTime = TraceLimits.time
    private let maximumSeconds = TraceLimits.time / 1_000_000

    /// Creates a reader of the bytes of `reader`; nil if none of its rows can be read.
    init?(_ reader: CSVRows, _ columns: CSVColumns, _ unit: CSVFormat.TimeUnit?) {
        let delimiter = reader.delimiter
        guard let time = columns.time, delimiter &- 0x30 >= 10, delimiter != 0x2E, unit != .nanoseconds,
            let base = reader.bytes.baseAddress
        else { return nil }
        // A column that is used twice is left to the general reader.
        guard columns.key != time, columns.key != columns.size, time != columns.size else { return nil }
        scanner = PlainScanner(base, count: reader.bytes.count, delimiter: delimiter)
        (keyColumn, timeColumn, sizeColumn) = (columns.key, time, columns.size ?? -1)
        lastColumn = max(columns.key, time, columns.size ?? -1)
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
            if column == lastColumn { break }
            guard scanner.byte(place) == scanner.delimiter else {
                // Sizes may be missing. A row without another needed column is left to the general reader.
                guard column >= keyColumn, column >= timeColumn else { return nil }
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
