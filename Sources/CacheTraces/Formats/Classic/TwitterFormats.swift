import SessionModel

/// libCacheSim's binary forms of Twitter's traces, `twr` and `twrNS`; see <doc:ClassicTraces>.
///
/// The content is not specific, so the files are recognised by their endings.
enum TwitterBinaryFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes, recordLength: Int, name: String) throws
        -> Requests
    {
        var writes = 0
        var lives = ValueLives<UInt64>()
        let requests = try BinaryRecords.read(input, length: recordLength, format: name) { bytes, base, requests, ids in
            for offset in stride(from: 0, to: bytes.count, by: recordLength) {
                let word = bytes.little(offset + 16, as: UInt32.self)
                let (code, lifetime) = (word >> 24, Int64(word & 0xFF_FFFF))
                guard let operation = MemcachedOperation(rawValue: UInt8(code)) else {
                    throw TraceError(
                        file: input.path, at: .byte(base + offset + 16),
                        "the operation \(code); expected 1 to 11, see the format \(name)")
                }
                let id = bytes.little(offset + 4, as: UInt64.self)
                let time = Int64(bytes.little(offset, as: UInt32.self)) * 1_000_000
                guard operation.isRead else {
                    writes += 1
                    if operation == .delete, let object = ids.existing(id) { requests.appendRemoval(of: object) }
                    lives.note(operation, of: id, at: time, lifetime: lifetime)
                    continue
                }
                if lives.read(id, at: time, lifetime: lifetime), let object = ids.existing(id) {
                    requests.appendRemoval(of: object)
                }
                let sizes = bytes.little(offset + 12, as: UInt32.self)
                let value = Int(sizes & 0x3F_FFFF)
                requests.append(
                    ids.number(of: id), at: time,
                    bytes: value == 0 ? Requests.unknownSize : Int(sizes >> 22) + value)
            }
        }
        guard requests.count > 0 else {
            throw TraceError(file: input.path, "none of the \(writes) operations is a read; expected requests")
        }
        notes.warnWrites(writes)
        notes.warnings += lives.warnings
        return requests
    }
}

extension TraceFormat {
    public static let twr = TraceFormat(
        name: "twr", summary: "Twitter's cache traces as libCacheSim's binary", fileEndings: [".twr"],
        sniff: { $0.hasEnding([".twr"]) ? .byName : .no },
        requests: .whole { input, notes in
            try TwitterBinaryFormat.requests(input, &notes, recordLength: 20, name: "twr")
        })

    public static let twrNS = TraceFormat(
        name: "twrNS", summary: "twr with a namespace", fileEndings: [".twrns"],
        sniff: { $0.hasEnding([".twrns"]) ? .byName : .no },
        requests: .whole { input, notes in
            try TwitterBinaryFormat.requests(input, &notes, recordLength: 22, name: "twrNS")
        })
}

/// The operations of memcached, with the numbers of libCacheSim's binary formats.
enum MemcachedOperation: UInt8, CaseIterable {
    case get = 1, gets, set, add, cas, replace, append, prepend, delete, incr, decr

    private static let byName: [String: Self] = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })

    init?(_ name: UnsafeRawBufferPointer) {
        guard name.count <= 7, let operation = Self.byName[name.string] else { return nil }
        self = operation
    }

    /// Whether the operation reads the value.
    var isRead: Bool { self == .get || self == .gets }

    /// Whether the operation replaces the value, and with it its lifetime.
    var setsLifetime: Bool { [.set, .add, .cas, .replace].contains(self) }
}

extension ValueLives {
    /// Notes an operation that is not a read. Operations that change a part of a value leave its lifetime as it is.
    mutating func note(_ operation: MemcachedOperation, of key: Key, at time: Int64, lifetime: Int64) {
        if operation == .delete { delete(key) }
        if operation.setsLifetime { write(key, at: time, lifetime: lifetime) }
    }
}

extension ReadingNotes {
    /// Adds a warning about operations that are left out because they write or remove values.
    mutating func warnWrites(_ count: Int) {
        if count > 0 {
            warnings.append("\(count) operations that read nothing (set, delete and the like) are left out")
        }
    }
}

/// Twitter's production cache traces: CSV of seven columns; see <doc:ClassicTraces>.
enum TwitterCSVFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = TextTable()
        var lives = TextLives()
        var writes = 0
        var requests = try TextRecords.read(
            input, &notes, expected: "rows of time, key, key size, value size, client, operation, TTL"
        ) { line, requests in
            guard let row = Row(line) else {
                throw TextRecords.Malformed(
                    "expected time, key, key size, value size, client, operation, TTL; found \(line.excerpt)")
            }
            guard row.operation.isRead else {
                writes += 1
                try lives.note(row.operation, of: row.key, at: row.time, lifetime: row.lifetime, &requests, ids)
                return
            }
            guard let object = ids.number(of: row.key) else {
                throw TextRecords.Malformed("the key is not UTF-8: \(row.key.excerpt)")
            }
            try lives.read(object, row.key, at: row.time, lifetime: row.lifetime, &requests)
            requests.append(object, at: row.time, bytes: row.bytes)
        }
        requests.keep(ids)
        notes.warnWrites(writes)
        notes.warnings += lives.warnings
        return requests
    }

    static func sniff(_ head: TraceHead) -> Likelihood {
        TextRecords.allLines(of: head) { Row($0.bytes) != nil } ? .byContent : .no
    }

    private struct Row {
        var time: Int64
        var key: UnsafeRawBufferPointer
        var bytes: Int
        var operation: MemcachedOperation
        /// In seconds; 0 without one.
        var lifetime: Int64

        init?(_ line: UnsafeRawBufferPointer) {
            var scanner = LineScanner(line)
            let comma = UInt8(ascii: ",")
            guard let seconds = scanner.field(until: comma).unsignedNumber, seconds <= TraceLimits.time / 1_000_000
            else { return nil }
            key = scanner.field(until: comma)
            guard let keySize = scanner.field(until: comma).unsignedNumber, keySize <= UInt32.max,
                let valueSize = scanner.field(until: comma).unsignedNumber,
                valueSize <= TraceLimits.bytes - Int64(UInt32.max)
            else { return nil }
            _ = scanner.field(until: comma)
            guard let operation = MemcachedOperation(scanner.field(until: comma)),
                let lifetime = scanner.field(until: comma).unsignedNumber, scanner.isAtEnd
            else { return nil }
            time = Int64(seconds) * 1_000_000
            bytes = valueSize == 0 ? Requests.unknownSize : Int(keySize + valueSize)
            self.operation = operation
            self.lifetime = Int64(min(lifetime, UInt64(TraceLimits.time / 1_000_000)))
        }
    }
}

extension TraceFormat {
    public static let twitterCSV = TraceFormat(
        name: "twitter", summary: "Twitter's cache traces: CSV of seven columns", fileEndings: [],
        sniff: TwitterCSVFormat.sniff, requests: .text(TwitterCSVFormat.requests))
}
