import SessionModel

/// libCacheSim's `oracleGeneral`: records of 24 bytes; see <doc:ClassicTraces>.
public enum OracleGeneralFormat {
    package static let recordLength = 24

    package struct Record {
        package var seconds: UInt32
        package var id: UInt64
        package var bytes: UInt32
        package var next: Int64

        /// `offset + 24` is within `bytes`.
        init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
            seconds = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            id = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt64.self))
            self.bytes = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            next = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: Int64.self))
        }

        package init(seconds: UInt32, id: UInt64, bytes: UInt32, next: Int64) {
            (self.seconds, self.id, self.bytes, self.next) = (seconds, id, bytes, next)
        }

        package func append(to output: inout [UInt8]) {
            withUnsafeBytes(of: seconds.littleEndian) { output.append(contentsOf: $0) }
            withUnsafeBytes(of: id.littleEndian) { output.append(contentsOf: $0) }
            withUnsafeBytes(of: bytes.littleEndian) { output.append(contentsOf: $0) }
            withUnsafeBytes(of: next.littleEndian) { output.append(contentsOf: $0) }
        }
    }

    static func requests(_ input: TraceInput) throws -> Requests {
        try BinaryRecords.read(input, length: recordLength, format: "oracleGeneral") { bytes, _, requests, ids in
            append(bytes, to: &requests, numbering: &ids)
        }
    }

    /// Appends the records in `bytes`, which are complete.
    static func append(_ bytes: UnsafeRawBufferPointer, to requests: inout Requests, numbering ids: inout NumberTable) {
        requests.append(bytes, length: recordLength, numbering: &ids) { offset in
            let record = Record(bytes, at: offset)
            return (record.id, Int64(record.seconds) &* 1_000_000, Int(record.bytes))
        }
    }

    static func encode(_ trace: Trace, _ notes: inout ReadingNotes) throws -> [UInt8] {
        var ids: [UInt64] = trace.objects.compactMap { UInt64($0.key) }
        if Set(ids).count != trace.objects.count {
            ids = trace.objects.indices.map(UInt64.init)
            notes.warnings.append("keys are not distinct numbers: objects are written with their numbers in the trace")
        }
        let requests = trace.events.compactMap { event -> (time: Int64, object: Int)? in
            guard case .appear(let object, _) = event.action else { return nil }
            return (event.time, Int(object))
        }
        guard !requests.isEmpty else { throw TraceError.noRequests }
        if requests.count < trace.events.count {
            notes.warnings.append(
                "\(trace.events.count - requests.count) events that are not requests cannot be stored in this format "
                    + "and are left out"
            )
        }
        notes.noteLosses(trace)
        let unsized = requests.count { trace.objects[$0.object].bytes == nil }
        if unsized > 0 { notes.warnings.append("\(unsized) requests without a size are written with size 1") }
        noteLargeNumbers(
            sizes: requests.count { trace.objects[$0.object].bytes ?? 1 > UInt32.max },
            times: requests.count { $0.time / 1_000_000 > UInt32.max }, &notes)
        var output = [UInt8](repeating: 0, count: 0)
        output.reserveCapacity(requests.count * recordLength)
        for (request, next) in zip(requests, nextOrdinals(requests.map(\.object), objects: trace.objects.count)) {
            let size = trace.objects[request.object].bytes ?? 1
            Record(
                seconds: UInt32(clamping: request.time / 1_000_000), id: ids[request.object],
                bytes: UInt32(clamping: size), next: next
            ).append(to: &output)
        }
        return output
    }

    /// Warns of numbers that do not fit in the 32 bits of a record.
    ///
    /// - Parameters:
    ///   - sizes: The number of requests whose sizes in bytes do not fit.
    ///   - times: The number of requests whose times in seconds do not fit.
    static func noteLargeNumbers(sizes: Int, times: Int, _ notes: inout ReadingNotes) {
        for (count, what, most) in [(sizes, "sizes", "\(UInt32.max) bytes"), (times, "times", "\(UInt32.max) s")]
        where count > 0 {
            notes.warnings.append("\(count) requests have \(what) above \(most), which are written as \(most)")
        }
    }

    /// Returns, for each request, the ordinal from 1 of the next request of its object, found in one pass from the end.
    private static func nextOrdinals(_ requests: [Int], objects: Int) -> [Int64] {
        var next = [Int64](repeating: -1, count: objects)
        var result = [Int64](repeating: -1, count: requests.count)
        for index in requests.indices.reversed() {
            result[index] = next[requests[index]]
            next[requests[index]] = Int64(index + 1)
        }
        return result
    }

    /// Returns whether the records are plausible and not text. The format has no signature.
    static func looksPlausible(_ head: TraceHead) -> Bool {
        guard head.count % recordLength == 0, head.count >= 2 * recordLength, head.bytes.contains(0) else {
            return false
        }
        return head.bytes.withUnsafeBytes { bytes in
            var last: UInt32 = 0
            for (index, offset) in stride(from: 0, through: bytes.count - recordLength, by: recordLength).prefix(256)
                .enumerated()
            {
                let record = Record(bytes, at: offset)
                guard record.seconds >= last, record.next == -1 || record.next > index,
                    record.bytes <= UInt32(Int32.max)
                else { return false }
                last = record.seconds
            }
            return true
        }
    }
}

