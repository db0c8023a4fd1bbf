import Basics
import ReplayEngine
import Runs
import Statistics

extension ResultSet {
    /// Creates the set of the rows of a simulation: one run per trace, policy and capacity.
    ///
    /// A simulation has no tiers, so that its hits are both `hit_ratio` and `memory_hit_ratio`.
    init(_ folder: SimulationStore) {
        source = folder.path
        runs = folder.rows.map { row in
            let hits = Double(row.requests - row.misses)
            var metrics: [String: Double] = ["requests": Double(row.requests), "memory_hits": hits]
            if row.requests > 0 {
                metrics["hit_ratio"] = hits / Double(row.requests)
                metrics["memory_hit_ratio"] = metrics["hit_ratio"]
            }
            if row.requestBytes > 0 {
                metrics["byte_hit_ratio"] = Double(row.requestBytes - row.missBytes) / Double(row.requestBytes)
            }
            let cache = row.capacity.map { "\(row.policy) at \($0.size)" } ?? row.policy
            let settings = ["timing": row.sampleRate.map { "simulated, sample of \($0)" } ?? "simulated"]
            return Run(trace: row.trace, cache: cache, repetition: 1, settings: settings, metrics: metrics)
        }
        if let manifest = folder.manifest {
            for trace in manifest.traces { traceHashes[trace.name] = trace.sha256 }
            version = manifest.versions["cachereplay"]
        }
    }
}
