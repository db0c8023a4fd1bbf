/// libCacheSim's `oracleGeneralOpNS`: oracleGeneral with operation and namespace; records of 27 bytes, packed,
/// little-endian.
///
///     0   u32  time in seconds, from any origin
///     4   u64  id of the object
///     12  u32  its size in bytes
///     16 u8 operation: 1 get, 2 gets, 3 set, 4 add, 5 cas, 6 replace, 7 append, 8 prepend, 9 delete, 10 incr, 11 decr
///     17  u16  namespace
///     19  i64  ordinal of the next request of the same object; -1: none
///
/// Source: `libCacheSim/traceReader/customizedReader/oracle/` of https://github.com/1a1a11a/libCacheSim. As there,
/// every record is a request, whatever its operation. Recognised by name alone, `….oracleGeneralOpNS.bin`.
enum OracleGeneralOpNSFormat {
    static let recordLength = 27

    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        try BinaryRecords.read(input, length: recordLength, format: "oracleGeneralOpNS") { bytes, requests, ids in
            requests.append(bytes, length: recordLength, numbering: &ids) { offset in
                let seconds = Int64(bytes.little(offset, as: UInt32.self))
                let size = Int(bytes.little(offset + 12, as: UInt32.self))
                return (bytes.little(offset + 4), seconds * 1_000_000, size)
            }
        }
    }
}

extension TraceFormat {
    public static let oracleGeneralOpNS = TraceFormat(
        name: "oracleGeneralOpNS", summary: "oracleGeneral with operation and namespace",
        fileEndings: [".oraclegeneralopns", ".oraclegeneralopns.bin"],
        sniff: { $0.name.contains("oraclegeneralopns") ? .certain : .no }, requests: OracleGeneralOpNSFormat.requests)
}
