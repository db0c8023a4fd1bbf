import Basics

/// The number of evicted objects that a ``ThreeLCache`` remembers, and its growth.
struct HistoryWindow {
    /// The history has this minus 1 times as many places as objects are held; at most 6.
    private var factor = 2
    /// Whether the history has had its share since the last change of `factor`.
    var isFull = false
    /// The longest wait of an object that left the history without a request: until the last model, and until now.
    private(set) var longestWait = 0
    var nextLongestWait = 0
    /// Since the history is full, and at most since the last decision.
    private var requests = 0
    private var hits = 0
    /// Requests for evicted objects of the history.
    private var historyHits = 0

    /// Returns the number of evicted objects from which on the oldest is forgotten.
    func most(held: Int) -> Int { held &* (factor &- 1) &+ 2 }

    mutating func count(_ state: ThreeLCache.State) {
        guard isFull else { return }
        requests &+= 1
        switch state {
        case .unknown: break
        case .held: hits &+= 1
        case .history: historyHits &+= 1
        }
    }

    /// Notes a new model. Every million requests, the history may grow. It has parts that are each as long as the
    /// cache. It grows if a part has, on average, requests for more than 1 % of the cache's hits, and if the whole has
    /// less than one in as many misses as there are parts.
    mutating func adapt(batch: Int) {
        longestWait = nextLongestWait
        guard isFull, requests > batch * 1_000_000 / 65_536 else { return }
        let parts = factor - 1
        if historyHits > 0, Double(historyHits) / Double(hits * parts) > 0.01, parts < (requests - hits) / historyHits {
            factor = min(factor + 1, 6)
            isFull = false
        }
        (requests, hits, historyHits) = (0, 0, 0)
    }
}

/// The part of ``ThreeLCache`` that looks for old objects: it walks from the least to the most recently used object, a
/// step for each object, and begins anew when it has made as many steps as objects were held when it began.
struct OldScan {
    /// The place of the walk; nil at the least recently used object.
    private var next: Int?
    /// The number of steps of this walk, and of those that were made.
    var length = 0
    var steps = 0
    /// The most objects that are taken for a ranking.
    var samples = 1_024
    /// Objects that were requested at most so often are taken everywhere.
    var boundary = 1
    /// The first part of the walk, in percent, in which all objects are taken.
    var portion = 1
    /// The cost up to which new objects are not ranked, in percent of the cost of all objects.
    var reserved = 2
    /// The last request of the last object that was taken.
    var lastRequest = 0
    /// Objects that were taken, and objects that left and were last requested at most at `lastRequest`: in the part of
    /// the walk that takes all objects, and after it.
    private var first = Tally()
    private var current = Tally()
    /// Victims by the logarithm of their requests to base 2.
    private let victims = UncheckedArray(repeating: 0, count: 16)

    private struct Tally {
        var taken = 0
        var left = 0
    }

    mutating func reset(_ objective: ThreeLCache.Objective) {
        next = nil
        (length, steps, samples, boundary, portion, reserved, lastRequest) = (0, 0, 1_024, 1, 1, 2, 0)
        if objective == .objects { boundary = .max }
        (first, current) = (Tally(), Tally())
        victims.reset()
    }

    /// Goes on to the next object if the walk is at this one, which moves or leaves.
    mutating func leave(_ object: Int, _ queue: LinkedQueue) {
        guard next == object else { return }
        next = queue.ahead(of: object)
    }

    /// Notes an object that leaves because of its rank.
    mutating func noteEviction(_ record: ThreeLCache.Record) {
        victims.base[15 - record.frequency.leadingZeroBitCount] += 1
        if record.lastRequest <= lastRequest { current.left += 1 }
    }

    /// Begins the first walk, and takes at most two more objects than 1 % of those that the walk passes.
    mutating func begin(held: Int) {
        if length == 0 { length = held }
        let most = Double(length) * 0.01 + Double(ThreeLCache.spared)
        if Double(samples) >= most { samples = length > 2 ? Int(most) : 1 }
    }

    /// The number of first steps in which all objects are taken.
    private var firstSteps: Int { length * portion / 100 }

    /// Notes a step past an object, and returns whether the object is taken.
    mutating func takes(_ record: ThreeLCache.Record) -> Bool {
        if first.taken == 0, steps > firstSteps { (first, current) = (current, Tally()) }
        defer { steps += 1 }
        return Int(record.frequency) <= boundary || steps <= firstSteps + ThreeLCache.spared
    }

    var isAtEnd: Bool { steps >= length }

    /// The object of the next step. Something must be held.
    func object(in queue: LinkedQueue) -> Int? { next ?? queue.back() }

    /// Goes on to the next object, after the most recently used one to the least recently used one.
    mutating func advance(_ queue: LinkedQueue) { next = object(in: queue).flatMap { queue.ahead(of: $0) } }

