import SessionModel

/// The logs of HTTP servers, proxies and load balancers, with one line per request.
///
/// <doc:AccessLogs> describes what is read.
public enum AccessLog {
    public enum Content: String, Sendable, CaseIterable {
        /// All requests.
        case all
        /// Requests that match ``Options/match``; without patterns, requests whose recorded type is an image or,
        /// without a recorded type, whose URL ends like an image file.
        case images
    }

    /// The number of unreadable lines above which a file is damaged or has another format.
    public enum BadLineLimit: Sendable, Equatable {
        /// A share of all lines, from 0 to 1.
        case share(Double)
        /// A number of lines.
        case count(Int)

        /// Half of all lines.
        public static let half = share(0.5)

        func allows(_ bad: Int, of lines: Int) -> Bool {
            switch self {
            case .share(let share): Double(bad) <= Double(lines) * share
            case .count(let count): bad <= count
            }
        }
    }

    public struct Options: Sendable, Equatable {
        public var content: Content
        /// The paths of images. If there are patterns, recorded types and endings of URLs do not count.
        public var match: [PathPattern]
        /// How many lines may be unreadable.
        public var badLines: BadLineLimit
        /// The text that the URLs of thumbnails contain; nil if all requests are of variant `full`.
        public var thumbnails: String?

        public init(
            content: Content = .all, match: [PathPattern] = [], badLines: BadLineLimit = .half,
            thumbnails: String? = nil
        ) {
            self.content = content
            self.match = match
            self.badLines = badLines
            self.thumbnails = thumbnails
        }
    }

    /// The dialects. The raw values are the names of their formats.
    public enum Dialect: String, Sendable, CaseIterable {
        case common, w3c, squid, wikimedia, elb, s3, haproxy, envoy
        case json = "json-log"
    }
}

/// The parts of a line that a trace needs.
struct LogRecord {
    /// Microseconds since 1970, when the request began.
    var time: Int64
    /// The method; empty if the request line is invalid, which servers log too.
    var method: String
    var key: String
    /// The status; nil if the log has none, 0 if no response came.
    var status: Int?
    /// The bytes of the response; nil if the log does not contain them.
    var bytes: Int?
    /// Whether the log says that the response ended before its body did.
    var isCut = false
    /// The virtual host, if the log has one.
    var host: String?
    /// The bytes of the complete object, which logs of storage services contain also for parts of it.
    var objectBytes: Int?
    var contentType: String?
    /// Microseconds.
    var timeToFirstByte: Int64?
    var transferTime: Int64?

    /// Why a request counts as one of an image.
    enum ImageEvidence {
        case pattern, type, urlEnding
    }

    /// Returns the reason why the request is of an image, or nil.
    func imageEvidence(_ patterns: [PathPattern]) -> ImageEvidence? {
        guard patterns.isEmpty else { return patterns.contains { $0.matches(key) } ? .pattern : nil }
        if let contentType { return contentType.lowercased().hasPrefix("image/") ? .type : nil }
        return HAREntry.endsAsImage(key) ? .urlEnding : nil
    }

    var fetch: Fetch? {
        guard let status else { return nil }
        let hasNoBody = status == 204 || status == 205 || (300..<400).contains(status)
        return Fetch(
            status: status, bytes: hasNoBody ? 0 : bytes, timeToFirstByte: timeToFirstByte, transferTime: transferTime)
    }

    /// The size of the complete body, if the line contains it.
    var completeSize: Int? {
        if let objectBytes, objectBytes > 0, let status, [200, 206, 304].contains(status) { return objectBytes }
        guard !isCut, let status, let bytes, bytes > 0, (200..<300).contains(status),
            ![204, 205, 206].contains(status)
        else { return nil }
        return bytes
    }
}

/// The reason why a line cannot be read.
struct LogLineError: Error {
    var message: String

    init(_ message: String) { self.message = message }
}

extension TraceFormat {
    /// Returns the format of a dialect, with options; see <doc:AccessLogs>.
    public static func accessLog(_ name: AccessLog.Dialect, _ options: AccessLog.Options = .init()) -> TraceFormat {
        guard let dialect = LogDialect.all.first(where: { $0.name == name }) else { return .plainText }
        return accessLog(dialect, options)
    }

    static func accessLog(_ dialect: LogDialect, _ options: AccessLog.Options = .init()) -> TraceFormat {
        var format = TraceFormat(
            name: dialect.name.rawValue, summary: dialect.summary, fileEndings: [],
            sniff: { AccessLogReader.sniff($0, dialect) },
            read: { input, notes in try AccessLogReader.read(ByteWindow(input), dialect, options, &notes) })
        format.stream = { stream, notes in
            try AccessLogReader.read(ByteWindow(stream), dialect, options, &notes)
        }
        format.windows = { stream, windows, notes in
            try AccessLogReader.read(ByteWindow(stream), dialect, options, into: windows, &notes)
        }
        return format
    }
}
