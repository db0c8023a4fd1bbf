import SessionModel

/// Files of consecutive records of one length.
enum BinaryRecords {
    /// Reads a file of complete records with 64-bit ids.
    ///
    /// - Parameters:
    ///   - header: The length of the header, which is skipped.
    ///   - key: Returns the key for an id.
    ///   - scan: Receives the bytes of all records.
    static func read(
        _ input: TraceInput, length: Int, skipping header: Int = 0, format: String,
        key: @escaping (UInt64) -> String = { String($0) },
        _ scan: (UnsafeRawBufferPointer, inout Requests, inout NumberTable) throws -> Void
    ) throws -> Requests {
        guard input.count > header else {
            throw TraceError(file: input.path, "the file holds no records; expected records of \(length) bytes")
        }
        let rest = (input.count - header) % length
        guard rest == 0 else {
            throw TraceError(
                file: input.path, at: .byte(input.count - rest),
                "the last record has \(rest) of \(length) bytes; the file is incomplete or is not \(format)")
        }
        var requests = Requests(windows: input.windows)
        requests.reserve((input.count - header) / length)
        var ids = NumberTable()
        try input.withBytes { bytes in
            try scan(UnsafeRawBufferPointer(rebasing: bytes[header...]), &requests, &ids)
        }
        requests.keep(ids, key: key)
        return requests
    }
}

extension Requests {
    /// Appends the complete records of `length` bytes in `bytes`.
    @inline(__always)
    mutating func append(
        _ bytes: UnsafeRawBufferPointer, length: Int, numbering ids: inout NumberTable,
        record: (Int) throws -> (id: UInt64, time: Int64, bytes: Int)
    ) rethrows {
        var batch = NumberedBatch()
        var offset = 0
        while offset < bytes.count {
            let count = Swift.min((bytes.count - offset) / length, NumberedBatch.capacity)
            for index in 0..<count {
                let request = try record(offset)
                batch.set(index, request.id, at: request.time, bytes: request.bytes)
                offset &+= length
            }
            batch.count = count
            append(&batch, numbering: &ids)
        }
    }

    /// Keeps the ids, from which keys are made on demand.
    mutating func keep(_ ids: consuming NumberTable, key: @escaping (UInt64) -> String = { String($0) }) {
        let kept = KeptNumbers(ids)
        keys = { kept.ids().map(key) }
    }
}

/// A ``NumberTable`` whose ids are listed on demand.
private final class KeptNumbers {
    private let table: NumberTable

    init(_ table: consuming NumberTable) { self.table = table }

    /// Returns the ids by number.
    func ids() -> [UInt64] {
        var ids = [UInt64](repeating: 0, count: table.count)
        table.forEach { id, number in ids[Int(number)] = id }
        return ids
    }
}

extension UnsafeRawBufferPointer {
    /// The little-endian number at `offset`; `offset` and the number's bytes are within the buffer.
    @inline(__always)
    func little<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type = T.self) -> T {
        T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The big-endian number at `offset`; `offset` and the number's bytes are within the buffer.
    @inline(__always)
    func big<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type = T.self) -> T {
        T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}

/// Text files with one record per line.
enum TextRecords {
    /// An error in a line, to which the reader adds the file and the number of the line.
    struct Malformed: Error {
        var message: String

        init(_ message: String) { self.message = message }
    }

    /// Calls `scan` with every line that is not blank.
    static func read(
        _ input: TraceInput, _ notes: inout ReadingNotes, expected: String,
        _ scan: (UnsafeRawBufferPointer, inout Requests) throws -> Void
    ) throws -> Requests {
        var requests = Requests(windows: input.windows)
        let window = input.windows?.content ?? ByteWindow(input)
        var lines = LineStream(window)
        while let line = try lines.next() {
            if line.isEmpty || line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            do {
                try scan(line, &requests)
            } catch let malformed as Malformed {
                do {
                    try notes.report(TraceError(file: input.path, at: .line(lines.number), malformed.message))
                } catch {
                    try window.checkRest()
                    throw error
                }
            }
        }
        guard requests.count > 0 || !notes.errors.isEmpty else {
            throw TraceError(file: input.path, "the file holds no requests; expected \(expected)")
        }
        return requests
    }

    /// Returns whether all lines of the head, at least one, are records. A last line that the head cuts is ignored.
    static func allLines(of head: TraceHead, _ isRecord: (inout LineScanner) -> Bool) -> Bool {
        head.bytes.withUnsafeBytes { bytes in
            var lines = TextLines(bytes)
            var records = 0
            while let line = lines.next() {
                if lines.position == bytes.count, bytes.count < head.count, records > 0 { break }
                if line.isEmpty { continue }
                var scanner = LineScanner(line)
                guard isRecord(&scanner) else { return false }
                records += 1
            }
            return records > 0
        }
    }
}

extension Requests {
    /// The time between two requests of formats without times: a millisecond.
    static let timeStep: Int64 = 1000

    /// The time of the next request of formats without times.
    var ordinalTime: Int64 { Int64(count) * Self.timeStep }
}

extension ReadingNotes {
    mutating func warnNoTimes(sizes: Bool = false) {
        warnings.append(
            sizes
                ? "the format has no times: requests are assumed to be 1 ms apart"
                : "the format has no times and no sizes: requests are assumed to be 1 ms apart, sizes are unknown")
    }
}
