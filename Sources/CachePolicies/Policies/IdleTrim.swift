/// Stores objects without evicting others. Some time after a read, a cleanup removes objects: those above a count, if
/// they were not touched for the time `idle`, and those that were not touched for the longer time `lifetime`.
///
/// An object is touched when it is stored, and when it is read for the first time in a launch. Later reads in the same
/// launch touch nothing. A read that misses, and one that touches, schedule a cleanup `delay` later, unless one is
/// scheduled already. A launch forgets the cleanup that is scheduled. A cleanup removes
/// 1. of the objects that were touched more than `idle` ago, those beyond the `count` that were touched last: at most
///    `batch`, the later touched first. Of a larger surplus, the objects that were touched longest ago stay.
/// 2. objects that were touched more than `lifetime` ago: at most `batch`, the earliest touched first. The removals of
///    step 1 count towards `batch`.
///
/// Objects that were touched within `idle` neither count nor leave, however many they are. There is no limit in bytes.
/// A `count` of 0 is no limit.
///
/// This is the store of Flutter's `flutter_cache_manager` 3.4 with its database, whose settings are the defaults. The
/// database states no order for step 2; the policy takes the earliest touched first.
struct IdleTrim: TimedPolicy, VictimOrdered {
    private struct Record: BitwiseCopyable {
        /// In microseconds.
        var touched: Int64 = 0
        /// Whether it was stored or read since the launch.
        var isKnown = false
    }

    /// In the order of the last touch, the earliest at the back.
    private var queue = LinkedQueue()
    private var records = UncheckedArray(repeating: Record())
    private var sizes = SizeTable()
    private(set) var occupancy = Occupancy()
    /// `Int64.max` while none is scheduled.
    private var cleanup = Int64.max
    private let rules: IdleTrimRules

    init(_ rules: IdleTrimRules) { self.rules = rules }

    static var hasTimers: Bool { true }

    func contains(_ object: Int) -> Bool { queue.contains(object) }

    mutating func reserve(_ count: Int) {
        queue.reserve(count)
        records.reserve(count)
        sizes.reserve(count)
    }

    func prefetch(_ object: Int) { queue.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard queue.contains(access.object) else {
            schedule(at: access.time)
            return .miss
        }
        guard !records[access.object].isKnown else { return .hit }
        schedule(at: access.time)
        queue.remove(access.object)
        place(access.object, touched: access.time, isKnown: true)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        insert(access, touched: access.time, isKnown: true)
        return true
    }

    mutating func restore(_ access: Access, expiration: Int64?, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        insert(access, touched: expiration.map { $0 &- rules.lifetime } ?? access.time, isKnown: false)
        return true
    }

    func expiration(of object: Int) -> Int64? {
        queue.contains(object) ? records[object].touched &+ rules.lifetime : nil
    }

    /// Only the policy's own lifetime removes an object.
    mutating func setExpiration(of object: Int, to expiration: Int64) {}

    mutating func noteOuterExpiration(of object: Int, at expiration: Int64) {}

    mutating func advance(to time: Int64, _ sink: inout some EvictionSink) {
        guard time >= cleanup else { return }
        let due = cleanup
        cleanup = .max
        clean(at: due, &sink)
    }

    mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {}

    mutating func nextVictim() -> Int? { queue.back() }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }

    mutating func remove(_ object: Int) {
        guard queue.contains(object) else { return }
        queue.remove(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
    }

    mutating func clear() {
        queue.removeAll()
        occupancy = Occupancy()
    }

    mutating func relaunch(at time: Int64) {
        clear()
        cleanup = .max
    }

    private mutating func schedule(at time: Int64) {
        if cleanup == .max { cleanup = time &+ rules.delay }
    }

    private mutating func insert(_ access: Access, touched: Int64, isKnown: Bool) {
        sizes[access.object] = access.size
        occupancy.objects &+= 1
        occupancy.bytes &+= access.size
        place(access.object, touched: touched, isKnown: isKnown)
    }

    /// The object must not be in the queue. Nearly always it is the one that was touched last.
    private mutating func place(_ object: Int, touched: Int64, isKnown: Bool) {
        records[object] = Record(touched: touched, isKnown: isKnown)
        guard let front = queue.front(), records[front].touched > touched else { return queue.pushFront(object) }
        var later = front
        while let next = queue.behind(later), records[next].touched > touched { later = next }
        queue.push(object, behind: later)
    }

    private mutating func clean(at time: Int64, _ sink: inout some EvictionSink) {
        let surplus = surplus(at: time)
        let stale = objects(touchedBefore: time &- rules.lifetime, atMost: rules.batch)
        for object in surplus {
            remove(object)
            sink.evicted(object, .capacity)
        }
        for object in stale where queue.contains(object) {
            remove(object)
            sink.evicted(object, .expired)
        }
    }

    /// The objects beyond the number, in the order in which they leave.
    private func surplus(at time: Int64) -> [Int] {
        guard rules.count > 0, occupancy.objects > rules.count else { return [] }
        let idle = objects(touchedBefore: time &- rules.idle, atMost: .max)
        guard idle.count > rules.count else { return [] }
        return idle[..<(idle.count - rules.count)].suffix(rules.batch).reversed()
    }

    /// The earliest touched first.
    private func objects(touchedBefore date: Int64, atMost most: Int) -> [Int] {
        var found: [Int] = []
        var candidate = queue.back()
        while let object = candidate, records[object].touched < date, found.count < most {
            found.append(object)
            candidate = queue.ahead(of: object)
        }
        return found
    }
}

/// The rules of ``IdleTrim``; times in microseconds.
struct IdleTrimRules {
    /// 0 for no limit.
    var count: Int
    var idle: Int64
    var lifetime: Int64
    var delay: Int64
    /// The most objects that a step of a cleanup removes.
    var batch: Int
}

enum IdleTrimPolicy {
    static let entry = PolicyEntry(
        "idle-trim",
        """
        Stores without evicting. A cleanup after a read removes objects above the count that were idle, as \
        flutter_cache_manager does.
        """,
        parameters: [
            .integer("count", default: 200), .duration("idle", default: "1d"), .duration("lifetime", default: "30d"),
            .duration("delay", default: "10s"), .integer("batch", default: 100),
        ], zeroIsNoLimit: true
    ) { arguments in
        guard let delay = try arguments.duration("delay") else {
            throw arguments.error("delay is a duration such as 10s; idle-trim always cleans up", at: "delay")
        }
        // A quarter of all times: a date less a duration that never ends does not overflow.
        let never = Int64.max / 4
        let rules = IdleTrimRules(
            count: try arguments.integer("count", in: 0...Int.max), idle: try arguments.duration("idle") ?? never,
            lifetime: try arguments.duration("lifetime") ?? never, delay: delay,
            batch: try arguments.integer("batch", in: 1...Int.max))
        return IdleTrim(rules)
    }
}
