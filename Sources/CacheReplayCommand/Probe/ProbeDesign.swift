import Basics
import CachePolicies

/// The sequences of a probe.
///
/// Short ones are complete: every sequence up to a length over three or four keys, in which each key is stored before
/// it is read or removed. Keys are numbered in order of first use, because caches do not depend on their names. Longer
/// ones are drawn: they reach states that short ones cannot, such as eight objects, from which on the model `frequency`
/// differs from LRU.
public enum ProbeDesign {
    /// The same sequences for every machine and every seed.
    ///
    /// - Parameter seed: Of the sequences that are drawn.
    public static func sequences(seed: UInt64 = 1) -> [ProbeSequence] {
        let limits = [(3, 0), (0, 2), (3, 2), (1, 0), (0, 0)].map { ProbeLimits(cost: $0.0, count: $0.1) }
        let costs = limits.flatMap { complete(length: 4, keys: 3, costs: [1, 2], removes: true, $0) }
        let accesses = [ProbeLimits(cost: 0, count: 2), ProbeLimits(cost: 3, count: 0)].flatMap {
            complete(length: 6, keys: 4, costs: [1], removes: false, $0)
        }
        var random = SplitMix64(seed: seed)
        let few = (0..<1_500).map { _ in drawn(keys: 5, length: 6...20, costs: [1, 1, 2, 3, 4, 9], fewKeys, &random) }
        let many = (0..<500).map { _ in drawn(keys: 16, length: 30...70, costs: [1, 2, 2, 3], manyKeys, &random) }
        var known: Set<ProbeSequence> = []
        let short = (costs + accesses).filter { known.insert($0).inserted }
        return short.sorted { $0.operations.count < $1.operations.count } + few + many
    }

    private static let fewKeys = [(4, 0), (8, 0), (0, 1), (0, 3), (6, 3), (0, 0)].map {
        ProbeLimits(cost: $0.0, count: $0.1)
    }
    private static let manyKeys = [(0, 8), (0, 10), (0, 12), (24, 0), (30, 12)].map {
        ProbeLimits(cost: $0.0, count: $0.1)
    }

    private static func complete(
        length: Int, keys: Int, costs: [Int], removes: Bool, _ limits: ProbeLimits
    ) -> [ProbeSequence] {
        var all: [ProbeSequence] = []
        // Each with the number of keys that it uses.
        var longest: [(operations: [ProbeOperation], keys: Int)] = [([], 0)]
        for _ in 0..<length {
            longest = longest.flatMap { sequence in
                var next: [(operations: [ProbeOperation], keys: Int)] = []
                for key in 0..<sequence.keys {
                    let others = [ProbeOperation.get(key)] + (removes ? [.remove(key)] : [])
                    for operation in costs.map({ ProbeOperation.store(key, cost: $0) }) + others {
                        next.append((sequence.operations + [operation], sequence.keys))
                    }
                }
                guard sequence.keys < keys else { return next }
                return next
                    + costs.map { (sequence.operations + [.store(sequence.keys, cost: $0)], sequence.keys + 1) }
            }
            all += longest.map { ProbeSequence(limits: limits, $0.operations) }
        }
        return all
    }

    private static func drawn(
        keys: Int, length: ClosedRange<Int>, costs: [Int], _ limits: [ProbeLimits], _ random: inout SplitMix64
    ) -> ProbeSequence {
        let count = length.lowerBound + random.next(below: length.count)
        let operations = (0..<count).map { _ in
            // The lower of two draws: some keys are read more often.
            let key = min(random.next(below: keys), random.next(below: keys))
            return switch random.next(below: 20) {
            case 0: ProbeOperation.remove(random.next(below: keys))
            case 1...9: ProbeOperation.get(key)
            default: ProbeOperation.store(random.next(below: keys), cost: costs[random.next(below: costs.count)])
            }
        }
        return ProbeSequence(limits: limits[random.next(below: limits.count)], operations)
    }
}

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

/// The limits of a cache that is probed; 0 is no limit.
public struct ProbeLimits: Codable, Hashable, Sendable {
    public var cost: Int
    public var count: Int

    public init(cost: Int, count: Int) { (self.cost, self.count) = (cost, count) }
}

/// An operation on a cache that is probed. Keys are numbers from 0.
public enum ProbeOperation: Hashable, Sendable, CustomStringConvertible {
    case store(Int, cost: Int)
    case get(Int)
    case remove(Int)

    public var key: Int {
        switch self {
        case .store(let key, _), .get(let key), .remove(let key): key
        }
    }

    /// As in the output of `cachereplay probe`: `put b 2`, `get b`, `remove b`.
    public var description: String {
        switch self {
        case .store(let key, let cost): "put \(Self.name(key)) \(cost)"
        case .get(let key): "get \(Self.name(key))"
        case .remove(let key): "remove \(Self.name(key))"
        }
    }

    /// `a`, `b` … `z`, and `k26` and so on.
    static func name(_ key: Int) -> String {
        key < 26 ? String(UnicodeScalar(UInt8(ascii: "a") + UInt8(key))) : "k\(key)"
    }
}

/// Operations on a new, empty cache. At the end, each key that occurs is read, in order.
public struct ProbeSequence: Hashable, Sendable {
    public var limits: ProbeLimits
    public var operations: [ProbeOperation]

    public init(limits: ProbeLimits, _ operations: [ProbeOperation]) {
        (self.limits, self.operations) = (limits, operations)
    }

    /// The operations, and the reads at the end.
    public var all: [ProbeOperation] { operations + Set(operations.map(\.key)).sorted().map { .get($0) } }

    /// Returns the sequence without one operation.
    func without(_ index: Int) -> ProbeSequence {
        var sequence = self
        sequence.operations.remove(at: index)
        return sequence
    }
}

/// What a cache answered to a read.
public enum ProbeAnswer: String, Codable, Sendable {
    case hit, miss
    /// An object that was not the one stored last under the key.
    case wrong
}

/// A cache that answers sequences: a class, a program, or a model.
public protocol ProbeSubject: AnyObject {
    /// Runs a sequence on a new, empty cache.
    ///
    /// - Returns: The answers to the reads of ``ProbeSequence/all``, in order.
    /// - Throws: ``ProbeFailure`` if the cache gives no answer.
    func answers(to sequence: ProbeSequence) throws -> [ProbeAnswer]
}

/// A cache that does not answer as a cache does.
public struct ProbeFailure: Error, CustomStringConvertible {
    public var description: String

    public init(_ description: String) { self.description = description }
}
