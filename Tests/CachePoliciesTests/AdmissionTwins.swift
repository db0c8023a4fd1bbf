import Basics
import CachePolicies

/// Twins of policies that ask how often an object was requested, and of admissions.
extension SlowTwinTests {
    static let admissionPairs: [Pair] = [
        ("w-tinylfu(4 objects)", SlowWTinyLFU(objects: 4, window: 1, protected: 2)),
        ("w-tinylfu(8 objects, window: 0.25, protected: 0.5)", SlowWTinyLFU(objects: 8, window: 2, protected: 3)),
        ("w-tinylfu(1 objects)", SlowWTinyLFU(objects: 1, window: 1, protected: 0)),
        ("w-tinylfu(20B)", SlowWTinyLFU(bytes: 20, window: 1, protected: 15)),
        ("w-tinylfu(30B, window: 0.5)", SlowWTinyLFU(bytes: 30, window: 15, protected: 12)),
        ("w-tinylfu(40B, victims: all)", SlowWTinyLFU(bytes: 40, window: 1, protected: 31, comparesAll: true)),
        (
            "w-tinylfu(50B, 9 objects, window: 0.2, victims: all)",
            SlowWTinyLFU(bytes: 50, objects: 9, window: 10, protected: 32, comparesAll: true)
        ),
        ("w-tinylfu(6 objects, protected: 0)", SlowWTinyLFU(objects: 6, window: 1, protected: 0)),
        (
            "w-tinylfu(30B, 3 objects, window: 0.5, sample: 2)",
            SlowWTinyLFU(bytes: 30, objects: 3, window: 15, protected: 12, sample: 2)
        ),
        ("w-tinylfu(8 objects, window: 0.15, seed: 3)", SlowWTinyLFU(objects: 8, window: 2, protected: 4, seed: 3)),
        (
            "w-tinylfu(8 objects, window: 0.25, compat: libcachesim-2024-10)",
            SlowLibCacheSimTinyLFU(objects: 8, window: 2, lower: 1, upper: 4, stopsAfterReplacement: false)
        ),
        (
            "w-tinylfu(60B, window: 0.5, compat: libcachesim)",
            SlowLibCacheSimTinyLFU(bytes: 60, window: 30, lower: 6, upper: 24, stopsAfterReplacement: true)
        ),
        ("w-tinylfu(6 objects, climb: true)", SlowWTinyLFU(objects: 6, window: 1, protected: 4, climbs: true)),
        (
            "w-tinylfu(40B, window: 0.3, climb: true, sample: 1)",
            SlowWTinyLFU(bytes: 40, window: 12, protected: 22, sample: 1, climbs: true)
        ),
        ("tinylfu(lru(4 objects))", SlowAdmission(inner: SlowQueue(objects: 4), rule: .tinyLFU(SlowSketch()))),
        (
            "tinylfu(fifo(20B, 3 objects))",
            SlowAdmission(inner: SlowQueue(bytes: 20, objects: 3, movesOnHit: false), rule: .tinyLFU(SlowSketch()))
        ),
        (
            "tinylfu(nscache(count: 4, model: corelibs))",
            SlowAdmission(inner: SlowCorelibs(objects: 4), rule: .tinyLFU(SlowSketch()))
        ),
        (
            "bloom(lru(20B), window: 3, error: 0.00001)",
            SlowAdmission(inner: SlowQueue(bytes: 20), rule: .bloom(window: 3))
        ),
        ("max-size(lru(20B), limit: 8B)", SlowAdmission(inner: SlowQueue(bytes: 20), rule: .maxSize(8))),
        (
            "probability(lru(20B))",
            SlowAdmission(inner: SlowQueue(bytes: 20), rule: .probability(0.5, scale: .infinity, SplitMix64(seed: 1)))
        ),
        (
            "probability(fifo(20B), p: 0.9, c: 6B, seed: 5)",
            SlowAdmission(
                inner: SlowQueue(bytes: 20, movesOnHit: false), rule: .probability(0.9, scale: 6, SplitMix64(seed: 5))
            )
        ),
    ]
}

