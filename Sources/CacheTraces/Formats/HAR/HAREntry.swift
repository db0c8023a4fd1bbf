import SessionModel

/// The parts of an entry of a HAR that a trace needs. Missing and invalid values (-1, text instead of a number) are
/// nil.
struct HAREntry {
    var url: String?
    /// The date as written.
    var startedDateTime: String?
    /// Milliseconds.
    var time: Double?
    var status = 0
    /// The target of a redirect as written: absolute, relative to the URL, or empty.
    var redirectURL: String?
    /// The `location` header.
    var location: String?
    var httpVersion: String?
    /// WebPagetest's `_protocol`. Some of its versions write damaged texts as `httpVersion`.
    var networkProtocol: String?
    var mimeType: String?
    var contentSize: Int?
    var bodySize: Int?
    /// `_transferSize` or `_bytesIn`: the body with the response's headers.
    var transferSize: Int?
    var textLength: Int?
    var contentLength: Int?
    var headers: [HTTPField] = []
    /// The page (`pageref`). Older files of WebPagetest have only the run.
    var pageref: String?
    var run: Int?
    var isRepeatView = false
    /// Marks of entries that were answered without the network.
    var cacheMarks = CacheMarks()
    var timings = HARTimings()

    /// The evidence that an entry is an image.
    enum ImageEvidence { case type, urlEnding }

    var image: ImageEvidence? {
        let type = (mimeType ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        if type.hasPrefix("image/") { return .type }
        guard type.isEmpty || type == "image" || type == "application/octet-stream" || type == "binary/octet-stream"
        else { return nil }
        // The body of a redirect is not an image, whatever its URL ends in.
        guard status == 304 || !(300..<400).contains(status) else { return nil }
        return url.map(Self.endsAsImage) == true ? .urlEnding : nil
    }

    private static let imageEndings = [
        ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".heic", ".heif", ".svg", ".bmp", ".ico", ".tif", ".tiff",
        ".jxl",
    ]

    static func endsAsImage(_ url: String) -> Bool {
        let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
        return imageEndings.contains(where: path.hasSuffix)
    }

    /// A 304, a 204 or 205, and a redirect carry no image (RFC 9110, 15.3 and 15.4).
    var hasNoBody: Bool { status == 204 || status == 205 || (300..<400).contains(status) }

    /// The size of the encoded image, from the best source.
    var bodyBytes: Int? {
        for size in [contentSize, bodySize, contentLength, textLength, transferSize] {
            if let size, size > 0 { return size }
        }
        return contentSize
    }

    /// The id of the page that the entry belongs to; empty if there is none.
    var page: String {
        if let pageref { return pageref }
        return run.map { "run \($0)\(isRepeatView ? ", repeat view" : "")" } ?? ""
    }

    /// The marks that programs write into entries that a cache or a service worker answered.
    struct CacheMarks {
        /// `_fromCache`, `_servedFromCache`, `_fetchType`, `_fetchedViaServiceWorker`.
        var isNamed = false
        /// `cache.beforeRequest` or `cache.afterRequest` describe a stored copy, which may have been validated.
        var hasStoredCopy = false
    }

    /// Whether the image came without the network. A 304 did not, because the server was asked.
    var isFromCache: Bool {
        guard (200..<300).contains(status) else { return false }
        if cacheMarks.isNamed { return true }
        guard contentSize ?? 0 > 0, bodySize ?? 0 == 0 else { return false }
        return transferSize == 0 || cacheMarks.hasStoredCopy && transferSize == nil && (timings.wait ?? 0) == 0
    }

    var fetch: Fetch {
        if isFromCache { return Fetch(status: status, bytes: 0) }
        var fetch = Fetch(status: status, bytes: hasNoBody ? 0 : bodyBytes)
        if status == 0 { fetch.bytes = nil }
        fetch.queued = timings.queued.map(Self.microseconds)
        fetch.connect = timings.connection.map(Self.microseconds)
        fetch.timeToFirstByte = timings.timeToFirstByte.map(Self.microseconds)
        fetch.transferTime = timings.receive.map(Self.microseconds)
        fetch.networkProtocol =
            [networkProtocol, httpVersion].lazy.compactMap { $0 }
            .compactMap(FetchProtocol.init(recorded:)).first
        if fetch.duration == nil { fetch.timeToFirstByte = time.map(Self.microseconds) }
        return fetch
    }

    /// The microseconds of ``startedDateTime``; nil if it is missing or invalid.
    var started: Int64? { startedDateTime.flatMap(Timestamp.microseconds) }

    /// The URL that the client asks for next, in a form that can be compared; nil if the entry is no redirect. Statuses
    /// that clients follow: <https://fetch.spec.whatwg.org/#redirect-status>.
    var redirectTarget: String? {
        guard [301, 302, 303, 307, 308].contains(status), let url else { return nil }
        for target in [redirectURL, location] {
            if let target, !target.isEmpty { return URLReference(target).resolved(against: URLReference(url)).compared }
        }
        return nil
    }

    private static func microseconds(_ milliseconds: Double) -> Int64 {
        Int64(min(milliseconds * 1000, Double(TraceLimits.time)).rounded())
    }
}

/// The parts of an entry's time in milliseconds; nil if a part did not apply or was not recorded.
struct HARTimings {
    var blocked: Double?
    var dns: Double?
    var connect: Double?
    var send: Double?
    var wait: Double?
    var receive: Double?

    /// The wait for a connection. A recorder without this part has measured no wait.
    var queued: Double? { blocked ?? (wait == nil ? nil : 0) }

    /// Name lookup and connection; nil if the entry used an open connection. TLS is part of `connect`.
    var connection: Double? {
        let parts = [dns, connect].compactMap(\.self)
        let time = parts.reduce(0, +)
        return time > 0 ? time : nil
    }

    var timeToFirstByte: Double? {
        let parts = [send, wait].compactMap(\.self)
        return parts.isEmpty ? nil : parts.reduce(0, +)
    }
}
