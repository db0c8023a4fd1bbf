import CacheReports
import ReplayEngine

extension RunExplanation.LeastBlank {
    /// Finds the least blank time of all caches with a run's prefetches, network, memory and connections.
    ///
    /// - Returns: nil if nothing takes time, or if no cell disappears.
    /// - Throws: `SpecError` for a cache that cannot be created.
    package init?(of job: ReplayJob, in trace: PreparedTrace, _ result: RunResult) throws {
        guard job.timing != .modelled(.instant), !trace.cellsStay else { return nil }
        let limit = result.memoryLimit ?? (result.knowsMemory ? Int(result.tiers.memoryPeakBytes) : nil)
        var rules = LeastBlankTime.Rules(job, memoryLimit: limit)
        // Other caches may keep their memory then.
        (rules.warningsClear, rules.backgroundClears) = (false, false)
        let least = LeastBlankTime(trace, rules, network: job.network)
        let exemptions = try LeastBlankTime.exemptions(of: job, in: trace, result)
        self.init(least, rules, network: job.network.name, result, exemptions)
    }
}
