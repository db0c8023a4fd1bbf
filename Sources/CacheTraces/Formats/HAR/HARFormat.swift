import SessionModel

/// HTTP Archive 1.1 and 1.2 (`.har`), which browsers, proxies and test tools record.
///
/// <doc:HARRecordings> describes what is read. Specification: <http://www.softwareishard.com/blog/har-12-spec/>.
public enum HARFormat {
    /// Options for reading a recording.
    public struct Options: Sendable, Equatable {
        /// The text that the URLs of thumbnails contain; nil if all requests are of variant `full`.
        public var thumbnails: String?
        /// The page or run to read, by its id, its title or its number from 1; nil for all.
        public var page: String?

        public init(thumbnails: String? = nil, page: String? = nil) {
            self.thumbnails = thumbnails
            self.page = page
        }
    }
}

extension TraceFormat {
    /// HTTP Archive; see <doc:HARRecordings>.
    public static let har = har(HARFormat.Options())

    /// Returns the format with options.
    public static func har(_ options: HARFormat.Options) -> TraceFormat {
        var format = TraceFormat(
            name: "har", summary: "HTTP Archive 1.2: the images of a browser's or proxy's recording",
            fileEndings: [".har"],
            sniff: HARFormat.sniff,
            read: { input, notes in try HARFormat.read(ByteWindow(input), options, &notes) })
        format.stream = { stream, notes in try HARFormat.read(ByteWindow(stream), options, &notes) }
        return format
    }
}

extension HARFormat {
    fileprivate static func read(_ window: ByteWindow, _ options: Options, _ notes: inout ReadingNotes) throws -> Trace
    {
        let recording = try HARRecording(window)
        notes.facts = recording.summary.facts
        notes.pages = recording.pages
        var trace = try recording.trace(page: options.page.map(recording.page(named:)), &notes)
        if let text = options.thumbnails { trace.markThumbnails { $0.key.contains(text) } }
        return trace
    }

    fileprivate static func sniff(_ head: TraceHead) -> Likelihood {
        if beginsLog(head.bytes) { return .certain }
        if head.firstVisible == UInt8(ascii: "{"), head.contains("\"log\""),
            head.contains("\"entries\"") || head.contains("\"creator\"")
        {
            return .byContent
        }
        return head.hasEnding([".har"]) ? .byName : .no
    }

    /// Returns whether the text begins with `{"log":{`, as most HARs do.
    private static func beginsLog(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        for token in ["{", "\"log\"", ":", "{"] {
            rest = rest.drop { $0 <= 0x20 }
            guard rest.starts(with: token.utf8) else { return false }
            rest = rest.dropFirst(token.utf8.count)
        }
        return true
    }
}
