import CachePolicies
import CacheTraces

@testable import CacheSimulation

/// A session as a list of steps. If it is small, every schedule can be tried.
struct SmallSession {
    enum Step: Equatable {
        case request(Int)
        case prefetch(Int)
        /// Everything is lost.
        case clear
        case removal(Int)

        /// The object that is accessed; nil if none is.
        var object: Int? {
            switch self {
            case .request(let object), .prefetch(let object): object
            case .clear, .removal: nil
            }
        }
    }

    var steps: [Step]
    /// By object.
    var sizes: [Int]
    /// By object: whether its fetches succeed, in order; empty if all do.
    var outcomes: [[Bool]] = []

    init(steps: [Step], sizes: [Int]) {
        self.steps = steps
        self.sizes = sizes
    }

    /// Reads steps that are separated by spaces: `a` is a request of the first object, `+b` a prefetch of the second
    /// one, `-c` the removal of the third one, and `|` a loss of everything.
    init(_ text: String, sizes: [Int]) {
        steps = text.split(separator: " ").map { word in
            let object = Int(word.utf8.last ?? 0) - Int(UInt8(ascii: "a"))
            return switch word.first {
            case "+": .prefetch(object)
            case "-": .removal(object)
            case "|": .clear
            default: .request(object)
            }
        }
        self.sizes = sizes
    }

    /// Draws a session of a few objects with sizes up to `largest`.
    init(steps count: Int, objects: Int, largest: Int, using random: inout some RandomNumberGenerator) {
        sizes = (0..<objects).map { _ in Int.random(in: 1...largest, using: &random) }
        steps = (0..<count).map { _ in
            let object = Int.random(in: 0..<objects, using: &random)
            return switch Int.random(in: 0..<24, using: &random) {
            case 0: .clear
            case 1: .removal(object)
            case 2...4: .prefetch(object)
            default: .request(object)
            }
        }
    }

    /// The steps of a trace. All of its fetches succeed.
    init(_ trace: DenseTrace) {
        sizes = (0..<trace.objectCount).map { trace.size(of: UInt32($0)) }
        var exceptions = trace.exceptions[...]
        steps = []
        for (access, object) in trace.objects.enumerated() {
            var step = Step.request(Int(object))
            while let exception = exceptions.first, exception.position == access {
                exceptions.removeFirst()
                switch exception.kind {
                case .memoryWarning, .relaunch: steps.append(.clear)
                case .removal(let object): steps.append(.removal(Int(object)))
                case .access(false, _, _): step = .prefetch(Int(object))
                case .access, .resized: break
                }
            }
            steps.append(step)
        }
    }

    /// What a policy misses, and the most bytes that it holds after an access.
    struct Counts {
        var misses = 0
        var bytes = 0
        var peak = 0
    }

    /// Runs a policy, with a microsecond from access to access.
    func run(_ specification: String) throws -> Counts {
        var policy = try PolicyContext().policy(specification).timed()
        policy.reserve(sizes.count)
        var evictions = EvictionList()
        var (counts, position) = (Counts(), 0)
        let nexts = nexts
        for (index, step) in steps.enumerated() {
            switch step {
            case .clear: policy.clear()
            case .removal(let object): policy.remove(object)
            case .request(let object), .prefetch(let object):
                let access = Access(
                    object: object, size: sizes[object], time: Int64(position), position: position, next: nexts[index])
                policy.advance(to: access.time, &evictions)
                if !policy.liveLookup(access, &evictions).isHit {
                    if step == .request(object) {
                        counts.misses += 1
                        counts.bytes += access.size
                    }
                    _ = policy.liveAdmit(access, &evictions)
                }
                position += 1
            }
            counts.peak = max(counts.peak, policy.occupancy.bytes)
        }
        return counts
    }

    /// By step: the number of accesses before the next one of the same object.
    private var nexts: [Int] {
        var nexts = [Int](repeating: .max, count: steps.count)
        var following = [Int](repeating: .max, count: sizes.count)
        var position = steps.count { $0.object != nil }
        for (index, step) in steps.enumerated().reversed() {
            guard let object = step.object else { continue }
            position -= 1
            nexts[index] = following[object]
            following[object] = position
        }
        return nexts
    }

