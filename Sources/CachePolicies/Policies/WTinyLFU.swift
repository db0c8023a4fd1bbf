import Basics

/// Window TinyLFU: a small LRU window takes every new object. An object that leaves the window enters the main region
/// only if it was recently requested more often than the objects that would have to leave for it. The main region is a
/// segmented LRU: new objects on probation, and objects that were hit there protected.
///
/// A ``FrequencySketch`` estimates how often objects were requested, also for objects that are not held.
///
/// Sources: Einziger, Friedman, Manes, TinyLFU: A Highly Efficient Cache Admission Policy, ACM Transactions on Storage
/// 13(4), 2017; with `climb`, Einziger, Eytan, Friedman, Manes, Adaptive Software Cache Management, Middleware 2018:
/// the window grows and shrinks by a ``HillClimber``. Sizes: Einziger, Eytan, Friedman, Manes, Lightweight Robust Size
/// Aware Cache Management, ACM Transactions on Storage 18(3), 2022, and the authors' library, Caffeine 2.6.2, of which
/// `BoundedLocalCache.evictFromMain` is followed.
///
/// Deviations and choices:
/// - The papers of 2017 and 2018 count objects alike. With sizes, only the window and the protected segment have shares
///   of their own; nothing leaves before everything together exceeds the limit. Objects that the window has no room for
///   go on probation, and are the candidates: the newest meets the object that has been there longest, and the one that
///   was requested less often leaves. Each candidate meets one object (`victims: first`, the 2022 paper's implicit
///   victims). What exceeds the limit after that leaves without a comparison, in the order probation, protected,
///   window; on probation a winner is the last.
/// - With `victims: all`, the 2022 paper's aggregated victims, a candidate must have been requested more often than all
///   objects together that would have to leave for it. For equal sizes that is the same.
/// - An object larger than the window passes it at once, and all others in it too. A candidate that is alone on
///   probation leaves; if objects are counted, or with `victims: all`, it meets the oldest protected object instead. An
///   object larger than the protected segment stays on probation when it is hit, at its place. In Caffeine, an entry of
///   weight 0 never leaves; here, an object of no bytes is an object like others.
/// - With limits by bytes and by objects, the window's oldest object is the candidate if there are too many objects.
/// - The window holds 1 % of the limit, rounded up, so that every capacity works.
/// - A candidate that loses, but was requested more than 5 times, enters nevertheless in one of 128 cases, drawn from
///   `seed`. Caffeine does so against attackers who make a victim look popular; it also helps where objects that share
///   its counters do. The first paper's doorkeeper is not here.
/// - Miss counts agree with Caffeine 2.6.2 within 0.1 percentage points; see `scripts/studies/compare-caffeine`.
///   libCacheSim's variant counts no hits in the window, forgets after 32 hits of the main region for each object, and
///   refuses objects larger than the window. With `compat`, ``WTinyLFULibCacheSim`` does so; of the other parameters
///   only `window` applies to it.
struct WTinyLFU: VictimOrdered {
    /// In the order in which objects leave.
    static let probation = 0, protected = 1, window = 2
    /// Candidates that were requested more often than this may enter by a draw.
    static let leastDrawn = 5

    var queues = QueueSet(queues: 3)
    var sketch: FrequencySketch
    var climber: HillClimber
    let budget: Budget
    let rules: Rules
    var random: SplitMix64
    /// In the budget's measure. The main region has the rest.
    var windowCapacity = 0
    /// Of the main region.
    var protectedCapacity = 0

    struct Rules {
        /// Shares: of the whole, and of the main region.
        var window = 0.01
        var protected = 0.8
        /// Requests for each held object between two halvings of the frequencies, and between two steps of the climb.
        var sample = 10
        var comparesAll = false
        var seed: UInt64 = 0
        var climbs = false
        var climb = HillClimber.Rules()
    }

    init(_ limits: Limits, _ rules: Rules) {
        budget = Budget(limits)
        self.rules = rules
        sketch = FrequencySketch(
            sample: rules.sample,
            cacheObjects: budget.countsObjects && limits.objects < .max ? limits.objects : nil, seed: rules.seed)
        climber = HillClimber(rules.climb)
        random = SplitMix64(seed: rules.seed)
        divide()
    }

    mutating func divide() {
        // The main region's share is rounded down, as Caffeine's.
        windowCapacity =
            budget.capacity == .max
            ? .max : min(max(budget.capacity &- budget.share(1 - rules.window), 1), budget.capacity)
        protectedCapacity = Int(exactly: (Double(mainCapacity) * rules.protected).rounded(.down)) ?? mainCapacity
    }

