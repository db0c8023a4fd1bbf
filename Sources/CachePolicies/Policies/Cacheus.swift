import Basics

/// Two experts as in ``LeCaR``, designed for scans and for churn, and a learning rate that adapts too.
///
/// Liana V. Rodriguez, Farzana Yusuf, Steven Lyons, Eysler Paz, Raju Rangaswami, Jason Liu, Ming Zhao and Giri
/// Narasimhan: Learning Cache Replacement with CACHEUS, FAST 2021.
/// - SR-LRU divides the cache into R for reused objects and SR for new and demoted ones; its victim is SR's least
///   recently used object. A hit on a demoted object makes R larger; a miss on a new one that SR evicted makes SR
///   larger. SR begins with `scan` of the capacity (1 %).
/// - CR-LFU's victim is, among the least frequent, the most recently used.
/// - Each expert's history holds as much as `history` of the capacity. A miss on one of its objects takes weight from
///   the expert.
/// - The learning rate moves as the hit rate does, period by period, and is drawn anew, from 0.001 to 1, after ten
///   periods without a gain. It begins with a draw.
///
/// The authors' program decides what the paper leaves open: if the experts agree there is no draw, and the victim
/// enters no history; frequencies live on in the histories; a weight is never below 0.01; while the cache fills,
/// objects enter R, and then SR without counting as new.
///
/// For sizes, parts and histories are measured in bytes, see ``Budget``, steps of the parts are multiples of the
/// object's size, and a period is as many accesses as objects are held, with one size as many as fit. An object that is
/// admitted again while it is held stays in its part, in front.
struct Cacheus: VictimOrdered {
    static let r = 0, sr = 1, lruHistory = 2, lfuHistory = 3
    static let demoted: UInt8 = 1, new: UInt8 = 2

    let budget: Budget
    let historyLimit: Int
    let initialSRLimit: Int
    var queues = QueueSet(queues: 4)
    var marks = UncheckedArray<UInt8>(repeating: 0)
    var frequencies = UncheckedArray<Int>(repeating: 0)
    /// By object held: its latest access.
    var times = UncheckedArray<Int>(repeating: 0)
    var ranks = IndexedHeap(filler: RankAndTie(0, tie: 0))
    var random: SplitMix64
    var rate: LearningRate
    /// SR-LRU's weight. CR-LFU's is the rest to 1.
    var lruWeight = 0.5
    var srLimit: Int
    /// The random number that decides between the experts at the next eviction where they disagree, if it has been
    /// drawn.
    var draw: Double?
    /// Demoted objects in SR, and new ones in SR-LRU's history.
    var demotedCount = 0
    var newCount = 0
    var ticks = 0

    init(_ limits: Limits, history: Double = 0.5, scan: Double = 0.01, seed: UInt64 = 0) {
        budget = Budget(limits)
        historyLimit = budget.share(history)
        initialSRLimit = max(1, budget.share(scan))
        srLimit = initialSRLimit
        random = SplitMix64(seed: seed)
        rate = LearningRate(&random)
    }

    var rLimit: Int { max(0, budget.capacity &- srLimit) }

    var occupancy: Occupancy { queues.occupancy(of: Self.r) + queues.occupancy(of: Self.sr) }

    func contains(_ object: Int) -> Bool { queues.place(of: object) <= Self.sr }

    mutating func reserve(_ count: Int) {
        queues.reserve(count)
        marks.reserve(count)
        frequencies.reserve(count)
        times.reserve(count)
        ranks.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let object = access.object
        let isHit = contains(object)
        if isHit {
            frequencies[object] &+= 1
            touch(object)
            if queues.place(of: object) == Self.r { queues.moveToFront(object, Self.r) } else { hitInSR(object) }
        }
        rate.count(isHit, period: max(1, budget.countsObjects ? budget.capacity : occupancy.objects), &random)
        return isHit ? .hit : .miss
    }

    mutating func hitInSR(_ object: Int) {
        let size = budget.measure(queues.size(of: object))
        if marks[object] & Self.demoted != 0 {
            resize(growsR: true, size)
            demotedCount &-= 1
        }
        marks[object] = 0
        guard size <= rLimit else { return queues.moveToFront(object, Self.sr) }
        queues.moveToFront(object, Self.r)
        limitR()
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let object = access.object
        let place = queues.place(of: object)
        let size = budget.measure(access.size)
        let mark = marks[object]
        if place == QueueSet.nowhere { frequencies[object] = 0 }
        if place > Self.sr { frequencies[object] &+= 1 }
        remove(object)
        guard budget.fitsAlone(access.size) else { return false }
        switch place {
        case Self.lruHistory, Self.lfuHistory:
            if place == Self.lruHistory, mark & Self.new != 0 { resize(growsR: false, size) }
            punish(lru: place == Self.lruHistory)
            makeRoom(access.size, &sink)
            insert(access, size <= rLimit ? Self.r : Self.sr)
        case Self.r:
            makeRoom(access.size, &sink)
            insert(access, size <= rLimit ? Self.r : Self.sr)
        case Self.sr:
            makeRoom(access.size, &sink)
            insert(access, Self.sr)
        default:
            if queues.occupancy(of: Self.sr).objects == 0, size <= rLimit &- measure(Self.r),
                budget.fits(access.size, beside: occupancy)
            {
                insert(access, Self.r)
            } else {
                let isFilling = budget.fits(access.size, beside: occupancy) && size <= srLimit &- measure(Self.sr)
                makeRoom(access.size, &sink)
                insert(access, Self.sr)
                if !isFilling { marks[object] = Self.new }
            }
        }
        limitR()
        return true
    }

