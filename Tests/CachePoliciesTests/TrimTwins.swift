import CachePolicies

/// Twins of stores that are trimmed, and of the NSCache models that have no other.
extension SlowTwinTests {
    static let trimPairs: [Pair] = [
        ("trim(20B)", SlowTrim(bytes: 20)),
        ("trim(20B, 3 objects)", SlowTrim(bytes: 20, objects: 3)),
        ("trim(0B, 3 objects, order: fifo)", SlowTrim(.fifo, objects: 3)),
        ("trim(20B, order: clock)", SlowTrim(.clock, bytes: 20)),
        ("trim(2 objects, order: clock)", SlowTrim(.clock, objects: 2)),
        ("trim(9 objects, to: 0.29)", SlowTrim(objects: 9, percent: 29)),
        ("trim(4 objects, below: true, atLimit: true)", SlowTrim(objects: 4, below: true, atLimit: true)),
        ("trim(4 objects, to: 0, below: true)", SlowTrim(objects: 4, percent: 0, below: true)),
        ("trim(20B, onStore: false, every: 7us)", SlowTrim(bytes: 20, onStore: false, every: 7)),
        (
            "trim(20B, order: clock, onStore: false, first: 3us, every: 7us)",
            SlowTrim(.clock, bytes: 20, onStore: false, first: 3, every: 7)
        ),
        (
            "trim(3 objects, granularity: 5us, onStore: false, every: 6us)",
            SlowTrim(objects: 3, granularity: 5, onStore: false, every: 6)
        ),
        ("trim(20B, granularity: 5us, to: 0.6)", SlowTrim(bytes: 20, granularity: 5, percent: 60)),
        ("trim(5 objects, order: expiry)", SlowTrim(.expiry, objects: 5)),
        ("trim(20B, order: age-size)", SlowTrim(.ageSize, bytes: 20)),
        (
            "trim(40B, order: age-size, granularity: 3us, from: 0.95, to: 0.5)",
            SlowTrim(.ageSize, bytes: 40, granularity: 3, percent: 50, from: 95)
        ),
        ("trim(40B, from: 0.7, to: 0.3)", SlowTrim(bytes: 40, percent: 30, from: 70)),
        ("trim(4 objects, order: clock, beforeStore: true)", SlowTrim(.clock, objects: 4, before: true)),
        (
            "ttl(trim(20B, order: expiry), lifetime: 9us, checkOnRead: false, extendOnAccess: true)",
            SlowTTL(
                inner: SlowTrim(.expiry, bytes: 20),
                rules: ExpirationRules(lifetime: 9, checkOnRead: false, extendOnAccess: true))
        ),
        (
            """
            ttl(trim(20B, order: expiry, onStore: false, every: 5us), lifetime: 9us, sweep: 4us, extendOnAccess: true, \
            granularity: 3us)
            """,
            SlowTTL(
                inner: SlowTrim(.expiry, bytes: 20, onStore: false, every: 5),
                rules: ExpirationRules(lifetime: 9, sweep: 4, extendOnAccess: true, granularity: 3))
        ),
        (
            "ttl(ttl(trim(20B, order: expiry), lifetime: 30us), lifetime: 12us)",
            SlowTTL(
                inner: SlowTTL(inner: SlowTrim(.expiry, bytes: 20), rules: ExpirationRules(lifetime: 30)),
                rules: ExpirationRules(lifetime: 12))
        ),
        (
            "ttl(lru(20B), lifetime: 6us, extendOnAccess: true, removeOnRead: false, granularity: 4us)",
            SlowTTL(
                inner: SlowQueue(bytes: 20),
                rules: ExpirationRules(lifetime: 6, extendOnAccess: true, removeOnRead: false, granularity: 4))
        ),
        ("nscache(cost: 20B, model: frequency)", SlowFrequencyNSCache(bytes: 20)),
        ("nscache(count: 9, model: frequency)", SlowFrequencyNSCache(objects: 9)),
        ("nscache(cost: 60B, count: 10, model: frequency)", SlowFrequencyNSCache(bytes: 60, objects: 10)),
        ("nscache(cost: 20B, count: 3, model: gnustep)", SlowQueue()),
        ("nscache(cost: 20B, model: gnustep, discardable: true)", SlowGNUstep(cost: 20)),
        ("nscache(count: 4, model: gnustep, discardable: true)", SlowGNUstep(count: 4)),
        ("nscache(cost: 50B, count: 8, model: gnustep, discardable: true)", SlowGNUstep(cost: 50, count: 8)),
        ("nscache(model: gnustep, discardable: true)", SlowGNUstep()),
    ]

