import ReplayEngine
import Runs

extension Store<ReplayRuns> {
    /// Returns the runs whose timelines the report shows: those of the caches that the conclusions name. With many
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
