import Foundation
import SessionModel

/// Meta's block traces (Tectonic): text; see <doc:ClassicTraces>.
enum MetaBlockFormat {
    static let segment: UInt64 = 128 << 10
    /// The limit of the size of a block: twice Tectonic's block. It bounds the memory that a few bytes can cause.
    static let maximumBlock: UInt64 = 16 << 20
    static let maximumRequests = 1 << 28

    private struct Columns {
        var block = 0
        var offset = 1
        var size = 2
        var time = 3
        var operation = 4

        var last: Int { max(block, offset, size, time, operation) }

        init() {}

        init?(header: UnsafeRawBufferPointer) {
            let names = MetaBlockFormat.fields(header, upTo: 64).map { $0.string }.filter { $0 != "#" }.map {
                $0.drop { $0 == "#" }
            }
            guard let block = names.firstIndex(of: "block_id"), let offset = names.firstIndex(of: "io_offset"),
                let size = names.firstIndex(of: "io_size"), let time = names.firstIndex(of: "op_time"),
                let operation = names.firstIndex(of: "op_name")
            else { return nil }
            (self.block, self.offset, self.size, self.time, self.operation) = (block, offset, size, time, operation)
        }
    }

    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = TextTable()
        var columns = Columns()
        var writes = 0
        var requests = try TextRecords.read(
            input, &notes, expected: "lines of block_id, io_offset, io_size, op_time, op_name"
        ) { line, requests in
            if let header = Columns(header: line) {
                columns = header
                return
            }
            if line.first == UInt8(ascii: "#") { return }
            let fields = Self.fields(line, upTo: columns.last + 1)
            guard fields.count > columns.last, let offset = fields[columns.offset].unsignedNumber,
                let size = fields[columns.size].unsignedNumber, let time = seconds(fields[columns.time])
            else {
                throw TextRecords.Malformed(
                    "expected block_id, io_offset, io_size, op_time and op_name, found \(line.excerpt)")
            }
            guard isRead(fields[columns.operation]) else {
                writes += 1
                return
            }
            guard size > 0, size <= maximumBlock, offset <= maximumBlock - size else {
                throw TextRecords.Malformed(
                    "\(size) bytes from \(offset); expected 1 or more, within a block of \(maximumBlock) bytes")
            }
            let touched = offset / segment...(offset + size - 1) / segment
            guard requests.count + touched.count <= maximumRequests else {
                throw TraceError(
                    file: input.path, "the lines add up to more than \(maximumRequests) requests; split the file")
            }
            let block = fields[columns.block].string
            for number in touched {
                guard let object = ids.number(of: "\(block)/\(number)") else { continue }
                requests.append(object, at: time, bytes: Int(segment))
            }
        }
        requests.keep(ids)
        notes.warnWrites(writes)
        return requests
    }

    fileprivate static func fields(_ line: UnsafeRawBufferPointer, upTo limit: Int) -> [UnsafeRawBufferPointer] {
        line.split(maxSplits: limit) { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }.map(
            UnsafeRawBufferPointer.init(rebasing:))
    }

    private static func isRead(_ operation: UnsafeRawBufferPointer) -> Bool {
        if let number = operation.unsignedNumber { return [1, 2, 5].contains(number) }
        let name = operation.string.lowercased()
        return name.hasPrefix("get") || name.hasPrefix("read")
    }

    private static func seconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard text.count <= 32, let seconds = Double(text.string), seconds >= 0,
            seconds <= Double(TraceLimits.time) / 1e6
        else { return nil }
        return Int64((seconds * 1e6).rounded())
    }

    static func sniff(_ head: TraceHead) -> Likelihood {
        head.bytes.withUnsafeBytes { bytes in
            var lines = TextLines(bytes)
            return lines.next().flatMap(Columns.init(header:)) == nil ? .no : .certain
        }
    }
}

extension TraceFormat {
    public static let metaBlock = TraceFormat(
        name: "meta-block", summary: "Meta's block traces (Tectonic): block, offset, size, time, operation",
        fileEndings: [],
        sniff: MetaBlockFormat.sniff, requests: .text(MetaBlockFormat.requests))
}

/// Meta's key-value cache traces: CSV with a header; see <doc:ClassicTraces>.
enum MetaKeyValueFormat {
    /// The limits of repetitions in one row and of requests in one file, which bound the memory that a few bytes can
    /// cause.
    static let maximumCount: UInt64 = 65_536
    static let maximumRequests = 1 << 28

    /// The positions of the columns; `key`, `op` and `size` are required.
    struct Columns {
        var key: Int
        var operation: Int
        var size: Int
        var time: Int?
        var keySize: Int?
        var count: Int?
        var lifetime: Int?
        var width: Int

