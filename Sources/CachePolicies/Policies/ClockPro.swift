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
    static let cold: UInt8 = 1, coldOnTrial: UInt8 = 2, hot: UInt8 = 3, gone: UInt8 = 4
    /// The bit that a hit sets besides the state. A hit does nothing else.
    static let referenced: UInt8 = 0x80

    let budget: Budget
    let initialTarget: Int
    var ring = ClockRing()
    // Slots of the ring.
    var handHot = 0
    var handCold = 0
    var handTest = 0
    // Objects and bytes lie apart: reading a pair as one after writing its halves makes the processor wait.
    var hotObjects = 0
    var hotBytes = 0
    var coldObjects = 0
    var coldBytes = 0
    var goneObjects = 0
    var goneBytes = 0
    /// The paper's mc.
    var coldTarget: Int

    init(_ limits: Limits, cold: Double = 0.01) {
        budget = Budget(limits)
        initialTarget = min(max(1, budget.share(cold)), budget.capacity)
        coldTarget = initialTarget
    }

    @inline(__always) var occupancy: Occupancy {
        Occupancy(objects: hotObjects &+ coldObjects, bytes: hotBytes &+ coldBytes)
    }

    func contains(_ object: Int) -> Bool {
        guard let slot = ring.slot(of: object) else { return false }
        return kind(slot) != Self.gone
    }

    /// The state of the object in a slot, without whether it was referenced.
    @inline(__always) func kind(_ slot: Int) -> UInt8 { ring.state(at: slot) & ~Self.referenced }

    @inline(__always) func isReferenced(_ slot: Int) -> Bool { ring.state(at: slot) >= Self.referenced }

    mutating func reserve(_ count: Int) { ring.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { ring.prefetch(object) }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard let slot = ring.slot(of: access.object), kind(slot) != Self.gone else { return .miss }
        ring.setState(at: slot, ring.state(at: slot) | Self.referenced)
        return .hit
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        var before: UInt8 = 0
        if let slot = ring.slot(of: access.object) {
            before = kind(slot)
            remove(at: slot)
        }
        guard budget.fitsAlone(access.size) else { return false }
        if before == Self.gone { raiseTarget(by: access.size) }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        let slot = ring.allocate(access.object, size: access.size)
        if before == Self.gone || before == Self.hot {
            insertAtHead(slot, Self.hot)
            balance()
        } else {
            insertAtHead(slot, Self.coldOnTrial)
        }
        while measure(goneObjects, goneBytes) > budget.capacity { runHandTest() }
        return true
    }

    mutating func nextVictim() -> Int? { victimSlot().map(ring.object) }

    /// Moves HANDcold to the first cold object that was not referenced. Referenced ones become hot, or cold on trial.
    @inline(__always) mutating func victimSlot() -> Int? {
        while true {
            guard coldObjects > 0 else {
                guard hotObjects > 0 else { return nil }
                runHandHot()
                continue
            }
            let slot = handCold
            guard isReferenced(slot) else { return slot }
            moveToHead(slot)
        }
    }

    /// Moves the cold object that HANDcold is at, and that was referenced.
    mutating func moveToHead(_ slot: Int) {
        let onTrial = kind(slot) == Self.coldOnTrial
        uncount(slot)
        leaveRing(slot)
        if onTrial {
            raiseTarget(by: ring.size(at: slot))
            insertAtHead(slot, Self.hot)
            balance()
        } else {
            insertAtHead(slot, Self.coldOnTrial)
        }
    }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let slot = victimSlot() else { return false }
        let victim = ring.object(at: slot)
        if kind(slot) == Self.coldOnTrial {
            uncount(slot)
            set(slot, Self.gone)
            seekCold()
        } else {
            remove(at: slot)
        }
        sink.evicted(victim, .capacity)
        return true
    }

    @inline(__always) mutating func seekCold() {
        guard coldObjects > 0 else { return }
        while !isCold(kind(handCold)) { handCold = ring.next(handCold) }
    }

    @inline(__always) func isCold(_ kind: UInt8) -> Bool { kind == Self.cold || kind == Self.coldOnTrial }

    @inline(__always) mutating func balance() {
        while measure(hotObjects, hotBytes) > budget.capacity &- coldTarget, hotObjects > 1 { runHandHot() }
    }

    /// Moves HANDhot until a hot object has turned cold, and ends the trials of the objects that it passes.
    @inline(never) mutating func runHandHot() {
        guard hotObjects > 0 else { return }
        while true {
            let slot = handHot
            handHot = ring.next(slot)
            guard kind(slot) == Self.hot else {
                endTrial(slot)
                continue
            }
            guard isReferenced(slot) else {
                uncount(slot)
                return set(slot, Self.cold)
            }
            ring.setState(at: slot, Self.hot)
        }
    }

    @inline(__always) mutating func runHandTest() {
        let slot = handTest
        handTest = ring.next(slot)
        endTrial(slot)
    }

    @inline(__always) mutating func endTrial(_ slot: Int) {
        switch kind(slot) {
        case Self.coldOnTrial:
            // An access during the trial passes it.
            if !isReferenced(slot) { lowerTarget(by: ring.size(at: slot)) }
            // A cold object that ends its trial stays counted as before.
            ring.setState(at: slot, ring.state(at: slot) & Self.referenced | Self.cold)
            if coldObjects == 1 { handCold = slot }
        case Self.gone:
            lowerTarget(by: ring.size(at: slot))
            remove(at: slot)
        default: break
        }
    }

    @inline(__always) mutating func raiseTarget(by size: Int) {
        let step = budget.measure(size)
        coldTarget = step > budget.capacity &- coldTarget ? budget.capacity : coldTarget &+ step
    }

    @inline(__always) mutating func lowerTarget(by size: Int) {
        coldTarget = max(coldTarget &- budget.measure(size), 0)
    }

    /// Gives the object of the slot a state, unreferenced, and counts it. It must not be counted before.
    @inline(__always) mutating func set(_ slot: Int, _ kind: UInt8) {
        ring.setState(at: slot, kind)
        count(kind, 1, ring.size(at: slot))
        if coldObjects == 1, isCold(kind) { handCold = slot }
    }

    @inline(__always) mutating func uncount(_ slot: Int) { count(kind(slot), -1, -ring.size(at: slot)) }

    @inline(__always) mutating func count(_ kind: UInt8, _ objects: Int, _ bytes: Int) {
        if kind == Self.hot {
            hotObjects &+= objects
            hotBytes &+= bytes
        } else if kind == Self.gone {
            goneObjects &+= objects
            goneBytes &+= bytes
        } else {
            coldObjects &+= objects
            coldBytes &+= bytes
        }
    }

    @inline(__always) func measure(_ objects: Int, _ bytes: Int) -> Int { budget.countsObjects ? objects : bytes }

    /// The slot must not be linked, and its object not be counted.
    @inline(__always) mutating func insertAtHead(_ slot: Int, _ kind: UInt8) {
        if ring.count == 0 { (handHot, handCold, handTest) = (slot, slot, slot) }
        ring.link(slot, before: handHot)
        set(slot, kind)
    }

    /// Hands at the slot move on, HANDcold to the next cold object.
    @inline(__always) mutating func leaveRing(_ slot: Int) {
        let next = ring.next(slot)
        if handHot == slot { handHot = next }
        if handTest == slot { handTest = next }
        ring.unlink(slot)
        guard handCold == slot else { return }
        handCold = next
        seekCold()
    }

    @inline(__always) mutating func remove(at slot: Int) {
        uncount(slot)
        leaveRing(slot)
        ring.release(slot)
    }

    mutating func remove(_ object: Int) {
        if let slot = ring.slot(of: object) { remove(at: slot) }
    }

    mutating func clear() {
        ring.removeAll()
        (hotObjects, hotBytes, coldObjects, coldBytes, goneObjects, goneBytes) = (0, 0, 0, 0, 0, 0)
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