    /// Among hundreds of objects.
    static let trimWidePairs: [Pair] = [
        ("nscache(cost: 400B, model: frequency)", SlowFrequencyNSCache(bytes: 400)),
        ("nscache(count: 150, model: frequency)", SlowFrequencyNSCache(objects: 150)),
        ("nscache(count: 70, model: gnustep, discardable: true)", SlowGNUstep(count: 70)),
        ("trim(150 objects, order: clock, to: 0.8)", SlowTrim(.clock, objects: 150, percent: 80)),
        ("trim(400B, granularity: 50us)", SlowTrim(bytes: 400, granularity: 50)),
        (
            "trim(400B, order: age-size, from: 0.95, to: 0.9)",
            SlowTrim(.ageSize, bytes: 400, percent: 90, from: 95)
        ),
    ]
}

/// A twin that also knows what happens to an app.
protocol SlowAppTwin: SlowTwin {
    /// Returns the victims, in order; those that have expired first, in any.
    mutating func background(at time: Int64) -> [Int]
    mutating func relaunch(at time: Int64)
    /// Returns the victims, in order.
    mutating func restore(_ access: Access, expiration: Int64) -> [Int]
}

/// A list in the order of storing, in which the next victim is searched by the words of the rule.
struct SlowTrim: SlowAppTwin {
    enum Order { case lru, fifo, clock, expiry, ageSize }

    struct Entry {
        var object: Int
        var size: Int
        /// nil: before the launch.
        var date: Int64?
        /// Counted through all accesses.
        var access: Int
        var isMarked = false
        var expiration: Int64?
    }

    var order: Order
    var bytes: Int
    var objects: Int
    var granularity: Int64
    var percent: Int
    var from: Int
    var below: Bool
    var atLimit: Bool
    var onStore: Bool
    var onBackground: Bool
    var before: Bool
    var first: Int64?
    var every: Int64?
    var interval: Int64?
    /// When the trim of `first` ran last, and when it had at the launch.
    var thisFirst: Int64?
    var lastFirst: Int64?
    var entries: [Entry] = []
    var accesses = 0
    var launch: Int64 = 0
    var now: Int64 = 0
    /// The latest time of any call.
    var latest: Int64 = 0

    init(
        _ order: Order = .lru, bytes: Int = .max, objects: Int = .max, granularity: Int64 = 1, percent: Int = 100,
        from: Int = 100, below: Bool = false,
        atLimit: Bool = false, onStore: Bool = true, before: Bool = false, onBackground: Bool = false,
        first: Int64? = nil, every: Int64? = nil, interval: Int64? = nil
    ) {
        (self.order, self.bytes, self.objects, self.granularity, self.percent) = (
            order, bytes, objects, granularity, percent
        )
        (self.below, self.atLimit, self.onStore, self.onBackground) = (below, atLimit, onStore, onBackground)
        self.from = from
        (self.before, self.first, self.every, self.interval) = (before, first, every, interval)
    }

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = entries.firstIndex(where: { $0.object == access.object }) else { return .miss }
        accesses += 1
        latest = max(latest, access.time)
        entries[index].access = accesses
        entries[index].date = access.time
        entries[index].isMarked = true
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        latest = max(latest, access.time)
        let victims = before ? trim() : []
        accesses += 1
        if order == .clock, let index = entries.firstIndex(where: { $0.object == access.object }) {
            entries[index].size = access.size
            entries[index].isMarked = true
        } else {
            remove(access.object)
            entries.append(Entry(object: access.object, size: access.size, date: access.time, access: accesses))
        }
        return onStore && !before ? trim() : victims
    }

    mutating func restore(_ access: Access, expiration: Int64) -> [Int] {
        accesses += 1
        latest = max(latest, access.time)
        remove(access.object)
        entries.append(
            Entry(
                object: access.object, size: access.size, date: order == .ageSize ? access.time : nil,
                access: accesses, expiration: expiration))
        return onStore && !before ? trim() : []
    }

    mutating func willExpire(_ object: Int, at expiration: Int64) {
        for index in entries.indices where entries[index].object == object { entries[index].expiration = expiration }
    }

    mutating func advance(to time: Int64) -> [Int] {
        var victims: [Int] = []
        latest = max(latest, time)
        while now < time {
            now += 1
            let age = now - launch
            let isRecent = if let interval, let lastFirst { launch - lastFirst < interval } else { false }
            let isFirst = age == first && !isRecent
            if age > 0, isFirst || every.map({ age % $0 == 0 }) == true { victims += trim() }
            if isFirst { thisFirst = now }
        }
        return victims
    }

    mutating func background(at time: Int64) -> [Int] {
        latest = max(latest, time)
        return onBackground ? trim() : []
    }

    mutating func relaunch(at time: Int64) {
        entries = []
        lastFirst = thisFirst
        (launch, now) = (time, time)
    }

    mutating func remove(_ object: Int) { entries.removeAll { $0.object == object } }

    private mutating func trim() -> [Int] {
        trim(limit: bytes) { $0.map(\.size).reduce(0, +) } + trim(limit: objects) { $0.count }
    }

    private mutating func trim(limit: Int, held: ([Entry]) -> Int) -> [Int] {
        guard limit != .max, held(entries) * 100 > limit * from || atLimit && held(entries) * 100 == limit * from else {
            return []
        }
        var victims: [Int] = []
        while !entries.isEmpty, below ? held(entries) * 100 >= limit * percent : held(entries) * 100 > limit * percent {
            victims.append(evictNext())
        }
        return victims
    }

    private mutating func evictNext() -> Int {
        if order == .clock {
            while entries[0].isMarked {
                entries[0].isMarked = false
                entries.append(entries.removeFirst())
            }
            return entries.removeFirst().object
        }
        // `min` takes the first of equals, and entries are in the order of storing.
        let keys = entries.map { entry -> Int64 in
            switch order {
            case .lru where granularity == 1: Int64(entry.access)
            case .lru: entry.date.map { $0 / granularity } ?? -1
            case .fifo, .clock: 0
            case .expiry: entry.expiration ?? .max
            case .ageSize:
                -(latest / granularity - (entry.date ?? 0) / granularity) * Int64(entry.size + 512)
            }
        }
        let lowest = keys.indices.min { keys[$0] < keys[$1] } ?? 0
        return entries.remove(at: lowest).object
    }
}

