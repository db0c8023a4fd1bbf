/// Stores objects without making room, and trims on triggers, as most image libraries' caches do, above all on disk.
/// Between two triggers it may hold more than its limits.
///
/// On a trigger, if a limit is exceeded, objects leave in their order (``TrimOrder``) until at most `to` times the
/// limit is held: for bytes first, then for objects. With `atLimit` the trim also starts when exactly the limit is
/// held; with `below` it continues until less than the target is held. With `from`, the trim starts above that share of
/// the limit instead. A limit of 0 is no limit. An object larger than the limit is stored like any other; a trim by
/// accesses or by storing evicts all other objects before it.
///
/// Triggers:
/// - `onStore`: after each store, restored objects included. With `beforeStore`, the trim runs before the store, so
///   the new object counts only at the next store; restored objects trigger nothing.
/// - `first`, `every`: a timer that starts with the app (``LaunchTimer``): once `first` after the start, and at each
///   multiple of `every`. A start within `interval` of the last trim by `first` skips it, also across launches.
/// - `onBackground`: when the app enters the background.
///
/// Orders:
/// - `lru`, `fifo`: the object whose last access, or whose storing, is longest ago leaves first. Storing an object
///   again is both.
/// - `clock`: as in Nuke since 13.0.5, see ``ClockOrder``.
/// - `expiry`: the object that expires first by the `ttl` around this policy leaves first; of equal dates, and without
///   a `ttl`, the object that was stored first.
/// - `age-size`: as in Chromium's disk cache, see ``AgeSizeOrder``.
///
/// `granularity` is for `lru` and `age-size`: dates of access are kept in such units, rounded down, and of equal dates
/// the object that was stored first leaves first, however often it was read. Trace time 0 counts as a whole unit. `1us`
/// keeps the exact order of accesses.
///
/// `sums32`: bytes are summed in 32 bits with a sign, as in YYDiskCache: above 2 GiB the sum is negative, and nothing
/// is trimmed.
///
/// These policies are the stores of libraries:
///
/// | store | policy |
/// |---|---|
/// | Nuke 12, YYMemoryCache; PINCache, memory and disk | `trim(size)` |
/// | Nuke from 13.0.5, memory | `trim(size, order: clock)` |
/// | AlamofireImage 4, memory | `trim(100MB, to: 0.6)` |
/// | Kingfisher 8, disk | `ttl(trim(size, to: 0.5, atLimit: true, onStore: false, onBackground: true), …)` |
/// | SDWebImage 5, disk | `ttl(trim(size, to: 0.5, below: true, onStore: false, onBackground: true), …)` |
/// | Nuke DataCache | `trim(150MiB, to: 0.7, onStore: false, first: 5s, interval: 30min)` |
/// | YYDiskCache | `trim(size, granularity: 1s, onStore: false, every: 60s)` |
/// | Fresco, disk | `trim(40MiB, to: 0.9, below: true, beforeStore: true)` |
/// | hyperoslo Cache 7, disk (on request) | `ttl(trim(size, order: expiry, to: 0.5, below: true, onStore: false, …),
/// …)` |
/// | Chromium, disk | `trim(size, order: age-size, granularity: 1s, from: 0.95, to: 0.9)` |
///
/// YYDiskCache asks its database for 16 victims at a time, but removes only as many as it must, so the result is the
/// same. Kingfisher rounds dates of access up to whole seconds, so the order of files accessed within one second is
/// undefined.
struct Trim<Order: TrimOrder>: TimedPolicy, VictimOrdered {
    private var order: Order
    private var sizes = SizeTable()
    private(set) var occupancy = Occupancy()
    private var timer: LaunchTimer
    /// The content at which a trim starts, and the content at which it ends.
    private let start: Limits
    private let target: Limits
    private let sums32: Bool
    private let onStore: Bool
    private let beforeStore: Bool
    private let onBackground: Bool

