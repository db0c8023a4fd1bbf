import Basics
import CachePolicies

/// Twins of policies that learn a model.
extension SlowTwinTests {
    static let learnedPairs: [Pair] = [
        ("3l-cache(5 objects)", SlowThreeL(objects: 5)),
        ("3l-cache(40B, batch: 90)", SlowThreeL(bytes: 40, batch: 90)),
        ("3l-cache(5 objects, batch: 60, seed: 3)", SlowThreeL(objects: 5, batch: 60, random: SplitMix64(seed: 3))),
        (
            "3l-cache(40B, 7 objects, batch: 60, objective: objects)",
            SlowThreeL(bytes: 40, objects: 7, batch: 60, isForObjects: true)
        ),
        ("3l-cache(30B, batch: 1)", SlowThreeL(bytes: 30, batch: 1)),
    ]

    /// Hundreds of objects: walks over old objects take several rankings, and new objects wait for theirs.
    static let learnedWidePairs: [Pair] = [
        ("3l-cache(150 objects, batch: 200)", SlowThreeL(objects: 150, batch: 200)),
        ("3l-cache(400B, batch: 100)", SlowThreeL(bytes: 400, batch: 100)),
        (
            "3l-cache(400B, 70 objects, batch: 150, objective: objects)",
            SlowThreeL(bytes: 400, objects: 70, batch: 150, isForObjects: true)
        ),
    ]
}

/// 3L-Cache with lists and dictionaries. Every list is searched from its start.
struct SlowThreeL: SlowTwin {
    struct Features {
        var size: Int
        var last: Int
        var mark: Int?
        /// The latest first.
        var distances: [Int] = []
        var requests = 1
    }

    var bytes: Int
    var objects: Int
    var batch: Int
    var isForObjects: Bool
    var random: SplitMix64
    var known: [Int: Features] = [:]
    /// Held objects, in the order in which the policy draws them.
    var held: [Int] = []
    /// Held objects, the least recently used one first.
    var order: [Int] = []
    /// Evicted objects, oldest first; nil for those that are held again or were removed.
    var history: [Int?] = []
    var rows: [SlowTrees.Row] = []
    var trees: SlowTrees?
    var now = 0
    var admissions = 0
    var learned = 0
    var hasEvicted = false
    var ranks: [Int: (time: Float, turn: Int)] = [:]
    var turns = 0
    var toLeave = 0
    var new: [(object: Int, cost: Int)] = []
    // The history's length.
    var parts = 1
    var isFull = false
    var (requests, hits, historyHits) = (0, 0, 0)
    var (longest, nextLongest) = (0, 0)
    // The walk over old objects.
    var place: Int?
    var (walk, steps, samples) = (0, 0, 1024)
    var (boundary, portion, reserved) = (1, 1, 2)
    var lastTaken = 0
    /// Left and taken: now, and in the first part of the walk.
    var counts = [0, 0, 0, 0]
    var victimsByRequests = [Int](repeating: 0, count: 16)

    init(
        bytes: Int = .max, objects: Int = .max, batch: Int = 65_536, isForObjects: Bool = false,
        random: SplitMix64 = SplitMix64(seed: 0)
    ) {
        self.bytes = bytes
        self.objects = objects
        self.batch = batch
        self.isForObjects = isForObjects
        self.random = random
        if isForObjects { boundary = 1_000_000 }
    }

    private func cost(_ object: Int) -> Int { bytes == .max ? 1 : known[object]?.size ?? 0 }
    private var cost: Int { held.map { cost($0) }.reduce(0, +) }

    mutating func lookup(_ access: Access) -> Lookup {
        let object = access.object
        let isHeld = held.contains(object)
        now += 1
        if isFull {
            requests += 1
            if isHeld { hits += 1 } else if known[object] != nil { historyHits += 1 }
        }
        if let features = known[object] {
            if let mark = features.mark {
                known[object]?.mark = nil
                if addRow(features, mark, now - mark) { learnIfDue() }
            }
            known[object]?.distances = [now - features.last] + features.distances.prefix(2)
            known[object]?.last = now
            known[object]?.requests = min(65_535, features.requests + 1)
        }
        if isHeld {
            passPlace(object)
            order.removeAll { $0 == object }
            order.append(object)
            ranks[object] = nil
        }
        mark()
        shorten()
        return isHeld ? .hit : .miss
    }

    mutating func admit(_ access: Access) -> [Int] {
        let object = access.object
        let features = known[object]
        if held.contains(object) { remove(object) }
        if access.size > bytes || objects < 1 { return [] }
        var victims: [Int] = []
        while held.map({ known[$0]?.size ?? 0 }).reduce(0, +) + access.size > bytes || held.count + 1 > objects {
            victims.append(evict())
        }
        history = history.map { $0 == object ? nil : $0 }
        known[object] = features ?? Features(size: 0, last: now)
        known[object]?.size = access.size
        held.append(object)
        order.append(object)
        if trees != nil {
            new.append((object, max(1, cost(object))))
            if new.count > 4 * (held.count + 1) { new.removeFirst() }
        }
        admissions += 1
        if admissions > now { shorten() }
        return victims
    }

    mutating func remove(_ object: Int) {
        leave(object)
        history = history.map { $0 == object ? nil : $0 }
        known[object] = nil
    }

    // MARK: Learning

    private mutating func mark() {
        guard hasEvicted, held.count + history.count > 0 else { return }
        let all = held + history
        guard let object = all[random.next(below: all.count)], known[object]?.mark == nil else { return }
        known[object]?.mark = now
    }

