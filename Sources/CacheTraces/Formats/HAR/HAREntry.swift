import SessionModel

/// The parts of an entry of a HAR that a trace needs. Missing and invalid values (-1, text instead of a number) are
/// nil.
struct HAREntry {
    var method: String?
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
    /// The size of the whole image, of which `content-range` states a part.
    var wholeSize: Int?
    /// What the page asked for, in lower case: Chrome's `_resourceType`, or the request's `sec-fetch-dest`.
    var destination: String?
    /// Whether the transfer ended early: Chrome's `_error` or Playwright's `_failureText`.
    var hasFailed = false
    var headers: [HTTPField] = []
    /// The page (`pageref`). Older files of WebPagetest have only the run.
    var pageref: String?
    var run: Int?
    var isRepeatView = false
    /// Marks of entries that were answered without the network.
    var cacheMarks = CacheMarks()
    var timings = HARTimings()
    /// How the program that wrote the file measures; known when the file has been read.
    var habits = HARHabits()

    enum ImageEvidence { case type, destination, urlEnding }

    /// A request with another method shows no image: a preflight, a HEAD, or a POST. Without a method, GET is assumed.
    var isGet: Bool { method.map { $0.uppercased() == "GET" } ?? true }

    var image: ImageEvidence? {
        let type = (mimeType ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        if type.hasPrefix("image/") { return .type }
        // The body of a redirect is not an image, whatever its URL ends in.
        guard status == 304 || !(300..<400).contains(status) else { return nil }
        let isUntyped = Self.untyped.contains(type)
        // The error page of a missing image has a type of its own.
        if destination == "image", isUntyped || status == 0 || status >= 400 { return .destination }
        return isUntyped && url.map(Self.endsAsImage) == true ? .urlEnding : nil
    }

    /// The types that say nothing. Chrome and Playwright write `x-unknown` if no type is known.
    private static let untyped = ["", "image", "x-unknown", "application/octet-stream", "binary/octet-stream"]

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

    /// Whether the response is a part of the image: of a range, or up to the end of a transfer that failed.
    var isPart: Bool { status == 206 || hasFailed }

    /// The size of the encoded image, from the best source; nil if none is known. The size of a part is not one.
    var imageBytes: Int? {
        if status == 206 { return wholeSize }
        let sizes = hasFailed ? [contentLength] : [contentSize, bodySize, contentLength, textLength, transferSize]
        return sizes.lazy.compactMap(\.self).first { $0 > 0 }
    }

    /// The bytes that the response brought; nil if they are not known.
    var receivedBytes: Int? {
        guard isPart else { return imageBytes }
        let sizes = [contentSize, bodySize, status == 206 ? contentLength : nil, transferSize]
        return sizes.lazy.compactMap(\.self).first { $0 > 0 } ?? (hasFailed ? 0 : nil)
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
        if cacheMarks.isNamed || habits.measuresTime && takesNoTime { return true }
        guard contentSize ?? 0 > 0, bodySize ?? 0 == 0 else { return false }
        return transferSize == 0 || cacheMarks.hasStoredCopy && transferSize == nil && (timings.wait ?? 0) == 0
    }

    /// Whether the entry says that it took no time. No request over a network does; Firefox writes it of an image that
    /// its cache had.
    private var takesNoTime: Bool { time == 0 && timings.all.allSatisfy { $0 == 0 } }

    /// Whether the entry has a time above 0.
    var hasTime: Bool { time ?? 0 > 0 || timings.all.contains { $0 > 0 } }

    /// Name lookup and connection in milliseconds; nil if the entry used an open connection.
    private var connection: Double? {
        let opening = [timings.dns, timings.connect].lazy.compactMap(\.self).reduce(0, +)
        let time = opening + (isTLSBesideConnect ? timings.ssl ?? 0 : 0)
        return time > 0 ? time : nil
    }

    /// Whether `ssl` is not a part of `connect`, against the specification. The whole time tells, but for Playwright,
    /// which counts TLS twice in it.
    private var isTLSBesideConnect: Bool {
        guard let ssl = timings.ssl, ssl > 0, habits.creator != .playwright else { return false }
        guard let time, time > 0 else { return habits.creator == .separatesTLS }
        let inside = timings.all.reduce(0, +) - ssl
        return abs(time - inside - ssl) < abs(time - inside)
    }

    var fetch: Fetch {
        if isFromCache { return Fetch(status: status, bytes: 0) }
        var fetch = Fetch(status: status, bytes: hasNoBody ? 0 : receivedBytes)
        if status == 0 { fetch.bytes = nil }
        fetch.queued = timings.queued.map(Self.microseconds)
        fetch.connect = connection.map(Self.microseconds)
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

/// How a program measures, as far as an entry alone does not tell.
struct HARHabits {
    /// What is known of the program.
    enum Creator {
        case other
        /// Firefox and mitmproxy write TLS beside `connect`.
        case separatesTLS
        /// Playwright writes TLS within `connect`, and adds it to `time` again.
        case playwright
    }

    var creator = Creator.other
    /// Whether an entry of the file has a time above 0. If none has, 0 stands for an unknown time.
    var measuresTime = false

    init() {}

    init(creator name: String?, measuresTime: Bool) {
        let name = name?.lowercased() ?? ""
        if name.hasPrefix("playwright") { creator = .playwright }
        if name.hasPrefix("firefox") || name.hasPrefix("mitmproxy") { creator = .separatesTLS }
        self.measuresTime = measuresTime
    }
}

/// The parts of an entry's time in milliseconds; nil if a part did not apply or was not recorded.
struct HARTimings {
    var blocked: Double?
    var dns: Double?
    var connect: Double?
    var ssl: Double?
    var send: Double?
    var wait: Double?
    var receive: Double?

    /// The wait for a connection. A recorder without this part has measured no wait.
    var queued: Double? { blocked ?? (wait == nil ? nil : 0) }

    /// The recorded parts.
    var all: [Double] { [blocked, dns, connect, ssl, send, wait, receive].compactMap(\.self) }

    var timeToFirstByte: Double? {
        let parts = [send, wait].compactMap(\.self)
        return parts.isEmpty ? nil : parts.reduce(0, +)
    }
}

extension HAREntry {
    init(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "startedDateTime": startedDateTime = try scanner.stringIfAny()
            case "time": time = try scanner.amountIfAny()
            case "request": try readRequest(&scanner)
            case "response": try readResponse(&scanner)
            case "timings": try readTimings(&scanner)
            case "cache": try readCache(&scanner)
            case "pageref": pageref = try scanner.stringIfAny()
            case "_run": run = try scanner.amountIfAny().flatMap { $0 <= 1e6 ? Int($0) : nil }
            case "_cached": isRepeatView = try scanner.amountIfAny() == 1
            case "_transferSize", "_bytesIn": transferSize = try scanner.sizeIfAny() ?? transferSize
            case "_protocol": networkProtocol = try scanner.stringIfAny()
            case "_resourceType": destination = try scanner.stringIfAny()?.lowercased() ?? destination
            default: try readCacheMark(key, &scanner)
            }
        }
    }

    private mutating func readRequest(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "method": method = try scanner.stringIfAny()
            case "url": url = try scanner.stringIfAny()
            case "headers":
                try Self.headers(&scanner) { name, value in
                    if name == "sec-fetch-dest", destination == nil { destination = value.lowercased() }
                }
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readResponse(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "status": try readStatus(&scanner)
            case "redirectURL": redirectURL = try scanner.stringIfAny()
            case "httpVersion": httpVersion = try scanner.stringIfAny()
            case "content": try readContent(&scanner)
            case "bodySize": bodySize = try scanner.sizeIfAny()
            case "_transferSize", "_bytesIn": transferSize = try scanner.sizeIfAny() ?? transferSize
            case "headers": try readHeaders(&scanner)
            case "_error", "_failureText": hasFailed = try scanner.stringIfAny()?.isEmpty == false || hasFailed
            default: try readCacheMark(key, &scanner)
            }
        }
    }

