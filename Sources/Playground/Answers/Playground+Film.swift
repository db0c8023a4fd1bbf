import Basics
import CacheReports
import ReplayEngine
import Runs

extension Playground {
    /// Answers `film`: the timelines and films of all caches, as a report has them.
    func film(_ asked: Asked) throws -> String {
        let session = try asked.session()
        let results = try asked.results(session, isFull: true)
        return JSONWriter.object { json in
            json.member("step", 1)
            json.key("trace")
            RunResult.writeTimelines(of: results, names: asked.names, to: &json)
            json.member("names", asked.names)
        }.text
    }

    /// Answers `bound`: the blank time that no cache is below, for the current cache.
    func bound(_ asked: Asked) throws -> String {
        let session = try asked.session()
        let place = asked.question.b
        let cache = asked.caches[place]
        let result = try asked.result(cache, session, isFull: true)
        let least: RunExplanation.LeastBlank?
        do {
            let prepared = try session.prepared(asked.settings.warnings, cache.network)
            let job = PlayRuns.job(cache, session, prepared, asked.settings)
            try asked.settings.check()
            least = try RunExplanation.LeastBlank(of: job, in: prepared.trace, result)
        } catch {
            throw PlayRuns.failure(error, cache, session)
        }
        let unknown = "This session does not record when cells disappear, so that no least blank time is known."
        let text = least.map { Self.room($0) } ?? unknown
        return JSONWriter.object { json in
            json.member("cache", place)
            json.key("blank")
            if let blank = result.figure("blank_ratio") { json.double(blank) } else { json.null() }
            json.key("least")
            if let least { json.double(least.share) } else { json.null() }
            json.member("text", text)
        }.text
    }

    /// Returns how much of the blank time another cache could avoid.
    private static func room(_ least: RunExplanation.LeastBlank) -> String {
        let room = max(0, least.ownShare - least.share)
        let rest = least.sentences ?? "No part of the blank time is known to be unavoidable."
        let isExempt = !least.exemptions.isEmpty
        return isExempt ? rest : "Room left: at most \(AmountText.points(room)). \(rest)"
    }
}

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
