/// Two LRU lists: objects that were requested once recently, and objects that were requested at least twice. Ghosts
/// remember the evicted objects of each list, and a miss on a ghost shifts the balance towards the list that evicted
/// it.
///
/// Nimrod Megiddo and Dharmendra S. Modha: ARC: A Self-Tuning, Low Overhead Replacement Cache, FAST 2003. T1, T2, B1,
/// B2, p and REPLACE are the paper's; p is a real number.
///
/// The paper assumes pages of one size. For sizes:
/// - |T1| and the like are measured in bytes, see ``Budget``, and REPLACE runs until the object fits.
/// - A hit on a ghost moves p by the object's size times the paper's step. In libCacheSim the step stays 1 byte, and p
///   hardly moves.
/// - The ghosts' bounds, |T1| + |B1| ≤ c and |T1| + |T2| + |B1| + |B2| ≤ 2c, are restored after the object has entered;
///   with one size, that gives the result of the paper's cases IV.A and IV.B. libCacheSim drops one ghost for each
///   victim, before it, whatever their sizes.
///
/// With one size, `compat` changes nothing. An object that is admitted again while it is held stays in its list, in
/// front.
struct ARC: VictimOrdered {
    static let t1 = 0, t2 = 1, b1 = 2, b2 = 3

    let budget: Budget
    let compat: Compatibility
    var queues = QueueSet(queues: 4)
    /// The target for |T1|.
    var p = 0.0

    init(_ limits: Limits, compat: Compatibility = .paper) {
        budget = Budget(limits)
        self.compat = compat
    }

    @inline(__always) var occupancy: Occupancy { queues.occupancy(of: Self.t1) + queues.occupancy(of: Self.t2) }

    func contains(_ object: Int) -> Bool { queues.place(of: object) <= Self.t2 }

    mutating func reserve(_ count: Int) { queues.reserve(count) }

    func prefetch(_ object: Int) { queues.prefetch(object) }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        switch queues.place(of: access.object) {
        case Self.t1: queues.move(access.object, from: Self.t1, to: Self.t2)
        case Self.t2: queues.moveToFront(access.object, in: Self.t2)
        default: return .miss
        }
        return .hit
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let object = access.object
        let place = queues.place(of: object)
        if place == Self.b1 || place == Self.b2 { learn(place, access.size) }
        if place != QueueSet.nowhere { queues.remove(object, from: place) }
        guard budget.fitsAlone(access.size) else { return false }
        while !budget.fits(access.size, beside: occupancy) {
            if compat != .paper, place == QueueSet.nowhere {
                replaceOneGhostEach(access.size, &sink)
            } else {
                replace(wasInB2: place == Self.b2, &sink)
            }
        }
        queues.pushFront(object, size: access.size, place == QueueSet.nowhere || place == Self.t1 ? Self.t1 : Self.t2)
        if compat == .paper { trimGhosts() }
        return true
    }

    /// Moves p after a request for a ghost: the list that evicted it was too short.
    mutating func learn(_ place: Int, _ size: Int) {
        let recent = max(1, Double(measure(Self.b1)))
        let frequent = max(1, Double(measure(Self.b2)))
        let unit = compat == .paper ? Double(budget.measure(size)) : 1
        if place == Self.b1 {
            p = min(p + max(1, frequent / recent) * unit, Double(budget.capacity))
        } else {
            p = max(p - max(1, recent / frequent) * unit, 0)
        }
    }

    /// REPLACE: one object becomes a ghost.
    @inline(__always) func replace(wasInB2: Bool, _ sink: inout some EvictionSink) {
        let place = queueToShorten(wasInB2: wasInB2)
        guard let victim = queues.back(place) else { return }
        queues.move(victim, from: place, to: place == Self.t1 ? Self.b1 : Self.b2)
        queues.prefetchBack(place)
        sink.evicted(victim, .capacity)
    }

    @inline(__always) func queueToShorten(wasInB2: Bool) -> Int {
        guard queues.objects[Self.t2] > 0 else { return Self.t1 }
        guard queues.objects[Self.t1] > 0 else { return Self.t2 }
        let size = Double(measure(Self.t1))
        return size > p || wasInB2 && size == p ? Self.t1 : Self.t2
    }

    @inline(__always) func trimGhosts() {
        while measure(Self.t1) &+ measure(Self.b1) > budget.capacity, let oldest = queues.back(Self.b1) {
            queues.remove(oldest, from: Self.b1)
            queues.prefetchBack(Self.b1)
        }
        while total &- budget.capacity > budget.capacity, let oldest = queues.back(Self.b2) {
            queues.remove(oldest, from: Self.b2)
            queues.prefetchBack(Self.b2)
        }
    }

    /// libCacheSim's case IV.
    func replaceOneGhostEach(_ size: Int, _ sink: inout some EvictionSink) {
        if measure(Self.t1) &+ measure(Self.b1) > budget.capacity &- budget.measure(size) {
            guard let oldest = queues.back(Self.b1) else {
                guard let victim = queues.back(Self.t1) else { return replace(wasInB2: false, &sink) }
                queues.remove(victim, from: Self.t1)
                return sink.evicted(victim, .capacity)
            }
            queues.remove(oldest, from: Self.b1)
        } else if total &- budget.capacity >= budget.capacity, let oldest = queues.back(Self.b2) {
            queues.remove(oldest, from: Self.b2)
        }
        replace(wasInB2: false, &sink)
    }

    @inline(__always) func measure(_ queue: Int) -> Int { queues.held(queue, budget) }

    @inline(__always) var total: Int { measure(Self.t1) &+ measure(Self.t2) &+ measure(Self.b1) &+ measure(Self.b2) }

    mutating func nextVictim() -> Int? { queues.back(queueToShorten(wasInB2: false)) }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard nextVictim() != nil else { return false }
        replace(wasInB2: false, &sink)
        return true
    }

    mutating func remove(_ object: Int) {
        let place = queues.place(of: object)
        if place != QueueSet.nowhere { queues.remove(object, from: place) }
    }

    mutating func clear() {
        queues.removeAll()
        p = 0
    }
}

extension ARC {
    static let entry = PolicyEntry(
        "arc", "Recent and frequent objects in two lists, whose balance learns from evicted objects.",
        parameters: [.limits, .compat]
    ) { ARC(try $0.limits(), compat: try $0.compat()) }
}
