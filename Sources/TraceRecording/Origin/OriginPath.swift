import SessionModel

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

/// The query `?status=503&bytes=26&ttfb_us=40000&transfer_us=900`, in which each part is optional: the status of the
/// response (0 resets the connection, otherwise from 200 on), the length of the body of a response that is no success,
/// the microseconds to the first byte, and from there to the last. With status 0, that many bytes of body arrive before
/// the connection closes. Other parts are ignored.
struct OriginQuery: Equatable {
    var status: Int?
    var bytes: Int?
    var timeToFirstByte: Int64?
    var transferTime: Int64?

    init(_ text: Substring) {
        for part in text.split(separator: "&") {
            guard let equals = part.firstIndex(of: "="), let value = Int64(part[part.index(after: equals)...]),
                value >= 0
            else { continue }
            switch part[..<equals] {
            case "status": if value == 0 || (200...599).contains(value) { status = Int(value) }
            case "bytes": bytes = Int(min(value, TraceLimits.bytes))
            case "ttfb_us": timeToFirstByte = min(value, Self.longest)
            case "transfer_us": transferTime = min(value, Self.longest)
            default: break
            }
        }
    }

    /// One day in microseconds; longer than any client waits.
    private static let longest: Int64 = 86_400_000_000
}
