import Basics
import CachePolicies

/// Twins of policies that rank objects, and of admissions.
extension SlowTwinTests {
    static let rankedPairs: [Pair] = exactPairs + sampledPairs

    static let exactPairs: [Pair] = [SlowRanked.Rule]([
        .lfu, .lfuda, .lfudaOfLibCacheSim, .gdsf(packets: false), .gdsf(packets: true), .gdsfOfLibCacheSim,
        .greedyDualSize(packets: false), .greedyDualSize(packets: true), .size,
    ]).flatMap { rule in
        [
            (rule.specification("4 objects"), SlowRanked(rule: rule, objects: 4)),
            (rule.specification("20B"), SlowRanked(rule: rule, bytes: 20)),
            (rule.specification("20B, 3 objects"), SlowRanked(rule: rule, bytes: 20, objects: 3)),
            (rule.specification("1 objects"), SlowRanked(rule: rule, objects: 1)),
            (rule.specification("0 objects"), SlowRanked(rule: rule, objects: 0)),
        ]
    }
}

/// Every object with its rank; the victim is found by looking at all of them: the lowest rank, then the oldest access.
struct SlowRanked: SlowTwin {
    enum Rule {
        case lfu, lfuda, lfudaOfLibCacheSim, gdsf(packets: Bool), gdsfOfLibCacheSim, greedyDualSize(packets: Bool), size

        func specification(_ limits: String) -> String {
            switch self {
            case .lfu: "lfu(\(limits))"
            case .lfuda: "lfuda(\(limits))"
            case .lfudaOfLibCacheSim: "lfuda(\(limits), compat: libcachesim)"
            case .gdsf(let packets): "gdsf(\(limits), cost: \(packets ? "packets" : "one"))"
            case .gdsfOfLibCacheSim: "gdsf(\(limits), compat: libcachesim)"
            case .greedyDualSize(let packets): "greedy-dual-size(\(limits), cost: \(packets ? "packets" : "one"))"
            case .size: "size(\(limits))"
            }
        }
    }

    struct Entry {
        var object: Int
        var size: Int
        var frequency = 1
        var rank = 0.0
    }

    let rule: Rule
    var bytes = Int.max
    var objects = Int.max
    /// Least recently accessed first.
    var entries: [Entry] = []
    /// The rank of the last victim.
    var age = 0.0

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = entries.firstIndex(where: { $0.object == access.object }) else { return .miss }
        var entry = entries.remove(at: index)
        entry.frequency += 1
        if case .lfudaOfLibCacheSim = rule { entry.rank += age } else { entry.rank = rank(entry) }
        entries.append(entry)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > bytes || objects < 1 { return [] }
        var victims: [Int] = []
        if case .gdsfOfLibCacheSim = rule {
            var entry = Entry(object: access.object, size: access.size)
            entry.rank = rank(entry)
            entries.append(entry)
            while entries.map(\.size).reduce(0, +) > bytes || entries.count > objects {
                age = entries.map(\.rank).min() ?? 0
                victims.append(entries.remove(at: entries.firstIndex { $0.rank == age } ?? 0).object)
            }
            return victims
        }
        while entries.map(\.size).reduce(0, +) + access.size > bytes || entries.count + 1 > objects {
            let lowest = entries.map(\.rank).min() ?? 0
            let index = entries.firstIndex { $0.rank == lowest } ?? 0
            victims.append(entries.remove(at: index).object)
            age = lowest
            if case .lfudaOfLibCacheSim = rule { age = entries.map(\.rank).min() ?? age }
        }
        var entry = Entry(object: access.object, size: access.size)
        entry.rank = rank(entry)
        entries.append(entry)
        return victims
    }

    mutating func remove(_ object: Int) { entries.removeAll { $0.object == object } }

    private func rank(_ entry: Entry) -> Double {
        let size = Double(max(entry.size, 1))
        func cost(_ packets: Bool) -> Double { packets ? 1e6 * (2 + Double(entry.size) / 536) : 1e6 }
        return switch rule {
        case .lfu: Double(entry.frequency)
        case .lfuda, .lfudaOfLibCacheSim: age + Double(entry.frequency)
        case .gdsfOfLibCacheSim: age + Double(entry.frequency) * 1e6 / size
        case .gdsf(let packets): age + Double(entry.frequency) * cost(packets) / size
        case .greedyDualSize(let packets): age + cost(packets) / size
        case .size: -Double(entry.size)
        }
    }
}

