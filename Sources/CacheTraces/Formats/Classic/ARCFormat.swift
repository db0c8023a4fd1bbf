import SessionModel

/// The traces of the ARC paper (`.lis`): text, each line a run of blocks.
///
///     start count ignored ordinal       four whole numbers
///
/// A line requests the blocks `start`, `start` + 1 … `start` + `count` - 1, one after the other. The third number is
/// always 0 and not used, nor is the ordinal of the line. There are no times; a block is 512 bytes in most of these
/// traces, but the file does not say so: sizes are unknown.
///
/// Source: N. Megiddo and D. Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST 2003, section V.A.
enum ARCFormat {
    /// Blocks in one line; 32 MiB at 512 bytes, more than a disk takes in one request. It bounds what a few bytes can
    /// grow to.
    static let maximumRun: UInt64 = 65_536
    /// Requests in one file. The longest of the paper's traces has 44 million.
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
        sniff: ARCFormat.sniff, requests: ARCFormat.requests)
}
