import CachePolicies

/// A policy again, in plain arrays, for comparison: slow, and right at a glance.
protocol SlowTwin {
    mutating func lookup(_ access: Access) -> Lookup
    /// Returns the victims, in order.
    mutating func admit(_ access: Access) -> [Int]
    mutating func advance(to time: Int64) -> [Int]
    mutating func remove(_ object: Int)
    var held: [Int] { get }
}

extension SlowTwin {
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

/// Lifetimes in a dictionary, around a list.
struct SlowTTL: SlowTwin {
    var inner: SlowQueue
    var rules: ExpirationRules
    var expirations: [Int: Int64] = [:]
    var swept: Int64 = 0

    var held: [Int] { inner.held }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let expiration = expirations[access.object] else { return .miss }
        if expiration <= access.time, rules.checkOnRead {
            remove(access.object)
            return .miss
        }
        _ = inner.lookup(access)
        if expiration <= access.time { return .staleHit }
        if rules.extendOnAccess { expirations[access.object] = access.time + rules.lifetime }
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let victims = inner.admit(access)
        expirations[access.object] = access.time + rules.lifetime
        expirations = expirations.filter { inner.held.contains($0.key) }
        return victims
    }

    mutating func advance(to time: Int64) -> [Int] {
        guard let sweep = rules.sweep, time / sweep > swept / sweep else { return [] }
        swept = time / sweep * sweep
        let expired = expirations.filter { $0.value <= swept }.map(\.key)
        for object in expired { remove(object) }
        return expired
    }

    mutating func remove(_ object: Int) {
        inner.remove(object)
        expirations[object] = nil
    }
}

struct SlowSplit: SlowTwin {
    var thumbnail: SlowQueue
    var full: SlowQueue

    var held: [Int] { thumbnail.held + full.held }

    mutating func lookup(_ access: Access) -> Lookup { access.variant == 0 ? thumbnail.lookup(access) : full.lookup(access) }

    mutating func admit(_ access: Access) -> [Int] { access.variant == 0 ? thumbnail.admit(access) : full.admit(access) }

    mutating func remove(_ object: Int) {
        thumbnail.remove(object)
        full.remove(object)
    }
}