extension SlowTwinTests {
    static let sampledPairs: [Pair] = [(Int.max, 9), (40, .max), (40, 7), (.max, 1), (.max, 0)].flatMap {
        (limits: (Int, Int)) -> [Pair] in
        let (bytes, objects) = limits
        let words = [bytes == .max ? nil : "\(bytes)B", objects == .max ? nil : "\(objects) objects"].compactMap { $0 }
            .joined(separator: ", ")
        return [
            ("hyperbolic(\(words), samples: 3)", SlowHyperbolic(bytes: bytes, objects: objects, samples: 3)),
            ("hyperbolic(\(words))", SlowHyperbolic(bytes: bytes, objects: objects, samples: 64)),
            (
                "hyperbolic(\(words), samples: 4, perByte: true, seed: 7)",
                SlowHyperbolic(bytes: bytes, objects: objects, samples: 4, perByte: true, random: SplitMix64(seed: 7))
            ),
            (
                "belady-size(\(words), samples: 3, seed: 2)",
                SlowBeladySize(bytes: bytes, objects: objects, samples: 3, random: SplitMix64(seed: 2))
            ),
            ("belady-size(\(words))", SlowBeladySize(bytes: bytes, objects: objects, samples: 128)),
            (
                """
                lhd(\(words), samples: 3, recent: 2, classes: 4, ages: 50, interval: 300, explorers: 0.3, \
                exploreEvery: 4)
                """,
                SlowLHD(
                    bytes: bytes, objects: objects, samples: 3, recentCount: 2, classes: 4, ages: 50, interval: 300,
                    explorers: 0.3,
                    exploreEvery: 4)
            ),
            (
                "lhd(\(words), samples: 40, classes: 3, ages: 400, interval: 6400, decay: 0.5, seed: 3)",
                SlowLHD(
                    bytes: bytes, objects: objects, samples: 40, classes: 3, ages: 400, interval: 6400, decay: 0.5,
                    random: SplitMix64(seed: 3))
            ),
        ]
    }
}

/// A list, from which the last takes the place of the object that is removed, and draws in the same order as the
/// policy's: so both draw the same.
struct SlowSample<Entry: Sendable>: Sendable {
    var entries: [(object: Int, size: Int, entry: Entry)] = []
    var bytes: Int
    var objects: Int

    var used: Int { entries.map(\.size).reduce(0, +) }

    func index(of object: Int) -> Int? { entries.firstIndex { $0.object == object } }

    func fits(_ size: Int) -> Bool { size <= bytes - used && entries.count < objects }

    mutating func remove(_ object: Int) {
        guard let index = index(of: object) else { return }
        entries.swapAt(index, entries.count - 1)
        entries.removeLast()
    }

    /// Everybody if there are no more than `samples`, else as many as that, drawn.
    func candidates(_ samples: Int, _ random: inout SplitMix64) -> [Int] {
        if entries.count <= samples { return Array(entries.indices) }
        var drawn: [Int] = []
        for _ in 0..<samples { drawn.append(random.next(below: entries.count)) }
        return drawn
    }
}

struct SlowHyperbolic: SlowTwin {
    var sample: SlowSample<(entered: Int, accesses: Int)>
    var samples: Int
    var perByte: Bool
    var random: SplitMix64
    var clock = 0

    init(bytes: Int, objects: Int, samples: Int, perByte: Bool = false, random: SplitMix64 = SplitMix64(seed: 0)) {
        sample = SlowSample(bytes: bytes, objects: objects)
        self.samples = samples
        self.perByte = perByte
        self.random = random
    }

    var held: [Int] { sample.entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = sample.index(of: access.object) else { return .miss }
        clock += 1
        sample.entries[index].entry.accesses += 1
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > sample.bytes || sample.objects < 1 { return [] }
        clock += 1
        var victims: [Int] = []
        while !sample.fits(access.size) {
            let candidates = sample.candidates(samples, &random).map { sample.entries[$0] }
            let victim = candidates.min { priority($0) < priority($1) }?.object ?? -1
            remove(victim)
            victims.append(victim)
        }
        sample.entries.append((access.object, access.size, (clock, 1)))
        return victims
    }

