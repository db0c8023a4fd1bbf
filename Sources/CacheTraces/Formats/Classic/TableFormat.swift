import SessionModel

/// A table of requests whose columns have a fixed order, mostly without names: block traces, and traces of stored
/// objects and photos. Each is a row of ``all``; <doc:ClassicTraces> has the sources.
///
/// As for libCacheSim's readers, a request for a range of blocks is one object, with the size of the request.
struct TableFormat: Sendable {
    enum Key {
        /// The name of a volume, and an address in it.
        case block(volume: ClosedRange<Int>, address: Int)
        case text(ClosedRange<Int>)
    }

    enum Unit {
        /// 100 ns since 1601.
        case fileTime
        /// Seconds, with or without decimals.
        case seconds
        case milliseconds
        case microseconds
        /// `YYYYMMDDhhmmss`.
        case digits
    }

    var name: String
    var summary: String
    var endings: [String] = []
    /// The names of the columns, as published. They may be the first line.
    var columns: String
    var widths: ClosedRange<Int>
    var isBlankSeparated = false
    var time: Int
    var unit: Unit
    var key: Key
    var size: Int
    /// The bytes of a unit of sizes.
    var sizeUnit: UInt64 = 1
    var operation: Int
    /// The operations, in lower case, that are requests: reads, and writes of blocks.
    var reads: [StaticString]
    var writes: [StaticString] = []
    /// The first letters, in lower case, of further operations, which are left out; nil if there are none.
    var others: StaticString?
    /// The column of the first byte that a request wants; the last byte follows.
    var range: Int?
    /// The earliest time by which the table is recognised, in microseconds.
    var earliest: Int64 = 0
    /// Words in names of files without which other tables look the same; nil if the columns are specific.
    var nameWords: [String]?

    private static let year2001: Int64 = 1_000_000_000_000_000

    static let all = [
        TableFormat(
            name: "msr", summary: "MSR Cambridge block traces: CSV of seven columns",
            columns: "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime", widths: 7...7, time: 0,
            unit: .fileTime, key: .block(volume: 1...2, address: 4), size: 5, operation: 3, reads: ["read"],
            writes: ["write"]),
        TableFormat(
            name: "alibaba-block", summary: "Alibaba's block traces: CSV of five columns",
            columns: "device_id,opcode,offset,length,timestamp", widths: 5...5, time: 4, unit: .microseconds,
            key: .block(volume: 0...0, address: 2), size: 3, operation: 1, reads: ["r"], writes: ["w"],
            earliest: year2001),
        TableFormat(
            name: "tencent-block", summary: "Tencent's block traces (CBS): CSV of five columns",
            columns: "Timestamp,Offset,Size,IOType,VolumeID", widths: 5...5, time: 0, unit: .seconds,
            key: .block(volume: 4...4, address: 1), size: 2, sizeUnit: 512, operation: 3, reads: ["0"],
            writes: ["1"], earliest: year2001, nameWords: ["tencent", "cbs"]),
        TableFormat(
            name: "spc", summary: "block traces of the Storage Performance Council, UMass: CSV of five columns",
            endings: [".spc"],
            columns: "ASU,LBA,Size,Opcode,Timestamp", widths: 5...64, time: 4, unit: .seconds,
            key: .block(volume: 0...0, address: 1), size: 2, operation: 3, reads: ["r"], writes: ["w"]),
        TableFormat(
            name: "ibm-object", summary: "IBM's traces of object stores: time, REST operation, object, size",
            columns: "timestamp operation object size begin end", widths: 3...6, isBlankSeparated: true, time: 0,
            unit: .milliseconds, key: .text(2...2), size: 3, operation: 1, reads: ["rest.get.object"],
            others: "rest.", range: 4),
        TableFormat(
            name: "tencent-photo", summary: "Tencent's traces of QQ's photos: time, photo, format, size name, size",
            columns: "timestamp photo format size_name size hit terminal response_time", widths: 8...8,
            isBlankSeparated: true, time: 0, unit: .digits, key: .text(1...3), size: 4, operation: 2,
            reads: ["0", "5"], others: "", earliest: year2001),
    ]

