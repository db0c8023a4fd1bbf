import CachePolicies
import SessionModel

extension ReplayJob {
    /// Whether the network is one that costs by the byte.
    var isMetered: Bool { if case .profile(let profile) = network { profile.isMetered } else { false } }

    /// Whether the cache prefetches on the job's network.
    private var mayPrefetch: Bool { !isMetered || cache.pipeline.prefetchOnMetered }

    /// Returns the calls ahead of need; nil if the replay plans none.
    func prefetchPlan(for trace: Trace) -> PrefetchPlan? {
        guard cache.pipeline.prefetch.isPlanned, mayPrefetch else { return nil }
        return PrefetchPlan(trace, cache.pipeline.prefetch)
    }

    /// Replays the trace without prefetches too, and notes how much blank time they avoided.
    func compareWithoutPrefetches(
        _ trace: PreparedTrace, _ registry: PolicyRegistry, _ result: inout RunResult
    ) throws {
        guard case .modelled = timing, cache.pipeline.prefetch.isPlanned, cache.own == nil else { return }
        var twin = self
        twin.cache.pipeline.prefetch = .none
        twin.timeline = .none
        let calm = try twin.run(trace, registry: registry)
        result.prefetch.blankAvoided = calm.blank.blankTime - result.blank.blankTime
    }
}
