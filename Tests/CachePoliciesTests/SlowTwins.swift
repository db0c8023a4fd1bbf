import CachePolicies

/// A policy again, in plain arrays, for comparison: slow, and right at a glance.
protocol SlowTwin {
    mutating func lookup(_ access: Access) -> Lookup
    /// Returns the victims, in order.
    mutating func admit(_ access: Access) -> [Int]
    mutating func advance(to time: Int64) -> [Int]
    mutating func remove(_ object: Int)
    mutating func willExpire(_ object: Int, at expiration: Int64)
    var held: [Int] { get }
}

extension SlowTwin {
    mutating func willExpire(_ object: Int, at expiration: Int64) {}

    mutating func advance(to time: Int64) -> [Int] { [] }
}

/// For each position that of the same object's next place in `objects`; `Int.max` where there is none.
func nextPositions(_ objects: [Int]) -> [Int] {
    objects.indices.map { index in objects[(index + 1)...].firstIndex(of: objects[index]) ?? .max }
}

/// LRU, FIFO and the NSCache queues: a list, oldest first.
struct SlowQueue: SlowTwin {
    var bytes = Int.max
    var objects = Int.max
    var movesOnHit = true
    var trimsAfterwards = false
    var entries: [(object: Int, size: Int)] = []

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = entries.firstIndex(where: { $0.object == access.object }) else { return .miss }
        if movesOnHit { entries.append(entries.remove(at: index)) }
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if !trimsAfterwards, access.size > bytes || objects < 1 { return [] }
        entries.append((access.object, access.size))
        var victims: [Int] = []
        while entries.map(\.size).reduce(0, +) > bytes || entries.count > objects {
            victims.append(entries.removeFirst().object)
        }
        return victims
    }

    mutating func remove(_ object: Int) { entries.removeAll { $0.object == object } }
}

/// The list of corelibs' NSCache, literally: rising cost, newest first among equals.
struct SlowCorelibs: SlowTwin {
    var bytes = Int.max
    var objects = Int.max
    var entries: [(object: Int, size: Int)] = []

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup { held.contains(access.object) ? .hit : .miss }

    mutating func admit(_ access: Access) -> [Int] {
        if entries.first(where: { $0.object == access.object })?.size != access.size {
            remove(access.object)
            let place = entries.firstIndex { $0.size >= access.size } ?? entries.count
            entries.insert((access.object, access.size), at: place)
        }
        var victims: [Int] = []
        while entries.map(\.size).reduce(0, +) > bytes { victims.append(entries.removeFirst().object) }
        while entries.count > objects { victims.append(entries.removeFirst().object) }
        return victims
    }

    mutating func remove(_ object: Int) { entries.removeAll { $0.object == object } }
}

/// Lifetimes in a dictionary, around another twin; time passes by single microseconds.
struct SlowTTL<Inner: SlowTwin & Sendable>: SlowTwin, Sendable {
    var inner: Inner
    var rules: ExpirationRules
    var expirations: [Int: Int64] = [:]
    var now: Int64 = 0
    /// Whether there was no sweep since: the last one that was missed comes with the first word of time.
    var isRelaunched = false

    var held: [Int] { inner.held }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let expiration = expirations[access.object] else { return .miss }
        if expiration <= access.time, rules.checkOnRead {
            if rules.removeOnRead { remove(access.object) }
            return .miss
        }
        _ = inner.lookup(access)
        if rules.extendOnAccess { renew(access) }
        return expiration <= access.time ? .staleHit : .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let victims = inner.admit(access)
        if inner.held.contains(access.object) { renew(access) }
        forgetDeparted()
        return victims
    }

    mutating func advance(to time: Int64) -> [Int] {
        var victims: [Int] = []
        if let sweep = rules.sweep, isRelaunched, now >= sweep { victims += removeExpired(at: now - now % sweep) }
        isRelaunched = false
        while now < time {
            now += 1
            victims += inner.advance(to: now)
            forgetDeparted()
            if let sweep = rules.sweep, now % sweep == 0 { victims += removeExpired(at: now) }
        }
        return victims
    }

    mutating func removeExpired(at time: Int64) -> [Int] {
        let expired = expirations.filter { $0.value <= time }.map(\.key)
        for object in expired { remove(object) }
        return expired
    }

    mutating func remove(_ object: Int) {
        inner.remove(object)
        expirations[object] = nil
    }

    mutating func setExpiration(_ object: Int, _ expiration: Int64) {
        expirations[object] = expiration
        inner.willExpire(object, at: expiration)
    }

    mutating func forgetDeparted() { expirations = expirations.filter { inner.held.contains($0.key) } }

    private mutating func renew(_ access: Access) {
        let end = access.time + rules.lifetime
        setExpiration(access.object, (end...).first { $0 % rules.granularity == 0 } ?? end)
    }
}

struct SlowSplit: SlowTwin {
    var thumbnail: SlowQueue
    var full: SlowQueue

    var held: [Int] { thumbnail.held + full.held }

    mutating func lookup(_ access: Access) -> Lookup {
        access.variant == 0 ? thumbnail.lookup(access) : full.lookup(access)
    }

    mutating func admit(_ access: Access) -> [Int] {
        access.variant == 0 ? thumbnail.admit(access) : full.admit(access)
    }

    mutating func remove(_ object: Int) {
        thumbnail.remove(object)
        full.remove(object)
    }
}
