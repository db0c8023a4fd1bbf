import CacheTraces
import HTTPCaching
import NIOCore
import NIOHTTP1
import SessionModel

/// The duration of a response.
struct OriginLatency: Sendable, Equatable {
    var timeToFirstByte = TimeAmount.zero
    var transfer = TimeAmount.zero
}

/// An object of the trace as the origin serves it.
struct OriginObject: Sendable {
    let body: OriginBodySource
    /// The length of the body, in bytes.
    let size: Int
    /// The status of the first recorded fetch. 200 if there is none, and for 304, because the client sends no
    /// condition. 0 if the recording has no response, or an invalid one: the connection is closed.
    private(set) var status: Int
    let headers: HTTPHeaders
    let validators: HTTPValidators
    let latencies: [OriginLatency]
    private(set) var fault: OriginFault?

    init(_ object: TraceObject, size: Int, fetches: [Fetch], fault: OriginFault?, file: String? = nil) {
        body = file.map(OriginBodySource.file) ?? .pattern(PayloadPattern(key: object.key))
        let recorded = fetches.first?.status ?? 200
        status = recorded == 304 ? 200 : (200...599).contains(recorded) ? recorded : 0
        self.size = max(0, size)
        latencies = fetches.map { fetch in
            OriginLatency(
                timeToFirstByte: .microseconds(max(0, fetch.timeToFirstByte ?? 0)),
                transfer: .microseconds(max(0, fetch.transferTime ?? 0)))
        }
        self.fault = fault
        headers = Self.headers(object)
        validators = HTTPValidators(object.headers)
    }

    /// The length of a body that is not the object; nil for the object, and for a short text if the response is no
    /// success.
    private(set) var failedBytes: Int?

    /// Sets the status of the response: `failedBytes`, or the object for 2xx and a short text otherwise, and a reset
    /// connection for 0 and for 1xx, which is not a final response. A response with status 0 and a length closes its
    /// connection before its body is complete.
    mutating func answer(with status: Int, failedBytes: Int? = nil) {
        self.status = status
        self.failedBytes = failedBytes
        if status < 200, let failedBytes, failedBytes > 0 {
            fault = .truncate
        } else if status < 200 {
            fault = .reset
        } else if !(200..<300).contains(status) {
            fault = .status(status)
        }
    }

    /// Whether the object answers a request with 304: the request is conditional, the response is a success, and it has
    /// the validators that the request names (RFC 9110, section 13.2).
    func isUnmodified(for request: HTTPHeaders) -> Bool {
        guard (200..<300).contains(status), fault == nil else { return false }
        let conditions = ["if-none-match", "if-modified-since"].compactMap { name -> HTTPField? in
            let values = request[name]
            return values.isEmpty ? nil : HTTPField(name, values.joined(separator: ", "))
        }
        return !conditions.isEmpty && validators.confirm(conditions)
    }

    private static let framing: Set = [
        "content-length", "transfer-encoding", "connection", "content-encoding", "location",
    ]

    /// Returns the recorded headers, without the headers of the recorded connection and invalid ones.
    private static func headers(_ object: TraceObject) -> HTTPHeaders {
        var headers = HTTPHeaders()
        if let type = object.contentType, isPrintable(type) { headers.add(name: "content-type", value: type) }
        for field in object.headers
        where !framing.contains(field.name) && isToken(field.name) && isPrintable(field.value) {
            headers.add(name: field.name, value: field.value)
        }
        return headers
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains($0) }
    }

    private static func isPrintable(_ value: String) -> Bool { value.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}

/// The resource of a ``LoopbackOrigin`` that a path names.
enum OriginPath: Equatable {
    /// `/<run>/<object number>`, with a query that replaces the recorded response.
    case object(Int, run: String, OriginQuery)
    /// `/-/stats/<run>`
    case statistics(run: String)

    /// Returns nil if the path names no resource.
    init?(_ uri: String) {
        let path = uri.prefix { $0 != "?" }
        let query = uri.dropFirst(path.count + 1)
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = segments.first, first.isEmpty else { return nil }
        if segments.count == 4, segments[1] == "-", segments[2] == "stats" {
            self = .statistics(run: String(segments[3]))
        } else if segments.count == 3, !segments[1].isEmpty, let number = Int(segments[2]), number >= 0 {
            self = .object(number, run: String(segments[1]), OriginQuery(query))
        } else {
            return nil
        }
    }
}

/// The query `?status=503&bytes=26`, in which each part is optional: the status of the response (0 resets the
/// connection, otherwise from 200 on), and the length of a body of zeros in place of the object. With status 0, that
/// many bytes of body arrive before the connection closes. Other parts are ignored.
struct OriginQuery: Equatable {
    var status: Int?
    var bytes: Int?

    init(_ text: Substring) {
        for part in text.split(separator: "&") {
            guard let equals = part.firstIndex(of: "="), let value = Int64(part[part.index(after: equals)...]),
                value >= 0
            else { continue }
            switch part[..<equals] {
            case "status": if value == 0 || (200...599).contains(value) { status = Int(value) }
            case "bytes": bytes = Int(min(value, TraceLimits.bytes))
            default: break
            }
        }
    }
}
