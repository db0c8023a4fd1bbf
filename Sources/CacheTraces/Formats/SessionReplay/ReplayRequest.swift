import SessionModel

/// A request in a session replay: an entry of the plugin `rrweb/network@1`, or a performance span of Sentry.
struct ReplayRequest {
    var url: String
    // Milliseconds since 1970.
    var start: Double
    /// nil if it is not recorded.
    var firstByte: Double?
    var end: Double
    var status = 200
    var bytes: Int?
    var contentType: String?
    /// Whether the browser names an image as its reason, or its type is that of an image.
    var isImage = false
    var isCached = false

    /// Whether the request is one of an image, as far as its type or its URL tells.
    var seemsImage: Bool { isImage || contentType == nil && HAREntry.endsAsImage(url) }
    /// Addresses that no server answers, such as `blob:`, are no requests.
    var isFetched: Bool { url.hasPrefix("http://") || url.hasPrefix("https://") }

    var fetch: Fetch {
        if isCached { return Fetch(status: status, bytes: 0) }
        var fetch = Fetch(status: status, bytes: bytes)
        if let firstByte, firstByte >= start {
            fetch.timeToFirstByte = Self.microseconds(firstByte - start)
            fetch.transferTime = Self.microseconds(max(0, end - firstByte))
        } else {
            fetch.timeToFirstByte = Self.microseconds(max(0, end - start))
        }
        return fetch
    }

    static func microseconds(_ milliseconds: Double) -> Int64 {
        Int64(min(milliseconds * 1000, Double(TraceLimits.time)).rounded())
    }
}

extension ReplayRequest {
    /// Reads the payload of the plugin: an object with an array `requests`.
    static func list(_ scanner: inout JSONScanner) throws(JSONError) -> [ReplayRequest] {
        var requests: [ReplayRequest] = []
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "requests":
                guard try scanner.peek() == .array else { return try scanner.skipValue() }
                try scanner.beginArray()
                while try scanner.nextElement() {
                    if let request = try entry(&scanner) { requests.append(request) }
                }
            default: try scanner.skipValue()
            }
        }
        return requests
    }

    /// Reads an entry in the fields of Resource Timing. The SDK of PostHog for iOS writes only `timestamp` and
    /// `duration`. Returns nil for an entry without a URL or a time.
    private static func entry(_ scanner: inout JSONScanner) throws(JSONError) -> ReplayRequest? {
        var read = ReplayRequest(url: "", start: 0, end: 0)
        var times: [String: Double] = [:]
        var sizes: [String: Int] = [:]
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "name": read.url = try scanner.stringIfAny() ?? ""
            case "initiatorType":
                let initiator = try scanner.stringIfAny()
                if initiator == "img" || initiator == "image" { read.isImage = true }
            case "contentType":
                read.contentType = try scanner.stringIfAny()
                if read.contentType?.hasPrefix("image/") == true { read.isImage = true }
            case "responseStatus", "status": read.status = try scanner.statusIfAny() ?? read.status
            case "timestamp", "timeOrigin", "startTime", "requestStart", "responseStart", "responseEnd", "duration":
                let name = try key.decoded()
                times[name] = try scanner.amountIfAny()
            case "decodedBodySize", "encodedBodySize", "transferSize":
                let name = try key.decoded()
                sizes[name] = try scanner.sizeIfAny()
            default: try scanner.skipValue()
            }
        }
        func time(_ name: String) -> Double? { times[name].flatMap { $0 > 0 ? $0 : nil } }
        let begin = time("requestStart") ?? time("startTime") ?? 0
        guard !read.url.isEmpty,
            let origin = time("timeOrigin") ?? time("timestamp").map({ $0 - (time("startTime") ?? 0) })
        else { return nil }
        read.start = origin + begin
        read.firstByte = time("responseStart").map { origin + $0 }
        read.end = time("responseEnd").map { origin + $0 } ?? read.start + (time("duration") ?? 0)
        read.bytes = ["decodedBodySize", "encodedBodySize", "transferSize"].lazy.compactMap { sizes[$0] }
            .first { $0 > 0 }
        read.isCached = sizes["transferSize"] == 0 && (sizes["decodedBodySize"] ?? 0) > 0
        return read
    }

    /// Reads a performance span of Sentry; nil if it is none of a resource. Its times are seconds, and milliseconds
    /// in recordings of iOS.
    static func span(_ scanner: inout JSONScanner) throws(JSONError) -> ReplayRequest? {
        var read = ReplayRequest(url: "", start: 0, end: 0)
        var operation = ""
        var sizes: [String: Int] = [:]
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "op": operation = try scanner.stringIfAny() ?? ""
            case "description": read.url = try scanner.stringIfAny() ?? ""
            case "startTimestamp": read.start = try scanner.amountIfAny() ?? 0
            case "endTimestamp": read.end = try scanner.amountIfAny() ?? 0
            case "data":
                try scanner.object { key, scanner throws(JSONError) in
                    switch key {
                    case "statusCode": read.status = try scanner.statusIfAny() ?? read.status
                    case "decodedBodySize", "encodedBodySize", "size":
                        let name = try key.decoded()
                        sizes[name] = try scanner.sizeIfAny()
                    default: try scanner.skipValue()
                    }
                }
            default: try scanner.skipValue()
            }
        }
        guard operation.hasPrefix("resource."), !read.url.isEmpty, read.start > 0 else { return nil }
        let unit = read.start > 1e11 ? 1.0 : 1000
        read.start *= unit
        read.end *= unit
        read.isImage = operation == "resource.img"
        read.bytes = ["decodedBodySize", "encodedBodySize", "size"].lazy.compactMap { sizes[$0] }.first { $0 > 0 }
        return read
    }
}

extension JSONScanner {
    /// Reads a status of HTTP; nil for another number.
    fileprivate mutating func statusIfAny() throws(JSONError) -> Int? {
        try amountIfAny().flatMap { $0 >= 100 && $0 <= 999 ? Int($0) : nil }
    }
}