/// A frequency sketch in single counters: 32 in each quarter of a block, one of each for an object, which has the first
/// and third quarter of one block and the others of another.
struct SlowSketch: Sendable {
    var sample = 10
    /// How many objects are held at most; nil: grows with them.
    var cacheObjects: Int?
    var counters = [Int](repeating: 0, count: 128)
    var objects: Int
    var records = 0
    let seed: UInt64

    init(sample: Int = 10, cacheObjects: Int? = nil, seed: UInt64 = 0) {
        self.sample = sample
        self.cacheObjects = cacheObjects
        self.seed = seed
        objects = 8
        if let cacheObjects {
            while objects < cacheObjects { objects *= 2 }
            counters = [Int](repeating: 0, count: objects * 16)
        }
    }

    var period: Int { sample * max(cacheObjects ?? objects, 1) }

    func places(_ object: Int) -> [Int] {
        // The generator adds its step before it mixes.
        var stream = SplitMix64(seed: (UInt64(object) &+ seed &* 0xD1B5_4A32_D192_ED03) &* 0x9E37_79B9_7F4A_7C15)
        let bits = stream.next()
        let blocks = [bits, bits &* 0xD6E8_FEB8_6659_FD93].map { Int($0 >> 32) % (counters.count / 128) * 128 }
        return (0..<4).map { quarter in
            let byte = Int(truncatingIfNeeded: bits >> (8 * quarter)) & 31
            return blocks[quarter % 2] + quarter * 32 + byte % 2 * 16 + byte / 2
        }
    }

    func estimate(_ object: Int) -> Int { places(object).map { counters[$0] }.min() ?? 0 }

    mutating func record(_ object: Int) {
        let places = places(object)
        if places.contains(where: { counters[$0] < 15 }) { records += 1 }
        for place in places { counters[place] = min(counters[place] + 1, 15) }
        guard records >= period else { return }
        let odd = counters.count { $0 % 2 == 1 }
        counters = counters.map { $0 / 2 }
        records = max(0, records / 2 - odd / 4)
    }

    mutating func expect(_ count: Int) {
        while objects < count {
            objects *= 2
            counters += counters
        }
    }
}

/// Three lists, oldest first; capacities in objects, or in bytes where those are limited.
struct SlowWTinyLFU: SlowTwin {
    typealias Entry = (object: Int, size: Int)

    var bytes = Int.max
    var objects = Int.max
    var windowCapacity: Int
    var protectedCapacity: Int
    var comparesAll = false
    var climbs = false
    var sketch: SlowSketch
    var random: SplitMix64
    var window: [Entry] = []
    var probation: [Entry] = []
    var protected: [Entry] = []
    var hits = 0
    var requests = 0
    var lastRatio = 0.0
    var step = -0.0625

    init(
        bytes: Int = .max, objects: Int = .max, window: Int, protected: Int, sample: Int = 10,
        comparesAll: Bool = false, climbs: Bool = false, seed: UInt64 = 0
    ) {
        self.bytes = bytes
        self.objects = objects
        windowCapacity = window
        protectedCapacity = protected
        self.comparesAll = comparesAll
        self.climbs = climbs
        sketch = SlowSketch(
            sample: sample, cacheObjects: bytes == .max && objects < .max ? objects : nil, seed: seed)
        random = SplitMix64(seed: seed)
    }

    var held: [Int] { (window + probation + protected).map(\.object) }

    var capacity: Int { bytes == .max ? objects : bytes }

    func measure(_ entries: [Entry]) -> Int { bytes == .max ? entries.count : entries.map(\.size).reduce(0, +) }

    mutating func lookup(_ access: Access) -> Lookup {
        sketch.record(access.object)
        if climbs { climb(held.contains(access.object)) }
        if let index = window.firstIndex(where: { $0.object == access.object }) {
            window.append(window.remove(at: index))
        } else if let index = protected.firstIndex(where: { $0.object == access.object }) {
            protected.append(protected.remove(at: index))
        } else if let index = probation.firstIndex(where: { $0.object == access.object }) {
            let fits = measure([probation[index]]) <= protectedCapacity
            // With sizes, an object that the protected segment has no room for keeps its place.
            if fits || bytes == .max {
                let entry = probation.remove(at: index)
                if fits { protected.append(entry) } else { probation.append(entry) }
            }
            while measure(protected) > protectedCapacity { probation.append(protected.removeFirst()) }
        } else {
            return .miss
        }
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        guard access.size <= bytes, objects >= 1 else { return [] }
        window.append((access.object, access.size))
        var candidates: [Int] = []
        while measure(window) > windowCapacity || candidates.isEmpty && held.count > objects {
            candidates.append(window[0].object)
            probation.append(window.removeFirst())
        }
        let victims = comparesAll ? losersToAll(candidates) : losersInPairs(candidates)
        sketch.expect(held.count)
        return victims
    }

