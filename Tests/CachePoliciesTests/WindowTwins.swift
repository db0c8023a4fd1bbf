import CachePolicies

/// Twins of queues with a window in which hits do not count.
extension SlowTwinTests {
    static let windowPairs: [Pair] = [
        // With its defaults it is S3-FIFO.
        ("s4fifo(5 objects)", SlowWindow(small: 0, ghost: 4, objects: 5)),
        ("s4fifo(8 objects, small: 0.25, threshold: 1)", SlowWindow(small: 2, ghost: 7, threshold: 1, objects: 8)),
        ("s4fifo(30B)", SlowWindow(small: 3, ghost: 27, bytes: 30)),
        ("s4fifo(1 objects, skip: 1, ghostThreshold: 1)", SlowWindow(small: 0, ghost: 0, objects: 1)),
        (
            "s4fifo(8 objects, small: 0.75, ghost: 3, skip: 0.25, ghostThreshold: 1)",
            SlowWindow(small: 6, ghost: 24, window: 1, ghostThreshold: 1, objects: 8)
        ),
        (
            "s4fifo(40B, small: 0.6, ghost: 2.5, skip: 0.3, threshold: 1, ghostThreshold: 2)",
            SlowWindow(small: 24, ghost: 100, window: 7, threshold: 1, ghostThreshold: 2, bytes: 40)
        ),
        ("clock2q-plus(1 objects)", SlowWindow(small: 0, ghost: 0, threshold: 1, most: 1, objects: 1)),
        // Half of 3 is rounded up.
        (
            "clock2q-plus(6 objects, small: 0.5, ghost: 1)",
            SlowWindow(small: 3, ghost: 6, window: 2, threshold: 1, most: 1, objects: 6)
        ),
        (
            "clock2q-plus(40B, small: 0.6, window: 0.3)",
            SlowWindow(small: 24, ghost: 20, window: 8, threshold: 1, most: 1, bytes: 40)
        ),
        (
            "clock2q-plus(40B, 5 objects, small: 0.6, window: 0.3, threshold: 2)",
            SlowWindow(small: 24, ghost: 20, window: 8, threshold: 2, most: 1, bytes: 40, objects: 5)
        ),
        (
            "clock2q-plus(8 objects, small: 0.5, compat: libcachesim)",
            SlowWindow(small: 4, ghost: 4, window: 2, threshold: 1, most: 1, isLibCacheSim: true, objects: 8)
        ),
        (
            "clock2q-plus(40B, small: 0.3, ghost: 0.9, window: 0.25, compat: libcachesim)",
            SlowWindow(small: 12, ghost: 36, window: 3, threshold: 1, most: 1, isLibCacheSim: true, bytes: 40)
        ),
    ]
}

/// The small queue, the main queue and the ghosts of S3-FIFO, S4-FIFO and Clock2Q+, as arrays; newest first.
struct SlowWindow: SlowTwin {
    struct Entry {
        var object: Int
        var size: Int
        /// Hits that count.
        var uses = 0
        /// What has entered the small queue since this object did.
        var newer = 0
        /// How often it came while it was a ghost.
        var returns = 0
    }

    var small: Int
    var ghost: Int
    var window = 0
    var threshold = 2
    var ghostThreshold = 0
    /// How many hits count in the main queue.
    var most = 3
    var isLibCacheSim = false
    /// Whether a small queue that is full before the first eviction takes objects in.
    var is2024 = false
    var bytes = Int.max
    var objects = Int.max
    var s: [Entry] = []
    var m: [Entry] = []
    var g: [Entry] = []
    var victims: [Int] = []
    var evictedBefore = false

    var held: [Int] { (s + m).map(\.object) }

    private var mainShare: Int { (bytes == .max ? objects : bytes) - small }

    private func weight(_ entry: Entry) -> Int { bytes == .max ? 1 : entry.size }

    private func weight(_ list: [Entry]) -> Int { list.map { weight($0) }.reduce(0, +) }

    mutating func lookup(_ access: Access) -> Lookup {
        if let place = s.firstIndex(where: { $0.object == access.object }) {
            if s[place].newer >= window { s[place].uses += 1 }
            return .hit
        }
        guard let place = m.firstIndex(where: { $0.object == access.object }) else { return .miss }
        m[place].uses += 1
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        victims = []
        var entry = Entry(object: access.object, size: access.size)
        if let ghost = g.first(where: { $0.object == access.object }) { entry.returns = ghost.returns + 1 }
        let isRemembered = entry.returns > ghostThreshold
        remove(access.object)
        guard access.size <= bytes, objects > 0, !isLibCacheSim || weight(entry) <= small else { return [] }
        while (s + m).map(\.size).reduce(0, +) + access.size > bytes || held.count + 1 > objects { evict() }
        if isLibCacheSim, !isRemembered, weight(entry) >= small { return victims }
        if isRemembered || isLibCacheSim && !is2024 && !evictedBefore && weight(s) >= small {
            m.insert(Entry(object: access.object, size: access.size), at: 0)
        } else {
            for place in s.indices { s[place].newer += isLibCacheSim ? 1 : weight(entry) }
            s.insert(entry, at: 0)
        }
        return victims
    }

    private mutating func evict() {
        evictedBefore = true
        let isMainsTurn = isLibCacheSim ? weight(m) > mainShare : weight(s) < small
        if s.isEmpty || isMainsTurn && !m.isEmpty { leaveMain() } else { leaveSmall() }
    }

    private mutating func leaveSmall() {
        while let oldest = s.popLast() {
            if oldest.uses >= threshold {
                m.insert(Entry(object: oldest.object, size: oldest.size), at: 0)
                if !isLibCacheSim, weight(m) > mainShare { return leaveMain() }
                continue
            }
            victims.append(oldest.object)
            if weight(oldest) <= ghost {
                while weight(g + [oldest]) > ghost { g.removeLast() }
                g.insert(oldest, at: 0)
            }
            return
        }
    }

    private mutating func leaveMain() {
        while var oldest = m.popLast() {
            if oldest.uses == 0 { return victims.append(oldest.object) }
            oldest.uses = min(oldest.uses, most) - 1
            m.insert(oldest, at: 0)
        }
    }

    mutating func remove(_ object: Int) {
        s.removeAll { $0.object == object }
        m.removeAll { $0.object == object }
        g.removeAll { $0.object == object }
    }
}
