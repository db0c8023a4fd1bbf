/// Plain text: one key per line; see <doc:ClassicTraces>.
enum PlainTextFormat {
    static func requests(_ input: TraceInput, _ notes: inout ReadingNotes) throws -> Requests {
        var ids = TextTable()
        notes.warnNoTimes()
        var requests = try TextRecords.read(input, &notes, expected: "a key on each line") { line, requests in
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            let start = line.firstIndex { !isBlank($0) } ?? line.endIndex
            let end = line.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
            guard let object = ids.number(of: UnsafeRawBufferPointer(rebasing: line[start..<end])) else {
                throw TextRecords.Malformed("the key is not UTF-8: \(line.excerpt); write the file as UTF-8")
            }
            requests.append(object, at: requests.ordinalTime, bytes: Requests.unknownSize)
        }
        requests.keys = { ids.keys() }
        return requests
    }

    /// Numbers are keys in any file; other words only in a `.txt` file.
    static func sniff(_ head: TraceHead) -> Likelihood {
        guard !head.bytes.contains(0), !head.hasEnding([".csv", ".tsv"]) else { return .no }
        var areNumbers = true
        let areWords = TextRecords.allLines(of: head) { scanner in
            areNumbers = scanner.word().unsignedNumber != nil && areNumbers
            return scanner.word().isEmpty
        }
        guard areWords else { return .no }
        return areNumbers ? .byContent : head.hasEnding([".txt"]) ? .byName : .no
    }
}

extension TraceFormat {
    public static let plainText = TraceFormat(
        name: "text", summary: "plain text: a key per line", fileEndings: [".txt"],
        sniff: PlainTextFormat.sniff, readsText: true, requests: PlainTextFormat.requests)
}