    mutating func readStatus(_ scanner: inout JSONScanner) throws(JSONError) {
        status = try scanner.amountIfAny().flatMap { $0 <= 999 ? Int($0) : nil } ?? 0
    }

    /// Reads a member of the entry or the response if it is a mark, and otherwise skips it.
    private mutating func readCacheMark(_ key: RawJSONString, _ scanner: inout JSONScanner) throws(JSONError) {
        switch key {
        case "_fromCache", "_servedFromCache", "_fetchedViaServiceWorker":
            if try scanner.isAffirmative() { cacheMarks.isNamed = true }
        case "_fetchType":
            let type = try scanner.stringIfAny()
            if ["Memory Cache", "Disk Cache", "Service Worker"].contains(type) { cacheMarks.isNamed = true }
        default: try scanner.skipValue()
        }
    }

    private mutating func readCache(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "beforeRequest", "afterRequest":
                if try scanner.peek() == .object { cacheMarks.hasStoredCopy = true }
                try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readContent(_ scanner: inout JSONScanner) throws(JSONError) {
        var text: RawJSONString?
        var isBase64 = false
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "size": contentSize = try scanner.sizeIfAny()
            case "mimeType": mimeType = try scanner.stringIfAny()
            case "text": text = try scanner.textIfAny()
            case "encoding": isBase64 = try scanner.stringIfAny()?.lowercased() == "base64"
            default: try scanner.skipValue()
            }
        }
        // Only if needed, because the text may be megabytes long.
        guard contentSize ?? 0 == 0, let text, !text.bytes.isEmpty else { return }
        textLength = isBase64 ? text.base64DecodedCount : text.decodedCount()
    }

    mutating func readHeaders(_ scanner: inout JSONScanner) throws(JSONError) {
        try Self.headers(&scanner) { name, value in
            switch name {
            case "content-length": contentLength = Self.size(value)
            case "content-range": wholeSize = value.split(separator: "/").last.flatMap(Self.size)
            case "location": location = value
            case "sec-fetch-dest", ":authority": break
            default: headers.append(HTTPField(name, value))
            }
        }
    }

    private static func size(_ text: some StringProtocol) -> Int? {
        Int64(text).flatMap { (0...TraceLimits.bytes).contains($0) ? Int($0) : nil }
    }

    /// Calls `header` for each header that a trace needs, with its name in lower case.
    static func headers(
        _ scanner: inout JSONScanner, _ header: (_ name: String, _ value: String) -> Void
    ) throws(JSONError) {
        guard try scanner.peek() == .array else { return try scanner.skipValue() }
        try scanner.beginArray()
        while try scanner.nextElement() {
            var name: String?
            var value: RawJSONString?
            try scanner.object { key, scanner throws(JSONError) in
                switch key {
                case "name": name = try scanner.textIfAny()?.headerName
                case "value": value = try scanner.textIfAny()
                default: try scanner.skipValue()
                }
            }
            guard let name, let value = try value?.decoded() else { continue }
            header(name, value)
        }
    }

    private mutating func readTimings(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "blocked": timings.blocked = try scanner.amountIfAny()
            case "dns": timings.dns = try scanner.amountIfAny()
            case "connect": timings.connect = try scanner.amountIfAny()
            case "send": timings.send = try scanner.amountIfAny()
            case "wait": timings.wait = try scanner.amountIfAny()
            case "receive": timings.receive = try scanner.amountIfAny()
            case "ssl": timings.ssl = try scanner.amountIfAny()
            default: try scanner.skipValue()
            }
        }
    }
}

