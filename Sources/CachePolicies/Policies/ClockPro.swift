/// LIRS with a clock. One ring holds hot objects, cold objects, and objects that have left but are still on trial.
/// Three hands go around it.
///
/// Song Jiang, Feng Chen and Xiaodong Zhang: CLOCK-Pro: An Effective Improvement of the CLOCK Replacement, USENIX
/// Annual Technical Conference 2005. HANDcold finds victims, HANDhot turns hot objects cold, HANDtest ends trials (the
/// paper's test periods); the list's head is behind HANDhot. A trial that ends with an access raises the target for
/// cold objects; one that ends without lowers it.
/// - `cold` is the initial target as a share of the capacity (at least 1): the paper leaves it open, 1 % is LIRS's
///   value.
/// - HANDcold rests at the next cold object, as in the paper; if there is none, it moves to the first one that appears.
///   The other hands rest behind the object that they visited last, and move when they are needed.
/// - If there is no cold object to evict, HANDhot makes one.
///
/// For sizes, everything is measured in bytes, see ``Budget``: the target moves by the object's size, and objects that
/// have left are remembered up to the capacity. An object that is admitted again while it is held stays hot or cold,
/// and moves to the list's head.
struct ClockPro: VictimOrdered {
    static let absent: UInt8 = 0, cold: UInt8 = 1, coldOnTrial: UInt8 = 2, hot: UInt8 = 3, gone: UInt8 = 4
    /// The bit that a hit sets beside the state. A hit does nothing else.
    static let referenced: UInt8 = 0x80

    let budget: Budget
    let initialTarget: Int
    var states = UncheckedArray<UInt8>(repeating: Self.absent)
    var sizes = UncheckedArray<Int>(repeating: 0)
    var ring = ClockRing()
    var handHot = 0
    var handCold = 0
    var handTest = 0
    var hotHeld = Occupancy()
    var coldHeld = Occupancy()
    var goneHeld = Occupancy()
    /// The paper's mc.
    var coldTarget: Int

    init(_ limits: Limits, cold: Double = 0.01) {
        budget = Budget(limits)
        initialTarget = min(max(1, budget.share(cold)), budget.capacity)
        coldTarget = initialTarget
    }

    var occupancy: Occupancy { hotHeld + coldHeld }

    func contains(_ object: Int) -> Bool { kind(object) &- Self.cold <= Self.hot &- Self.cold }

    func kind(_ object: Int) -> UInt8 { states[object] & ~Self.referenced }

    func isReferenced(_ object: Int) -> Bool { states[object] >= Self.referenced }

    mutating func reserve(_ count: Int) {
        states.reserve(count)
        sizes.reserve(count)
        ring.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let state = states[access.object]
        guard (state & ~Self.referenced) &- Self.cold <= Self.hot &- Self.cold else { return .miss }
        if state < Self.referenced { states[access.object] = state | Self.referenced }
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let object = access.object
        let before = kind(object)
        remove(object)
        guard budget.fitsAlone(access.size) else { return false }
        sizes[object] = access.size
        if before == Self.gone { moveTarget(up: true, object) }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        insertAtHead(object)
        if before == Self.gone || before == Self.hot {
            set(object, Self.hot)
            balance()
        } else {
            set(object, Self.coldOnTrial)
        }
        while measure(goneHeld) > budget.capacity { runHandTest() }
        return true
    }

    /// Moves HANDcold to the first cold object that was not referenced. Referenced ones become hot, or cold on trial.
    mutating func nextVictim() -> Int? {
        while occupancy.objects > 0 {
            guard coldHeld.objects > 0 else {
                runHandHot()
                continue
            }
            let object = handCold
            guard isReferenced(object) else { return object }
            let onTrial = kind(object) == Self.coldOnTrial
            remove(object)
            insertAtHead(object)
            if onTrial {
                moveTarget(up: true, object)
                set(object, Self.hot)
                balance()
            } else {
                set(object, Self.coldOnTrial)
            }
        }
        return nil
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        if kind(victim) == Self.coldOnTrial { set(victim, Self.gone) } else { remove(victim) }
        seekCold()
        sink.evicted(victim, .capacity)
        return true
    }

    mutating func seekCold() {
        guard coldHeld.objects > 0 else { return }
        while kind(handCold) != Self.cold, kind(handCold) != Self.coldOnTrial { handCold = ring.next(handCold) }
    }

    mutating func balance() {
        while measure(hotHeld) > budget.capacity &- coldTarget, hotHeld.objects > 1 { runHandHot() }
    }

    /// Moves HANDhot until a hot object has turned cold, and ends the trials of the objects that it passes.
    mutating func runHandHot() {
        guard hotHeld.objects > 0 else { return }
        while true {
            let object = handHot
            handHot = ring.next(object)
            guard kind(object) == Self.hot else {
                endTrial(object)
                continue
            }
            guard isReferenced(object) else { return set(object, Self.cold) }
            states[object] = Self.hot
        }
    }

    mutating func runHandTest() {
        let object = handTest
        handTest = ring.next(object)
        endTrial(object)
    }

    mutating func endTrial(_ object: Int) {
        switch kind(object) {
        case Self.coldOnTrial:
            // An access during the trial passes it.
            if isReferenced(object) { return states[object] = Self.cold | Self.referenced }
            moveTarget(up: false, object)
            set(object, Self.cold)
        case Self.gone:
            moveTarget(up: false, object)
            remove(object)
        default: break
        }
    }

    mutating func moveTarget(up: Bool, _ object: Int) {
        let step = budget.measure(sizes[object])
        coldTarget =
            up
            ? (step > budget.capacity &- coldTarget ? budget.capacity : coldTarget &+ step) : max(coldTarget &- step, 0)
    }

    /// Changes the state, unreferenced, and what is counted with it.
    mutating func set(_ object: Int, _ kind: UInt8) {
        count(object, -1)
        states[object] = kind
        count(object, 1)
        if coldHeld.objects == 1, kind == Self.cold || kind == Self.coldOnTrial { handCold = object }
    }

    mutating func count(_ object: Int, _ sign: Int) {
        let change = Occupancy(objects: sign, bytes: sign &* sizes[object])
        switch kind(object) {
        case Self.cold, Self.coldOnTrial: coldHeld = coldHeld + change
        case Self.hot: hotHeld = hotHeld + change
        case Self.gone: goneHeld = goneHeld + change
        default: break
        }
    }

    func measure(_ held: Occupancy) -> Int { budget.measure(held) }

    mutating func insertAtHead(_ object: Int) {
        if ring.count == 0 { (handHot, handCold, handTest) = (object, object, object) }
        ring.insert(object, before: handHot)
    }

    mutating func leaveRing(_ object: Int) {
        let next = ring.next(object)
        if handHot == object { handHot = next }
        if handCold == object { handCold = next }
        if handTest == object { handTest = next }
        ring.remove(object)
    }

    mutating func remove(_ object: Int) {
        guard kind(object) != Self.absent else { return }
        set(object, Self.absent)
        leaveRing(object)
        seekCold()
    }

    mutating func clear() {
        states.reset()
        ring.removeAll()
        hotHeld = Occupancy()
        coldHeld = Occupancy()
        goneHeld = Occupancy()
        coldTarget = initialTarget
    }
}

extension ClockPro {
    static let entry = PolicyEntry(
        "clock-pro",
        "LIRS with a clock: hot and cold objects on one ring, among them evicted objects that are on trial.",
        parameters: [.limits, .fraction("cold", default: 0.01)]
    ) { ClockPro(try $0.limits(), cold: try $0.fraction("cold")) }
}
