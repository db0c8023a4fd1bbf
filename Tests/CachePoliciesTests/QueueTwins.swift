import Basics
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
        ("sieve(20B, k: 3)", SlowSieve(most: 3, bytes: 20)),
        ("sieve(30B, 5 objects, k: 15)", SlowSieve(most: 15, bytes: 30, objects: 5)),
        ("slru(7 objects)", SlowSegments(form: .paper, segments: 4, objects: 7)),
        ("slru(30B, segments: 3)", SlowSegments(form: .paper, segments: 3, bytes: 30)),
        ("slru(2 objects, segments: 9)", SlowSegments(form: .paper, segments: 9, objects: 2)),
        ("slru(41B, compat: libcachesim)", SlowSegments(form: .libCacheSim, segments: 4, bytes: 41)),
        ("s4lru(7 objects)", SlowSegments(form: .facebook, segments: 4, objects: 7)),
        ("s4lru(1 objects)", SlowSegments(form: .facebook, segments: 4, objects: 1)),
        ("s4lru(43B)", SlowSegments(form: .facebook, segments: 4, bytes: 43)),
        ("2q(5 objects)", SlowTwoQ(kin: 1, kout: 2, objects: 5)),
        ("2q(8 objects, in: 0.5, out: 1)", SlowTwoQ(kin: 4, kout: 8, objects: 8)),
        ("2q(1 objects)", SlowTwoQ(kin: 0, kout: 0, objects: 1)),
        ("2q(30B)", SlowTwoQ(kin: 7, kout: 15, bytes: 30)),
        ("2q(30B, 4 objects)", SlowTwoQ(kin: 7, kout: 15, bytes: 30, objects: 4)),
        ("2q(30B, compat: libcachesim)", SlowTwoQ(kin: 7, kout: 15, main: 23, bytes: 30)),
        ("s3fifo(5 objects)", SlowWindow(small: 0, ghost: 4, objects: 5)),
        ("s3fifo(8 objects, small: 0.25, threshold: 1)", SlowWindow(small: 2, ghost: 7, threshold: 1, objects: 8)),
        ("s3fifo(1 objects)", SlowWindow(small: 0, ghost: 0, objects: 1)),
        ("s3fifo(30B)", SlowWindow(small: 3, ghost: 27, bytes: 30)),
        (
            "s3fifo(40B, 5 objects, small: 0.5, threshold: 4)",
            SlowWindow(small: 20, ghost: 36, threshold: 4, bytes: 40, objects: 5)
        ),
        (
            "s3fifo(40B, small: 0.3, threshold: 1, compat: libcachesim-2024-10)",
            SlowWindow(small: 12, ghost: 36, threshold: 1, isLibCacheSim: true, is2024: true, bytes: 40)
        ),
        (
            "s3fifo(40B, small: 0.3, compat: libcachesim)",
            SlowWindow(small: 12, ghost: 36, isLibCacheSim: true, bytes: 40)
        ),
        ("qdlp(5 objects)", SlowQDLP(main: 4, ghost: 4, objects: 5)),
        ("qdlp(8 objects, small: 0.5, bits: 1)", SlowQDLP(main: 4, ghost: 7, most: 1, objects: 8)),
        ("qdlp(1 objects)", SlowQDLP(main: 0, ghost: 0, objects: 1)),
        ("qdlp(40B, small: 0.25)", SlowQDLP(main: 30, ghost: 36, bytes: 40)),
        (
            "qdlp(40B, 4 objects, small: 0.25, threshold: 2)",
            SlowQDLP(main: 30, ghost: 36, threshold: 2, bytes: 40, objects: 4)
        ),
        ("qdlp(40B, small: 0.25, compat: libcachesim)", SlowQDLP(main: 30, ghost: 36, isLibCacheSim: true, bytes: 40)),
        ("mq(4 objects, lifetime: 3)", SlowMQ(queues: 8, lifetime: 3, out: 16, objects: 4)),
        ("mq(5 objects, queues: 2, out: 1)", SlowMQ(queues: 2, lifetime: 0, out: 5, objects: 5)),
        ("mq(30B)", SlowMQ(queues: 8, lifetime: 0, out: 120, bytes: 30)),
        (
            "mq(30B, 4 objects, queues: 3, lifetime: 9, out: 0)",
            SlowMQ(queues: 3, lifetime: 9, out: 0, bytes: 30, objects: 4)
        ),
        ("mru(4 objects)", SlowMRU(objects: 4)),
        ("mru(20B)", SlowMRU(bytes: 20)),
        ("random(4 objects)", SlowRandom(random: SplitMix64(seed: 0), objects: 4)),
        ("random(20B, seed: 5)", SlowRandom(random: SplitMix64(seed: 5), bytes: 20)),
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
    /// How many hits count.
    var most = 1
    var bytes = Int.max
    var objects = Int.max
    var list: [SlowEntry] = []
    /// From 0 to the list's count: there it begins again at 0.
    var hand = 0

    var held: [Int] { list.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let place = list.position(of: access.object) else { return .miss }
        list[place].uses = min(list[place].uses + 1, most)
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
                list[hand].uses -= 1
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

/// Segments as arrays, most recent first, lowest segment first.
struct SlowSegments: SlowTwin {
    enum Form { case paper, libCacheSim, facebook }

    var form: Form
    var segments: Int
    var bytes = Int.max
    var objects = Int.max
    var lists: [[SlowEntry]]

    init(form: Form, segments: Int, bytes: Int = .max, objects: Int = .max) {
        self.form = form
        self.segments = segments
        self.bytes = bytes
        self.objects = objects
        lists = Array(repeating: [], count: segments)
    }

    var held: [Int] { lists.joined().map(\.object) }

    /// What a list weighs, in bytes if these are limited.
    private func weight(_ list: some Sequence<SlowEntry>) -> Int {
        bytes == .max ? Array(list).count : Array(list).bytes
    }

    private var capacity: Int { bytes == .max ? objects : bytes }

    private func most(_ segment: Int) -> Int {
        if segment > 0 || form == .libCacheSim { return capacity / segments }
        return form == .paper ? capacity : capacity - (segments - 1) * (capacity / segments)
    }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let segment = lists.firstIndex(where: { $0.position(of: access.object) != nil }),
            let place = lists[segment].position(of: access.object)
        else { return .miss }
        let entry = lists[segment].remove(at: place)
        let lifts = segment + 1 < segments && weight([entry]) <= most(segment + 1)
        lists[segment + (lifts ? 1 : 0)].insert(entry, at: 0)
        let lowest = lists[0]
        for upper in lists.indices.dropFirst().reversed() {
            while weight(lists[upper]) > most(upper) { lists[upper - 1].insert(lists[upper].removeLast(), at: 0) }
        }
        // Who sinks may push others out; the lowest of libCacheSim may stand above its share as long as no object does.
        if lists[0].first?.object != lowest.first?.object {
            while weight(lists[0]) > most(0) { lists[0].removeLast() }
        }
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        let entry = SlowEntry(object: access.object, size: access.size)
        guard access.size <= bytes, objects > 0, weight([entry]) <= most(0) else { return [] }
        var victims: [Int] = []
        while Array(lists.joined()).bytes + access.size > bytes || held.count + 1 > objects {
            guard let lowest = lists.firstIndex(where: { !$0.isEmpty }) else { return [] }
            victims.append(lists[lowest].removeLast().object)
        }
        if form == .libCacheSim {
            let roomy = lists.indices.first { weight(lists[$0] + [entry]) <= most($0) }
            lists[roomy ?? 0].insert(entry, at: 0)
        } else {
            while weight(lists[0] + [entry]) > most(0) { victims.append(lists[0].removeLast().object) }
            lists[0].insert(entry, at: 0)
        }
        return victims
    }

    mutating func remove(_ object: Int) {
        for segment in lists.indices { lists[segment].removeAll { $0.object == object } }
    }
}

