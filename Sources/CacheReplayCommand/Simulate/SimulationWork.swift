import CachePolicies
import CacheSimulation
import CacheTraces
import Runs
import Synchronization

/// The work on one trace.
struct SimulationWork: Sendable {
    /// The figures of a whole trace.
    struct Whole: Sendable {
        var requests: Int
        var requestBytes: Int
        var objects: Int
        var uniqueBytes: Int
    }

    var name: String
    /// The whole trace, or the first of ``drawn`` samples. It is empty if ``readCurve`` reads the trace.
    var trace: DenseTrace
    var whole: Whole
    var policies: [PolicyChoice]
    var capacities: [Capacity]
    var ignoresSizes: Bool
    var curve: Bool
    /// The samples to simulate, one for each salt of the hash; empty for all objects.
    var samples: [ObjectSample]
    /// Reads the trace again in windows, and returns its curve, which is exact at some capacities; nil for a trace in
    /// memory.
    var readCurve: (@Sendable (CapacityUnit, [Int]) throws -> LRUCurve)?
    /// The samples, if they were drawn while the trace was read in windows; otherwise empty.
    var drawn: [WindowedSamples.Drawn] = []
    /// Whether the fewest misses are bounded at each capacity.
    var bounds = false
    /// The share of the whole work on an item that one sweep is.
    var share = 1.0
    /// Whether it is noted which requests hit.
    var notesHits = false
    /// The requests before those that count; nil if all count.
    var warmup: WarmUp?
    /// The requests at which a further part begins, behind the warm-up.
    var partMarks: [Int] = []
    /// All parts, with the warm-up; empty without `--every`.
    var parts: [RequestParts.Part] = []
    /// The requests at which counts are kept.
    var marks: [Int] { (warmup?.marks ?? []) + partMarks }
    /// Returns whether an item of a place in the list of this trace is simulated here.
    var isOwn: @Sendable (Int) -> Bool = { _ in true }

    /// One policy at one capacity.
    struct Item: Sendable {
        var policy: PolicyChoice
        var capacity: Capacity?
        var identity: MissRatioRow.Identity
    }

    var workload: Workload {
        Workload(uniqueBytes: whole.uniqueBytes, objects: whole.objects, ignoresSizes: ignoresSizes)
    }

    /// The mean share of the objects that a sample has; nil for all objects.
    var rate: Double? {
        samples.isEmpty ? nil : samples.reduce(0) { $0 + $1.rate } / Double(samples.count)
    }

    func sample(_ place: Int) -> (trace: DenseTrace, weights: [Double]) {
        drawn.isEmpty ? trace.weightedSample(samples[place]) : (drawn[place].trace, drawn[place].weights)
    }

    /// The items of all shards.
    var items: [Item] { Self.items(name, policies, capacities) }

    /// Returns the items of this shard. Items that the trace does not suit are left out before, so that places have no
    /// gaps.
    static func own(_ items: [Item], _ isOwn: (Int) -> Bool) -> [Item] {
        items.indices.filter { isOwn($0) }.map { items[$0] }
    }

    /// The capacities at which the fewest misses are bounded here.
    var boundedCapacities: [LeastMissesRow.Identity] {
        guard bounds else { return [] }
        return capacities.enumerated().filter { isOwn($0.offset) }.map { .init(trace: name, capacity: $0.element) }
    }

    /// Returns the items policy by policy, without repetition.
    static func items(_ name: String, _ policies: [PolicyChoice], _ capacities: [Capacity]) -> [Item] {
        var seen: Set<MissRatioRow.Identity> = []
        return policies.flatMap { policy in
            (policy.hasOwnSize ? [nil] : capacities.map(Optional.some)).map { capacity in
                Item(
                    policy: policy, capacity: capacity,
                    identity: .init(
                        trace: name, policy: policy.text, capacity: capacity))
            }
        }.filter { seen.insert($0.identity).inserted }
    }

    /// The units of the curves: the units of the capacities or, without capacities, the unit of the trace.
    var curveUnits: [CapacityUnit] {
        let units = CapacityUnit.allCases.filter { unit in capacities.contains { $0.unit == unit } }
        return units.isEmpty ? [ignoresSizes ? .objects : .bytes] : units
    }
}

extension SimulationWork.Whole {
    init(_ trace: DenseTrace) {
        self.init(
            requests: trace.requestCount, requestBytes: trace.requestBytes, objects: trace.objectCount,
            uniqueBytes: trace.uniqueBytes)
    }

    init(_ samples: WindowedSamples) {
        self.init(
            requests: samples.requests, requestBytes: samples.requestBytes, objects: samples.objectCount,
            uniqueBytes: samples.uniqueBytes)
    }
}

/// The policies that traces do not suit. The sweep goes on without them. Each is named on standard error at once, and
/// in `run.json` and the report at the end.
final class LeftOutPolicies: Sendable {
    private let list = Mutex<[SimulationFacts.LeftOut]>([])

    var all: [SimulationFacts.LeftOut] { list.withLock { $0 } }

    /// Notes and reports a policy that is left out. The reason is a clause without a full stop.
    ///
    /// - Parameter capacity: The capacity that the policy does not support; nil if the policy is left out at all of
    ///   them.
    func add(trace: String, policy: String, capacity: Capacity?, _ reason: String) {
        let place = capacity.map { " at \($0.size)" } ?? ""
        printToStandardError("\(trace): warning: \(policy)\(place) is left out: \(reason)")
        let size = capacity.map { $0.size.description }
        list.withLock { list in
            list.append(SimulationFacts.LeftOut(trace: trace, policy: policy, capacity: size, reason: reason))
        }
    }
}
