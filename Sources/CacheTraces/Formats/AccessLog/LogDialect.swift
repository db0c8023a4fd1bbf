import SessionModel

/// A dialect of access logs: how its lines are divided, and what their fields mean.
///
/// A new dialect is a row of ``all`` and a case of `AccessLog.Dialect`.
struct LogDialect: Sendable {
    /// How a line is divided into fields.
    enum Split: Sendable {
        /// Between blanks and tabs.
        case words
        /// Between blanks and tabs, with dates in brackets. The request ends at the quote before a status or the end.
        case server
        /// Between blanks. A field can be quoted; a date in brackets is a field.
        case quoted
        /// Between tabs, or between blanks if the line has no tab.
        case tabsOrBlanks
        /// As `tabsOrBlanks`, with quoted fields, which a line `#Fields:` names.
        case header
        /// The fields are the members of a JSON object.
        case json
    }

    let name: AccessLog.Dialect
    let summary: String
    let split: Split
    /// Whether the columns begin behind a date in brackets.
    let hasDate: Bool
    /// The columns by the number of fields that a line has: of the first form at least, of another exactly.
    let forms: [Form]

    struct Form: Sendable {
        let columns: [LogColumn]
        let roles: [LogRole]
        /// The expected form of a line, for errors.
        let expected: String

        init(_ columns: String, _ expected: String) {
            self.columns = columns.split(separator: " ").compactMap(LogColumn.init)
            roles = self.columns.map(\.role)
            self.expected = expected
        }
    }

    init(_ name: AccessLog.Dialect, _ summary: String, _ split: Split, hasDate: Bool = false, _ forms: Form...) {
        (self.name, self.summary, self.split, self.hasDate, self.forms) = (name, summary, split, hasDate, forms)
    }

    /// The dialects, in the order in which they are tried.
    static let all = [
        LogDialect(
            .w3c, "access log, W3C extended: IIS, CloudFront …", .header,
            Form(
                """
                day=date|date-local clock=time|time-local total.ms=timetakenms total=time-taken \
                first.s=time-to-first-byte method=cs-method path=cs-uri-stem|cs-uri query=cs-uri-query \
                host=x-host-header|cs(host)|cs-host status=sc-status|c-status bytes=sc-bytes|bytes \
                type=sc-content-type|sc(content-type) cut=x-edge-detailed-result-type cut.win32=sc-win32-status
                """, "a date and a time as 2015-01-13 00:32:17")),
        LogDialect(
            .elb, "access log of AWS load balancers", .quoted,
            Form(
                "kind end _ _ _ phase phase phase status- _ _ bytes request",
                "the fields of a load balancer's log, time and 11 more")),
        LogDialect(
            .squid, "access log of Squid, its native format", .words,
            Form(
                "end total.ms _ result bytes method url _ _ type",
                "a time as 1286536308.779 and the elapsed milliseconds")),
        LogDialect(
            .wikimedia, "access log of Wikimedia's caches, WikiBench", .tabsOrBlanks,
            Form(
                "_ number? end total- _ result bytes- method url _ type",
                "a sequence number, a time as 2010-12-01T21:57:22.331 and a duration, of 11 fields or more"),
            Form("number end absolute write", "a counter, a time as 1190146243.326, a URL and '-'")),
        LogDialect(
            .s3, "server access log of Amazon S3", .quoted, hasDate: true,
            Form(
                "_ _ _ operation path _ status- _ bytes- size? total.ms? first.ms?",
                "at least 12 fields behind the date")),
        LogDialect(
            .haproxy, "HTTP log of HAProxy, with or without syslog's prefix", .server, hasDate: true,
            Form(
                "_ _ timers status- bytes _ _ cut request",
                "a request in quotes; is the frontend's log an HTTP log (option httplog)?")),
        LogDialect(
            .envoy, "access log of Envoy and Istio, their text formats", .quoted, hasDate: true,
            Form(
                "request status cut received bytes total.ms first.ms? _ _ _ site",
                "a request in quotes, a status, flags and four numbers")),
        LogDialect(
            .common, "access log of Apache, nginx …: Common, Combined, with virtual host", .server, hasDate: true,
            Form("request status bytes-", "a request in quotes and a status")),
        LogDialect(
            .json, "access log, JSON Lines: nginx, Caddy, Traefik, Envoy, Cloudflare, Fastly …", .json,
            Form(
                """
                method=request_method|request.method|RequestMethod|http.request.method|method|:method|\
                ClientRequestMethod|httpRequest.requestMethod|reqMethod \
                url=request_uri|request.uri|RequestPath|url.original|ClientRequestURI|httpRequest.requestUrl \
                request=request|request_line|req \
                path=uri|url|url.path|path|:path|ClientRequestPath|reqPath \
                query=args|query_string|url.query|queryStr \
                site=vhost|:authority|authority|host|http_host|request.host|RequestHost|url.domain|domain|server_name|\
                ClientRequestHost|reqHost \
                status=status|DownstreamStatus|response.status|http.response.status_code|status_code|response_code|\
                response_status|response|EdgeResponseStatus|httpRequest.status|statusCode \
                start=StartUTC|start_time|EdgeStartTimestamp|reqTimeSec finish=EdgeEndTimestamp \
                end=msec|time_iso8601|ts|time_local|timestamp|@timestamp|time \
                total.ns=Duration|event.duration total.s=request_time|reqtime total.us=time_elapsed \
                total=latency_human|duration|latency|httpRequest.latency \
                first.s=upstream_header_time first.ms=upstream_service_time|EdgeTimeToFirstByteMs|timeToFirstByte|\
                turnAroundTimeMSec transfer.ms=transferTimeMSec \
                bytes=body_bytes_sent|DownstreamContentSize|size|bytes_sent|http.response.body.bytes|\
                response_body_size|EdgeResponseBodyBytes|EdgeResponseBytes|httpRequest.responseSize|bytes_out|bytes \
                size=objSize \
                type=sent_http_content_type|content_type|resp_headers.Content-Type|downstream_Content-Type|\
                EdgeResponseContentType|rspContentType \
                cut=response_flags|jsonPayload.statusDetails|errorCode
                """, "a time")),
    ]
}