    init(_ order: Order, _ rules: TrimRules) {
        self.order = order
        start = rules.start
        target = rules.target
        sums32 = rules.sums32
        onStore = rules.onStore && !rules.beforeStore
        beforeStore = rules.onStore && rules.beforeStore
        onBackground = rules.onBackground
        timer = LaunchTimer(first: rules.first, every: rules.every, interval: rules.interval)
    }

    static var hasTimers: Bool { true }

    var nextTimer: Int64 { Order.usesTime ? .min : timer.next }

    func contains(_ object: Int) -> Bool { order.contains(object) }

    mutating func reserve(_ count: Int) {
        order.reserve(count)
        sizes.reserve(count)
    }

    func prefetch(_ object: Int) { order.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard order.contains(access.object) else { return .miss }
        order.hit(access)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        if beforeStore { trim(&sink) }
        if order.contains(access.object) {
            occupancy.bytes &-= sizes[access.object]
            order.replace(access)
        } else {
            occupancy.objects &+= 1
            order.insert(access)
        }
        return count(access, &sink)
    }

    mutating func restore(_ access: Access, expiration: Int64?, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        occupancy.objects &+= 1
        order.restore(access, expiration: expiration)
        return count(access, &sink)
    }

    func expiration(of object: Int) -> Int64? { nil }

    mutating func setExpiration(of object: Int, to expiration: Int64) {}

    mutating func noteOuterExpiration(of object: Int, at expiration: Int64) {
        if order.contains(object) { order.noteExpiration(of: object, at: expiration) }
    }

    mutating func advance(to time: Int64, _ sink: inout some EvictionSink) {
        order.passTime(to: time)
        if timer.isDue(by: time) { trim(&sink) }
    }

    mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {
        order.passTime(to: time)
        if onBackground { trim(&sink) }
    }

    mutating func nextVictim() -> Int? { order.next }

    mutating func remove(_ object: Int) {
        guard order.contains(object) else { return }
        order.remove(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
    }

    mutating func clear() {
        order.removeAll()
        occupancy = Occupancy()
    }

    mutating func relaunch(at time: Int64) {
        clear()
        timer.restart(at: time)
    }

    /// The type of the order is looked up once per run, instead of at every access as in generic code.
    mutating func run(_ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts) {
        let isKnown =
            run(as: Trim<QueueOrder>.self, requests, range, into: &counts)
            || run(as: Trim<ClockOrder>.self, requests, range, into: &counts)
            || run(as: Trim<DateOrder>.self, requests, range, into: &counts)
            || run(as: Trim<AgeSizeOrder>.self, requests, range, into: &counts)
        if !isKnown { timedLoop(requests, range, into: &counts) }
    }

    private mutating func run<Known: TimedPolicy>(
        as known: Known.Type, _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) -> Bool {
        guard var policy = self as? Known else { return false }
        policy.timedLoop(requests, range, into: &counts)
        if let policy = policy as? Self { self = policy }
        return true
    }

    /// Counts the size of an object that has entered the order, and returns whether the object stays.
    private mutating func count(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        sizes[access.object] = access.size
        occupancy.bytes &+= access.size
        guard onStore else { return true }
        trim(&sink)
        return order.contains(access.object)
    }

    private mutating func trim(_ sink: inout some EvictionSink) {
        if countedBytes >= start.bytes {
            while countedBytes > target.bytes, evictNext(&sink) {}
        }
        if occupancy.objects >= start.objects {
            while occupancy.objects > target.objects, evictNext(&sink) {}
        }
    }

    /// The bytes held, as the cache counts them.
    private var countedBytes: Int { sums32 ? Int(Int32(truncatingIfNeeded: occupancy.bytes)) : occupancy.bytes }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = order.removeNext() else { return false }
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[victim]
        sink.evicted(victim, .capacity)
        return true
    }
}

