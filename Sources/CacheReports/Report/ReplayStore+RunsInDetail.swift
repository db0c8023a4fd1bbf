import ReplayEngine
import Runs

extension Store<ReplayRuns> {
    /// Keeps the timelines, films and pictures of sessions that the shards of a replay have.
    ///
    /// A shard keeps details only of the caches that its conclusions name. The details that the report of the whole
    /// shows come first. There are at most ``mostDetails``.
    ///
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError` or `badData`.
    public func joinDetails(of shards: [String]) throws {
        var pictures: [SessionThumbnails] = []
        var room = Self.mostThumbnailBytes
        for session in try shards.flatMap({ try Self.thumbnails(in: $0) }) {
            room -= session.images.reduce(0) { $0 + $1.utf8.count }
            if room >= 0 { pictures.append(session) }
        }
        try keepThumbnails(pictures)
        let details = try shards.flatMap { try Self.details(in: $0) }
        guard !details.isEmpty else { return }
        let wanted = Set(try runsInDetail)
        let ordered = details.filter { wanted.contains($0.identity) } + details.filter { !wanted.contains($0.identity) }
        try keepDetails(Array(ordered.prefix(Self.mostDetails)))
    }

    /// Returns the runs whose timelines the report shows: the runs of the caches that the conclusions name. With many
    /// sessions, they are of the sessions that the report shows in detail. There are at most ``mostDetails``, and none
    /// if the runs have timelines already.
    public var runsInDetail: [RunIdentity] {
        get throws {
            var results: [RunResult] = []
            var caches: [String]
            if try isFleet {
                let table = try fleetTable
                guard let statistics = try fleet, let page = ReportFleet(table, statistics) else { return [] }
                caches = page.named
                try forEachResult(of: Set(page.details.map(\.session))) { results.append($0) }
            } else {
                results = try self.results
                let set = ResultSet(results, source: path, judgedBy: manifest?.facts)
                caches = set.conclusions.flatMap(\.caches).unique()
            }
            guard !results.contains(where: { !$0.timeline.isEmpty }) else { return [] }
            let inputs = ChartInput.byTrace(results)
            // Whole caches, as long as there is room.
            caches = Array(caches.prefix(max(1, Self.mostDetails / max(1, inputs.count))))
            let runs = inputs.flatMap { input in
                caches.compactMap { cache in input.caches.first { $0.name == cache }?.typical.identity }
            }
            return Array(runs.prefix(Self.mostDetails))
        }
    }
}