extension SlowTTL: SlowAppTwin where Inner: SlowAppTwin {
    mutating func background(at time: Int64) -> [Int] {
        let expired = removeExpired(at: time)
        let trimmed = inner.background(at: time)
        forgetDeparted()
        return expired + trimmed
    }

    mutating func relaunch(at time: Int64) {
        inner.relaunch(at: time)
        expirations = [:]
        isRelaunched = true
    }

    mutating func restore(_ access: Access, expiration: Int64) -> [Int] {
        let victims = inner.restore(access, expiration: .max)
        if inner.held.contains(access.object) { setExpiration(access.object, expiration) }
        forgetDeparted()
        return victims
    }
}

/// A list, least recently used first.
struct SlowFrequencyNSCache: SlowTwin {
    var bytes = Int.max
    var objects = Int.max
    var entries: [(object: Int, size: Int, uses: Int)] = []

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = held.firstIndex(of: access.object) else { return .miss }
        var entry = entries.remove(at: index)
        entry.uses += 1
        entries.append(entry)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        entries.append((access.object, access.size, 0))
        var victims: [Int] = []
        while entries.map(\.size).reduce(0, +) > bytes || entries.count > objects {
            let candidates = entries.prefix(min(8, max(1, entries.count / 4)))
            let fewest = candidates.map(\.uses).min() ?? 0
            let index = candidates.firstIndex { $0.uses == fewest } ?? 0
            for older in 0..<index { entries[older].uses -= 1 }
            victims.append(entries.remove(at: index).object)
        }
        return victims
    }

    mutating func remove(_ object: Int) { entries.removeAll { $0.object == object } }
}

/// GNUstep's map and list of accesses.
struct SlowGNUstep: SlowTwin {
    struct Entry {
        var size: Int
        var reads = 0
        var hasContent = true
    }

    var cost = 0
    var count = 0
    var map: [Int: Entry] = [:]
    var list: [Int] = []
    var totalCost = 0

    var held: [Int] { list.filter { map[$0]?.hasContent == true } }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let entry = map[access.object] else { return .miss }
        map[access.object]?.reads += 1
        guard entry.hasContent else { return .miss }
        list.removeAll { $0 == access.object }
        list.append(access.object)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        var victims: [Int] = []
        var needed = cost == 0 ? 0 : max(0, totalCost + access.size - cost)
        if !map.isEmpty, needed > 0 || map.count >= count {
            let mean = Double(map.values.map(\.reads).reduce(0, +)) / Double(map.count)
            for object in list where map[object]?.hasContent == true {
                guard let entry = map[object], Double(entry.reads) < (mean * 0.2 + 1).rounded(.down) else { continue }
                map[object]?.hasContent = false
                victims.append(object)
                totalCost -= entry.size
                if entry.size > needed { break }
                needed -= entry.size
            }
        }
        map[access.object] = Entry(size: access.size)
        list.append(access.object)
        totalCost += access.size
        return victims
    }

    mutating func remove(_ object: Int) {
        map[object] = nil
        list.removeAll { $0 == object }
    }
}