    /// Every policy of the registry with a limit, such as `40B`, in each of its models.
    static func specifications(_ limit: String) -> [String] {
        PolicyRegistry.builtIn.entries.flatMap { entry in
            entry.parameters.reduce([[String]()]) { lists, parameter in
                let values: [String] =
                    switch parameter.kind {
                    case .limits, .size: [limit]
                    case .policy: ["lru(\(limit))"]
                    case .choice(let names): names
                    case .duration: parameter.defaultText == nil ? ["90us"] : []
                    case .integer: parameter.defaultText == nil ? ["10"] : []
                    case .fraction, .number: parameter.defaultText == nil ? ["0.5"] : []
                    case .flag: []
                    }
                guard !values.isEmpty else { return lists }
                return lists.flatMap { list in
                    values.map { value in list + [parameter.label.map { "\($0): \(value)" } ?? value] }
                }
            }.map { "\(entry.name)(\($0.joined(separator: ", ")))" }
        }
    }

    func weight(_ object: Int, _ measure: LeastMisses.Measure) -> Int { measure == .misses ? 1 : sizes[object] }

    func intervals(_ capacity: Int, _ measure: LeastMisses.Measure) -> ReuseIntervals {
        var reuse = ReuseIntervals(capacity: capacity, objectCount: sizes.count, accessCount: steps.count)
        for step in steps {
            if let object = step.object, !outcomes.isEmpty, outcomes[object].contains(false) {
                reuse.doubt(object, key: object, outcomes[object])
            }
            switch step {
            case .request(let object): reuse.access(object, size: sizes[object], weight: weight(object, measure))
            case .prefetch(let object): reuse.access(object, size: sizes[object], weight: 0)
            case .clear: reuse.clear()
            case .removal(let object): reuse.remove(object)
            }
        }
        reuse.finish()
        return reuse
    }

    func leastMisses(_ capacity: Int, _ measure: LeastMisses.Measure = .misses) -> LeastMisses {
        LeastMisses(intervals(capacity, measure))
    }

    /// Tries every way to keep what is held or has just been accessed. Sets of objects are bits.
    ///
    /// - Parameter mustStore: Whether an accessed object that fits has to be kept after the access.
    func optimum(_ capacity: Int, _ measure: LeastMisses.Measure = .misses, mustStore: Bool = false) -> Int {
        let never = Int.max / 2
        let sets = 1 << sizes.count
        let room = (0..<sets).map { set in sizes.indices.reduce(0) { $0 + (set >> $1 & 1) * sizes[$1] } }
        var least = [Int](repeating: never, count: sets)
        least[0] = 0
        for step in steps {
            var following = [Int](repeating: never, count: sets)
            for held in 0..<sets where least[held] < never {
                let accessed: Int
                var cost = least[held]
                switch step {
                case .clear:
                    following[0] = min(following[0], cost)
                    continue
                case .removal(let object):
                    let rest = held & ~(1 << object)
                    following[rest] = min(following[rest], cost)
                    continue
                case .prefetch(let object): accessed = object
                case .request(let object):
                    accessed = object
                    if held >> object & 1 == 0 { cost += weight(object, measure) }
                }
                let all = held | 1 << accessed
                let stored = mustStore && sizes[accessed] <= capacity ? 1 << accessed : 0
                var kept = all
                while true {
                    if room[kept] <= capacity, kept & stored == stored { following[kept] = min(following[kept], cost) }
                    if kept == 0 { break }
                    kept = (kept - 1) & all
                }
            }
            least = following
        }
        return least.min() ?? 0
    }
}

extension SmallSession {
    private struct FetchState: Hashable {
        var held = 0
        /// By object.
        var fetches: [Int]
    }