/// The rules of ``Trim``; times in microseconds.
struct TrimRules {
    /// `Int.max` for none.
    var limits: Limits
    /// The share of a limit above which a trim starts, from 0 to 1.
    var from = 1.0
    /// The share of a limit that may stay, from 0 to 1.
    var share = 1.0
    var below = false
    var atLimit = false
    var onStore = true
    var beforeStore = false
    var onBackground = false
    var sums32 = false
    /// nil: never.
    var first: Int64?
    var every: Int64?
    /// nil: none.
    var interval: Int64?

    /// The content at which a trim starts.
    var start: Limits {
        func start(_ limit: Int) -> Int {
            limit == .max ? limit : Self.part(from, of: limit) + (atLimit ? 0 : 1)
        }
        return Limits(bytes: start(limits.bytes), objects: start(limits.objects))
    }

    /// The largest content after a trim. If a limit is below 0, all objects leave.
    var target: Limits {
        func target(_ limit: Int) -> Int { Self.part(share, of: limit) - (below ? 1 : 0) }
        return Limits(bytes: target(limits.bytes), objects: target(limits.objects))
    }

    /// Returns a share of a limit, rounded down.
    private static func part(_ share: Double, of limit: Int) -> Int {
        // The number above a product in binary is not less than the product in decimal: 0.29 of 100 is 29, not 28.99….
        share == 1 ? limit : min(Int(exactly: (Double(limit) * share).nextUp.rounded(.down)) ?? limit, limit)
    }
}

enum TrimPolicy {
    static let entry = PolicyEntry(
        "trim", "Stores first, and trims on triggers: a store, a timer, or the background, as image libraries do.",
        parameters: [
            .limits, .choice("order", ["lru", "fifo", "clock", "expiry", "age-size"], default: "lru"),
            .duration("granularity", default: "1us"), .fraction("from", default: 1),
            .fraction("to", default: 1), .flag("below", default: false), .flag("atLimit", default: false),
            .flag("onStore", default: true), .flag("beforeStore", default: false),
            .flag("onBackground", default: false), .flag("sums32", default: false),
            .duration("first", default: "never"),
            .duration("every", default: "never"),
            .duration("interval", default: "never"),
        ], zeroIsNoLimit: true
    ) { arguments in
        func limit(_ value: Int) -> Int { value == 0 ? .max : value }
        let limits = try arguments.limits()
        let rules = TrimRules(
            limits: Limits(bytes: limit(limits.bytes), objects: limit(limits.objects)),
            from: try arguments.fraction("from"), share: try arguments.fraction("to"),
            below: try arguments.flag("below"), atLimit: try arguments.flag("atLimit"),
            onStore: try arguments.flag("onStore"), beforeStore: try arguments.flag("beforeStore"),
            onBackground: try arguments.flag("onBackground"), sums32: try arguments.flag("sums32"),
            first: try arguments.duration("first"),
            every: try arguments.duration("every"), interval: try arguments.duration("interval"))
        guard rules.onStore || !rules.beforeStore else {
            throw arguments.context.error(
                "beforeStore: true moves the trim of a store, so it needs onStore: true", at: arguments.spec.column)
        }
        guard rules.share <= rules.from else {
            throw arguments.error("to: is at most from:, so that a trim evicts what it starts for", at: "to")
        }
        guard rules.first != nil || rules.interval == nil else {
            throw arguments.context.error(
                "interval: is the least time between two trims by first:, so it needs first:",
                at: arguments.spec.column)
        }
        guard rules.onStore || rules.onBackground || rules.first != nil || rules.every != nil else {
            throw arguments.context.error(
                "trim would never trim: with onStore: false it needs onBackground: true, first: or every:",
                at: arguments.spec.column)
        }
        let granularity = try arguments.granularity()
        return switch try arguments.choice("order") {
        case "lru" where granularity > 1: Trim(DateOrder(.lastAccess(granularity: granularity)), rules)
        case "clock": Trim(ClockOrder(), rules)
        case "expiry": Trim(DateOrder(.expiration), rules)
        case "age-size": Trim(AgeSizeOrder(granularity: granularity), rules)
        case let order: Trim(QueueOrder(movesOnHit: order == "lru"), rules)
        }
    }
}
