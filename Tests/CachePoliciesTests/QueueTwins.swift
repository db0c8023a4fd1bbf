import CachePolicies

/// Twins of queues, clocks and segments.
extension SlowTwinTests {
    static let queuePairs: [Pair] = [
        ("clock(4 objects)", SlowClock(most: 1, objects: 4)),
        ("clock(20B, 3 objects, bits: 2)", SlowClock(most: 3, bytes: 20, objects: 3)),
        ("clock(30B, bits: 4)", SlowClock(most: 15, bytes: 30)),
        ("fifo-reinsertion(20B)", SlowClock(most: 1, bytes: 20)),
        ("sieve(4 objects)", SlowSieve(objects: 4)),
        ("sieve(20B)", SlowSieve(bytes: 20)),
        ("sieve(30B, 5 objects)", SlowSieve(bytes: 30, objects: 5)),
    ]
}

/// An object in a twin's list.
struct SlowEntry {
    var object: Int
    var size: Int
    var uses = 0
}

extension [SlowEntry] {
    var bytes: Int { map(\.size).reduce(0, +) }

    func position(of object: Int) -> Int? { firstIndex { $0.object == object } }
}

/// A ring of objects and a hand that goes round. Who enters is put just behind the hand, where it will come last.
struct SlowClock: SlowTwin {
    var most: Int
    var bytes = Int.max
    var objects = Int.max
    var ring: [SlowEntry] = []
    /// Below the ring's count, or 0.
    var hand = 0

    var held: [Int] { ring.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let place = ring.position(of: access.object) else { return .miss }
        ring[place].uses = min(ring[place].uses + 1, most)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        guard access.size <= bytes, objects > 0 else { return [] }
        var victims: [Int] = []
        while ring.bytes + access.size > bytes || ring.count + 1 > objects {
            while ring[hand].uses > 0 {
                ring[hand].uses -= 1
                hand = (hand + 1) % ring.count
            }
            victims.append(ring[hand].object)
            remove(ring[hand].object)
        }
        ring.insert(SlowEntry(object: access.object, size: access.size), at: hand)
        hand = (hand + 1) % ring.count
        return victims
    }

    mutating func remove(_ object: Int) {
        guard let place = ring.position(of: object) else { return }
        ring.remove(at: place)
        if place < hand { hand -= 1 }
        if hand == ring.count { hand = 0 }
    }
}

/// Oldest first, and a hand that stands before the object it will look at next.
struct SlowSieve: SlowTwin {
    var bytes = Int.max
    var objects = Int.max
    var list: [SlowEntry] = []
    /// From 0 to the list's count: there it begins again at 0.
    var hand = 0

    var held: [Int] { list.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let place = list.position(of: access.object) else { return .miss }
        list[place].uses = 1
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        guard access.size <= bytes, objects > 0 else { return [] }
        var victims: [Int] = []
        while list.bytes + access.size > bytes || list.count + 1 > objects {
            if hand == list.count { hand = 0 }
            if list[hand].uses == 0 {
                victims.append(list.remove(at: hand).object)
                // A hand that has reached the end does not wait for newer objects.
                if hand == list.count { hand = 0 }
            } else {
                list[hand].uses = 0
                hand += 1
                if hand == list.count { hand = 0 }
            }
        }
        list.append(SlowEntry(object: access.object, size: access.size))
        return victims
    }

    mutating func remove(_ object: Int) {
        guard let place = list.position(of: object) else { return }
        list.remove(at: place)
        if place < hand { hand -= 1 }
        if hand == list.count { hand = 0 }
    }
}