    func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var rows = TableRows(self)
        let requests: Requests
        switch key {
        case .block(let volume, let address):
            let volumes = Volumes()
            requests = try TextRecords.readNumbered(input, &notes, expected: expected, key: volumes.key) {
                line, requests in
                guard let row = try rows.next(line) else { return }
                let number = try rows.number(address, atMost: Volumes.lastAddress)
                requests.append(try volumes.id(rows.fields(volume), number), at: row.time, bytes: row.bytes)
            }
        case .text(let columns):
            var ids = TextTable()
            var read = try TextRecords.read(input, &notes, expected: expected) { line, requests in
                guard let row = try rows.next(line) else { return }
                let key = rows.fields(columns)
                guard let object = ids.number(of: key) else {
                    throw TextRecords.Malformed("the key is not UTF-8: \(key.excerpt); write the file as UTF-8")
                }
                requests.append(object, at: row.time, bytes: row.bytes)
            }
            read.keep(ids)
            requests = read
        }
        notes.warnings += rows.warnings
        return requests
    }

    private var expected: String { "rows of \(columns)" }

    fileprivate func isHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count == columns.utf8.count && line.string.lowercased() == columns.lowercased()
    }

    func sniff(_ head: TraceHead) -> Likelihood {
        var rows = TableRows(self)
        var isNamed = nameWords.map { $0.contains(where: head.name.contains) } ?? true
        let areRows = TextRecords.allLines(of: head) { scanner in
            do {
                guard let row = try rows.next(scanner.bytes) else {
                    if rows.hasHeader { isNamed = true }
                    return true
                }
                return row.time >= earliest
            } catch { return false }
        }
        return areRows && isNamed ? .byContent : head.hasEnding(endings) ? .byName : .no
    }

    /// Names the tables that a line of CSV without a header may belong to.
    static func advice(_ fields: [String]) -> String? {
        let line = Array(fields.joined(separator: ",").utf8)
        let names = line.withUnsafeBytes { line in
            all.filter { table in
                var rows = TableRows(table)
                return (try? rows.next(line)) != nil
            }.map(\.name)
        }
        guard let first = names.first else { return nil }
        return "rows of \(names.joined(separator: ", ")) look so: --format \(first) reads them"
    }
}

extension TraceFormat {
    static func table(_ table: TableFormat) -> TraceFormat {
        TraceFormat(
            name: table.name, summary: table.summary, fileEndings: table.endings, sniff: table.sniff,
            requests: .text(table.requests))
    }
}

/// The volumes of a block trace. The id of a block has the number of its volume in the high 16 bits, and the address in
/// the others.
private final class Volumes {
    static let lastAddress: UInt64 = 1 << 48 - 1
    private static let mostVolumes = 1 << 16
    private var numbers = TextTable()
    private var names: [String] = []

    /// Returns the id of the block at an address, which is at most ``lastAddress``.
    func id(_ volume: UnsafeRawBufferPointer, _ address: UInt64) throws -> UInt64 {
        guard let number = numbers.number(of: volume) else {
            throw TextRecords.Malformed("the volume is not UTF-8: \(volume.excerpt); write the file as UTF-8")
        }
        guard number < Self.mostVolumes else {
            throw TextRecords.Malformed("more than \(Self.mostVolumes) volumes; split the file by volume")
        }
        if number == names.count { names.append(volume.string.replacing(",", with: "/")) }
        return UInt64(number) << 48 | address
    }

    func key(_ id: UInt64) -> String { "\(names[Int(id >> 48)])/\(id & Self.lastAddress)" }
}

/// Splits and reads the lines of a table.
private struct TableRows: ~Copyable {
    struct Row {
        /// Microseconds.
        var time: Int64
        var bytes: Int
    }

    private let table: TableFormat
    private let names: [Substring]
    /// The bytes between fields, of which there are one or two.
    private let separators: (UInt8, UInt8)
    private var line = UnsafeRawBufferPointer(start: nil, count: 0)
    private var places = [Range<Int>](repeating: 0..<0, count: 8)
    private var count = 0
    private var isFirst = true
    private(set) var hasHeader = false
    private var writes = 0
    private var others = 0
    private var parts = 0
    /// The last value of ``TableFormat/Unit/digits``, and its microseconds.
    private var date: (digits: UInt64, time: Int64) = (0, 0)

    init(_ table: TableFormat) {
        self.table = table
        names = table.columns.split(separator: table.isBlankSeparated ? " " : ",")
        separators = table.isBlankSeparated ? (0x20, 0x09) : (0x2C, 0x2C)
    }

    /// Reads the next line; nil for a header and for an operation that is left out.
    ///
    /// - Throws: `TextRecords.Malformed`.
    mutating func next(_ line: UnsafeRawBufferPointer) throws -> Row? {
        if isFirst {
            isFirst = false
            hasHeader = table.isHeader(line)
            if hasHeader { return nil }
        }
        split(line)
        guard table.widths.contains(count) else {
            throw TextRecords.Malformed("expected \(table.columns), found \(count) fields: \(line.excerpt)")
        }
        let time = try time()
        let operation = fields(table.operation...table.operation)
        if !table.reads.contains(where: operation.matches) {
            if table.writes.contains(where: operation.matches) {
                writes += 1
            } else if let other = table.others, operation.begins(with: other) {
                others += 1
                return nil
            } else {
                throw problem(table.operation, "one of \((table.reads + table.writes).map { "\($0)" })")
            }
        }
        guard count > table.size else { return Row(time: time, bytes: Requests.unknownSize) }
        let size = try number(table.size, atMost: UInt64(TraceLimits.bytes) / table.sizeUnit) * table.sizeUnit
        if let range = table.range, count > range + 1 {
            let (first, last) = (try number(range, atMost: .max), try number(range + 1, atMost: .max))
            if first > 0 || last < max(size, 1) - 1 { parts += 1 }
        }
        return Row(time: time, bytes: Int(size))
    }

