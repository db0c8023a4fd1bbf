import SessionModel

/// The text of AdaptSize and webcachesim: time, id and size per line; see <doc:ClassicTraces>.
enum WebCacheSimFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        let isCounting = countsRequests(TraceHead(input))
        if isCounting {
            notes.warnings.append("the first column counts the requests: they are assumed to be 1 ms apart")
        }
        return try TextRecords.readNumbered(input, &notes, expected: "lines of time, id, size") { line, requests in
            var scanner = LineScanner(line)
            guard let time = scanner.number(), let id = scanner.number(), let size = scanner.number() else {
                throw TextRecords.Malformed("expected the whole numbers time, id and size, found \(line.excerpt)")
            }
            guard size <= TraceLimits.bytes else {
                throw TextRecords.Malformed("a size of \(size) bytes; expected at most \(TraceLimits.bytes)")
            }
            guard time <= TraceLimits.time / 1_000_000 else {
                throw TextRecords.Malformed(
                    "the time \(time); expected seconds, at most \(TraceLimits.time / 1_000_000)")
            }
            requests.append(id, at: isCounting ? nil : Int64(time) * 1_000_000, bytes: Int(size))
        }
    }

    private static func countsRequests(_ head: TraceHead) -> Bool {
        var last: UInt64?
        var count = 0
        let isCounting = TextRecords.allLines(of: head) { scanner in
            guard let time = scanner.number(), last.map({ $0 < .max && time == $0 + 1 }) ?? true else { return false }
            last = time
            count += 1
            return true
        }
        return isCounting && count > 2
    }

    /// Recognises three whole numbers on each line. The first number never falls.
    static func sniff(_ head: TraceHead) -> Likelihood {
        var last: UInt64 = 0
        let areRequests = TextRecords.allLines(of: head) { scanner in
            guard let time = scanner.number(), time >= last, scanner.number() != nil, scanner.number() != nil else {
                return false
            }
            last = time
            return scanner.word().isEmpty
        }
        return areRequests ? .byContent : .no
    }
}

extension TraceFormat {
    public static let webCacheSim = TraceFormat(
        name: "webcachesim", summary: "AdaptSize and webcachesim text: time, id, size", fileEndings: [],
        sniff: WebCacheSimFormat.sniff, requests: .text(WebCacheSimFormat.requests))
}
