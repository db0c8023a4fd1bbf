import CIntrinsics
import SessionModel

/// Files of consecutive records of one length.
enum BinaryRecords {
    /// Reads a file of complete records with 64-bit ids.
    ///
    /// - Parameters:
    ///   - key: Returns the key for an id; nil: its decimal digits.
    ///   - scan: Receives the bytes of some records after the other, all of them complete, and the offset of the first
    ///     of these bytes in all records.
    static func read(
        _ input: TraceInput, length: Int, skipping header: Int = 0, format: String,
        key: ((UInt64) -> String)? = nil,
        _ scan: Scan
    ) throws -> Requests {
        var requests = Requests(windows: input.windows, keepsTimes: input.keepsTimes)
        var ids = NumberTable()
        if let content = input.content {
            do {
                let count = try scanContent(content, length, header, scan, &requests, &ids)
                try check(count, length, header, format, file: input.path)
            } catch {
                try content.checkRest()
                throw error
            }
        } else {
            try check(input.count, length, header, format, file: input.path)
            requests.reserve((input.count - header) / length)
            try input.withBytes { bytes in
                for start in stride(from: header, to: bytes.count, by: stretch(length)) {
                    let range = start..<min(start + stretch(length), bytes.count)
                    try scan(UnsafeRawBufferPointer(rebasing: bytes[range]), start - header, &requests, &ids)
                    input.release(range)
                }
            }
        }
        requests.keep(ids, key: key)
        return requests
    }

    typealias Scan = (UnsafeRawBufferPointer, Int, inout Requests, inout NumberTable) throws -> Void

    /// Returns the bytes of the records that are scanned at once: 4 MiB, so that few pages of a mapped file are in
    /// memory.
    private static func stretch(_ length: Int) -> Int { max(1, (4 << 20) / length) * length }

    /// Scans the complete records of a file that is read from front to back, and returns the number of its bytes.
    private static func scanContent(
        _ content: ByteWindow, _ length: Int, _ header: Int, _ scan: Scan, _ requests: inout Requests,
        _ ids: inout NumberTable
    ) throws -> Int {
        var start = header
        var base = 0
        while true {
            let bytes = content.bytes
            let end = start + max(0, bytes.count - start) / length * length
            if end > start {
                try scan(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), base, &requests, &ids)
                base += end - start
            }
            guard !content.hasEnd else { return content.offset + bytes.count }
            // A header can end behind a small window.
            let passed = min(end, bytes.count)
            try content.advance(to: passed)
            start = end - passed
        }
    }

    private static func check(_ count: Int, _ length: Int, _ header: Int, _ format: String, file: String) throws {
        guard count > header else {
            throw TraceError(file: file, "the file holds no records; expected records of \(length) bytes")
        }
        let rest = (count - header) % length
        guard rest == 0 else {
            throw TraceError(
                file: file, at: .byte(count - rest),
                "the last record has \(rest) of \(length) bytes; the file is incomplete or is not \(format)")
        }
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
                cachereplay_prefetch_to_read(bytes.baseAddress.map { $0 + (offset &+ 2048) })
                let request = try record(offset)
                batch.set(index, request.id, at: request.time, bytes: request.bytes)
                offset &+= length
            }
            batch.count = count
            append(&batch, numbering: &ids)
        }
    }

    /// Keeps the ids, from which keys are made on demand.
    ///
    /// - Parameter key: Returns the key for an id; nil: its decimal digits.
    mutating func keep(_ ids: consuming NumberTable, key: ((UInt64) -> String)? = nil) {
        let kept = KeptNumbers(ids)
        keys = key.map { key in .texts { KeyTexts(kept.ids(), key: key) } } ?? .numbers { kept.ids() }
    }
}

/// Requests with 64-bit ids, which are numbered in batches.
struct NumberedRequests: ~Copyable {
    private var requests: Requests
    private var ids = NumberTable()
    private var batch = NumberedBatch()

    init(_ input: TraceInput) { requests = Requests(windows: input.windows, keepsTimes: input.keepsTimes) }

    var count: Int { requests.count + batch.count }

    /// - Parameters:
    ///   - time: In microseconds; nil for formats without times.
    ///   - bytes: The size of the object, or ``Requests/unknownSize``.
    @inline(__always)
    mutating func append(_ id: UInt64, at time: Int64? = nil, bytes: Int = Requests.unknownSize) {
        batch.append(id, at: time ?? Int64(count) * Requests.timeStep, bytes: bytes)
        if batch.isFull { requests.append(&batch, numbering: &ids) }
    }

    consuming func finish(key: ((UInt64) -> String)?) -> Requests {
        requests.append(&batch, numbering: &ids)
        requests.keep(ids, key: key)
        return requests
    }
}

/// A ``NumberTable`` whose ids are listed on demand.
private final class KeptNumbers {
    private let table: NumberTable

    init(_ table: consuming NumberTable) { self.table = table }

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
        var requests = Requests(windows: input.windows, keepsTimes: input.keepsTimes)
        try readLines(input, &notes) { line in try scan(line, &requests) }
        try check(requests, notes, input, expected)
        return requests
    }

    /// Calls `scan` with every line that is not blank, for formats with 64-bit ids.
    ///
    /// - Parameter key: Returns the key for an id; nil: its decimal digits.
    static func readNumbered(
        _ input: TraceInput, _ notes: inout ReadingNotes, expected: String, key: ((UInt64) -> String)? = nil,
        _ scan: (UnsafeRawBufferPointer, inout NumberedRequests) throws -> Void
    ) throws -> Requests {
        var numbered = NumberedRequests(input)
        try readLines(input, &notes) { line in try scan(line, &numbered) }
        let requests = numbered.finish(key: key)
        try check(requests, notes, input, expected)
        return requests
    }

    private static func readLines(
        _ input: TraceInput, _ notes: inout ReadingNotes, _ scan: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let window = input.content ?? ByteWindow(input)
        var lines = LineStream(window)
        while let line = try lines.next() {
            if isBlank(line) { continue }
            do {
                try scan(line)
            } catch let malformed as Malformed {
                do {
                    try notes.report(TraceError(file: input.path, at: .line(lines.number), malformed.message))
                } catch {
                    try window.checkRest()
                    throw error
                }
            }
        }
    }

    private static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }

    private static func check(
        _ requests: borrowing Requests, _ notes: ReadingNotes, _ input: TraceInput, _ expected: String
    ) throws {
        guard requests.count > 0 || !notes.errors.isEmpty else {
            throw TraceError(file: input.path, "the file holds no requests; expected \(expected)")
        }
    }

    /// Returns whether all lines of the head, at least one, are records. A last line that the head cuts is ignored.
    static func allLines(of head: TraceHead, _ isRecord: (inout LineScanner) -> Bool) -> Bool {
        head.bytes.withUnsafeBytes { bytes in
            var lines = TextLines(bytes)
            var records = 0
            while let line = lines.next() {
                if lines.position == bytes.count, bytes.count < head.count, records > 0 { break }
                if isBlank(line) { continue }
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
