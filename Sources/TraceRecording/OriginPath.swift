/// What a request's path asks a ``LoopbackOrigin`` for.
enum OriginPath: Equatable {
    /// `/<run>/<object number>`
    case object(Int, run: String)
    /// `/-/stats/<run>`
    case statistics(run: String)

    /// nil where there is no such thing. A query is ignored.
    init?(_ uri: String) {
        let segments = uri.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = segments.first, first.isEmpty else { return nil }
        if segments.count == 4, segments[1] == "-", segments[2] == "stats" {
            self = .statistics(run: String(segments[3]))
        } else if segments.count == 3, !segments[1].isEmpty, let number = Int(segments[2]), number >= 0 {
            self = .object(number, run: String(segments[1]))
        } else {
            return nil
        }
    }
}