    var mainCapacity: Int { budget.capacity == .max ? .max : budget.capacity &- windowCapacity }

    var occupancy: Occupancy {
        queues.occupancy(of: Self.window) + queues.occupancy(of: Self.probation) + queues.occupancy(of: Self.protected)
    }

    func contains(_ object: Int) -> Bool { queues.place(of: object) != QueueSet.nowhere }

    mutating func reserve(_ count: Int) { queues.reserve(count) }

    func prefetch(_ object: Int) { queues.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        sketch.record(access.object)
        if rules.climbs { climb(isHit: contains(access.object)) }
        // A step of the climb may have moved the object.
        let place = queues.place(of: access.object)
        switch place {
        case Self.window, Self.protected: queues.moveToFront(access.object, place)
        case Self.probation: promote(access.object)
        default: return .miss
        }
        return .hit
    }

    mutating func promote(_ object: Int) {
        if budget.measure(queues.size(of: object)) <= protectedCapacity {
            queues.moveToFront(object, Self.protected)
            demote()
        } else if budget.countsObjects {
            queues.moveToFront(object, Self.probation)
        }
    }

    /// Moves objects that exceed the protected segment back to probation.
    mutating func demote() {
        while held(Self.protected) > protectedCapacity, let oldest = queues.back(Self.protected) {
            queues.moveToFront(oldest, Self.probation)
        }
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard budget.fitsAlone(access.size) else { return false }
        queues.pushFront(access.object, size: access.size, Self.window)
        var candidates = 0
        while held(Self.window) > windowCapacity || candidates == 0 && occupancy.objects > budget.limits.objects,
            let oldest = queues.back(Self.window)
        {
            queues.moveToFront(oldest, Self.probation)
            candidates &+= 1
        }
        evictExcess(candidates, &sink)
        sketch.expect(occupancy.objects)
        return contains(access.object)
    }

    /// Evicts until everything fits. The `count` objects that entered probation last are the candidates.
    mutating func evictExcess(_ count: Int, _ sink: inout some EvictionSink) {
        var candidates = count
        var candidate = queues.front(Self.probation)
        var spared: Int?
        var next = oldest(Self.probation)
        while let excess = self.excess(), let victim = next {
            guard candidates > 0, let challenger = candidate else {
                next = follower(of: victim)
                if victim != spared { evict(victim, &sink) }
                continue
            }
            if challenger == victim {
                next = oldest(Self.protected)
                if !meetsProtected || queues.back(Self.protected) == nil {
                    candidates = 0
                    evict(challenger, &sink)
                }
                continue
            }
            candidates &-= 1
            if wins(challenger, over: victim, excess, &random) {
                if rules.comparesAll { (spared, candidates) = (challenger, 0) }
                next = follower(of: victim)
                evict(victim, &sink)
                candidate = queues.behind(challenger)
            } else {
                candidate = queues.behind(challenger)
                evict(challenger, &sink)
            }
        }
    }

    /// By how much the held objects, and one more of `size` bytes, exceed the limits; nil if they do not.
    func excess(with size: Int? = nil) -> Occupancy? {
        let held = occupancy
        let objects = held.objects &+ (size == nil ? 0 : 1) &- budget.limits.objects
        let bytes = held.bytes &+ (size ?? 0) &- budget.limits.bytes
        return objects > 0 || bytes > 0 ? Occupancy(objects: objects, bytes: bytes) : nil
    }

    /// Whether a candidate that is alone on probation meets the protected objects.
    var meetsProtected: Bool { rules.comparesAll || budget.countsObjects }

    /// Whether the candidate was requested more often than its victim, or than all that must leave for it, or is drawn.
    func wins(_ candidate: Int, over victim: Int, _ excess: Occupancy, _ random: inout SplitMix64) -> Bool {
        let strength = sketch.estimate(candidate)
        var resistance = sketch.estimate(victim)
        if rules.comparesAll {
            var objects = excess.objects &- 1
            var bytes = excess.bytes &- queues.size(of: victim)
            var next = follower(of: victim)
            while objects > 0 || bytes > 0, let other = next {
                next = follower(of: other)
                if other == candidate { continue }
                resistance &+= sketch.estimate(other)
                objects &-= 1
                bytes &-= queues.size(of: other)
            }
        }
        return strength > resistance || strength > Self.leastDrawn && random.next() & 127 == 0
    }

    /// The object that leaves first of the queues from `first` on.
    func oldest(_ first: Int) -> Int? {
        for queue in first...Self.window {
            if let oldest = queues.back(queue) { return oldest }
        }
        return nil
    }

    /// The object that leaves after a held one.
    func follower(of victim: Int) -> Int? {
        if let ahead = queues.ahead(of: victim) { return ahead }
        let queue = queues.place(of: victim)
        return queue == Self.window ? nil : oldest(queue &+ 1)
    }

