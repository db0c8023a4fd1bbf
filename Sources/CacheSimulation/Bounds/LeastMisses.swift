import CachePolicies
import CacheTraces

/// The fewest misses that a cache of a capacity can have on a trace, bounded from both sides.
///
/// **Statement.** In a simulation, every policy that holds at most the capacity after each access has at least
/// ``bound``: misses or missed bytes. It may know the future, refuse objects, and evict any. There is a schedule of
/// what to keep that has ``known`` of them. Where both are equal, they are the optimum.
///
/// Prefetches cost nothing, and bring an object into the cache as a request does. What empties a cache in a simulation,
/// such as a relaunch, empties the schedules too. The bound counts on failed fetches only before the first success of a
/// key: which later ones fail depends on what a policy keeps. If requests change the size of an object, it takes its
/// smallest size in the bound, and its largest one in the schedule.
///
/// **Proof.** ``bound`` is what all requests cost less the value of a certificate of prices, whose statement and proof
/// are at `PriceCertificate`. Only this value counts, however the prices were found. It is computed in whole numbers,
/// so that rounding cannot raise the bound. What a schedule holds in a gap between two accesses is at most the largest
/// sum of sizes that fits (`GapCapacities`). For sessions, `ScheduleSearch` then tries all schedules that the
/// certificate leaves, if they are not too many. ``known`` counts the hits of a schedule that never holds more than the
/// capacity: of one that was made (`Packing`), or of the best one, if the search has found it.
///
/// **Source.** The linear program is FOO of D. Berger, N. Beckmann, M. Harchol-Balter, "Practical Bounds on Optimal
/// Caching with Variable Object Sizes", SIGMETRICS 2018. The capacities by gap are of this project.
///
/// **No bound for timed replays.** There, an object in flight takes no room and still serves requests.
///
/// **Complexity.** O(n log n) in the number of accesses n: intervals are sorted at most four times, and packed at most
/// three times. All else is linear, or ends after a constant number of operations: at most 300 passes over the
/// intervals, whose number does not rise with n; the best prices of up to 20,000 intervals; and sums of sizes. So time
/// and memory grow nearly linearly. All limits are numbers of operations, so that figures depend on the trace alone,
/// and not on the machine.
public struct LeastMisses: Sendable, Equatable {
    /// The unit that is counted.
    public enum Measure: Sendable, CaseIterable {
        /// Requests that miss.
        case misses
        /// The bytes of requests that miss.
        case bytes
    }

    /// No policy has less.
    public let bound: Int
    /// The misses of the best schedule that was made. A policy may have fewer, but never fewer than ``bound``.
    public let known: Int
    /// The sum over all requests.
    public let total: Int

    /// Whether both are equal, which proves that ``known`` is the fewest possible.
    public var isOptimum: Bool { bound == known }

    /// - Parameters:
    ///   - trace: The trace, of at most ``mostAccesses`` accesses. Its sizes count if the capacity is in bytes;
    ///     otherwise each object takes one place.
    ///   - capacity: The limit of every policy. For a policy that exceeds its limit, the peak of what it holds.
    ///   - measure: The unit of misses.
    public init(_ trace: DenseTrace, capacity: Capacity, counting measure: Measure = .misses) {
        self.init(ReuseIntervals(trace, capacity: capacity, counting: measure))
    }

    /// The number of accesses up to which a trace can be bounded: intervals have their numbers in 32 bits.
    public static let mostAccesses = Int(UInt32.max)

    /// The number of intervals up to which the best prices are searched by the simplex algorithm, which is exact.
    static let mostExact = 20_000
    /// The number of edges and nodes after which this search ends, with the prices that it has by then.
    static let mostExactWork = 1 << 27

    /// The number of rounds of the ascent.
    static func rounds(_ intervals: Int) -> Int { min(300, max(100, 200_000_000 / max(1, intervals))) }

    /// - Parameter reuse: Finished intervals.
    package init(_ reuse: ReuseIntervals) {
        let gaps = GapCapacities(reuse)
        let crowded = CrowdedGaps(reuse, gaps)
        let packing = Packing(reuse)
        var (most, kept) = (Int.max, packing.hits())
        func evaluate(_ slots: [Double], packs: Bool) {
            let prices = crowded.prices(slots)
            most = min(most, PriceCertificate.mostHits(reuse, prices: prices, capacities: gaps.values))
            if packs, kept < most { kept = max(kept, packing.hits(prices: prices)) }
        }
        let uniform = crowded.uniformPrices
        evaluate(uniform, packs: false)
        var best: [Double]?
        if kept < most, crowded.candidates.count <= Self.mostExact {
            var simplex = PriceSimplex(crowded)
            simplex.run(mostWork: Self.mostExactWork)
            evaluate(simplex.prices, packs: true)
            best = simplex.prices
        }
        if kept < most {
            // Also after the simplex algorithm: its prices are a corner of the best ones, in which many intervals cost
            // exactly what they gain. The prices of the ascent tell them apart, which makes better schedules.
            var ascent = PriceAscent(crowded, unit: reuse.capacity, start: uniform)
            ascent.run(rounds: Self.rounds(crowded.candidates.count), target: Double(kept))
            evaluate(ascent.bestPrices, packs: true)
        }
        if kept < most, let best, let search = ScheduleSearch(crowded, prices: best, room: reuse.capacity),
            let found = search.mostHits(known: kept, step: reuse.weightDivisor)
        {
            most = min(most, found.weight)
            if found.isFound, reuse.isCertain { kept = max(kept, found.weight) }
        }
        total = reuse.totalWeight
        bound = total - most
        known = total - kept
    }
}

extension ReuseIntervals {
    /// The intervals of a trace, under the rules of ``Simulation``.
    init(_ trace: DenseTrace, capacity: Capacity, counting measure: LeastMisses.Measure) {
        self.init(capacity: capacity.value, objectCount: trace.objectCount, accessCount: trace.objects.count)
        var exceptions = trace.exceptions[...]
        for access in trace.objects.indices {
            let object = Int(trace.objects[access])
            var isRequest = true
            while let exception = exceptions.first, exception.position == access {
                exceptions.removeFirst()
                switch exception.kind {
                case .memoryWarning, .relaunch: clear()
                case .removal(let object): remove(Int(object))
                case .resized: break
                case .access(let counts, let key, let outcomes):
                    isRequest = counts
                    if outcomes.contains(false) { doubt(object, key: Int(key), outcomes) }
                }
            }
            let bytes = trace.size(ofAccess: access)
            let weight = measure == .misses ? 1 : bytes
            self.access(object, size: capacity.unit == .bytes ? bytes : 1, weight: isRequest ? weight : 0)
        }
        finish()
    }
}