    /// Tries every way to keep what is held or was just fetched with success.
    func optimumOfFailingFetches(_ capacity: Int, _ measure: LeastMisses.Measure) -> Int {
        var least = [FetchState(fetches: sizes.map { _ in 0 }): 0]
        for step in steps {
            var following: [FetchState: Int] = [:]
            for (state, cost) in least {
                var (next, cost) = (state, cost)
                switch step {
                case .clear: next.held = 0
                case .removal(let object): next.held &= ~(1 << object)
                case .request(let object), .prefetch(let object):
                    guard state.held >> object & 1 == 0 else { break }
                    if step == .request(object) { cost += weight(object, measure) }
                    if outcomes[object][min(state.fetches[object], outcomes[object].count - 1)] {
                        next.held |= 1 << object
                    }
                    next.fetches[object] += 1
                }
                let all = next.held
                for kept in 0...all where kept & ~all == 0 {
                    let room = sizes.indices.reduce(0) { $0 + (kept >> $1 & 1) * sizes[$1] }
                    guard room <= capacity else { continue }
                    next.held = kept
                    following[next] = min(following[next] ?? .max, cost)
                }
            }
            least = following
        }
        return least.values.min() ?? 0
    }
}

/// Slow twins of parts of the bound.
enum SlowBounds {
    /// What misses cost at least by one price for all gaps: a fractional knapsack of a volume (PFOO-L).
    static func uniform(_ reuse: ReuseIntervals, volume: Int) -> Double {
        var (left, hits) = (Double(volume), 0.0)
        let offers = reuse.all.map { (volume: Double($0.size * $0.length), weight: Double($0.weight)) }
        for offer in offers.sorted(by: { $0.volume / $0.weight < $1.volume / $1.weight }) {
            let share = min(1, left / offer.volume)
            hits += share * offer.weight
            left -= share * offer.volume
        }
        return Double(reuse.totalWeight) - hits
    }

    /// The volume of all gaps, of which those are smaller in which all fits.
    static func tightVolume(_ reuse: ReuseIntervals) -> Int {
        reuse.loads.reduce(0) { $0 + min($1, reuse.capacity) }
    }

    /// The largest sum of sizes in each gap, by trying all subsets.
    static func gapCapacities(_ reuse: ReuseIntervals) -> [Int] {
        (0..<reuse.gapCount).map { gap in
            var sums: Set<Int> = [0]
            for interval in reuse.all where Int(interval.start) <= gap && gap < Int(interval.end) {
                sums.formUnion(sums.map { $0 + interval.size })
            }
            return sums.filter { $0 <= reuse.capacity }.max() ?? 0
        }
    }

    /// What misses cost at least by prices, in floating point and without prefix sums.
    static func value(_ reuse: ReuseIntervals, plainly prices: [Double], _ capacities: [Int]) -> Double {
        let rent = zip(prices, capacities).reduce(0) { $0 + $1.0 * Double($1.1) }
        let gains = reuse.all.map { interval in
            let price = prices[Int(interval.start)..<Int(interval.end)].reduce(0, +)
            return max(0, Double(interval.weight) - Double(interval.size) * price)
        }
        return Double(reuse.totalWeight) - rent - gains.reduce(0, +)
    }

    /// What misses cost at least by the best prices, as a fraction.
    static func best(_ reuse: ReuseIntervals, isSharp: Bool) -> Double {
        var gaps = GapCapacities(reuse)
        if !isSharp {
            gaps = GapCapacities(loads: gaps.loads, values: gaps.loads.map { min($0, reuse.capacity) })
        }
        let crowded = CrowdedGaps(reuse, gaps)
        var simplex = PriceSimplex(crowded)
        simplex.run(mostWork: 1_000_000)
        return value(reuse, crowded.prices(simplex.prices), gaps.values)
    }

    /// What misses cost at least by a certificate of prices, as a fraction.
    static func value(_ reuse: ReuseIntervals, _ prices: [Double], _ capacities: [Int]) -> Double {
        let value = PriceCertificate.value(reuse, prices: prices, capacities: capacities)
        let scale = Double(sign: .plus, exponent: value.exponent, significand: 1)
        return Double(reuse.totalWeight) - Double(value.units) / scale
    }
}
