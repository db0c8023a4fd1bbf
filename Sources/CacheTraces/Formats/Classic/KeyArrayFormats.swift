/// Arrays of big-endian signed integers, which are keys: cache2k and Corda; see <doc:ClassicTraces>.
///
/// The content is not specific, so the files are recognised by their names.
enum KeyArrayFormat {
    static func cache2k(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        try read(input, &notes, Int32.self, "cache2k")
    }

    static func corda(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        try read(input, &notes, Int64.self, "corda")
    }

    private static func read<Key: FixedWidthInteger & SignedInteger & BitwiseCopyable>(
        _ input: TraceInput, _ notes: inout ReadingNotes, _ type: Key.Type, _ format: String
    ) throws -> Requests {
        let length = MemoryLayout<Key>.size
        notes.warnNoTimes()
        return try BinaryRecords.read(input, length: length, format: format, key: { String(Int64(bitPattern: $0)) }) {
            bytes, requests, ids in
            for offset in stride(from: 0, to: bytes.count, by: length) {
                let id = UInt64(bitPattern: Int64(bytes.big(offset, as: Key.self)))
                requests.append(ids.number(of: id), at: requests.ordinalTime, bytes: Requests.unknownSize)
            }
        }
    }
}

extension TraceFormat {
    public static let cache2k = TraceFormat(
        name: "cache2k", summary: "cache2k's binary: keys as big-endian 32-bit integers", fileEndings: [],
        sniff: { $0.name.contains("cache2k") ? .byName : .no }, requests: KeyArrayFormat.cache2k)

    public static let corda = TraceFormat(
        name: "corda", summary: "Corda's binary: keys as big-endian 64-bit integers", fileEndings: [],
        sniff: { $0.name.contains("corda") ? .byName : .no }, requests: KeyArrayFormat.corda)
}
