import Basics

/// Two experts, LRU and LFU, each with a weight. An expert drawn by weight chooses the victim. A miss on an object that
/// an expert evicted weakens that expert, the more so the shorter the object was away.
///
/// Giuseppe Vietri, Liana V. Rodriguez, Wendy A. Martinez, Steven Lyons, Jason Liu, Raju Rangaswami, Ming Zhao and Giri
/// Narasimhan: Driving Cache Replacement with ML-based LeCaR, HotStorage 2018. `learning` is the paper's λ (0.45),
/// `discount` the base of its d = 0.005^(1/N), and each expert's history holds as much as `history` of the capacity.
/// The authors' program decides what the paper leaves open:
/// - If the experts agree there is no draw, and the victim enters no history.
/// - An object's frequency lives on in the histories. Among equally frequent objects LFU's victim is the least recently
///   used.
/// - A weight is never below 0.01.
///
/// For sizes, histories are measured in bytes, see ``Budget``, and N, which scales time, is the number of objects held:
/// with one size and a full cache the paper's. An object that is admitted again while it is held keeps its frequency
/// and becomes the most recent.
struct LeCaR: VictimOrdered {
    static let held = 0, lruHistory = 1, lfuHistory = 2

    let budget: Budget
    let learning: Double
    /// ln of `discount`.
    let decay: Double
    let historyLimit: Int
    var queues = QueueSet(queues: 3)
    var frequencies = UncheckedArray<Int>(repeating: 0)
    /// By object held: its latest access, by ``ticks``. By object in a history: when it left, by ``clock``.
    var times = UncheckedArray<Int>(repeating: 0)
    var ranks = IndexedHeap(filler: RankAndTie(0, tie: 0))
    var random: SplitMix64
    /// LRU's weight. LFU's is the rest to 1.
    var lruWeight = 0.5
    /// The random number that decides between the experts at the next eviction where they disagree, if it has been
    /// drawn.
    var draw: Double?
    var clock = 0
    var ticks = 0

    init(_ limits: Limits, learning: Double = 0.45, discount: Double = 0.005, history: Double = 0.5, seed: UInt64 = 0) {
        budget = Budget(limits)
        self.learning = learning
        decay = discount > 0 ? PortableMath.log(discount) : -.infinity
        historyLimit = budget.share(history)
        random = SplitMix64(seed: seed)
    }

    var occupancy: Occupancy { queues.occupancy(of: Self.held) }

    func contains(_ object: Int) -> Bool { queues.place(of: object) == Self.held }

    mutating func reserve(_ count: Int) {
        queues.reserve(count)
        frequencies.reserve(count)
        times.reserve(count)
        ranks.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        clock &+= 1
        guard contains(access.object) else { return .miss }
        queues.moveToFront(access.object, Self.held)
        frequencies[access.object] &+= 1
        touch(access.object)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let object = access.object
        let place = queues.place(of: object)
        if place == QueueSet.nowhere { frequencies[object] = 0 }
        if place != Self.held { frequencies[object] &+= 1 }
        learn(object, place)
        remove(object)
        guard budget.fitsAlone(access.size) else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        queues.pushFront(object, size: access.size, Self.held)
        touch(object)
        ranks.insert(object, RankAndTie(frequencies[object], tie: times[object]))
        return true
    }

    mutating func touch(_ object: Int) {
        ticks &+= 1
        times[object] = ticks
    }

    mutating func learn(_ object: Int, _ place: Int) {
        guard place == Self.lruHistory || place == Self.lfuHistory else { return }
        let away = Double(clock &- times[object]) / Double(max(1, occupancy.objects))
        let regret = away > 0 ? PortableMath.exp(decay * away) : 1
        let raised = PortableMath.exp(learning * regret)
        let lru = place == Self.lfuHistory ? lruWeight * raised : lruWeight
        let lfu = place == Self.lruHistory ? (1 - lruWeight) * raised : 1 - lruWeight
        lruWeight = min(max(lru / (lru + lfu), 0.01), 0.99)
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
        guard let recency = queues.back(Self.held) else { return nil }
        let frequency = leastFrequent() ?? recency
        if recency == frequency { return (recency, nil) }
        let drawn = draw ?? random.fraction()
        draw = drawn
        return drawn < lruWeight ? (recency, Self.lruHistory) : (frequency, Self.lfuHistory)
    }

    mutating func leastFrequent() -> Int? {
        ranks.lowest { RankAndTie(frequencies[$0], tie: times[$0]) }
    }

    mutating func leave(_ victim: Int, _ history: Int, _ sink: inout some EvictionSink) {
        ranks.remove(victim)
        queues.moveToFront(victim, history)
        times[victim] = clock
        while budget.measure(queues.occupancy(of: history)) > historyLimit, let oldest = queues.back(history) {
            queues.remove(oldest)
        }
        sink.evicted(victim, .capacity)
    }

    mutating func remove(_ object: Int) {
        let place = queues.place(of: object)
        if place == Self.held { ranks.remove(object) }
        if place != QueueSet.nowhere { queues.remove(object) }
    }

    mutating func clear() {
        queues.removeAll()
        ranks.removeAll()
        random.reset()
        draw = nil
        lruWeight = 0.5
        clock = 0
        ticks = 0
    }
}

extension LeCaR {
    static let entry = PolicyEntry(
        "lecar", "Draws LRU or LFU for each eviction, by weights that learn from the objects that each has evicted.",
        parameters: [
            .limits, .fraction("learning", default: 0.45), .fraction("discount", default: 0.005),
            .fraction("history", default: 0.5),
            .integer("seed", default: 0),
        ]
    ) {
        LeCaR(
            try $0.limits(), learning: try $0.fraction("learning"), discount: try $0.fraction("discount"),
            history: try $0.fraction("history"), seed: try $0.seed())
    }
}