/// The paper's procedure, over arrays; newest first.
struct SlowTwoQ: SlowTwin {
    var kin: Int
    var kout: Int
    /// The bound of Am in libCacheSim's form.
    var main: Int?
    var bytes = Int.max
    var objects = Int.max
    var a1in: [SlowEntry] = []
    var a1out: [SlowEntry] = []
    var am: [SlowEntry] = []

    var held: [Int] { (a1in + am).map(\.object) }

    private func weight(_ list: [SlowEntry]) -> Int { bytes == .max ? list.count : list.bytes }

    mutating func lookup(_ access: Access) -> Lookup {
        if let place = am.position(of: access.object) {
            am.insert(am.remove(at: place), at: 0)
            return .hit
        }
        return a1in.position(of: access.object) == nil ? .miss : .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let remembered = a1out.position(of: access.object) != nil
        remove(access.object)
        let entry = SlowEntry(object: access.object, size: access.size)
        guard access.size <= bytes, objects > 0, main == nil || weight([entry]) <= kin else { return [] }
        var victims: [Int] = []
        while (a1in + am).bytes + access.size > bytes || held.count + 1 > objects {
            if weight(a1in) > kin || am.isEmpty {
                let victim = a1in.removeLast()
                victims.append(victim.object)
                if weight([victim]) <= kout {
                    while weight(a1out + [victim]) > kout { a1out.removeLast() }
                    a1out.insert(victim, at: 0)
                }
            } else {
                victims.append(am.removeLast().object)
            }
        }
        if let main, remembered {
            while weight(am + [entry]) > main { victims.append(am.removeLast().object) }
        }
        if remembered { am.insert(entry, at: 0) } else { a1in.insert(entry, at: 0) }
        return victims
    }

