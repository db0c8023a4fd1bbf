/// What a request's path asks a ``LoopbackOrigin`` for.
enum OriginPath: Equatable {
    /// `/<run>/<object number>`, with a query where the answer is to be another than the recorded one.
    case object(Int, run: String, OriginQuery)
    /// `/-/stats/<run>`
    case statistics(run: String)

    /// nil where there is no such thing.
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

/// `?status=503&ttfb_us=40000&transfer_us=900`, each part as one likes: the status of the answer (0 breaks the
/// connection, else from 200 on), and microseconds to the first byte and from there to the last. What is not understood
/// is ignored.
struct OriginQuery: Equatable {
    var status: Int?
    var timeToFirstByte: Int64?
    var transferTime: Int64?

    init(_ text: Substring) {
        for part in text.split(separator: "&") {
            guard let equals = part.firstIndex(of: "="), let value = Int64(part[part.index(after: equals)...]),
                value >= 0
            else { continue }
            switch part[..<equals] {
            case "status": if value == 0 || (200...599).contains(value) { status = Int(value) }
            case "ttfb_us": timeToFirstByte = min(value, Self.longest)
            case "transfer_us": transferTime = min(value, Self.longest)
            default: break
            }
        }
    }

    /// A day: longer than any client waits.
    private static let longest: Int64 = 86_400_000_000
}