        init?(header: UnsafeRawBufferPointer) {
            let names = header.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard let key = names.firstIndex(of: "key"), let operation = names.firstIndex(of: "op"),
                let size = names.firstIndex(of: "size")
            else { return nil }
            (self.key, self.operation, self.size) = (key, operation, size)
            time = names.firstIndex(of: "op_time")
            keySize = names.firstIndex(of: "key_size")
            count = names.firstIndex(of: "op_count")
            lifetime = names.firstIndex(of: "ttl")
            width = names.count
        }
    }

    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = TextTable()
        var columns: Columns?
        var lives = TextLives()
        var writes = 0
        var requests = try TextRecords.read(input, &notes, expected: "a header and rows with key, op and size") {
            line, requests in
            guard let columns else {
                columns = Columns(header: line)
                if columns == nil {
                    throw TraceError(
                        file: input.path, at: .line(1), "expected a header with the columns key, op and size")
                }
                return
            }
            let row = try Row(line, columns)
            let time = row.time ?? requests.ordinalTime
            guard row.isRead else {
                writes += 1
                if let operation = row.write {
                    try lives.note(operation, of: row.key, at: time, lifetime: row.lifetime, &requests, ids)
                }
                return
            }
            guard requests.count + row.count <= maximumRequests else {
                throw TraceError(
                    file: input.path, "the rows add up to more than \(maximumRequests) requests; split the file")
            }
            // Without a request the key must not get a number.
            guard row.count > 0 else { return }
            guard let object = ids.number(of: row.key) else {
                throw TextRecords.Malformed("the key is not UTF-8: \(row.key.excerpt)")
            }
            try lives.read(object, row.key, at: time, lifetime: row.lifetime, &requests)
            for _ in 0..<row.count { requests.append(object, at: row.time ?? requests.ordinalTime, bytes: row.bytes) }
        }
        if columns?.time == nil { notes.warnNoTimes(sizes: true) }
        requests.keep(ids)
        notes.warnWrites(writes)
        notes.warnings += lives.warnings
        return requests
    }

    private struct Row {
        var key: UnsafeRawBufferPointer
        var isRead: Bool
        /// The operation, if it writes or deletes the whole value.
        var write: MemcachedOperation?
        /// In seconds; 0 without one.
        var lifetime: Int64
        /// Microseconds.
        var time: Int64?
        var bytes: Int
        var count: Int

        init(_ line: UnsafeRawBufferPointer, _ columns: Columns) throws {
            let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(
                UnsafeRawBufferPointer.init(rebasing:))
            guard fields.count == columns.width else {
                throw TextRecords.Malformed(
                    "the row has \(fields.count) fields; expected \(columns.width), as the header")
            }
            func number(_ column: Int, _ name: String, atMost limit: UInt64) throws -> UInt64 {
                guard let value = fields[column].unsignedNumber, value <= limit else {
                    throw TextRecords.Malformed(
                        "expected \(name) as a whole number up to \(limit), found \(fields[column].excerpt)")
                }
                return value
            }
            key = fields[columns.key]
            let operation = fields[columns.operation]
            isRead = operation.equals("GET") || operation.equals("GET_LEASE")
            write =
                operation.equals("SET") || operation.equals("SET_LEASE")
                ? .set : operation.equals("DELETE") ? .delete : nil
            // Some rows state a negative lifetime, or none.
            lifetime =
                columns.lifetime.flatMap { fields[$0].unsignedNumber }.map {
                    Int64(min($0, UInt64(TraceLimits.time / 1_000_000)))
                } ?? 0
            time = try columns.time.map {
                try Int64(number($0, "op_time", atMost: UInt64(TraceLimits.time) / 1_000_000)) * 1_000_000
            }
            let value = try number(columns.size, "size", atMost: UInt64(TraceLimits.bytes) / 2)
            let keySize = try columns.keySize.map { try number($0, "key_size", atMost: UInt64(UInt32.max)) } ?? 0
            bytes = value == 0 ? Requests.unknownSize : Int(value + keySize)
            count = try columns.count.map { try Int(number($0, "op_count", atMost: maximumCount)) } ?? 1
        }
    }

    static func sniff(_ head: TraceHead) -> Likelihood {
        head.bytes.withUnsafeBytes { bytes in
            var lines = TextLines(bytes)
            guard let columns = lines.next().flatMap(Columns.init(header:)) else { return .no }
            return columns.keySize != nil && columns.count != nil ? .certain : .no
        }
    }
}

extension TraceFormat {
    public static let metaKeyValue = TraceFormat(
        name: "meta-kv", summary: "Meta's key-value cache traces (CacheLib): CSV with op and op_count", fileEndings: [],
        sniff: MetaKeyValueFormat.sniff, requests: .text(MetaKeyValueFormat.requests))
}
