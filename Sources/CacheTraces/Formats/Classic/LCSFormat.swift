import SessionModel

/// libCacheSim's `lcs`: a header, then the records; see <doc:ClassicTraces>.
///
/// Until July 2025, the header had 1,024 bytes and described the records. Today's has 8,192, with the number of one of
/// eight kinds of records (`traceReader/customizedReader/lcs.h` of libCacheSim).
enum LCSFormat {
    static let magic: UInt64 = 0x1234_5678_9ABC_DEF0
    private static let oldHeaderLength = 1024
    private static let headerLength = 8192
    /// The lengths of records, by version from 1. The later ones are version 3 with more columns behind it.
    private static let recordLengths = [24, 28, 36, 40, 44, 52, 68, 100]

    struct Field {
        var code: UInt8
        var offset: Int

        static func length(_ code: UInt8) -> Int? {
            switch Character(Unicode.Scalar(code)) {
            case "b", "B", "c": 1
            case "h", "H": 2
            case "i", "I", "l", "L", "f": 4
            case "q", "Q", "d": 8
            default: nil
            }
        }

        /// Returns the value of the field, floating point rounded down; nil if it does not fit in 64 bits.
        func value(_ bytes: UnsafeRawBufferPointer, at record: Int) -> Int64? {
            let place = record + offset
            return switch Character(Unicode.Scalar(code)) {
            case "b": Int64(bytes.little(place, as: Int8.self))
            case "B", "c": Int64(bytes.little(place, as: UInt8.self))
            case "h": Int64(bytes.little(place, as: Int16.self))
            case "H": Int64(bytes.little(place, as: UInt16.self))
            case "i", "l": Int64(bytes.little(place, as: Int32.self))
            case "I", "L": Int64(bytes.little(place, as: UInt32.self))
            case "f": Int64(exactly: Float(bitPattern: bytes.little(place)).rounded(.down))
            case "d": Int64(exactly: Double(bitPattern: bytes.little(place)).rounded(.down))
            default: bytes.little(place, as: Int64.self)
            }
        }
    }

    /// The fields that are used, from the header. Invariant: they lie within a record.
    struct Layout {
        var headerLength: Int
        var recordLength: Int
        var id: Field
        var size: Field?
        var time: Field?
        /// An operation of memcached, or 0.
        var operation: Field?
        /// Seconds, or 0.
        var lifetime: Field?

        /// Creates the layout of a version; nil if there is none, or the header does not end as expected.
        private init?(version: UInt64, hasEnd: Bool) {
            guard hasEnd, (1...8).contains(version) else { return nil }
            headerLength = LCSFormat.headerLength
            recordLength = LCSFormat.recordLengths[Int(version) - 1]
            id = Field(code: UInt8(ascii: "Q"), offset: 4)
            size = Field(code: version < 3 ? UInt8(ascii: "I") : UInt8(ascii: "q"), offset: 12)
            time = Field(code: UInt8(ascii: "I"), offset: 0)
            operation = version < 2 ? nil : Field(code: UInt8(ascii: "B"), offset: version < 3 ? 16 : 20)
            lifetime = version < 3 ? nil : Field(code: UInt8(ascii: "I"), offset: 24)
        }

