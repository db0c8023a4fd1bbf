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
/// Aware Cache Management, ACM Transactions on Storage 18(3), 2022.
///
/// Deviations and choices:
/// - The papers count objects alike. Here an object must have been requested more often than all objects that would
///   have to leave for it together (`victims: all`, the 2022 paper's aggregated victims), or than the first of them
///   (`victims: first`). For equal sizes that is the same.
/// - An object larger than the window skips it and is compared at once. One larger than the main region is then
///   refused.
/// - The window holds 1 % of the limit, rounded up, so that every capacity works.
/// - A candidate that loses, but was requested more than 5 times, enters nevertheless in one of 128 cases, drawn from
///   `seed`. Caffeine does so against attackers who make a victim look popular; it also helps where objects that share
///   its counters do. The first paper's doorkeeper is not here.
/// - Miss counts are those of the authors' library, Caffeine 2.6.2, within 0.1 percentage points; see
///   `scripts/studies/compare-caffeine`. libCacheSim's variant counts no hits in the window, forgets after 32 hits of
///   the main region for each object, and refuses objects larger than the window. With `compat`,
///   ``WTinyLFULibCacheSim`` does so; of the other parameters only `window` applies to it.
struct WTinyLFU: VictimOrdered {
    static let window = 0, probation = 1, protected = 2
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
        var comparesAll = true
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
        guard budget.measure(queues.size(of: object)) <= protectedCapacity else {
            return queues.moveToFront(object, Self.probation)
        }
        queues.moveToFront(object, Self.protected)
        demote()
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
        if budget.measure(access.size) <= windowCapacity {
            queues.pushFront(access.object, size: access.size, Self.window)
        } else {
            guard makeRoom(for: access.object, access.size, arriving: 1, &sink) else { return false }
            queues.pushFront(access.object, size: access.size, Self.probation)
        }
        while isOver, let candidate = queues.back(Self.window) {
            if makeRoom(for: candidate, queues.size(of: candidate), arriving: 0, &sink) {
                queues.moveToFront(candidate, Self.probation)
            } else {
                queues.remove(candidate)
                sink.evicted(candidate, .capacity)
            }
        }
        sketch.expect(occupancy.objects)
        return queues.place(of: access.object) != QueueSet.nowhere
    }

    /// Whether an object must leave the window.
    var isOver: Bool {
        if held(Self.window) > windowCapacity { return true }
        // Where objects are counted, parts within their capacities are within the limits.
        if budget.countsObjects { return false }
        let held = occupancy
        return held.objects > budget.limits.objects || held.bytes > budget.limits.bytes
    }

    /// Evicts objects from the main region until the candidate fits, if it was requested more often than they were.
    /// Otherwise nothing leaves. `arriving` is the number of objects that the whole policy gains with the candidate.
    mutating func makeRoom(for candidate: Int, _ size: Int, arriving: Int, _ sink: inout some EvictionSink) -> Bool {
        guard let count = victims(for: candidate, size, arriving: arriving, &random) else { return false }
        for _ in 0..<count {
            guard let victim = mainVictim else { break }
            queues.remove(victim)
            sink.evicted(victim, .capacity)
        }
        return true
    }

    /// Returns the number of objects that leave the main region for the candidate, or nil if the candidate was not
    /// requested more often than they were and was not drawn either.
    func victims(for candidate: Int, _ size: Int, arriving: Int, _ random: inout SplitMix64) -> Int? {
        let measure = budget.measure(size)
        guard measure <= mainCapacity else { return nil }
        var excess = held(Self.probation) &+ held(Self.protected) &- mainCapacity &+ measure
        var excessObjects = budget.countsObjects ? 0 : occupancy.objects &+ arriving &- budget.limits.objects
        guard excess > 0 || excessObjects > 0 else { return 0 }
        let strength = sketch.estimate(candidate)
        var resistance = 0
        var victims = 0
        var isDrawn = false
        var next = mainVictim
        while excess > 0 || excessObjects > 0 {
            guard let victim = next else { return nil }
            if victims == 0 || rules.comparesAll { resistance &+= sketch.estimate(victim) }
            if strength <= resistance, !isDrawn {
                guard strength > Self.leastDrawn, random.next() & 127 == 0 else { return nil }
                isDrawn = true
            }
            victims &+= 1
            excess &-= budget.measure(queues.size(of: victim))
            excessObjects &-= 1
            next =
                queues.ahead(of: victim)
                ?? (queues.place(of: victim) == Self.probation ? queues.back(Self.protected) : nil)
        }
        return victims
    }

    var mainVictim: Int? { queues.back(Self.probation) ?? queues.back(Self.protected) }

    func held(_ queue: Int) -> Int { budget.measure(queues.occupancy(of: queue)) }

    mutating func nextVictim() -> Int? {
        guard let candidate = queues.back(Self.window) else { return mainVictim }
        guard let victim = mainVictim else { return candidate }
        // The new object counts as arriving. A candidate that fits is compared as if it did not. The draw, if there is
        // one, is that of the admission.
        var random = random
        guard let count = victims(for: candidate, queues.size(of: candidate), arriving: 1, &random) else {
            return candidate
        }
        return count > 0 || sketch.estimate(candidate) > sketch.estimate(victim) ? victim : candidate
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
        while held(Self.probation) &+ held(Self.protected) > mainCapacity, let oldest = mainVictim,
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
        "New objects pass a small LRU window, and enter the main SLRU if requested more often than its next victims.",
        parameters: [
            .limits, .fraction("window", default: 0.01), .fraction("protected", default: 0.8),
            .integer("sample", default: 10),
            .choice("victims", ["all", "first"], default: "all"), .flag("climb", default: false),
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
