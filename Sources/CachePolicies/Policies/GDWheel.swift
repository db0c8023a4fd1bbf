/// GreedyDual on wheels: costly objects stay. An object's rank is its cost, counted from the rank of the last victim.
/// Instead of a heap there are wheels of LRU queues, whose hands point at the ranks to leave next.
///
/// C. Li, A. L. Cox, GD-Wheel: a cost-aware replacement policy for key-value stores, EuroSys 2015: hierarchical cost
/// wheels. The steps are the paper's as Caffeine's simulator quotes them. Its `round` is read as rounding down, as in
/// webcachesim, so that a cost is the sum of its steps; two wheels of 256 queues are the default of both. Costs are
/// whole numbers. To the base of `queues` a cost has a digit for each wheel; a cost with more digits counts as the
/// highest one without.
///
/// - An access puts an object on the wheel of the first digit of its cost that is not 0, in front of the queue that is
///   as many queues past the hand as the digit says.
/// - The object at the back of the first wheel's queue at the hand leaves. While that queue is empty, the hand goes to
///   the next one.
/// - When the hand of a wheel has passed its last queue, the hand of the next wheel goes one queue further, and the
///   objects in that queue move to the wheel before, by their next digit, each to the front of its queue. Here the one
///   that has been there longest moves first.
///
/// Sizes have no part in the ranks: Memcached, for which the policy is made, chooses among objects of about one size.
/// `cost: packets`, 2 + size / 536 rounded down, ranks large objects above small ones. With `cost: one` the policy is
/// LRU.
struct GDWheel: VictimOrdered {
    struct Parameters {
        var cost = FetchCost.packets
        var wheels = 2
        var queues = 256
    }

    /// The queues of all wheels, one wheel after the other.
    var queues: LinkedQueue
    var sizes = SizeTable()
    /// By object: its wheel; only for held ones.
    var places = UncheckedArray<UInt8>(repeating: 0)
    /// By wheel: the queue at the hand.
    let hands: UncheckedArray<Int>
    /// By wheel: the number of its objects.
    let counts: UncheckedArray<Int>
    /// By wheel: what 1 in its digit is worth. Rises strictly: a wheel for which no digit could be written is left out.
    let weights: UncheckedArray<Int>
    let mostCost: Int
    let parameters: Parameters
    let limits: Limits
    var occupancy = Occupancy()

    init(_ limits: Limits, _ parameters: Parameters = Parameters()) {
        self.limits = limits
        var powers = [1]
        while powers.count < parameters.wheels {
            let (next, overflows) = powers[powers.count - 1].multipliedReportingOverflow(by: parameters.queues)
            if overflows { break }
            powers.append(next)
        }
        let (beyond, overflows) = powers[powers.count - 1].multipliedReportingOverflow(by: parameters.queues)
        mostCost = overflows ? .max : beyond - 1
        self.parameters = Parameters(cost: parameters.cost, wheels: powers.count, queues: parameters.queues)
        queues = LinkedQueue(queues: powers.count * parameters.queues)
        hands = UncheckedArray(repeating: 0, count: powers.count)
        counts = UncheckedArray(repeating: 0, count: powers.count)
        weights = UncheckedArray(repeating: 0, count: powers.count)
        for (wheel, power) in powers.enumerated() { weights[wheel] = power }
    }

    func contains(_ object: Int) -> Bool { queues.contains(object) }

    mutating func reserve(_ count: Int) {
        queues.reserve(count)
        sizes.reserve(count)
        places.reserve(count)
    }

    func prefetch(_ object: Int) { queues.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard queues.contains(access.object) else { return .miss }
        take(access.object)
        place(access.object)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy), evictNext(&sink) {}
        sizes[access.object] = access.size
        occupancy.objects &+= 1
        occupancy.bytes &+= access.size
        place(access.object)
        return true
    }

    mutating func nextVictim() -> Int? {
        guard occupancy.objects > 0 else { return nil }
        while true {
            if counts[0] == 0 {
                turnToObjects()
            } else if let victim = queues.back(hands[0]) {
                return victim
            } else {
                hands[0] &+= 1
                if hands[0] == parameters.queues { turn(1) }
            }
        }
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }

    mutating func remove(_ object: Int) {
        guard queues.contains(object) else { return }
        take(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
    }

    mutating func clear() {
        queues.removeAll()
        hands.reset()
        counts.reset()
        occupancy = Occupancy()
    }

    // MARK: Wheels

    private func cost(of object: Int) -> Int {
        switch parameters.cost {
        case .one: 1
        case .packets: min(2 &+ sizes[object] / 536, mostCost)
        }
    }

    private func take(_ object: Int) {
        queues.remove(object)
        counts.base[Int(places[object])] &-= 1
    }

    /// Puts the object on the wheel of its cost's first digit.
    private func place(_ object: Int) {
        let cost = cost(of: object)
        var wheel = parameters.wheels &- 1
        while wheel > 0, cost < weights[wheel] { wheel &-= 1 }
        push(object, digit: cost / weights[wheel], wheel)
    }

    private func push(_ object: Int, digit: Int, _ wheel: Int) {
        let queue = hands[wheel] &+ digit
        let index = queue < parameters.queues ? queue : queue &- parameters.queues
        queues.pushFront(object, wheel &* parameters.queues &+ index)
        places[object] = UInt8(truncatingIfNeeded: wheel)
        counts.base[wheel] &+= 1
    }

    /// Turns the wheels that have no objects to their ends, and on.
    private func turnToObjects() {
        var wheel = 1
        while wheel < parameters.wheels &- 1, counts[wheel] == 0 {
            hands[wheel] = parameters.queues &- 1
            wheel &+= 1
        }
        turn(1)
    }

    /// The hand of the wheel before has passed its last queue: it is at the first one again, and the hand of this wheel
    /// goes on. Objects come from the next wheel first, if this hand has passed its last queue too.
    private func turn(_ wheel: Int) {
        hands[wheel &- 1] = 0
        guard wheel < parameters.wheels else { return }
        hands[wheel] &+= 1
        if hands[wheel] == parameters.queues { turn(wheel &+ 1) }
        let queue = wheel &* parameters.queues &+ hands[wheel]
        while let object = queues.back(queue) {
            take(object)
            push(object, digit: cost(of: object) / weights[wheel &- 1] % parameters.queues, wheel &- 1)
        }
    }
}

extension GDWheel {
    static let entry = PolicyEntry(
        "gd-wheel", "GreedyDual with ranks on wheels of queues: keeps objects that are recent and costly to fetch.",
        parameters: [
            .limits, .choice("cost", ["one", "packets"], default: "packets"), .integer("wheels", default: 2),
            .integer("queues", default: 256),
        ]
    ) {
        let parameters = Parameters(
            cost: try FetchCost($0), wheels: try $0.integer("wheels", in: 1...16),
            queues: try $0.integer("queues", in: 2...4_096))
        return GDWheel(try $0.limits(), parameters)
    }
}