    mutating func remove(_ object: Int) {
        a1in.removeAll { $0.object == object }
        a1out.removeAll { $0.object == object }
        am.removeAll { $0.object == object }
    }
}

/// A FIFO, a clock and ghosts, as arrays; newest first.
struct SlowQDLP: SlowTwin {
    var main: Int
    var ghost: Int
    var threshold = 1
    var most = 3
    var isLibCacheSim = false
    var bytes = Int.max
    var objects = Int.max
    var fifo: [SlowEntry] = []
    var clock: [SlowEntry] = []
    var ghosts: [SlowEntry] = []
    var victims: [Int] = []

    var held: [Int] { (fifo + clock).map(\.object) }

    private func weight(_ list: [SlowEntry]) -> Int { bytes == .max ? list.count : list.bytes }

    private var capacity: Int { bytes == .max ? objects : bytes }

    mutating func lookup(_ access: Access) -> Lookup {
        if let place = fifo.position(of: access.object) {
            fifo[place].uses += 1
            return .hit
        }
        guard let place = clock.position(of: access.object) else { return .miss }
        clock[place].uses = min(clock[place].uses + 1, most)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        victims = []
        let remembered = ghosts.position(of: access.object) != nil
        remove(access.object)
        let entry = SlowEntry(object: access.object, size: access.size)
        guard access.size <= bytes, objects > 0, !isLibCacheSim || weight([entry]) <= capacity - main else { return [] }
        func isFull() -> Bool { (fifo + clock).bytes + access.size > bytes || held.count + 1 > objects }
        if isLibCacheSim {
            while isFull() { fifo.isEmpty ? leaveClock() : leaveFIFO() }
            if !remembered, weight([entry]) >= capacity - main { return victims }
        }
        if remembered {
            while !clock.isEmpty, weight(clock + [entry]) > main { leaveClock() }
        } else if !isLibCacheSim {
            while !fifo.isEmpty, weight(fifo + [entry]) > capacity - main { leaveFIFO() }
        }
        while isFull() {
            if clock.isEmpty { victims.append(fifo.removeLast().object) } else { leaveClock() }
        }
        if remembered { clock.insert(entry, at: 0) } else { fifo.insert(entry, at: 0) }
        return victims
    }

    private mutating func leaveFIFO() {
        var oldest = fifo.removeLast()
        if oldest.uses >= threshold {
            while !clock.isEmpty, weight(clock + [oldest]) > main { leaveClock() }
            oldest.uses = 0
            clock.insert(oldest, at: 0)
        } else {
            victims.append(oldest.object)
            guard weight([oldest]) <= ghost else { return }
            while weight(ghosts + [oldest]) > ghost { ghosts.removeLast() }
            ghosts.insert(oldest, at: 0)
        }
    }

    private mutating func leaveClock() {
        while var oldest = clock.popLast() {
            if oldest.uses == 0 { return victims.append(oldest.object) }
            oldest.uses -= 1
            clock.insert(oldest, at: 0)
        }
    }

    mutating func remove(_ object: Int) {
        fifo.removeAll { $0.object == object }
        clock.removeAll { $0.object == object }
        ghosts.removeAll { $0.object == object }
    }
}

/// The paper's queues as arrays, most recent first.
struct SlowMQ: SlowTwin {
    struct Block {
        var object: Int
        var size: Int
        var frequency: Int
        var expireTime: Int
    }