extension TraceFormat {
    public static let oracleGeneral = TraceFormat(
        name: "oracleGeneral", summary: "libCacheSim's binary requests: time, id, size, next access",
        fileEndings: [".oraclegeneral", ".oraclegeneral.bin"],
        sniff: { head in
            if head.name.contains("oraclegeneral") { return .certain }
            return OracleGeneralFormat.looksPlausible(head) ? .byContent : .no
        },
        requests: .whole { input, _ in try OracleGeneralFormat.requests(input) },
        encode: { trace, notes in try OracleGeneralFormat.encode(trace, &notes) }
    ).transferring { requests, output, notes in try OracleGeneralFormat.encode(requests, &output, &notes) }
}

/// libCacheSim's `oracleGeneralOpNS`: oracleGeneral with operation and namespace; see <doc:ClassicTraces>.
enum OracleGeneralOpNSFormat {
    static let recordLength = 27

    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        try BinaryRecords.read(input, length: recordLength, format: "oracleGeneralOpNS") { bytes, _, requests, ids in
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
        sniff: { $0.name.contains("oraclegeneralopns") ? .certain : .no },
        requests: .whole(OracleGeneralOpNSFormat.requests))
}

extension OracleGeneralFormat {
    /// Writes requests. The position of each next request takes 4 bytes in a temporary file.
    ///
    /// - Throws: `TraceError` if the trace has no requests, or 2^32 - 1 of them or more; the errors of the output.
    static func encode(
        _ requests: RequestTransfer, _ output: inout BlockWriter, _ notes: inout ReadingNotes
    ) throws {
        guard requests.count > 0 else { throw TraceError.noRequests }
        guard requests.count < Int(UInt32.max) else {
            throw TraceError(
                file: "the trace",
                """
                has \(requests.count) requests; at most \(UInt32.max - 1) can be written as oracleGeneral. Split the \
                trace
                """)
        }
        let ids = ids(of: requests, &notes)
        func id(_ object: Int) -> UInt64 { ids.map { $0[object] } ?? UInt64(object) }
        let (nexts, last) = try nextOrdinals(requests, &notes)
        var start = requests.start
        if start < 0 || (start + last) / 1_000_000 > UInt32.max {
            notes.warnings += RequestTransfer.movedTimes(from: start)
            start = 0
        }
        var (largeSizes, largeTimes) = (0, 0)
        try requests.forEach(with: nexts) { request, next in
            let seconds = (start + request.time) / 1_000_000
            if request.bytes ?? 1 > UInt32.max { largeSizes += 1 }
            if seconds > UInt32.max { largeTimes += 1 }
            try output.append(little: UInt32(clamping: seconds))
            try output.append(little: id(request.object))
            try output.append(little: UInt32(clamping: request.bytes ?? 1))
            try output.append(little: next == 0 ? -1 : Int64(next))
        }
        noteLargeNumbers(sizes: largeSizes, times: largeTimes, &notes)
    }

    /// Returns the ids of the objects: their keys if these are distinct numbers. Otherwise their own numbers are, and
    /// the result is nil.
    private static func ids(of requests: RequestTransfer, _ notes: inout ReadingNotes) -> [UInt64]? {
        switch requests.keys {
        case .numbers(let numbers): return numbers
        case .texts(let texts):
            if let ids = distinctNumbers(texts) { return ids }
            notes.warnings.append("keys are not distinct numbers: objects are written with their numbers in the trace")
            return nil
        }
    }

    /// Returns the values of keys that are distinct numbers; nil for other keys, which the first of them can show.
    private static func distinctNumbers(_ texts: KeyTexts) -> [UInt64]? {
        var ids: [UInt64] = []
        for object in 0..<texts.count {
            guard let id = UInt64(texts.text(of: object)) else { return nil }
            ids.append(id)
        }
        return Set(ids).count == ids.count ? ids : nil
    }

    /// Returns, for each request, the ordinal from 1 of the next request of its object; 0 for the last one. `lastTime`
    /// is the time of the last request.
    private static func nextOrdinals(
        _ requests: RequestTransfer, _ notes: inout ReadingNotes
    ) throws -> (column: SpooledColumn, lastTime: Int64) {
        let column = requests.spooledColumn()
        var (unsized, last) = (0, Int64(0))
        try requests.forEach { request in
            try column.append(UInt32(truncatingIfNeeded: request.object))
            if request.bytes == nil { unsized += 1 }
            last = request.time
        }
        if unsized > 0 { notes.warnings.append("\(unsized) requests without a size are written with size 1") }
        try column.replaceObjectsByNext(objectCount: requests.objectCount, origin: 1, none: 0)
        return (column, last)
    }
}
