import SessionModel

/// The logs of HTTP servers, proxies and load balancers, with one line per request.
///
/// <doc:AccessLogs> describes what is read. Each dialect is a file beside this one.
public enum AccessLog {
    /// The requests to read.
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

    /// Options for reading a log.
    public struct Options: Sendable, Equatable {
        /// The requests to read.
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
        case common, w3c, squid, wikimedia, elb, s3, haproxy
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
        guard let status, let bytes, bytes > 0, (200..<300).contains(status), ![204, 205, 206].contains(status) else {
            return nil
        }
        return bytes
    }
}

/// The reason why a line cannot be read.
struct LogLineError: Error {
    var message: String

    init(_ message: String) { self.message = message }
}

/// A reader of the lines of one dialect, in the order of the file.
protocol LogDialect: SendableMetatype {
    init()
    /// Returns whether the head of a file names the dialect.
    static func isNamed(in head: TraceHead) -> Bool
    /// Reads a line. Returns nil for lines that are not records, such as headers.
    mutating func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord?
}

extension LogDialect {
    static func isNamed(in head: TraceHead) -> Bool { false }
}

extension TraceFormat {
    /// Common and Combined Log Format; see <doc:AccessLogs>.
    public static let commonLog = accessLog(.common)
    /// W3C Extended Log Format; see <doc:AccessLogs>.
    public static let w3cLog = accessLog(.w3c)
    /// Squid's native log; see <doc:AccessLogs>.
    public static let squidLog = accessLog(.squid)
    /// Wikimedia's cache log, and WikiBench's extract of it; see <doc:AccessLogs>.
    public static let wikimediaLog = accessLog(.wikimedia)
    /// Logs of AWS load balancers; see <doc:AccessLogs>.
    public static let elbLog = accessLog(.elb)
    /// Server access logs of Amazon S3; see <doc:AccessLogs>.
    public static let s3Log = accessLog(.s3)
    /// HTTP logs of HAProxy; see <doc:AccessLogs>.
    public static let haproxyLog = accessLog(.haproxy)
    /// Logs as JSON Lines: nginx, Caddy, Traefik; see <doc:AccessLogs>.
    public static let jsonLog = accessLog(.json)

    /// Returns the format of a dialect, with options.
    public static func accessLog(_ dialect: AccessLog.Dialect, _ options: AccessLog.Options = .init()) -> TraceFormat {
        switch dialect {
        case .common:
            log(dialect, "access log of Apache, nginx …: Common, Combined, with virtual host", CommonLog.self, options)
        case .w3c: log(dialect, "access log, W3C extended: IIS, CloudFront …", W3CLog.self, options)
        case .squid: log(dialect, "access log of Squid, its native format", SquidLog.self, options)
        case .wikimedia: log(dialect, "access log of Wikimedia's caches, WikiBench", WikimediaLog.self, options)
        case .elb: log(dialect, "access log of AWS load balancers", ELBLog.self, options)
        case .s3: log(dialect, "server access log of Amazon S3", S3Log.self, options)
        case .haproxy: log(dialect, "HTTP log of HAProxy, with or without syslog's prefix", HAProxyLog.self, options)
        case .json: log(dialect, "access log, JSON Lines: nginx, Caddy, Traefik", JSONLog.self, options)
        }
    }

    private static func log<Dialect: LogDialect>(
        _ name: AccessLog.Dialect, _ summary: String, _ dialect: Dialect.Type, _ options: AccessLog.Options
    ) -> TraceFormat {
        var format = TraceFormat(
            name: name.rawValue, summary: summary, fileEndings: [],
            sniff: { AccessLogReader<Dialect>.sniff($0) },
            read: { input, notes in try AccessLogReader<Dialect>.read(ByteWindow(input), options, &notes) })
        format.stream = { stream, notes in
            try AccessLogReader<Dialect>.read(ByteWindow(stream), options, &notes)
        }
        format.windows = { stream, windows, notes in
            try AccessLogReader<Dialect>.read(ByteWindow(stream), options, into: windows, &notes)
        }
        return format
    }
}
