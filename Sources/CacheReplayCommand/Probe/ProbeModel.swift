import CachePolicies

/// A model that a probe compares with a class.
public struct ProbeModel: Sendable {
    /// As in reports.
    public var name: String
    /// One sentence.
    public var summary: String
    /// The arguments of the policy `nscache` besides its limits; nil if the model is another policy.
    public var nscache: String?
    /// The name of another policy.
    private var policy: String?

    /// Every model: first those of `nscache`, then policies of caches that people write.
    public static let all = [
        ProbeModel("lru", "Stores, then evicts the least recently used objects.", nscache: "model: lru"),
        ProbeModel("fifo", "Stores, then evicts the oldest objects.", nscache: "model: fifo"),
        ProbeModel(
            "frequency", "Evicts the least used of the least recently used quarter.", nscache: "model: frequency"),
        ProbeModel(
            "corelibs", "swift-corelibs-foundation: evicts the cheapest objects, the newest first.",
            nscache: "model: corelibs"),
        ProbeModel(
            "gnustep", "GNUstep base, objects without discardable content: never evicts.",
            nscache: "model: gnustep"),
        ProbeModel(
            "gnustep-discardable", "GNUstep base, objects with discardable content.",
            nscache: "model: gnustep, discardable: true"),
        ProbeModel("strict-lru", "LRU that makes room first, and refuses what cannot fit.", policy: "lru"),
        ProbeModel("strict-fifo", "FIFO that makes room first, and refuses what cannot fit.", policy: "fifo"),
        ProbeModel(
            "lfu", "Evicts the least frequently used object; of equals, the least recently used.", policy: "lfu"),
        ProbeModel("clock", "Evicts the oldest object that was not read since the hand passed it.", policy: "clock"),
        ProbeModel("sieve", "SIEVE: a hand passes from old to new, and evicts what was not read.", policy: "sieve"),
    ]

    private init(_ name: String, _ summary: String, nscache: String? = nil, policy: String? = nil) {
        (self.name, self.summary, self.nscache, self.policy) = (name, summary, nscache, policy)
    }

    /// The specification under these limits.
    func specification(_ limits: ProbeLimits) -> String {
        guard let policy else {
            return "nscache(cost: \(limits.cost)B, count: \(limits.count), \(nscache ?? ""))"
        }
        let written =
            (limits.cost > 0 ? ["\(limits.cost)B"] : []) + (limits.count > 0 ? ["\(limits.count) objects"] : [])
        return written.isEmpty ? "unbounded" : "\(policy)(\(written.joined(separator: ", ")))"
    }

    /// Returns a cache that follows the model.
    public func subject() -> some ProbeSubject { ModelSubject(self) }
}

/// A model that answers sequences.
private final class ModelSubject: ProbeSubject {
    private let model: ProbeModel
    /// A cleared policy is as a new one.
    private var policies: [ProbeLimits: any CachePolicy] = [:]

    init(_ model: ProbeModel) { self.model = model }

    func answers(to sequence: ProbeSequence) throws -> [ProbeAnswer] {
        let specification = model.specification(sequence.limits)
        var policy = try policies.removeValue(forKey: sequence.limits) ?? PolicyContext().policy(specification)
        defer {
            policy.clear()
            policies[sequence.limits] = policy
        }
        policy.reserve((sequence.operations.map(\.key).max() ?? 0) + 1)
        var victims = EvictionList()
        return sequence.all.enumerated().compactMap { position, operation in
            switch operation {
            case .store(let key, let cost):
                _ = policy.liveAdmit(Access(object: key, size: cost, position: position), &victims)
            case .remove(let key): policy.remove(key)
            case .get(let key):
                let found = policy.liveLookup(Access(object: key, size: 0, position: position), &victims)
                return found.isHit ? .hit : .miss
            }
            return nil
        }
    }
}
