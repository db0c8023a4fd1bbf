import SessionModel

extension TraceFormat {
    public static let jsonLines = TraceFormat(
        name: "jsonl", summary: "CacheReplay's own: JSON Lines, every event of a session",
        fileEndings: [".jsonl", ".ndjson"],
        sniff: { head in
            if head.firstVisible == UInt8(ascii: "{"), head.contains("\"cachereplay_trace\"", in: head.firstLine) {
                return .certain
            }
            return head.hasEnding([".jsonl", ".ndjson"]) ? .byName : .no
        },
        read: { input, notes in
            let (trace, warnings) = try input.withBytes { bytes in
                try JSONLinesReader.read(bytes, file: input.path) { try notes.report($0) }
            }
            notes.warnings += warnings
            return trace
        },
        encode: { trace, _ in
            var encoder = JSONLinesEncoder()
            encoder.append(trace)
            return encoder.bytes
        })
}
