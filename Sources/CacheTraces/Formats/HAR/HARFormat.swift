import SessionModel

/// HTTP Archive 1.1 and 1.2 (`.har`), which browsers, proxies and test tools record.
///
/// <doc:HARRecordings> describes what is read. Specification: <http://www.softwareishard.com/blog/har-12-spec/>.
public enum HARFormat {
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

    public static func har(_ options: HARFormat.Options) -> TraceFormat {
        TraceFormat(
            name: "har", summary: "HTTP Archive 1.2: the images of a browser's or proxy's recording",
            fileEndings: [".har"], sniff: HARFormat.sniff, recording: options)
    }

    /// Creates a format of recordings, which `HARRecording` reads.
    init(
        name: String, summary: String, fileEndings: [String],
        sniff: @escaping @Sendable (TraceHead) -> Likelihood, recording options: HARFormat.Options
    ) {
        self.init(
            name: name, summary: summary, fileEndings: fileEndings, sniff: sniff,
            read: { input, notes in try HARFormat.read(ByteWindow(input), options, &notes) })
        stream = { stream, notes in try HARFormat.read(ByteWindow(stream), options, &notes) }
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

/// Counts over all entries of a HAR file, whether or not they become events.
public struct HARSummary: Sendable, Equatable {
    public private(set) var entries = 0
    public private(set) var entriesWithURL = 0
    public private(set) var uniqueURLs = 0
    /// The number of entries whose declared type is `image/…`.
    public private(set) var imageEntries = 0
    public private(set) var imageUniqueURLs = 0
    public private(set) var imagesWithContentSize = 0
    /// The sum of the sizes above 0 in `content.size`, over the image entries.
    public private(set) var imageContentBytes = 0
    /// The number of entries without a specific type which the page asked for as images, or whose URL ends like an
    /// image file. They are counted separately, because their type is not recorded; both become events.
    public private(set) var imagesByURLEnding = 0
    public private(set) var notModified = 0
    /// The number of requests for images that were redirected, and ended with an image.
    public private(set) var redirectsFollowed = 0
    /// The number of requests for images that were redirected to a URL that was not recorded, or was not an image.
    public private(set) var redirectsLost = 0
    /// Whether all dates are valid and no entry begins before the preceding one.
    public private(set) var isSorted = true

    /// The numbers, from 1, of the image entries that are no GET.
    private(set) var otherMethods: [Int] = []
    /// Whether an entry has a time above 0.
    private(set) var hasTimes = false

    private var urls: Set<String> = []
    private var imageURLs: Set<String> = []
    private var lastStarted: Int64?

    mutating func count(_ entry: HAREntry) {
        entries += 1
        if entry.hasTime { hasTimes = true }
        if !entry.isGet, entry.image != nil { otherMethods.append(entries) }
        if entry.status == 304 { notModified += 1 }
        if let url = entry.url {
            entriesWithURL += 1
            urls.insert(url)
            uniqueURLs = urls.count
        }
        switch entry.image {
        case .type:
            imageEntries += 1
            if let url = entry.url { imageURLs.insert(url) }
            imageUniqueURLs = imageURLs.count
            if let size = entry.contentSize, size > 0 {
                imagesWithContentSize += 1
                imageContentBytes += size
            }
        case .destination, .urlEnding: imagesByURLEnding += 1
        case nil: break
        }
        countOrder(entry)
    }

    mutating func count(_ redirection: HARImage.Redirection) {
        switch redirection {
        case .none: break
        case .followed: redirectsFollowed += 1
        case .lost: redirectsLost += 1
        }
    }

    private mutating func countOrder(_ entry: HAREntry) {
        guard let text = entry.startedDateTime else { return }
        guard let started = Timestamp.microseconds(text) else {
            isSorted = false
            return
        }
        if let lastStarted, started < lastStarted { isSorted = false }
        lastStarted = started
    }

    /// The counts that `trace info` prints.
    var facts: [ReadingNotes.Fact] {
        [
            .init(name: "entries", value: entries), .init(name: "image_entries", value: imageEntries),
            .init(name: "image_unique_urls", value: imageUniqueURLs),
            .init(name: "images_by_url_ending", value: imagesByURLEnding),
            .init(name: "image_content_bytes", value: imageContentBytes), .init(name: "status_304", value: notModified),
            .init(name: "redirects_followed", value: redirectsFollowed),
            .init(name: "redirects_lost", value: redirectsLost),
        ]
    }
}
