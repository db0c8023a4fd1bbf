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
///     timings                    {blocked, dns, connect, send, wait, receive, ssl}, milliseconds, -1 where it does not apply
///     _transferSize, _bytesIn    of Chrome and WebPagetest, in the entry or the response; also as text
///
/// **Which entries become events.** Images: `mimeType` is `image/…`; or it is missing, `application/octet-stream` or has no
/// subtype (Fiddler writes `image`), and the URL's path ends as an image file does. Each gives an `appear` of variant
/// `full` and a `fetch`, both at `startedDateTime`; entries are put in order of time. Redirects and failures are kept as they were
/// recorded: the request was made and brought no image. `data:` URLs are no fetches and are skipped.
///
/// **Times.** Time to first byte is blocked + dns + connect + send + wait, `ssl` being part of `connect`; transfer time is
/// `receive`. Where none of the parts is recorded, the entry's `time` stands for the time to first byte.
///
/// **Size.** The first of these that is above 0: `content.size`; `bodySize`; the `content-length` header; the length of
/// `content.text` (decoded where base64); `_transferSize` or `_bytesIn`, which include the response's headers and are therefore last.
/// The object's size is that of its first successful fetch. A 304 carries no body: its fetch has 0 bytes, and the object has its
/// `content.size` or the size known from other entries. So have 204, 205 and redirects 0 bytes.
///
/// An image entry that cannot be used (no URL, no valid date) is skipped and counted in a warning.
public enum HARFormat {
    /// How a recording is turned into events.
    public struct Options: Sendable, Equatable {
        /// Requests whose URL contains this text are of variant `thumbnail`; nil: all are `full`.
        public var thumbnails: String?

        public init(thumbnails: String? = nil) {
            self.thumbnails = thumbnails
        }
    }
}

extension TraceFormat {
    public static let har = har(HARFormat.Options())

    public static func har(_ options: HARFormat.Options) -> TraceFormat {
        TraceFormat(
            name: "har", summary: "HTTP Archive 1.2: the images of a browser's or proxy's recording", fileEndings: [".har"],
            sniff: { head in
                if head.firstVisible == UInt8(ascii: "{"), head.contains("\"log\""), head.contains("\"entries\"") || head.contains("\"creator\"") {
                    return .byContent
                }
                return head.hasEnding([".har"]) ? .byName : .no
            },
            read: { input, notes in
                let recording = try HARRecording(input)
                notes.facts = recording.summary.facts
                var trace = try recording.trace(&notes)
                if let text = options.thumbnails { trace.markThumbnails(where: { $0.key.contains(text) }) }
                return trace
            })
    }
}