    mutating func evict(_ object: Int, _ sink: inout some EvictionSink) {
        queues.remove(object)
        sink.evicted(object, .capacity)
    }

    func held(_ queue: Int) -> Int { budget.measure(queues.occupancy(of: queue)) }

    /// The new object counts as one as large as the window's oldest.
    mutating func nextVictim() -> Int? {
        guard let candidate = queues.back(Self.window) else { return oldest(Self.probation) }
        let size = queues.size(of: candidate)
        guard
            budget.countsObjects || held(Self.window) &+ size > windowCapacity
                || occupancy.objects >= budget.limits.objects
        else { return oldest(Self.probation) }
        guard let victim = queues.back(Self.probation) ?? (meetsProtected ? queues.back(Self.protected) : nil) else {
            return candidate
        }
        // The admission makes the same draw, if there is one.
        var random = random
        return wins(candidate, over: victim, excess(with: size) ?? Occupancy(), &random) ? victim : candidate
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }

    mutating func remove(_ object: Int) {
        if contains(object) { queues.remove(object) }
    }

    mutating func clear() {
        queues.removeAll()
        sketch.removeAll()
        climber.removeAll()
        random.reset()
        divide()
    }
}

// MARK: - The window that adapts

extension WTinyLFU {
    mutating func climb(isHit: Bool) {
        climber.note(isHit: isHit)
        if climber.requests >= sketch.period { adapt() }
    }

    mutating func adapt() {
        guard budget.capacity != .max, let step = climber.step(after: sketch.period) else { return }
        let amount = Int(exactly: (step * Double(budget.capacity)).rounded(.towardZero)) ?? 0
        let possible = amount > 0 ? min(amount, protectedCapacity) : max(amount, 1 &- windowCapacity)
        if possible == 0 {
            climber.turn()
        } else if possible > 0 {
            growWindow(by: possible)
        } else {
            shrinkWindow(by: 0 &- possible)
        }
    }

    /// Takes room from the protected segment for the window. The objects longest on probation fill it.
    mutating func growWindow(by amount: Int) {
        windowCapacity &+= amount
        protectedCapacity &-= amount
        demote()
        while held(Self.probation) &+ held(Self.protected) > mainCapacity,
            let oldest = queues.back(Self.probation) ?? queues.back(Self.protected),
            held(Self.window) &+ budget.measure(queues.size(of: oldest)) <= windowCapacity
        { queues.moveToFront(oldest, Self.window) }
    }

    mutating func shrinkWindow(by amount: Int) {
        windowCapacity &-= amount
        protectedCapacity &+= amount
        while held(Self.window) > windowCapacity, let oldest = queues.back(Self.window) {
            queues.moveToFront(oldest, Self.probation)
        }
    }
}

extension WTinyLFU {
    static let entry = PolicyEntry(
        "w-tinylfu",
        "New objects pass a small LRU window, and enter the main SLRU if requested more often than its next victim.",
        parameters: [
            .limits, .fraction("window", default: 0.01), .fraction("protected", default: 0.8),
            .integer("sample", default: 10),
            .choice("victims", ["first", "all"], default: "first"), .flag("climb", default: false),
            .fraction("step", default: 0.0625),
            .fraction("decay", default: 0.98), .fraction("restart", default: 0.05), .integer("seed", default: 0),
            .compat,
        ]
    ) { arguments in
        let compat = try arguments.compat()
        if compat != .paper {
            let limits = try arguments.limits()
            guard Budget(limits).capacity <= WTinyLFULibCacheSim.largestCapacity else {
                var error = arguments.error(
                    """
                    compat: \(compat.rawValue) counts in 58 bytes for each object or byte of the capacity, which is at \
                    most \(WTinyLFULibCacheSim.largestCapacity); give a number of objects
                    """, at: "compat")
                error.refusesCapacity = true
                throw error
            }
            return WTinyLFULibCacheSim(limits, window: try arguments.fraction("window"), compat: compat)
        }
        var rules = Rules()
        rules.window = try arguments.fraction("window")
        rules.protected = try arguments.fraction("protected")
        rules.sample = try arguments.integer("sample", in: 1...Int.max)
        rules.comparesAll = try arguments.choice("victims") == "all"
        rules.climbs = try arguments.flag("climb")
        rules.seed = try arguments.seed()
        rules.climb.step = try arguments.fraction("step")
        rules.climb.decay = try arguments.fraction("decay")
        rules.climb.restart = try arguments.fraction("restart")
        return WTinyLFU(try arguments.limits(), rules)
    }
}
