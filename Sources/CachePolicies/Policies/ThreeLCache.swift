import Basics

/// 3L-Cache: a model learns from past requests when objects will be requested again. Of the objects that it is asked
/// about, the one leaves whose next request seems farthest.
///
/// W. Zhou et al., 3L-Cache: low overhead and precise learning-based eviction policy for caches, USENIX FAST 2025. The
/// authors' program in libCacheSim (github.com/1a1a11a/libCacheSim, `3LCache/ThreeLCache.cpp`, commit 1a977b8c) decides
/// the details:
/// - The features of an object are the number of requests since its last one (its age), the distances between its last
///   four requests, its size and how often it was requested. They are kept of held objects, and of evicted ones in a
///   history, a queue of 1 to 5 times as many evictions as objects are held, see ``HistoryWindow``.
/// - From the first eviction on, each request marks an object, drawn from both. At the next request of a marked object,
///   or when it leaves the history, a row to learn from is made: its features at the mark, and the distance from the
///   mark to that request. Once there is a model, one in four marked objects makes a row. `batch` rows make a new
///   model, see ``BoostedTrees``.
/// - Until the first model the policy is LRU. Then some objects at a time are ranked by the model, see ``rank()``. Half
///   as many as were ranked leave, farthest first, before others are ranked. A request takes an object's rank away.
/// - With `objective: bytes`, for few missed bytes, ranks are times to the next request. With `objective: objects`, for
///   few misses, they are these times multiplied by sizes. Without a limit in bytes, each object has the size 1.
///
/// Until the first model, misses equal the misses of libcachesim 0.3.5 from PyPI. Then random numbers differ. On three
/// traces of 0.9 to 5 million requests, miss ratios differ by up to 0.5 points from the package's, as the ratios of two
/// seeds do.
/// Deviations:
/// - If new objects are many, but none of them is left to rank, old ones are ranked. So they are if all objects have 0
///   bytes. There, no victim is found, and memory is read that is not the cache's.
/// - The list of new objects keeps what each costs, at least 1. There, the list looks for objects that the history has
///   forgotten.
/// - Of equal ranks, the one that was given first leaves first. There, the order of a heap decides.
/// - An object of the history that is held again is marked in the queue. There, its size becomes 0, so that an object
///   of 0 bytes is never forgotten. In both, its place counts until it reaches the end of the queue.
/// - The shares that adapt stay at 255. There, they go on at 0.
/// - The list of new objects has at most four times as many entries as objects are held, and four more. Only objects
///   that are removed and admitted again without evictions make it that long.
/// - With another `batch` than 65,536, the million requests after which the history may grow change in proportion.
/// - There, a request forgets at most one object of the history. Here, so does an admission by which there have been
///   more admissions than lookups.
/// - An object that is removed is forgotten. One that is admitted while it is held keeps its features, becomes the most
///   recently used one, and is listed as new. The admission does not count as a request.
struct ThreeLCache: VictimOrdered, LearningPolicy {
    enum Objective: String, CaseIterable {
        case bytes
        case objects
    }

    /// The place of the features of an object.
    enum State: UInt8 {
        case unknown
        case held
        case history
    }

    /// The features of an object. Times are numbers of lookups.
    struct Record: BitwiseCopyable {
        var lastRequest = 0
        /// When the object was marked to learn from; 0 if it is not.
        var marked = 0
        var size = 0
        /// Requests between the last two requests of the object, the two before, and the two before these; 0 where
        /// there were none.
        var distances: (UInt32, UInt32, UInt32) = (0, 0, 0)
        /// The place among held objects, or the lower bits of the number in the history.
        var place: UInt32 = 0
        /// Stops at the largest number.
        var frequency: UInt16 = 1
        var state = State.unknown

        mutating func noteRequest(at time: Int) {
            distances = (UInt32(clamping: time &- lastRequest), distances.0, distances.1)
            lastRequest = time
            if frequency < .max { frequency &+= 1 }
        }
    }

    /// In the history, an object that is held again or was removed.
    static let gone = UInt32.max
    /// Age, three distances, size, and frequency.
    static let features = 6