    mutating func touch(_ object: Int) {
        ticks &+= 1
        times[object] = ticks
    }

    mutating func insert(_ access: Access, _ queue: Int) {
        queues.pushFront(access.object, size: access.size, queue)
        touch(access.object)
        ranks.insert(access.object, RankAndTie(frequencies[access.object], tie: -times[access.object]))
    }

    mutating func limitR() {
        while measure(Self.r) > rLimit, let oldest = queues.back(Self.r) {
            queues.moveToFront(oldest, Self.sr)
            marks[oldest] |= Self.demoted
            demotedCount &+= 1
        }
    }

    mutating func resize(growsR: Bool, _ size: Int) {
        let demoted = Double(max(1, demotedCount))
        let new = Double(max(1, newCount))
        let ratio = growsR ? Double(newCount) / demoted : Double(demotedCount) / new
        let step = max(1, Int((ratio + 0.5).rounded(.down))) &* size
        // Each part keeps 1.
        srLimit = growsR ? max(srLimit &- step, 1) : min(srLimit &+ step, max(1, budget.capacity &- 1))
    }

    mutating func punish(lru: Bool) {
        let kept = PortableMath.exp(-rate.value)
        let first = lru ? lruWeight * kept : lruWeight
        let second = lru ? 1 - lruWeight : (1 - lruWeight) * kept
        lruWeight = min(max(first / (first + second), 0.01), 0.99)
    }

    mutating func makeRoom(_ size: Int, _ sink: inout some EvictionSink) {
        while !budget.fits(size, beside: occupancy), evictNext(&sink) {}
    }

    mutating func nextVictim() -> Int? { choose()?.victim }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let (victim, history) = choose() else { return false }
        if let history {
            draw = nil
            leave(victim, history, &sink)
        } else {
            remove(victim)
            sink.evicted(victim, .capacity)
        }
        return true
    }

    /// Returns the next victim, and the history of the expert that was drawn to choose it, or nil if both experts
    /// agree.
    mutating func choose() -> (victim: Int, history: Int?)? {
        guard let recency = queues.back(Self.sr) ?? queues.back(Self.r) else { return nil }
        let frequency = ranks.lowest { RankAndTie(frequencies[$0], tie: -times[$0]) } ?? recency
        if recency == frequency { return (recency, nil) }
        let drawn = draw ?? random.fraction()
        draw = drawn
        return drawn < lruWeight ? (recency, Self.lruHistory) : (frequency, Self.lfuHistory)
    }

    mutating func leave(_ victim: Int, _ history: Int, _ sink: inout some EvictionSink) {
        ranks.remove(victim)
        if marks[victim] & Self.demoted != 0 { demotedCount &-= 1 }
        marks[victim] &= Self.new
        if history == Self.lruHistory, marks[victim] != 0 { newCount &+= 1 }
        queues.moveToFront(victim, history)
        while measure(history) > historyLimit, let oldest = queues.back(history) { remove(oldest) }
        sink.evicted(victim, .capacity)
    }

    func measure(_ queue: Int) -> Int { budget.measure(queues.occupancy(of: queue)) }

    mutating func remove(_ object: Int) {
        let place = queues.place(of: object)
        guard place != QueueSet.nowhere else { return }
        if place <= Self.sr { ranks.remove(object) }
        if marks[object] & Self.demoted != 0 { demotedCount &-= 1 }
        if place == Self.lruHistory, marks[object] & Self.new != 0 { newCount &-= 1 }
        marks[object] = 0
        queues.remove(object)
    }

    mutating func clear() {
        queues.removeAll()
        marks.reset()
        ranks.removeAll()
        random.reset()
        draw = nil
        rate = LearningRate(&random)
        lruWeight = 0.5
        srLimit = initialSRLimit
        demotedCount = 0
        newCount = 0
        ticks = 0
    }
}

/// The learning rate of ``Cacheus``: by hill climbing on the hit rate.
struct LearningRate {
    var value: Double
    private var previous = 0.0
    private var hitRate = 0.0
    private var periodsWithoutGain = 0
    private var accesses = 0
    private var hits = 0

    init(_ random: inout SplitMix64) {
        value = 0.001 + random.fraction() * 0.999
        previous = value
    }

    mutating func count(_ isHit: Bool, period: Int, _ random: inout SplitMix64) {
        accesses &+= 1
        if isHit { hits &+= 1 }
        if accesses >= period { endPeriod(&random) }
    }

    private mutating func endPeriod(_ random: inout SplitMix64) {
        let now = Double(hits) / Double(accesses)
        let gain = now - hitRate
        let moved = value - previous
        previous = value
        hitRate = now
        (accesses, hits) = (0, 0)
        if moved != 0 {
            let step = abs(value * moved)
            value = min(max(value + (gain / moved > 0 ? step : -step), 0.001), 1)
            periodsWithoutGain = 0
        } else if now == 0 || gain <= 0 {
            periodsWithoutGain += 1
            if periodsWithoutGain >= 10 {
                periodsWithoutGain = 0
                value = 0.001 + random.fraction() * 0.999
            }
        }
    }
}

extension Cacheus {
    static let entry = PolicyEntry(
        "cacheus", "LeCaR with experts for scans and for churn, and an adaptive learning rate.",
        parameters: [
            .limits, .fraction("history", default: 0.5), .fraction("scan", default: 0.01), .integer("seed", default: 0),
        ]
    ) {
        Cacheus(
            try $0.limits(), history: try $0.fraction("history"), scan: try $0.fraction("scan"),
            seed: try $0.seed())
    }
}