    mutating func remove(_ object: Int) { sample.remove(object) }

    private func priority(_ candidate: (object: Int, size: Int, entry: (entered: Int, accesses: Int))) -> Double {
        Double(candidate.entry.accesses)
            / (Double(clock - candidate.entry.entered) * Double(perByte ? max(candidate.size, 1) : 1))
    }
}

struct SlowBeladySize: SlowTwin {
    /// With the position of the next access.
    var sample: SlowSample<Int>
    var samples: Int
    var random: SplitMix64

    init(bytes: Int, objects: Int, samples: Int, random: SplitMix64 = SplitMix64(seed: 0)) {
        sample = SlowSample(bytes: bytes, objects: objects)
        self.samples = samples
        self.random = random
    }

    var held: [Int] { sample.entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = sample.index(of: access.object) else { return .miss }
        sample.entries[index].entry = access.next
        if access.next == .max { remove(access.object) }
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.next == .max || access.size > sample.bytes || sample.objects < 1 { return [] }
        var victims: [Int] = []
        while !sample.fits(access.size) {
            let candidates = sample.candidates(samples, &random).map { sample.entries[$0] }
            // The first of several: `max` would give the last.
            let costs = candidates.map { Double(max($0.size, 1)) * Double($0.entry - access.position) }
            let victim = candidates[costs.firstIndex(of: costs.max() ?? 0) ?? 0].object
            remove(victim)
            victims.append(victim)
        }
        sample.entries.append((access.object, access.size, access.next))
        return victims
    }

    mutating func remove(_ object: Int) { sample.remove(object) }
}

/// Hit densities by the paper's formula, each from all counts of its class; classes are worked out whenever they are
/// needed.
struct SlowLHD: SlowTwin {
    struct Entry {
        var lastAccess: Int
        /// At its last accesses, latest first; of an object never hit, longer than anything.
        var lastAges: [Int]
        var explores: Bool
    }

    var sample: SlowSample<Entry>
    var samples: Int
    var recentCount: Int
    var classes: Int
    var ages: Int
    var interval: Int
    var decay: Double
    var exploreEvery: Int
    var random: SplitMix64
    var budget: Int
    var hits: [[Float]]
    var evictions: [[Float]]
    var densities: [[Float]]
    /// The places of the ring are taken in turn.
    var recent: [Int]
    var noted = 0
    var victimDensity: Float = 0
    var clock = 0
    var evicted = 0
    var coarsening = 0
    var span: Int
    var countdown: Int

    init(
        bytes: Int, objects: Int, samples: Int, recentCount: Int = 8, classes: Int, ages: Int, interval: Int,
        decay: Double = 0.9,
        explorers: Double = 0.01, exploreEvery: Int = 32, random: SplitMix64 = SplitMix64(seed: 0)
    ) {
        sample = SlowSample(bytes: bytes, objects: objects)
        self.samples = samples
        self.recentCount = recentCount
        self.classes = classes
        self.ages = ages
        self.interval = interval
        self.decay = decay
        self.exploreEvery = exploreEvery
        self.random = random
        budget = Int((Double(bytes == .max ? objects : bytes) * explorers).rounded(.down))
        hits = Array(repeating: Array(repeating: 0, count: ages), count: classes)
        evictions = hits
        densities = (0..<classes).map { kind in (0..<ages).map { $0 == ages - 1 ? -1 : Float(kind + 1) / Float($0 + 1) }
        }
        recent = Array(repeating: -1, count: recentCount)
        span = max(1, interval / 64)
        countdown = span
    }

    var held: [Int] { sample.entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = sample.index(of: access.object) else { return .miss }
        let entry = sample.entries[index].entry
        hits[kind(entry)][age(entry)] += 1
        if entry.explores { budget += cost(sample.entries[index].size) }
        sample.entries[index].entry.lastAges = [clock - entry.lastAccess, entry.lastAges[0]]
        sample.entries[index].entry.lastAccess = clock
        sample.entries[index].entry.explores = explores(sample.entries[index].size)
        tick()
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > sample.bytes || sample.objects < 1 { return [] }
        var victims: [Int] = []
        while !sample.fits(access.size) {
            let victim = leastDense()
            if evicted == 0 { coarsen() }
            evicted += 1
            let entry = sample.entries[victim].entry
            evictions[kind(entry)][age(entry)] += 1
            victims.append(sample.entries[victim].object)
            remove(sample.entries[victim].object)
        }
        let entry = Entry(lastAccess: clock, lastAges: [0, Int(UInt32.max)], explores: explores(access.size))
        tick()
        sample.entries.append((access.object, access.size, entry))
        if recentCount > 0, !entry.explores, density(sample.entries[sample.entries.count - 1]) < victimDensity {
            recent[noted % recentCount] = access.object
            noted += 1
        }
        return victims
    }