        init(_ bytes: UnsafeRawBufferPointer, file: String) throws {
            func problem(_ offset: Int, _ message: String) -> TraceError {
                TraceError(file: file, at: .byte(offset), message)
            }
            guard bytes.count >= 16, bytes.little(0, as: UInt64.self) == magic else {
                throw problem(0, "the file is not lcs; expected 0x123456789ABCDEF0")
            }
            let isOld = bytes[8] == UInt8(ascii: "<")
            headerLength = isOld ? LCSFormat.oldHeaderLength : LCSFormat.headerLength
            guard bytes.count >= headerLength else {
                throw problem(bytes.count, "the header is cut short; expected \(headerLength) bytes")
            }
            guard isOld else {
                guard let layout = Self(version: bytes.little(8), hasEnd: bytes.little(8184) == magic) else {
                    throw problem(
                        8, "not a version of lcs that is known; expected 1 to 8, and the magic number at 8184")
                }
                self = layout
                return
            }
            guard bytes.little(1016, as: UInt64.self) == magic else {
                throw problem(
                    1016,
                    "the header does not end as expected; another revision of lcs? Convert the file to oracleGeneral")
            }
            var fields: [Field] = []
            var length = 0
            let codes = bytes[8..<248].prefix { $0 != 0 }
            guard codes.first == UInt8(ascii: "<") else { throw problem(8, "expected the record's types, as '<IQIq'") }
            for (index, code) in codes.dropFirst().enumerated() {
                guard let width = Field.length(code) else {
                    throw problem(9 + index, "the type '\(Character(Unicode.Scalar(code)))' is not known")
                }
                fields.append(Field(code: code, offset: length))
                length += width
            }
            guard length > 0, bytes.little(1004, as: UInt32.self) == length,
                bytes.little(1000, as: UInt32.self) == fields.count
            else {
                throw problem(
                    1000,
                    """
                    the header says \(bytes.little(1000, as: UInt32.self)) fields in \
                    \(bytes.little(1004, as: UInt32.self)) bytes, its types say \(fields.count) in \(length)
                    """
                )
            }
            func field(_ place: Int) throws -> Field? {
                let number = Int(bytes[place])
                guard number <= fields.count else {
                    throw problem(place, "field \(number) of a record of \(fields.count)")
                }
                return number == 0 ? nil : fields[number - 1]
            }
            guard let id = try field(248) else { throw problem(248, "no field holds the id") }
            self.id = id
            size = try field(249)
            time = try field(250)
            recordLength = length
        }
    }

    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        let layout = try input.withBytes { try Layout($0, file: input.path) }
        if layout.time == nil { notes.warnNoTimes(sizes: layout.size != nil) }
        let headerLength = layout.headerLength
        var writes = 0
        var lives = ValueLives<UInt64>()
        let requests = try BinaryRecords.read(
            input, length: layout.recordLength, skipping: headerLength, format: "lcs"
        ) { bytes, base, requests, ids in
            var ordinalTime = requests.ordinalTime
            var batch = NumberedBatch()
            func read(_ field: Field, at offset: Int, _ what: String, atMost limit: Int64) throws -> Int64 {
                guard let value = field.value(bytes, at: offset), (0...limit).contains(value) else {
                    throw TraceError(
                        file: input.path, at: .byte(headerLength + base + offset + field.offset),
                        "expected \(what) from 0 to \(limit)")
                }
                return value
            }
            for offset in stride(from: 0, to: bytes.count, by: layout.recordLength) {
                guard let id = layout.id.value(bytes, at: offset) else {
                    throw TraceError(
                        file: input.path, at: .byte(headerLength + base + offset + layout.id.offset),
                        "the id is not a whole number")
                }
                let time = try layout.time.map {
                    try read($0, at: offset, "a time in seconds", atMost: TraceLimits.time / 1_000_000) * 1_000_000
                }
                let lifetime = layout.lifetime?.value(bytes, at: offset) ?? 0
                func remove() {
                    // The requests before it, which are in the batch, get their numbers first.
                    requests.append(&batch, numbering: &ids)
                    if let object = ids.existing(UInt64(bitPattern: id)) { requests.appendRemoval(of: object) }
                }
                if let operation = layout.operation?.value(bytes, at: offset), let code = UInt8(exactly: operation),
                    let operation = MemcachedOperation(rawValue: code), !operation.isRead
                {
                    writes += 1
                    if operation == .delete { remove() }
                    lives.note(
                        operation, of: UInt64(bitPattern: id), at: time ?? ordinalTime, lifetime: lifetime)
                    continue
                }
                if lives.read(UInt64(bitPattern: id), at: time ?? ordinalTime, lifetime: lifetime) { remove() }
                let size = try layout.size.map { try read($0, at: offset, "a size", atMost: TraceLimits.bytes) }
                batch.append(
                    UInt64(bitPattern: id), at: time ?? ordinalTime, bytes: size.map { Int($0) } ?? Requests.unknownSize
                )
                ordinalTime &+= Requests.timeStep
                if batch.isFull { requests.append(&batch, numbering: &ids) }
            }
            requests.append(&batch, numbering: &ids)
        }
        guard requests.count > 0 || writes == 0 else {
            throw TraceError(file: input.path, "none of the \(writes) operations is a read; expected requests")
        }
        notes.warnWrites(writes)
        notes.warnings += lives.warnings
        return requests
    }
}

extension TraceFormat {
    public static let lcs = TraceFormat(
        name: "lcs", summary: "libCacheSim's binary that describes itself", fileEndings: [".lcs"],
        sniff: { head in
            let magic = head.bytes.withUnsafeBytes { $0.count >= 8 ? $0.little(0, as: UInt64.self) : 0 }
            return magic == LCSFormat.magic ? .certain : head.hasEnding([".lcs"]) ? .byName : .no
        },
        requests: .whole(LCSFormat.requests))
}