    var excess: (objects: Int, bytes: Int) {
        let all = window + probation + protected
        return (all.count - objects, all.map(\.size).reduce(0, +) - bytes)
    }

    var isOver: Bool { excess.objects > 0 || excess.bytes > 0 }

    /// The newest candidate meets the oldest object on probation, the next newest the next oldest, and so on. After
    /// that, objects leave in order.
    mutating func losersInPairs(_ candidates: [Int]) -> [Int] {
        var challengers = candidates
        var order = (probation + protected + window).map(\.object)
        var losers: [Int] = []
        func lose(_ object: Int) {
            losers.append(object)
            remove(object)
            order.removeAll { $0 == object }
            challengers.removeAll { $0 == object }
        }
        while isOver {
            guard let challenger = challengers.popLast() else {
                lose(order[0])
                continue
            }
            // Winners that entered after a candidate that is alone stay as well: the order goes on behind them.
            guard challenger == order[0] else {
                lose(beats(challenger, [order[0]]) ? order[0] : challenger)
                continue
            }
            order = (protected + window).map(\.object)
            if bytes == .max, let rival = protected.first?.object, beats(challenger, [rival]) {
                lose(rival)
            } else {
                lose(challenger)
            }
            challengers = []
        }
        return losers
    }

    /// The newest candidate meets all that would have to leave for it, then the next newest.
    mutating func losersToAll(_ candidates: [Int]) -> [Int] {
        var losers: [Int] = []
        var challengers = candidates
        while isOver {
            let challenger = challengers.popLast()
            let order = (probation + protected + window).filter { $0.object != challenger }
            var rivals: [Entry] = []
            for entry in order where excess.objects > rivals.count || excess.bytes > rivals.map(\.size).reduce(0, +) {
                rivals.append(entry)
            }
            var leaving = rivals.map(\.object)
            if let challenger {
                let isAlone = !order.contains { place in probation.contains { $0.object == place.object } }
                if isAlone && protected.isEmpty || !beats(challenger, leaving) { leaving = [challenger] }
            }
            losers += leaving
            for object in leaving { remove(object) }
        }
        return losers
    }

    /// Whether the candidate was requested more often than the rivals together, or is drawn.
    mutating func beats(_ candidate: Int, _ rivals: [Int]) -> Bool {
        let strength = sketch.estimate(candidate)
        if strength > rivals.map({ sketch.estimate($0) }).reduce(0, +) { return true }
        return strength > 5 && random.next() % 128 == 0
    }

    /// Caffeine's: after each sample a step on, or back; none beyond a window of 1, or a protected segment of 0: there
    /// it turns round.
    mutating func climb(_ isHit: Bool) {
        requests += 1
        hits += isHit ? 1 : 0
        guard requests >= sketch.period else { return }
        let ratio = Double(hits) / Double(requests)
        let amount = ratio >= lastRatio ? step : -step
        let isChange = abs(ratio - lastRatio) >= 0.05
        step = isChange ? (amount < 0 ? -0.0625 : 0.0625) : amount * 0.98
        (lastRatio, requests, hits) = (ratio, 0, 0)
        let units = min(max(Int(amount * Double(capacity)), 1 - windowCapacity), protectedCapacity)
        if units == 0 { step = -step }
        windowCapacity += units
        protectedCapacity -= units
        while measure(protected) > protectedCapacity { probation.append(protected.removeFirst()) }
        if units < 0 {
            while measure(window) > windowCapacity { probation.append(window.removeFirst()) }
        }
        while units > 0, measure(probation + protected) > capacity - windowCapacity {
            let isFromProbation = !probation.isEmpty
            guard let oldest = probation.first ?? protected.first, measure(window + [oldest]) <= windowCapacity else {
                break
            }
            if isFromProbation { probation.removeFirst() } else { protected.removeFirst() }
            window.append(oldest)
        }
    }