extension RawJSONString {
    /// The name in lower case, if the header is one that a trace keeps or that contains the size.
    fileprivate var headerName: String? {
        let names = [
            "cache-control", "etag", "expires", "last-modified", "age", "vary", "content-length", "content-range",
            "location", "sec-fetch-dest", ":authority",
        ]
        guard bytes.count <= 14, let name = try? decoded().lowercased() else { return nil }
        return names.contains(name) ? name : nil
    }

    /// The number of bytes that base64 text encodes. Line breaks and other foreign characters do not count.
    fileprivate var base64DecodedCount: Int {
        guard !hasEscapes else {
            guard let text = try? decoded() else { return 0 }
            return text.utf8.count { Self.isBase64($0) } * 3 / 4
        }
        return bytes.count { Self.isBase64($0) } * 3 / 4
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Lenient reading of files of other programs: a value of the wrong type counts as missing, but invalid JSON is an
/// error.
extension JSONScanner {
    /// Reads an object member by member; another value is skipped.
    mutating func object(_ member: (RawJSONString, inout JSONScanner) throws(JSONError) -> Void) throws(JSONError) {
        guard try peek() == .object else { return try skipValue() }
        try beginObject()
        while let key = try nextKey() { try member(key, &self) }
    }

    mutating func textIfAny() throws(JSONError) -> RawJSONString? {
        if try peek() == .string { return try text() }
        try skipValue()
        return nil
    }

    mutating func stringIfAny() throws(JSONError) -> String? {
        try textIfAny()?.decoded()
    }

    /// Returns whether the next value is `true`, a number above 0, or a word such as `memory`.
    mutating func isAffirmative() throws(JSONError) -> Bool {
        switch try peek() {
        case .boolean: return try boolean()
        case .number: return try double() > 0
        case .string: return try !["", "0", "false", "none"].contains(string().lowercased())
        case .object, .array, .null:
            try skipValue()
            return false
        }
    }

    /// Reads a number that is not negative, also as text ("1234"). HAR writes -1 for unknown.
    mutating func amountIfAny() throws(JSONError) -> Double? {
        let value: Double?
        switch try peek() {
        case .number: value = try double()
        case .string: value = Double(try string())
        default:
            try skipValue()
            return nil
        }
        guard let value, value.isFinite, value >= 0 else { return nil }
        return value
    }

    mutating func sizeIfAny() throws(JSONError) -> Int? {
        try amountIfAny().flatMap { $0 <= Double(TraceLimits.bytes) ? Int($0) : nil }
    }
}
