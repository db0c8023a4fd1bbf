import SessionModel

/// VMware's `vscsiStats` traces (`.vscsi`): binary disk requests; see <doc:ClassicTraces>.
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
                file: input.path, at: .byte(0), "the first two records have no vscsi version; expected 1 or 2")
        }
        // Differences to the first time, for clocks of any origin.
        var origin: UInt64 = 0
        var start: Int64 = 0
        return try BinaryRecords.read(input, length: layout.record, format: "vscsi \(layout.number)") {
            bytes, base, requests, ids in
            if base == 0 {
                origin = bytes.little(time)
                start = origin <= UInt64(TraceLimits.time) ? Int64(origin) : 0
            }
            for offset in stride(from: 0, to: bytes.count, by: layout.record) {
                let microseconds = bytes.little(offset + time, as: UInt64.self)
                let elapsed = Int64(bitPattern: microseconds &- origin)
                guard abs(Double(elapsed)) <= Double(TraceLimits.time) else {
                    throw TraceError(
                        file: input.path, at: .byte(base + offset + time),
                        "the time \(microseconds) is too far from the first, \(origin)")
                }
                let size = Int(bytes.little(offset + layout.length, as: UInt32.self))
                requests.append(ids.number(of: bytes.little(offset + block)), at: start + elapsed, bytes: size)
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
        requests: .whole(VSCSIFormat.requests))
}