    let budget: Budget
    let objective: Objective
    /// Rows of a model.
    let batch: Int
    var records = UncheckedArray(repeating: Record())
    /// Held objects by their last request or admission.
    var queue = LinkedQueue()
    /// Held objects in an arbitrary order.
    var members = UncheckedArray<UInt32>(repeating: 0)
    /// Evicted objects, oldest first.
    var history = GrowingRing(filler: Self.gone)
    var window = HistoryWindow()
    var rows: TrainingRows
    var model: BoostedTrees?
    /// When the model learned.
    var modelTime = 0
    var clock = 0
    var admissions = 0
    var hasEvicted = false
    /// Ranked objects that are held and have not been requested since. The key is minus the time to the next request,
    /// or minus that time multiplied by the size.
    var ranks = IndexedHeap(filler: RankAndTie<Float>(0, tie: 0))
    /// The number of ranks that were ever given.
    var rankCount = 0
    /// How many objects leave before others are ranked; below 0 if more have left.
    var evictionsLeft = 0
    /// Whether objects were ranked for the next victim.
    var isRanked = false
    /// Objects that were admitted since there is a model, oldest first, and what they cost together.
    var newcomers = GrowingRing(filler: Newcomer(object: 0, cost: 0))
    var newcomerCost = 0
    var scan = OldScan()
    var random: SplitMix64
    var occupancy = Occupancy()

    struct Newcomer: BitwiseCopyable {
        var object: UInt32
        var cost: Int
    }

    init(_ limits: Limits, batch: Int = 65_536, objective: Objective = .bytes, seed: UInt64 = 0) {
        budget = Budget(limits)
        self.batch = batch
        self.objective = objective
        rows = TrainingRows(features: Self.features)
        random = SplitMix64(seed: seed)
        scan.reset(objective)
    }

    var hasModel: Bool { model != nil }

    func contains(_ object: Int) -> Bool { records[object].state == .held }

    mutating func reserve(_ count: Int) {
        records.reserve(count)
        queue.reserve(count)
        members.reserve(count)
        ranks.reserve(count)
    }

    func prefetch(_ object: Int) {
        records.prefetch(object)
        queue.prefetch(object)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        clock &+= 1
        let object = access.object
        let state = records[object].state
        window.count(state)
        if state != .unknown {
            if learn(object, distance: clock &- records[object].marked) { makeModelIfDue() }
            records.base[object].noteRequest(at: clock)
        }
        if state == .held {
            scan.leave(object, queue)
            queue.moveToFront(object)
            if ranks.contains(object) { ranks.remove(object) }
        }
        if hasEvicted { mark() }
        forgetOldest()
        return state == .held ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let object = access.object
        let isKnown = records[object].state != .unknown
        if contains(object) { detach(object) }
        guard budget.fitsAlone(access.size) else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        if records[object].state == .history { history[Int(records[object].place)] = Self.gone }
        if !isKnown { records[object] = Record(lastRequest: clock) }
        records.base[object].state = .held
        records.base[object].size = access.size
        records.base[object].place = UInt32(truncatingIfNeeded: occupancy.objects)
        members[occupancy.objects] = UInt32(truncatingIfNeeded: object)
        queue.pushFront(object)
        occupancy.objects &+= 1
        occupancy.bytes &+= access.size
        if model != nil { listNewcomer(object) }
        admissions &+= 1
        if admissions > clock { forgetOldest() }
        return true
    }

    mutating func nextVictim() -> Int? {
        guard model != nil else { return queue.back() }
        guard occupancy.objects > 0 else { return nil }
        if ranks.count == 0 || evictionsLeft <= 0 && !isRanked { rank() }
        return ranks.lowest
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        if model != nil { scan.noteEviction(records[victim]) }
        hasEvicted = true
        isRanked = false
        evictionsLeft &-= 1
        detach(victim)
        records.base[victim].state = .history
        records.base[victim].place = UInt32(truncatingIfNeeded: history.end)
        history.append(UInt32(truncatingIfNeeded: victim))
        sink.evicted(victim, .capacity)
        return true
    }