    /// Returns columns of the last line, with what stands between them.
    func fields(_ columns: ClosedRange<Int>) -> UnsafeRawBufferPointer {
        let range = places[columns.lowerBound].lowerBound..<places[columns.upperBound].upperBound
        return UnsafeRawBufferPointer(rebasing: line[range])
    }

    /// Returns a whole number in a column of the last line.
    func number(_ column: Int, atMost limit: UInt64) throws -> UInt64 {
        guard let number = fields(column...column).unsignedNumber, number <= limit else {
            throw problem(column, "a whole number up to \(limit)")
        }
        return number
    }

    /// What was left out, and what counts as something else.
    var warnings: [String] {
        let left = table.reads.map { "\($0)" }.joined(separator: ", ")
        return [
            (writes, "writes are requests, as reads are"),
            (others, "rows with another \(names[table.operation]) than \(left) are left out"),
            (parts, "requests for a part of an object count as requests for all of it"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    private mutating func split(_ line: UnsafeRawBufferPointer) {
        self.line = line
        count = 0
        var start = 0
        let (first, second) = separators
        for place in 0..<line.count where line[place] == first || line[place] == second {
            add(start, place)
            start = place + 1
        }
        add(start, line.count)
    }

    /// Adds a field without the blanks around it. Between blanks, there is no empty field.
    @inline(__always)
    private mutating func add(_ start: Int, _ end: Int) {
        var (start, end) = (start, end)
        while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
        while start < end, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
        if table.isBlankSeparated, start == end { return }
        if count < places.count { places[count] = start..<end }
        count += 1
    }

    /// Returns the time of the last line in microseconds.
    private mutating func time() throws -> Int64 {
        let column = table.time
        let limit = UInt64(TraceLimits.time)
        switch table.unit {
        case .microseconds: return Int64(try number(column, atMost: limit))
        case .milliseconds: return Int64(try number(column, atMost: limit / 1000) * 1000)
        case .fileTime:
            let year1970: UInt64 = 116_444_736_000_000_000
            let time = try number(column, atMost: year1970 + limit * 10)
            guard time >= year1970 else { throw problem(column, "a file time of Windows, in 100 ns since 1601") }
            return Int64((time - year1970) / 10)
        case .seconds:
            guard let time = fields(column...column).decimalSeconds else {
                throw problem(column, "seconds up to \(limit / 1_000_000)")
            }
            return time
        case .digits:
            let field = fields(column...column)
            guard let digits = field.unsignedNumber, field.count == 14 else { throw problem(column, Self.digits) }
            if digits != date.digits {
                let text = field.string
                func part(_ from: Int, _ count: Int) -> Substring { text.dropFirst(from).prefix(count) }
                let day = "\(part(0, 4))-\(part(4, 2))-\(part(6, 2))"
                let time = Timestamp.microseconds("\(day)T\(part(8, 2)):\(part(10, 2)):\(part(12, 2))Z")
                guard let time, time >= 0 else { throw problem(column, Self.digits) }
                date = (digits, time)
            }
            return date.time
        }
    }

    private static let digits = "a time as YYYYMMDDhhmmss, since 1970"

    private func problem(_ column: Int, _ expected: String) -> TextRecords.Malformed {
        let found = fields(column...column).excerpt
        return TextRecords.Malformed("expected \(expected) as \(names[column]) (column \(column + 1)), found \(found)")
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are a word in lower case, of ASCII letters, digits and dots, in any case.
    fileprivate func matches(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && begins(with: word)
    }

    /// Whether the bytes begin with such a word.
    fileprivate func begins(with word: StaticString) -> Bool {
        guard count >= word.utf8CodeUnitCount else { return false }
        for index in 0..<word.utf8CodeUnitCount where self[index] | 0x20 != word.utf8Start[index] { return false }
        return true
    }

    /// The microseconds of seconds with any number of decimals, of which six count; nil for other texts.
    fileprivate var decimalSeconds: Int64? {
        let point = firstIndex(of: 0x2E) ?? count
        let whole = UnsafeRawBufferPointer(rebasing: self[..<point])
        guard let seconds = whole.unsignedNumber, seconds < TraceLimits.time / 1_000_000 else { return nil }
        var microseconds = Int64(seconds) * 1_000_000
        var unit: Int64 = 100_000
        for byte in self[point...].dropFirst() {
            let digit = byte &- 0x30
            guard digit < 10 else { return nil }
            microseconds += Int64(digit) * unit
            unit /= 10
        }
        return microseconds
    }
}
