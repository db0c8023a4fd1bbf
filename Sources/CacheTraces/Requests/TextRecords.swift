import SessionModel

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
