import SessionModel

/// The logs of HTTP servers, proxies and load balancers: a line per request. Each dialect is a file beside this one.
///
/// **What becomes an event.** Each `GET` gives an `appear` of variant `full` and, where the log has a status, a
/// `fetch`; both at the time when the request began. Lines are put in order of time: servers write them when a request
/// ends. Other methods are left out and counted in a warning: a `HEAD` shows nothing and the others change something.
/// Redirects and failures are kept as they were recorded.
///
/// **The key** is the URL as far as the log has it: host and target where a host is logged, else the target alone, the
/// query included. Bytes that are not UTF-8 are written as `%XX`.
///
/// **Sizes.** The object's size is that of its first complete answer (2xx, but not 204, 205 and 206) with a body.
/// Common logs count the body; Squid, IIS and CloudFront count the response's headers too. 204, 205 and 3xx carry no
/// body: 0 bytes.
///
/// **Times.** Where a log has the time at the end of a request and its duration, it began that much earlier. A duration
/// that is not divided is taken for the time to the first byte.
///
/// **Bad lines** are skipped, counted, and the first few shown in warnings. Where more than half are bad, or more than
/// ``Options/badLines``, the first is the error.
public enum AccessLog {
    public enum Content: String, Sendable, CaseIterable {
        case all
        /// What the log says is an image, or else what ends as an image file does.
        case images
    }

    /// How many lines may be unreadable before the file counts as damaged, or as another format.
    public enum BadLineLimit: Sendable, Equatable {
        /// Of records and bad lines together, from 0 to 1.
        case share(Double)
        case count(Int)

        public static let half = share(0.5)

        func allows(_ bad: Int, of lines: Int) -> Bool {
            switch self {
            case .share(let share): Double(bad) <= Double(lines) * share
            case .count(let count): bad <= count
            }
        }
    }

    /// How a log is turned into events.
    public struct Options: Sendable, Equatable {
        public var content: Content
        public var badLines: BadLineLimit
        /// Requests whose URL contains this text are of variant `thumbnail`; nil: all are `full`.
        public var thumbnails: String?

        public init(content: Content = .all, badLines: BadLineLimit = .half, thumbnails: String? = nil) {
            self.content = content
            self.badLines = badLines
            self.thumbnails = thumbnails
        }
    }

    /// The dialects, by the names of their formats.
    public enum Dialect: String, Sendable, CaseIterable {
        case common, w3c, squid, elb
        case json = "json-log"
    }
}

/// One line of a log, as far as a trace needs it.
struct LogRecord {
    /// Microseconds since 1970, when the request began.
    var time: Int64
    /// Empty where the request line made no sense; servers log those too.
    var method: String
    var key: String
    /// Nil where the log does not say, 0 where no response came.
    var status: Int?
    /// Nil where the log does not say.
    var bytes: Int?
    var contentType: String?
    /// Microseconds.
    var timeToFirstByte: Int64?
    var transferTime: Int64?

    var isImage: Bool {
        guard let contentType else { return HAREntry.endsAsImage(key) }
        return contentType.lowercased().hasPrefix("image/")
    }

    var fetch: Fetch? {
        guard let status else { return nil }
        let hasNoBody = status == 204 || status == 205 || (300..<400).contains(status)
        return Fetch(
            status: status, bytes: hasNoBody ? 0 : bytes, timeToFirstByte: timeToFirstByte, transferTime: transferTime)
    }

    /// The size of the whole body, where this line tells it.
    var completeSize: Int? {
        guard let status, let bytes, bytes > 0, (200..<300).contains(status), ![204, 205, 206].contains(status) else {
            return nil
        }
        return bytes
    }
}

/// Why a line cannot be read.
struct LogLineError: Error {
    var message: String

    init(_ message: String) { self.message = message }
}

/// Reads the lines of one dialect, from the first on.
protocol LogDialect: SendableMetatype {
    init()
    /// Whether the head of a file names this dialect, whatever its records look like.
    static func isNamed(in head: TraceHead) -> Bool
    /// Nil for lines that are no records, such as headers.
    mutating func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord?
}

extension LogDialect {
    static func isNamed(in head: TraceHead) -> Bool { false }
}

extension TraceFormat {
    public static let commonLog = accessLog(.common)
    public static let w3cLog = accessLog(.w3c)
    public static let squidLog = accessLog(.squid)
    public static let elbLog = accessLog(.elb)
    public static let jsonLog = accessLog(.json)

    public static func accessLog(_ dialect: AccessLog.Dialect, _ options: AccessLog.Options = .init()) -> TraceFormat {
        switch dialect {
        case .common:
            log(dialect, "access log of Apache, nginx …: Common, Combined, with virtual host", CommonLog.self, options)
        case .w3c: log(dialect, "access log, W3C extended: IIS, CloudFront …", W3CLog.self, options)
        case .squid: log(dialect, "access log of Squid, its native format", SquidLog.self, options)
        case .elb: log(dialect, "access log of AWS load balancers", ELBLog.self, options)
        case .json: log(dialect, "access log, JSON Lines: nginx, Caddy, Traefik", JSONLog.self, options)
        }
    }

    private static func log<Dialect: LogDialect>(
        _ name: AccessLog.Dialect, _ summary: String, _ dialect: Dialect.Type, _ options: AccessLog.Options
    ) -> TraceFormat {
        TraceFormat(
            name: name.rawValue, summary: summary, fileEndings: [],
            sniff: { AccessLogReader<Dialect>.sniff($0) },
            read: { input, notes in try AccessLogReader<Dialect>.read(input, options, &notes) })
    }
}
