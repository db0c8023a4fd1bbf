import SessionModel

/// The traces of the ARC paper (`.lis`): text, a run of blocks per line; see <doc:ClassicTraces>.
enum ARCFormat {
    /// The limit of blocks in one line: 32 MiB of 512-byte blocks, more than a disk request has. It bounds the memory
    /// that a few bytes can cause.
    static let maximumRun: UInt64 = 65_536
    /// The limit of requests in one file. The longest trace of the paper has 44 million.
    static let maximumRequests = 1 << 26

    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = NumberTable()
        notes.warnNoTimes()
        var requests = try TextRecords.read(input, &notes, expected: "lines of start, count, 0, ordinal") {
            line, requests in
            var scanner = LineScanner(line)
            guard let start = scanner.number(), let count = scanner.number() else {
                throw TextRecords.Malformed("expected the whole numbers start and count, found \(line.excerpt)")
            }
            guard count <= maximumRun, start <= UInt64.max - count else {
                throw TextRecords.Malformed(
                    "a run of \(count) blocks from \(start); expected at most \(maximumRun) blocks")
            }
            guard requests.count + Int(count) <= maximumRequests else {
                throw TraceError(
                    file: input.path, "the runs add up to more than \(maximumRequests) requests; split the file")
            }
            for block in start..<start + count {
                requests.append(ids.number(of: block), at: requests.ordinalTime, bytes: Requests.unknownSize)
            }
        }
        requests.keep(ids)
        return requests
    }

    static func sniff(_ head: TraceHead) -> Likelihood {
        guard head.hasEnding([".lis"]) else { return .no }
        let areRuns = TextRecords.allLines(of: head) { scanner in
            (0..<4).allSatisfy { _ in scanner.number() != nil } && scanner.word().isEmpty
        }
        return areRuns ? .byContent : .byName
    }
}

extension TraceFormat {
    public static let arc = TraceFormat(
        name: "arc", summary: "ARC .lis text: a run of blocks per line", fileEndings: [".lis"],
        sniff: ARCFormat.sniff, readsText: true, requests: ARCFormat.requests)
}