    mutating func remove(_ object: Int) {
        switch records[object].state {
        case .unknown: break
        case .held: detach(object)
        case .history:
            history[Int(records[object].place)] = Self.gone
            records.base[object].state = .unknown
        }
    }

    mutating func clear() {
        records.reset()
        queue.removeAll()
        history.removeAll()
        window = HistoryWindow()
        rows.removeAll()
        model = nil
        modelTime = 0
        clock = 0
        admissions = 0
        hasEvicted = false
        ranks.removeAll()
        rankCount = 0
        evictionsLeft = 0
        isRanked = false
        newcomers.removeAll()
        newcomerCost = 0
        scan.reset(objective)
        random.reset()
        occupancy = Occupancy()
    }

    /// Takes an object out of the cache, and not into the history. Its features stay readable.
    private mutating func detach(_ object: Int) {
        scan.leave(object, queue)
        queue.remove(object)
        if ranks.contains(object) { ranks.remove(object) }
        occupancy.objects &-= 1
        occupancy.bytes &-= records[object].size
        let place = records[object].place
        let last = members[occupancy.objects]
        members[Int(place)] = last
        records.base[Int(last)].place = place
        records.base[object].state = .unknown
    }

    // MARK: Learning

    private mutating func mark() {
        let count = occupancy.objects &+ history.count
        guard count > 0 else { return }
        let index = random.next(below: count)
        let object =
            index < occupancy.objects ? members[index] : history[history.start &+ index &- occupancy.objects]
        guard object != Self.gone, records[Int(object)].marked == 0 else { return }
        records.base[Int(object)].marked = clock
    }

    /// Makes a row of a marked object whose next request was so far from the mark, and returns whether it made one.
    private mutating func learn(_ object: Int, distance: Int) -> Bool {
        let record = records[object]
        guard record.marked != 0 else { return false }
        records.base[object].marked = 0
        guard model == nil || random.next(below: 4) == 0 else { return false }
        let row = rows.append(label: PortableMath.log(1 + Double(distance)))
        write(record, at: record.marked, to: row)
        return true
    }

    /// Writes the features of an object at a time.
    func write(_ record: Record, at time: Int, to row: UnsafeMutablePointer<Double>) {
        row[0] = Double(time &- record.lastRequest)
        row[1] = Double(record.distances.0)
        row[2] = Double(record.distances.1)
        row[3] = Double(record.distances.2)
        row[4] = Double(budget.measure(record.size))
        row[5] = Double(record.frequency)
    }

    /// Forgets the oldest object of the history if the history has more than its share. It seems to be requested as
    /// late as the longest wait for an object of the history, after as long as it has waited.
    private mutating func forgetOldest() {
        guard history.count >= window.most(held: occupancy.objects) else { return }
        window.isFull = true
        let oldest = history.removeFirst()
        guard oldest != Self.gone else { return }
        let object = Int(oldest)
        let wait = clock &- records[object].lastRequest
        if learn(object, distance: window.longestWait &+ wait) {
            window.nextLongestWait = max(window.nextLongestWait, wait)
            makeModelIfDue()
        }
        records.base[object].state = .unknown
    }

    /// Makes the next model if the rows suffice and as many objects have left as the last ranking allowed.
    private mutating func makeModelIfDue() {
        guard rows.count >= batch, evictionsLeft <= 0 else { return }
        model = BoostedTrees(rows, BoostedTrees.Parameters(), &random)
        rows.removeAll()
        ranks.removeAll()
        isRanked = false
        modelTime = clock
        window.adapt(batch: batch)
    }
}

extension ThreeLCache {
    static let entry = PolicyEntry(
        "3l-cache",
        "Of some objects, the one leaves whose next request is farthest by a learned model; LRU until the first model.",
        parameters: [
            .limits, .integer("batch", default: 65_536),
            .choice("objective", Objective.allCases.map(\.rawValue), default: "bytes"), .integer("seed", default: 0),
        ]
    ) {
        ThreeLCache(
            try $0.limits(), batch: try $0.integer("batch", in: 1...1 << 22),
            objective: Objective(rawValue: try $0.choice("objective")) ?? .bytes, seed: try $0.seed())
    }
}
