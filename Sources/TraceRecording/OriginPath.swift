/// What a request's path asks a ``LoopbackOrigin`` for.
enum OriginPath: Equatable {
    /// `/<run>/<object number>`, or `/<run>/<object number>?status=<status>` for another status than the recorded one;
    /// status 0 asks for a connection that breaks.
    case object(Int, run: String, status: Int?)
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
            let status = query.hasPrefix("status=") ? Int(query.dropFirst("status=".count)) : nil
            self = .object(number, run: String(segments[1]), status: status)
        } else {
            return nil
        }
    }
}