/// The meaning of a field of a log.
enum LogRole: Int, CaseIterable {
    /// When the request began or ended: RFC 3339, a date of Common Log Format, or seconds since 1970. `finish` is an
    /// end that stands beside a start.
    case start, end, finish
    /// The date and the time of day of the end, apart.
    case day, clock
    /// The duration of the request, of its part up to the first byte, and of the part behind that.
    case total, first, transfer
    /// The seconds of a part of the duration; -1 if it did not begin. The last part is the transfer.
    case phase
    /// Four such parts, and the whole duration, in milliseconds: `10/0/30/69/109`.
    case timers
    /// A method; an operation of S3, such as `REST.GET.OBJECT`; or `-` if the request only reads.
    case method, operation, write
    /// A request line, such as `GET /a.png HTTP/1.1`.
    case request
    /// A target; `absolute` if it has a scheme or a port.
    case url, absolute
    /// The target in two parts, for lines without the other roles.
    case path, query
    /// The text before the target: `bucket` with a slash, `site` only before a target that is not absolute.
    case host, bucket, site
    /// The status, alone or as `TCP_MISS/200`.
    case status, result
    /// The bytes of the response, and of the complete object.
    case bytes, size
    /// How the response ended, which can be before its end.
    case cut
    /// A number behind fields that lines can lack.
    case received
    case type
    /// A number without a use.
    case number
    /// A field that lines can lack, if the next one begins with a digit.
    case kind
    case unused
}

struct LogColumn: Sendable {
    let role: LogRole
    /// Microseconds; nil if the dialect or ``LogMeaning`` decides.
    let unit: Double?
    /// The meaning of `-`: `-` for 0, `?` for no value.
    let absence: Character?
    /// The names of the field. The first name with a value counts. Empty if places count.
    let names: [String]

    /// Reads a column such as `total.ms?=name|name`: a role, with `_` for an unused field, and if need be a unit, what
    /// `-` stands for, and names.
    init?(_ text: Substring) {
        let sides = text.split(separator: "=", maxSplits: 1)
        let parts = sides.first?.split { ".-?".contains($0) } ?? []
        guard let name = parts.first,
            let role = name == "_" ? .unused : LogRole.allCases.first(where: { "\($0)" == name })
        else { return nil }
        self.role = role
        unit = parts.count > 1 ? ["ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6][parts[1]] : nil
        absence = sides[0].last.flatMap { "-?".contains($0) ? $0 : nil }
        names = sides.count > 1 ? sides[1].split(separator: "|").map(String.init) : []
    }
}
