/// The traces of the LIRS paper: text, one block number per line; see <doc:ClassicTraces>.
enum LIRSFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = NumberTable()
        notes.warnNoTimes()
        var requests = try TextRecords.read(input, &notes, expected: "a block number on each line") { line, requests in
            var scanner = LineScanner(line)
            let word = scanner.word()
            if word.equals("*") { return }
            guard let block = word.unsignedNumber, scanner.word().isEmpty else {
                throw TextRecords.Malformed("expected a block number or '*', found \(line.excerpt)")
            }
            requests.append(ids.number(of: block), at: requests.ordinalTime, bytes: Requests.unknownSize)
        }
        requests.keep(ids)
        return requests
    }

    /// Numbers alone are also plain text. The mark or the name identifies this format.
    static func sniff(_ head: TraceHead) -> Likelihood {
        var hasMark = head.name.contains("lirs")
        let isLIRS = TextRecords.allLines(of: head) { scanner in
            let word = scanner.word()
            if word.equals("*") { hasMark = true } else if word.unsignedNumber == nil { return false }
            return scanner.word().isEmpty
        }
        return isLIRS && hasMark ? .byContent : .no
    }
}

extension TraceFormat {
    public static let lirs = TraceFormat(
        name: "lirs", summary: "LIRS text: a block number per line, '*' skipped", fileEndings: [],
        sniff: LIRSFormat.sniff, readsText: true, requests: LIRSFormat.requests)
}
