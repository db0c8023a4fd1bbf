import SessionModel

/// VMware's `vscsiStats` traces (`.vscsi`): disk requests, records of one length, packed, little-endian, without a
/// header.
///
///     version 1, 32 bytes                      version 2, 40 bytes
///     0   u32  serial number                   0   u16  command
///     4   u32  length in bytes                 2   u16  version
///     8   u32  scatter-gather elements         4   u32  serial number
///     12  u16  command                         8   u32  length in bytes
///     14  u16  version                         12  u32  scatter-gather elements
///     16  u64  logical block number            16  u64  logical block number
///     24  u64  time, microseconds              24  u64  time, microseconds
///                                              32  u64  response time, microseconds
///
/// The high byte of `version` is 1 or 2 in the first two records; 2 is tried first. The key is the block number, reads
/// and writes alike are requests, and a request for several blocks is one object.
///
/// Source: `libCacheSim/traceReader/customizedReader/vscsi.h` of https://github.com/1a1a11a/libCacheSim.
enum VSCSIFormat {
    struct Layout {
        var record: Int
        var length: Int
        var version: Int
        var number: UInt16
    }

    static let layouts = [
        Layout(record: 40, length: 8, version: 2, number: 2), Layout(record: 32, length: 4, version: 14, number: 1),
    ]
    private static let block = 16
    private static let time = 24

    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        guard let layout = input.withBytes(layout) else {
            throw TraceError(
                file: input.path, at: .byte(0), "no vscsi version stands in the first two records; expected 1 or 2")
        }
        return try BinaryRecords.read(input, length: layout.record, format: "vscsi \(layout.number)") {
            bytes, requests, ids in
            // Times count from the first, so that clocks of any origin fit.
            let origin: UInt64 = bytes.little(time)
            for offset in stride(from: 0, to: bytes.count, by: layout.record) {
                let microseconds = bytes.little(offset + time, as: UInt64.self)
                let elapsed = Int64(bitPattern: microseconds &- origin)
                guard abs(Double(elapsed)) <= Double(TraceLimits.time) else {
                    throw TraceError(
                        file: input.path, at: .byte(offset + time),
                        "the time \(microseconds) is centuries away from the first, \(origin)")
                }
                let size = Int(bytes.little(offset + layout.length, as: UInt32.self))
                requests.append(ids.number(of: bytes.little(offset + block)), at: elapsed, bytes: size)
            }
        }
    }

    private static func layout(_ bytes: UnsafeRawBufferPointer) -> Layout? {
        layouts.first { layout in
            bytes.count >= layout.record
                && [0, layout.record].allSatisfy {
                    $0 + layout.record > bytes.count
                        || bytes.little($0 + layout.version, as: UInt16.self) >> 8 == layout.number
                }
        }
    }

    static func sniff(_ head: TraceHead) -> Likelihood {
        guard let layout = head.bytes.withUnsafeBytes(layout) else { return .no }
        if head.hasEnding([".vscsi"]) { return .certain }
        return head.count >= 2 * layout.record && head.count % layout.record == 0 && head.bytes.contains(0)
            ? .byContent : .no
    }
}

extension TraceFormat {
    public static let vscsi = TraceFormat(
        name: "vscsi", summary: "VMware's disk requests, versions 1 and 2", fileEndings: [".vscsi"],
        sniff: { $0.hasEnding([".vscsi"]) ? max(.byName, VSCSIFormat.sniff($0)) : VSCSIFormat.sniff($0) },
        requests: VSCSIFormat.requests)
}