    var lifetime: Int
    var out: Int
    var bytes = Int.max
    var objects = Int.max
    var lists: [[Block]]
    var qout: [Block] = []
    var currentTime = 0

    init(queues: Int, lifetime: Int, out: Int, bytes: Int = .max, objects: Int = .max) {
        (self.lifetime, self.out, self.bytes, self.objects) = (lifetime, out, bytes, objects)
        lists = Array(repeating: [], count: queues)
    }

    var held: [Int] { lists.joined().map(\.object) }

    private var lifeTime: Int { lifetime > 0 ? lifetime : 2 * held.count }

    private func weight(_ list: [Block]) -> Int { bytes == .max ? list.count : list.map(\.size).reduce(0, +) }

    private func queue(_ frequency: Int) -> Int {
        var logarithm = 0
        while 1 << (logarithm + 1) <= frequency { logarithm += 1 }
        return min(logarithm, lists.count - 1)
    }

    mutating func lookup(_ access: Access) -> Lookup {
        currentTime += 1
        for k in lists.indices.dropFirst() {
            guard let last = lists[k].last, last.expireTime < currentTime else { continue }
            var sinking = lists[k].removeLast()
            // Sinking, it is held all the while.
            sinking.expireTime = currentTime + (lifetime > 0 ? lifetime : 2 * (held.count + 1))
            lists[k - 1].insert(sinking, at: 0)
        }
        for k in lists.indices {
            guard let place = lists[k].firstIndex(where: { $0.object == access.object }) else { continue }
            lists[k][place].frequency += 1
            lists[k][place].expireTime = currentTime + lifeTime
            let block = lists[k].remove(at: place)
            lists[queue(block.frequency)].insert(block, at: 0)
            return .hit
        }
        return .miss
    }

    mutating func admit(_ access: Access) -> [Int] {
        let frequency = (qout.first { $0.object == access.object }?.frequency ?? 0) + 1
        remove(access.object)
        guard access.size <= bytes, objects > 0 else { return [] }
        var victims: [Int] = []
        while lists.joined().map(\.size).reduce(0, +) + access.size > bytes || held.count + 1 > objects {
            guard let lowest = lists.firstIndex(where: { !$0.isEmpty }) else { return [] }
            let victim = lists[lowest].removeLast()
            victims.append(victim.object)
            guard weight([victim]) <= out else { continue }
            while weight(qout + [victim]) > out { qout.removeLast() }
            qout.insert(victim, at: 0)
        }
        let block = Block(
            object: access.object, size: access.size, frequency: frequency, expireTime: currentTime + lifeTime)
        lists[queue(frequency)].insert(block, at: 0)
        return victims
    }

    mutating func remove(_ object: Int) {
        for k in lists.indices { lists[k].removeAll { $0.object == object } }
        qout.removeAll { $0.object == object }
    }
}

/// Most recent last, and the last leaves.
struct SlowMRU: SlowTwin {
    var bytes = Int.max
    var objects = Int.max
    var list: [SlowEntry] = []

    var held: [Int] { list.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let place = list.position(of: access.object) else { return .miss }
        list.append(list.remove(at: place))
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        guard access.size <= bytes, objects > 0 else { return [] }
        var victims: [Int] = []
        while list.bytes + access.size > bytes || list.count + 1 > objects { victims.append(list.removeLast().object) }
        list.append(SlowEntry(object: access.object, size: access.size))
        return victims
    }

    mutating func remove(_ object: Int) { list.removeAll { $0.object == object } }
}

/// An array, of which the drawn one leaves and the last takes its place. Draws what the policy draws.
struct SlowRandom: SlowTwin {
    var random: SplitMix64
    var bytes = Int.max
    var objects = Int.max
    var list: [SlowEntry] = []

    var held: [Int] { list.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup { list.position(of: access.object) == nil ? .miss : .hit }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        guard access.size <= bytes, objects > 0 else { return [] }
        var victims: [Int] = []
        while list.bytes + access.size > bytes || list.count + 1 > objects {
            victims.append(list[random.next(below: list.count)].object)
            remove(victims[victims.count - 1])
        }
        list.append(SlowEntry(object: access.object, size: access.size))
        return victims
    }

    mutating func remove(_ object: Int) {
        guard let place = list.position(of: object) else { return }
        list.swapAt(place, list.count - 1)
        list.removeLast()
    }
}