    /// Notes the end of a ranking that has taken objects here, and the last request of the last one of them.
    mutating func end(lastRequest: Int) {
        self.lastRequest = lastRequest
        current.taken += samples
    }

    mutating func restart(_ objective: ThreeLCache.Objective, held: Int, newcomers: Int) {
        length = held
        samples = 1_024
        begin(held: held)
        next = nil
        steps = 0
        guard objective == .bytes else { return }
        boundary = usualRequests()
        if first.left * current.taken > current.left * first.taken {
            portion = min(portion + 1, 255)
        } else if portion > 1 {
            portion -= 1
        }
        if first.left + current.left > newcomers {
            reserved = min(reserved + 1, 255)
        } else if reserved > 1 {
            reserved /= 2
        }
        (first, current) = (Tally(), Tally())
        victims.reset()
    }

    /// Returns about how many requests 99 of 100 victims had at most. Victims with 2^n to 2^(n + 1) requests count as
    /// evenly spread from 2^(n - 1) to 2^n, as in the authors' program.
    private func usualRequests() -> Int {
        let most = 0.99 * Double((0..<16).reduce(0) { $0 + victims[$1] })
        var sum = 0
        for power in 0..<16 {
            sum += victims[power]
            guard Double(sum) >= most else { continue }
            guard power > 0 else { return 1 }
            let share = (most + Double(victims[power]) - Double(sum)) / Double(victims[power])
            let half = 1 << (power - 1)
            return half + Int((Double(half) * share).rounded(.up))
        }
        return boundary
    }
}

extension ThreeLCache {
    /// One of so many ranked objects leaves before others are ranked.
    static let spared = 2

    /// Ranks objects by the time to their next request, as the model estimates it.
    ///
    /// Quick demotion: new objects are ranked, oldest first, until those that are left cost at most `reserved` percent
    /// of all objects, or many are ranked. Then old objects are ranked, unless the new ones cost more than ten times as
    /// much. When a walk over the old objects ends, earlier ranks are void.
    mutating func rank() {
        scan.begin(held: occupancy.objects)
        var candidates: [Int] = []
        takeNewcomers(&candidates)
        let cost = Double(budget.measure(occupancy))
        if candidates.isEmpty || Double(newcomerCost) < (cost * Double(scan.reserved) / 10).rounded(.down) {
            takeOld(&candidates)
        }
        rank(candidates)
        evictionsLeft = candidates.count / Self.spared
        isRanked = true
    }

    mutating func listNewcomer(_ object: Int) {
        let cost = max(1, budget.measure(records[object].size))
        newcomers.append(Newcomer(object: UInt32(truncatingIfNeeded: object), cost: cost))
        newcomerCost &+= cost
        if newcomers.count > 4 &* (occupancy.objects &+ 1) { newcomerCost &-= newcomers.removeFirst().cost }
    }

    private mutating func takeNewcomers(_ candidates: inout [Int]) {
        let cost = Double(budget.measure(occupancy))
        let enough = (cost * Double(scan.reserved) / 100).rounded(.down)
        let most = Int(Double(scan.samples) * 1.5)
        while Double(newcomerCost) > enough, candidates.count < most, newcomers.count > 0 {
            let newcomer = newcomers.removeFirst()
            newcomerCost &-= newcomer.cost
            if contains(Int(newcomer.object)) { candidates.append(Int(newcomer.object)) }
        }
    }

    private mutating func takeOld(_ candidates: inout [Int]) {
        var taken = 0
        while taken < scan.samples, candidates.count < scan.length, let object = scan.object(in: queue) {
            if scan.takes(records[object]) {
                candidates.append(object)
                taken += 1
            }
            if scan.isAtEnd {
                scan.restart(objective, held: occupancy.objects, newcomers: newcomers.count)
                taken = 0
                ranks.removeAll()
            } else {
                scan.advance(queue)
            }
        }
        if let last = candidates.last { scan.end(lastRequest: records[last].lastRequest) }
    }

    /// Gives objects their ranks. An object may be there twice.
    private mutating func rank(_ candidates: [Int]) {
        guard let model else { return }
        withUnsafeTemporaryAllocation(of: Double.self, capacity: Self.features) { row in
            guard let row = row.baseAddress else { return }
            for object in candidates {
                let record = records[object]
                write(record, at: clock, to: row)
                let distance = PortableMath.exp(model.estimate(row))
                let time =
                    objective == .bytes
                    ? distance + Double(clock &- modelTime) : distance * Double(budget.measure(record.size))
                let rank = RankAndTie(-Float(time), tie: rankCount)
                rankCount &+= 1
                if ranks.contains(object) { ranks.update(object, to: rank) } else { ranks.insert(object, rank) }
            }
        }
    }
}