    private func row(_ features: Features, at time: Int) -> [Double] {
        let distances = (features.distances + [0, 0, 0]).prefix(3).map { Double($0) }
        return [Double(time - features.last)] + distances
            + [Double(bytes == .max ? 1 : features.size), Double(features.requests)]
    }

    private mutating func addRow(_ features: Features, _ mark: Int, _ distance: Int) -> Bool {
        if trees != nil, random.next(below: 4) != 0 { return false }
        rows.append(SlowTrees.Row(features: row(features, at: mark), label: PortableMath.log(Double(distance) + 1)))
        return true
    }

    private mutating func shorten() {
        guard history.count >= parts * held.count + 2 else { return }
        isFull = true
        guard let object = history.removeFirst(), let features = known[object] else { return }
        if let mark = features.mark, addRow(features, mark, longest + now - features.last) {
            nextLongest = max(nextLongest, now - features.last)
            learnIfDue()
        }
        known[object] = nil
    }

    private mutating func learnIfDue() {
        if rows.count < batch || toLeave > 0 { return }
        trees = SlowTrees(rows, SlowTrees.Shape(), &random)
        rows = []
        ranks = [:]
        learned = now
        longest = nextLongest
        if isFull, requests > batch * 1_000_000 / 65_536 {
            if historyHits * 100 > hits * parts, parts < (requests - hits) / historyHits {
                parts = min(5, parts + 1)
                isFull = false
            }
            (requests, hits, historyHits) = (0, 0, 0)
        }
    }

    // MARK: Victims

    private mutating func evict() -> Int {
        hasEvicted = true
        var victim = order[0]
        if trees != nil {
            if toLeave <= 0 || ranks.isEmpty { rank() }
            let worst = ranks.max { ($0.value.time, -$0.value.turn) < ($1.value.time, -$1.value.turn) }
            victim = worst?.key ?? victim
            let features = known[victim] ?? Features(size: 0, last: 0)
            victimsByRequests[(0..<16).last { 1 << $0 <= features.requests } ?? 0] += 1
            if features.last <= lastTaken { counts[0] += 1 }
        }
        toLeave -= 1
        leave(victim)
        history.append(victim)
        return victim
    }

    private mutating func leave(_ object: Int) {
        guard let index = held.firstIndex(of: object) else { return }
        passPlace(object)
        held.swapAt(index, held.count - 1)
        held.removeLast()
        order.removeAll { $0 == object }
        ranks[object] = nil
    }

    /// The object after another one, and after the last one the first.
    private func following(_ object: Int) -> Int { order[((order.firstIndex(of: object) ?? 0) + 1) % order.count] }

    private mutating func passPlace(_ object: Int) {
        if place == object { place = order.count == 1 ? nil : following(object) }
    }

    private mutating func limitSamples() {
        if Double(samples) >= Double(walk) * 0.01 + 2 { samples = walk > 2 ? Int(Double(walk) * 0.01 + 2) : 1 }
    }

    private mutating func rank() {
        if walk == 0 { walk = held.count }
        limitSamples()
        var chosen: [Int] = []
        while new.map(\.cost).reduce(0, +) > cost * reserved / 100, chosen.count < samples * 3 / 2, !new.isEmpty {
            let object = new.removeFirst().object
            if held.contains(object) { chosen.append(object) }
        }
        if chosen.isEmpty || new.map(\.cost).reduce(0, +) < cost * reserved / 10 { chosen = chooseOld(chosen) }
        for object in chosen {
            guard let features = known[object], let trees else { continue }
            let distance = PortableMath.exp(trees.estimate(row(features, at: now)))
            let time = isForObjects ? distance * Double(cost(object)) : distance + Double(now - learned)
            ranks[object] = (Float(time), turns)
            turns += 1
        }
        toLeave = chosen.count / 2
    }

    private mutating func chooseOld(_ before: [Int]) -> [Int] {
        var chosen = before
        var taken = 0
        var object = place ?? order[0]
        while taken < samples, chosen.count < walk {
            let start = walk * portion / 100
            if counts[3] == 0, steps > start { counts = [0, 0, counts[0], counts[1]] }
            if (known[object]?.requests ?? 0) <= boundary || steps <= start + 2 {
                chosen.append(object)
                taken += 1
            }
            steps += 1
            if steps >= walk {
                beginWalk()
                taken = 0
                object = order[0]
            } else {
                object = following(object)
            }
        }
        place = object
        lastTaken = known[chosen[chosen.count - 1]]?.last ?? 0
        counts[1] += samples
        return chosen
    }

    private mutating func beginWalk() {
        (walk, steps, samples, ranks) = (held.count, 0, 1024, [:])
        limitSamples()
        if isForObjects { return }
        let most = 0.99 * Double(victimsByRequests.reduce(0, +))
        for (power, count) in victimsByRequests.enumerated() {
            let sum = victimsByRequests[...power].reduce(0, +)
            if Double(sum) < most { continue }
            let half = power == 0 ? 0 : 1 << (power - 1)
            let share = (most + Double(count) - Double(sum)) / Double(count)
            boundary = power == 0 ? 1 : half + Int((Double(half) * share).rounded(.up))
            break
        }
        if counts[2] * counts[1] > counts[0] * counts[3] { portion += 1 } else if portion > 1 { portion -= 1 }
        if counts[0] + counts[2] > new.count { reserved += 1 } else if reserved > 1 { reserved /= 2 }
        (portion, reserved) = (min(portion, 255), min(reserved, 255))
        counts = [0, 0, 0, 0]
        victimsByRequests = [Int](repeating: 0, count: 16)
    }
}
