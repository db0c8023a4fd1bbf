import SessionModel

/// libCacheSim's binary forms of Twitter's traces, `twr` and `twrNS`: records of 20 and 22 bytes, packed,
/// little-endian.
///
///     0   u32  time in seconds
///     4   u64  id of the key
///     12  u32  key size in the high 10 bits, value size in the low 22
///     16  u32  operation in the high 8 bits, TTL in the low 24
///     20  u16  namespace, in twrNS alone
///
/// Requests, operations and sizes as in ``TwitterCSVFormat``. (libCacheSim also leaves out reads with a value size of
/// 0; here they stay, because they were requests.) Read only when it is named: nothing in the content tells these
/// files.
///
/// Source: `libCacheSim/traceReader/customizedReader/twrBin.h` of https://github.com/1a1a11a/libCacheSim.
enum TwitterBinaryFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes, recordLength: Int, name: String) throws
        -> Requests
    {
        var writes = 0
        let requests = try BinaryRecords.read(input, length: recordLength, format: name) { bytes, requests, ids in
            for offset in stride(from: 0, to: bytes.count, by: recordLength) {
                let code = bytes.little(offset + 16, as: UInt32.self) >> 24
                guard let operation = MemcachedOperation(rawValue: UInt8(code)) else {
                    throw TraceError(
                        file: input.path, at: .byte(offset + 16),
                        "the operation \(code); expected 1 to 11, see the format \(name)")
                }
                guard operation.isRead else {
                    writes += 1
                    continue
                }
                let sizes = bytes.little(offset + 12, as: UInt32.self)
                let value = Int(sizes & 0x3F_FFFF)
                requests.append(
                    ids.number(of: bytes.little(offset + 4)),
                    at: Int64(bytes.little(offset, as: UInt32.self)) * 1_000_000,
                    bytes: value == 0 ? Requests.unknownSize : Int(sizes >> 22) + value)
            }
        }
        guard requests.count > 0 else {
            throw TraceError(file: input.path, "none of the \(writes) operations reads; nothing was requested")
        }
        notes.warnWrites(writes)
        return requests
    }
}

extension TraceFormat {
    public static let twr = TraceFormat(
        name: "twr", summary: "Twitter's cache traces as libCacheSim's binary", fileEndings: [".twr"],
        sniff: { $0.hasEnding([".twr"]) ? .byName : .no },
        requests: { input, notes in try TwitterBinaryFormat.requests(input, &notes, recordLength: 20, name: "twr") })

    public static let twrNS = TraceFormat(
        name: "twrNS", summary: "twr with a namespace", fileEndings: [".twrns"],
        sniff: { $0.hasEnding([".twrns"]) ? .byName : .no },
        requests: { input, notes in try TwitterBinaryFormat.requests(input, &notes, recordLength: 22, name: "twrNS") })
}
