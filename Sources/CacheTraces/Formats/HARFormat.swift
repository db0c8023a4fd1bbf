import SessionModel

/// HTTP Archive 1.1 and 1.2 (`.har`): what browsers, proxies and test tools record of HTTP.
///
/// Specification: http://www.softwareishard.com/blog/har-12-spec/. The file is one JSON object
/// `{"log": {"creator": …, "pages": […], "entries": […]}}`; of each entry these fields are used:
///
///     startedDateTime            when the request began, RFC 3339
///     request.url                the key
///     response.status            0 where no response came
///     response.content           {size, mimeType, text, encoding}; size is that of the decoded body
///     response.bodySize          of the body as it came over the wire, -1 unknown
///     response.headers           cache-control, etag, expires, last-modified, age, vary; content-length for the size
///     timings {blocked, dns, connect, send, wait, receive, ssl}, milliseconds, -1 where it does not apply
///     _transferSize, _bytesIn    of Chrome and WebPagetest, in the entry or the response; also as text
///     pageref                    the page, see below; in older files of WebPagetest's _run and _cached instead
///
/// The file is read an entry at a time, compressed or not, and needs as much memory as its images' URLs and a few times
/// its largest entry; bodies cost nothing. JSONP, a HAR wrapped in a function call, is refused.
///
/// **Which entries become events.** Images: `mimeType` is `image/…`; or it is missing, `application/octet-stream` or
/// has no subtype (Fiddler writes `image`), and the URL's path ends as an image file does. Each gives an `appear` of
/// variant `full` and a `fetch`, both at `startedDateTime`; entries are put in order of time. Redirects and failures
/// are kept as they were recorded: the request was made and brought no image. `data:` URLs are no fetches and are
/// skipped.
///
/// **Times.** Time to first byte is blocked + dns + connect + send + wait, `ssl` being part of `connect`; transfer time
/// is `receive`. Where none of the parts is recorded, the entry's `time` stands for the time to first byte.
///
/// **Size.** The first of these that is above 0: `content.size`; `bodySize`; the `content-length` header; the length of
/// `content.text` (decoded where base64); `_transferSize` or `_bytesIn`, which include the response's headers and are
/// therefore last. The object's size is that of its first successful fetch. A 304 carries no body: its fetch has 0
/// bytes, and the object has its `content.size` or the size known from other entries. So have 204, 205 and redirects 0
/// bytes.
///
/// **From a cache.** Where the browser's own cache or a service worker answered, the cell was shown all the same: the
/// entry gives its `appear`, and a `fetch` of 0 bytes without times, because the network was not asked and nobody knows
/// how long it would have taken. A replay then draws the latency from fetches of similar size. Such entries have a 2xx
/// status and one of
///
///     _fromCache: "memory"|"disk"|true, _servedFromCache: true Chrome and tools on its protocol; in the entry or the
///     response
///     _fetchType: "Memory Cache"|"Disk Cache"|"Service Worker"     Safari
///     _fetchedViaServiceWorker: true Chrome; the worker's own fetches are entries of their own
///     _transferSize 0, content.size above 0, bodySize 0 or less    Chrome before it wrote _fromCache
///     cache.beforeRequest or afterRequest is an object Firefox, Firebug; only with content.size above 0, bodySize 0 or
///     less, no
///                                                                  _transferSize and no wait: a copy may also have
///                                                                  been validated
///
/// A 304 is a fetch with its times: its server was asked. Charles and Proxyman stand behind the browser's cache and see
/// the network alone.
///
/// **Pages and runs.** A file may hold several pages, or runs of a test (sitespeed, WebPagetest: first and repeat
/// views); `trace info` lists them. All become one trace in order of time, because most such recordings are a person
/// going from page to page, whose cache stays; a warning tells of them. ``Options/page`` chooses one, which then begins
/// at its own first event; `trace convert --each-page` writes each to a file of its own.
///
/// An image entry that cannot be used (no URL, no valid date) is skipped and counted in a warning.
public enum HARFormat {
    /// How a recording is turned into events.
    public struct Options: Sendable, Equatable {
        /// Requests whose URL contains this text are of variant `thumbnail`; nil: all are `full`.
        public var thumbnails: String?
        /// The page or run to read: its id, its title, or its number from 1; nil: all.
        public var page: String?

        public init(thumbnails: String? = nil, page: String? = nil) {
            self.thumbnails = thumbnails
            self.page = page
        }
    }
}

extension TraceFormat {
    public static let har = har(HARFormat.Options())

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

    /// Whether the text begins `{"log":{`, as all but a few do.
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
