import SessionModel

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
        let nexts = try nextOrdinals(requests, &notes)
        var (largeSizes, largeTimes) = (0, 0)
        try requests.forEach(with: nexts) { time, object, next in
            if requests.size(of: object) ?? 1 > UInt32.max { largeSizes += 1 }
            if time / 1_000_000 > UInt32.max { largeTimes += 1 }
            try output.append(little: UInt32(clamping: time / 1_000_000))
            try output.append(little: id(object))
            try output.append(little: UInt32(clamping: requests.size(of: object) ?? 1))
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

    /// Returns, for each request, the ordinal from 1 of the next request of its object; 0 for the last one.
    private static func nextOrdinals(
        _ requests: RequestTransfer, _ notes: inout ReadingNotes
    ) throws -> SpooledColumn {
        let column = requests.spooledColumn()
        var unsized = 0
        try requests.forEach { _, object in
            try column.append(UInt32(truncatingIfNeeded: object))
            if requests.size(of: object) == nil { unsized += 1 }
        }
        if unsized > 0 { notes.warnings.append("\(unsized) requests without a size are written with size 1") }
        try column.replaceObjectsByNext(objectCount: requests.objectCount, origin: 1, none: 0)
        return column
    }
}