    mutating func remove(_ object: Int) {
        window.removeAll { $0.object == object }
        probation.removeAll { $0.object == object }
        protected.removeAll { $0.object == object }
    }
}

/// libCacheSim's W-TinyLFU in three lists, oldest first, and in single counters.
struct SlowLibCacheSimTinyLFU: SlowTwin {
    typealias Entry = (object: Int, size: Int)

    var bytes = Int.max
    var objects = Int.max
    let windowCapacity: Int
    let lowerCapacity: Int
    let upperCapacity: Int
    let stopsAfterReplacement: Bool
    var counters: [Int]
    var window: [Entry] = []
    var lower: [Entry] = []
    var upper: [Entry] = []
    var mainHits = 0

    init(
        bytes: Int = .max, objects: Int = .max, window: Int, lower: Int, upper: Int, stopsAfterReplacement: Bool
    ) {
        self.bytes = bytes
        self.objects = objects
        (windowCapacity, lowerCapacity, upperCapacity) = (window, lower, upper)
        self.stopsAfterReplacement = stopsAfterReplacement
        // 14.3776 counters for each unit of the main region.
        let needed = 14.377587518 * Double((bytes == .max ? objects : bytes) - window)
        counters = [Int](repeating: 0, count: Int(needed.rounded(.up)))
    }

    var held: [Int] { (window + lower + upper).map(\.object) }

    var mainCapacity: Int { (bytes == .max ? objects : bytes) - windowCapacity }

    func measure(_ entries: [Entry]) -> Int { bytes == .max ? entries.count : entries.map(\.size).reduce(0, +) }

    func places(_ object: Int) -> [Int] {
        let hashes = [UInt64(0x1234_5678), 0x1234_4321].map { UInt32(truncatingIfNeeded: hash(UInt64(object), $0)) }
        return (0..<10).map { Int(hashes[0] &+ $0 &* hashes[1]) % counters.count }
    }

    /// XXH64 of one lane.
    func hash(_ value: UInt64, _ seed: UInt64) -> UInt64 {
        func turned(_ value: UInt64, _ bits: Int) -> UInt64 { value << bits | value >> (64 - bits) }
        let primes: [UInt64] = [
            11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 1_609_587_929_392_839_161,
            9_650_029_242_287_828_579, 2_870_177_450_012_600_261,
        ]
        var hash = seed &+ primes[4] &+ 8
        hash ^= turned(value &* primes[1], 31) &* primes[0]
        hash = turned(hash, 27) &* primes[0] &+ primes[3]
        for (shift, prime) in [(33, primes[1]), (29, primes[2])] { hash = (hash ^ hash >> shift) &* prime }
        return hash ^ hash >> 32
    }

    func estimate(_ object: Int) -> Int { places(object).map { counters[$0] }.min() ?? 0 }

    mutating func record(_ object: Int) { for place in places(object) { counters[place] += 1 } }

    mutating func lookup(_ access: Access) -> Lookup {
        if let index = window.firstIndex(where: { $0.object == access.object }) {
            window.append(window.remove(at: index))
            return .hit
        }
        if let index = upper.firstIndex(where: { $0.object == access.object }) {
            upper.append(upper.remove(at: index))
        } else if let index = lower.firstIndex(where: { $0.object == access.object }) {
            upper.append(lower.remove(at: index))
            while measure(upper) > upperCapacity {
                lower.append(upper.removeFirst())
                while measure(lower) > lowerCapacity { lower.removeFirst() }
            }
        } else {
            return .miss
        }
        record(access.object)
        mainHits += 1
        if mainHits >= 32 * mainCapacity {
            mainHits = 0
            counters = counters.map { $0 / 2 }
        }
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        let entry = (access.object, access.size)
        guard access.size <= bytes, objects >= 1, measure([entry]) <= min(windowCapacity, lowerCapacity) else {
            return []
        }
        var victims: [Int] = []
        while !held.isEmpty,
            held.count >= objects || (window + lower + upper).map(\.size).reduce(0, +) > bytes - access.size
        {
            victims += makeRoom()
        }
        window.append(entry)
        record(access.object)
        return victims
    }

