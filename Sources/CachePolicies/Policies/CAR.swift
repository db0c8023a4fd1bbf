/// ARC with clocks for its two lists: a hit sets a bit, and objects move only when room is needed.
///
/// Sorav Bansal and Dharmendra S. Modha: CAR: Clock with Adaptive Replacement, FAST 2004. T1, T2, B1, B2, p and replace
/// are the paper's, in its order: room is made first, p moves after.
///
/// For sizes as in ``ARC``: lists are measured in bytes, a hit on a ghost moves p by the object's size times the
/// paper's step, and the ghosts' bounds are restored after the object has entered, which with one size gives the
/// paper's result. An object that is admitted again while it is held stays in its clock, as the newest, with its bit
/// cleared.
struct CAR: VictimOrdered {
    static let t1 = 0, t2 = 1, b1 = 2, b2 = 3

    let budget: Budget
    /// The clocks' hands are at their back.
    var queues = QueueSet(queues: 4)
    /// 0: not held; 1: held; 2: held, and hit since the hand passed. A hit touches nothing else.
    var marks = UncheckedArray<UInt8>(repeating: 0)
    /// The target for |T1|.
    var p = 0.0

    init(_ limits: Limits) { budget = Budget(limits) }

    var occupancy: Occupancy { queues.occupancy(of: Self.t1) + queues.occupancy(of: Self.t2) }

    func contains(_ object: Int) -> Bool { marks[object] != 0 }

    mutating func reserve(_ count: Int) {
        queues.reserve(count)
        marks.reserve(count)
    }

    func prefetch(_ object: Int) { queues.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let mark = marks[access.object]
        if mark == 1 { marks[access.object] = 2 }
        return mark == 0 ? .miss : .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let object = access.object
        let place = queues.place(of: object)
        if place == Self.t1 || place == Self.t2 || !budget.fitsAlone(access.size) { remove(object) }
        guard budget.fitsAlone(access.size) else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        if place == Self.b1 || place == Self.b2 {
            learn(place, access.size)
            queues.remove(object, from: place)
        }
        queues.pushFront(object, size: access.size, place == QueueSet.nowhere || place == Self.t1 ? Self.t1 : Self.t2)
        marks[object] = 1
        trimGhosts()
        return true
    }

    /// Moves the clocks' hands to the victim, as the paper's replace does before it evicts.
    func nextVictim() -> Int? {
        while true {
            let place = queueToShorten
            guard let object = queues.back(place) else { return nil }
            guard marks[object] == 2 else { return object }
            marks[object] = 1
            if place == Self.t1 {
                queues.move(object, from: Self.t1, to: Self.t2)
            } else {
                queues.moveToFront(object, in: Self.t2)
            }
        }
    }

    /// The paper's replace.
    func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        let place = queues.place(of: victim)
        marks[victim] = 0
        queues.move(victim, from: place, to: place == Self.t1 ? Self.b1 : Self.b2)
        sink.evicted(victim, .capacity)
        return true
    }

    var queueToShorten: Int {
        guard queues.objects[Self.t2] > 0 else { return Self.t1 }
        guard queues.objects[Self.t1] > 0 else { return Self.t2 }
        return Double(measure(Self.t1)) >= max(1, p) ? Self.t1 : Self.t2
    }

    /// Moves p after a request for a ghost: the clock that evicted it was too small.
    mutating func learn(_ place: Int, _ size: Int) {
        let recent = max(1, Double(measure(Self.b1)))
        let frequent = max(1, Double(measure(Self.b2)))
        let unit = Double(budget.measure(size))
        if place == Self.b1 {
            p = min(p + max(1, frequent / recent) * unit, Double(budget.capacity))
        } else {
            p = max(p - max(1, recent / frequent) * unit, 0)
        }
    }

    func trimGhosts() {
        while measure(Self.t1) &+ measure(Self.b1) > budget.capacity, let oldest = queues.back(Self.b1) {
            queues.remove(oldest, from: Self.b1)
        }
        while total &- budget.capacity > budget.capacity, let oldest = queues.back(Self.b2) {
            queues.remove(oldest, from: Self.b2)
        }
    }

    func measure(_ queue: Int) -> Int { queues.held(queue, budget) }

    var total: Int { measure(Self.t1) &+ measure(Self.t2) &+ measure(Self.b1) &+ measure(Self.b2) }

    mutating func remove(_ object: Int) {
        marks[object] = 0
        let place = queues.place(of: object)
        if place != QueueSet.nowhere { queues.remove(object, from: place) }
    }

    mutating func clear() {
        queues.removeAll()
        marks.reset()
        p = 0
    }
}

extension CAR {
    static let entry = PolicyEntry(
        "car", "ARC with clocks: a hit sets a bit, and objects move only when room is needed.", parameters: [.limits]
    ) { CAR(try $0.limits()) }
}
