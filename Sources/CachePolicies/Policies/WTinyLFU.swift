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
/// - The window holds 1 % of the limit, but 1 object or 1 byte at least, so that every capacity works.
/// - Neither the first paper's doorkeeper nor Caffeine's random admissions against attackers are here.
/// - libCacheSim's variant hashes the ids of the trace and decides ties by the collisions in its sketch: its counts
///   require its ids and its hashes, so there is no `compat`.
struct WTinyLFU: VictimOrdered {
    static let window = 0, probation = 1, protected = 2

    var queues = QueueSet(queues: 3)
    var sketch: FrequencySketch
    var climber: HillClimber
    let budget: Budget
    let rules: Rules
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
        var climbs = false
        var climb = HillClimber.Rules()
    }

    init(_ limits: Limits, _ rules: Rules) {
        budget = Budget(limits)
        self.rules = rules
        sketch = FrequencySketch(sample: rules.sample, cacheObjects: limits.objects == .max ? nil : limits.objects)
        climber = HillClimber(rules.climb)
        divide()
    }

    mutating func divide() {
        windowCapacity = min(max(budget.share(rules.window), 1), budget.capacity)
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
        guard let count = victims(for: candidate, size, arriving: arriving) else { return false }
        for _ in 0..<count {
            guard let victim = mainVictim else { break }
            queues.remove(victim)
            sink.evicted(victim, .capacity)
        }
        return true
    }

    /// Returns the number of objects that leave the main region for the candidate, or nil if the candidate was not
    /// requested more often than they were.
    func victims(for candidate: Int, _ size: Int, arriving: Int) -> Int? {
        let measure = budget.measure(size)
        guard measure <= mainCapacity else { return nil }
        var excess = held(Self.probation) &+ held(Self.protected) &- mainCapacity &+ measure
        var excessObjects = budget.countsObjects ? 0 : occupancy.objects &+ arriving &- budget.limits.objects
        guard excess > 0 || excessObjects > 0 else { return 0 }
        let strength = sketch.estimate(candidate)
        var resistance = 0
        var victims = 0
        var next = mainVictim
        while excess > 0 || excessObjects > 0 {
            guard let victim = next else { return nil }
            if victims == 0 || rules.comparesAll { resistance &+= sketch.estimate(victim) }
            guard strength > resistance else { return nil }
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
        // The new object counts as arriving. A candidate that fits is compared as if it did not.
        guard let count = victims(for: candidate, queues.size(of: candidate), arriving: 1) else { return candidate }
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
            .fraction("decay", default: 0.98), .fraction("restart", default: 0.05),
        ]
    ) { arguments in
        var rules = Rules()
        rules.window = try arguments.fraction("window")
        rules.protected = try arguments.fraction("protected")
        rules.sample = try arguments.integer("sample", in: 1...Int.max)
        rules.comparesAll = try arguments.choice("victims") == "all"
        rules.climbs = try arguments.flag("climb")
        rules.climb.step = try arguments.fraction("step")
        rules.climb.decay = try arguments.fraction("decay")
        rules.climb.restart = try arguments.fraction("restart")
        return WTinyLFU(try arguments.limits(), rules)
    }
}