    mutating func remove(_ object: Int) {
        guard let index = sample.index(of: object) else { return }
        if sample.entries[index].entry.explores { budget += cost(sample.entries[index].size) }
        sample.remove(object)
    }

    private func cost(_ size: Int) -> Int { sample.bytes == .max ? 1 : size }

    private mutating func explores(_ size: Int) -> Bool {
        guard random.next(below: exploreEvery) == 0, budget >= cost(size) else { return false }
        budget -= cost(size)
        return true
    }

    private func age(_ entry: Entry) -> Int { min((clock - entry.lastAccess) >> coarsening, ages - 1) }

    private func kind(_ entry: Entry) -> Int {
        let sum = (entry.lastAges[0] + entry.lastAges[1]) >> coarsening
        return (0..<classes - 1).first { sum << $0 >= ages } ?? classes - 1
    }

    private func density(_ candidate: (object: Int, size: Int, entry: Entry)) -> Float {
        let entry = candidate.entry
        return densities[kind(entry)][age(entry)] * (1 / Float(max(candidate.size, 1))) + (entry.explores ? 1 : 0)
    }

    private mutating func leastDense() -> Int {
        let candidates = sample.candidates(samples, &random) + recent.compactMap { sample.index(of: $0) }
        let victim = candidates.min { density(sample.entries[$0]) < density(sample.entries[$1]) } ?? 0
        let least = density(sample.entries[victim])
        if least >= 0 { victimDensity = Float(decay) * victimDensity + Float(1 - decay) * least }
        return victim
    }

    private mutating func tick() {
        clock += 1
        countdown -= 1
        guard countdown == 0 else { return }
        countdown = span
        if evicted < sample.entries.count, clock < interval { return }
        span = min(2 * span, interval)
        countdown = span
        for kind in 0..<classes {
            hits[kind] = hits[kind].map { $0 * Float(decay) }
            evictions[kind] = evictions[kind].map { $0 * Float(decay) }
        }
        coarsen()
        for kind in 0..<classes {
            let events = (0..<ages).map { Double(hits[kind][$0] + evictions[kind][$0]) }
            // Who reaches an age, and the time that all of those have left; summed from the oldest, as rounding differs
            // with the order.
            let reaching = sums(events)
            let timeLeft = sums(reaching)
            let hitsAhead = sums(hits[kind].map(Double.init))
            for age in 0..<ages - 1 {
                densities[kind][age] = reaching[age] > 1e-5 ? Float(hitsAhead[age] / timeLeft[age]) : 0
            }
        }
    }

    /// At each place the sum from there on.
    private func sums(_ values: [Double]) -> [Double] {
        var sums = values
        for index in values.indices.dropLast().reversed() { sums[index] = sums[index + 1] + values[index] }
        return sums
    }

    private mutating func coarsen() {
        let reach = 100 * sample.entries.count / ages
        var wanted = 0
        while 1 << wanted < reach { wanted += 1 }
        hits = hits.map { rescaled($0, from: coarsening, to: wanted) }
        evictions = evictions.map { rescaled($0, from: coarsening, to: wanted) }
        coarsening = wanted
    }

    private func rescaled(_ counts: [Float], from old: Int, to new: Int) -> [Float] {
        var rescaled = [Float](repeating: 0, count: ages)
        if new >= old {
            for age in 0..<ages { rescaled[age >> (new - old)] += counts[age] }
        } else {
            let parts = 1 << (old - new)
            for age in 0..<ages { rescaled[age] = counts[age / parts] / Float(parts) }
            rescaled[ages - 1] += counts.dropFirst((ages - 1) / parts + 1).reduce(0, +)
        }
        return rescaled
    }
}