    mutating func makeRoom() -> [Int] {
        var victims: [Int] = []
        while let candidate = window.first {
            window.removeFirst()
            var isDone = false
            if measure(lower + upper + [candidate]) <= mainCapacity {
                victims += enterMain(candidate)
            } else if let victim = lower.first ?? upper.first, estimate(candidate.object) > estimate(victim.object) {
                victims.append(removeMainVictim())
                victims += enterMain(candidate)
                isDone = stopsAfterReplacement
            } else {
                victims.append(candidate.object)
                isDone = true
            }
            record(candidate.object)
            if isDone { return victims }
        }
        if !lower.isEmpty || !upper.isEmpty { victims.append(removeMainVictim()) }
        return victims
    }

    mutating func enterMain(_ entry: Entry) -> [Int] {
        if measure(lower + [entry]) <= lowerCapacity {
            lower.append(entry)
            return []
        }
        if measure(upper + [entry]) <= upperCapacity {
            upper.append(entry)
            return []
        }
        var victims: [Int] = []
        while measure(lower + upper + [entry]) > mainCapacity { victims.append(removeMainVictim()) }
        lower.append(entry)
        return victims
    }

    mutating func removeMainVictim() -> Int { (lower.isEmpty ? upper.removeFirst() : lower.removeFirst()).object }

    mutating func remove(_ object: Int) {
        window.removeAll { $0.object == object }
        lower.removeAll { $0.object == object }
        upper.removeAll { $0.object == object }
    }
}

/// A rule before a list.
struct SlowAdmission<Inner: SlowTwin & Sendable>: SlowTwin {
    enum Rule: Sendable {
        case tinyLFU(SlowSketch)
        case bloom(window: Int)
        case maxSize(Int)
        case probability(Double, scale: Double, SplitMix64)
    }

    var inner: Inner
    var rule: Rule
    var sizes: [Int: Int] = [:]
    /// Of a Bloom filter without errors.
    var younger: Set<Int> = []
    var older: Set<Int> = []
    /// What is known of the capacity.
    var peakObjects = 0
    var peakBytes = 0
    var isReached = false
    var boundsObjects = false

    var held: [Int] { inner.held }

    var bytes: Int { held.map { sizes[$0] ?? 0 }.reduce(0, +) }

    mutating func lookup(_ access: Access) -> Lookup {
        if case .tinyLFU(var sketch) = rule {
            sketch.record(access.object)
            rule = .tinyLFU(sketch)
        }
        return inner.lookup(access)
    }

    mutating func admit(_ access: Access) -> [Int] {
        let wasHeld = held.contains(access.object)
        if case .maxSize(let limit) = rule, access.size > limit {
            inner.remove(access.object)
            return []
        }
        guard wasHeld || enters(access) else { return [] }
        let before = bytes
        let victims = inner.admit(access)
        sizes[access.object] = access.size
        if victims.contains(where: { $0 != access.object }) {
            isReached = true
            if access.size + before <= peakBytes { boundsObjects = true }
        }
        peakObjects = max(peakObjects, held.count)
        peakBytes = max(peakBytes, bytes)
        if case .tinyLFU(var sketch) = rule {
            sketch.expect(held.count)
            rule = .tinyLFU(sketch)
        }
        return victims
    }

    mutating func enters(_ access: Access) -> Bool {
        switch rule {
        case .maxSize(let limit): return access.size <= limit
        case .tinyLFU(let sketch):
            let fits = access.size + bytes <= peakBytes && (held.count < peakObjects || !boundsObjects)
            if fits || !isReached { return true }
            let frequency = sketch.estimate(access.object)
            guard let victim = held.first else { return frequency >= 2 }
            return frequency > sketch.estimate(victim)
        case .bloom(let window):
            if younger.contains(access.object) { return true }
            let wasThere = older.contains(access.object)
            if younger.count == window { (older, younger) = (younger, []) }
            younger.insert(access.object)
            return wasThere
        case .probability(let probability, let scale, var random):
            let draw = random.fraction()
            rule = .probability(probability, scale: scale, random)
            return draw < probability * PortableMath.exp(-Double(access.size) / scale)
        }
    }

    mutating func remove(_ object: Int) { inner.remove(object) }
}
