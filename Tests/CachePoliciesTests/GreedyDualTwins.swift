import CachePolicies
import Testing

/// Twins of the policies of the GreedyDual family that have queues in their papers.
extension SlowTwinTests {
    static let greedyDualPairs: [Pair] = [
        (Int.max, 4), (20, .max), (20, 3), (.max, 1), (.max, 0), (40, .max),
    ].flatMap { (limits: (Int, Int)) -> [Pair] in
        let (bytes, objects) = limits
        let words = [bytes == .max ? nil : "\(bytes)B", objects == .max ? nil : "\(objects) objects"].compactMap { $0 }
            .joined(separator: ", ")
        return [
            ("camp(\(words))", SlowCAMP(bytes: bytes, objects: objects)),
            ("camp(\(words), precision: 1)", SlowCAMP(bytes: bytes, objects: objects, precision: 1)),
            (
                "camp(\(words), cost: packets, precision: 2)",
                SlowCAMP(bytes: bytes, objects: objects, packets: true, precision: 2)
            ),
            ("camp(\(words), precision: 53)", SlowCAMP(bytes: bytes, objects: objects, precision: 53)),
            ("gd-wheel(\(words), queues: 5)", SlowGDWheel(bytes: bytes, objects: objects, wheels: 2, queues: 5)),
            (
                "gd-wheel(\(words), cost: one, queues: 2)",
                SlowGDWheel(bytes: bytes, objects: objects, wheels: 2, queues: 2, packets: false)
            ),
        ]
    }
}

extension SlowTwinTests {
    /// Objects of a few bytes to many, because the sizes of the other tests are too small for costs that differ.
    static let largePairs: [Pair] = [
        ("gd-wheel(200kB, queues: 4)", SlowGDWheel(bytes: 200_000, objects: .max, wheels: 2, queues: 4)),
        ("gd-wheel(200kB, wheels: 4, queues: 3)", SlowGDWheel(bytes: 200_000, objects: .max, wheels: 4, queues: 3)),
        ("gd-wheel(5 objects, wheels: 9, queues: 2)", SlowGDWheel(bytes: .max, objects: 5, wheels: 9, queues: 2)),
        ("gd-wheel(200kB, wheels: 1, queues: 9)", SlowGDWheel(bytes: 200_000, objects: .max, wheels: 1, queues: 9)),
        ("gd-wheel(200kB)", SlowGDWheel(bytes: 200_000, objects: .max, wheels: 2, queues: 256)),
        ("camp(200kB, cost: packets)", SlowCAMP(bytes: 200_000, objects: .max, packets: true)),
        ("camp(200kB, precision: 3)", SlowCAMP(bytes: 200_000, objects: .max, precision: 3)),
    ]

    @Test("Objects of very different sizes", arguments: largePairs)
    func sizes(pair: Pair) throws {
        var random = SeededGenerator(seed: 5)
        try compare(
            pair.specification, pair.twin, objects: 40,
            operations: (0..<5_000).map { _ in
                let object = Int(min(random.next() % 40, random.next() % 40))
                return Operation(object: object, kind: random.next() % 50 == 0 ? 0 : 19, step: 1)
            }, size: { $0 * $0 * 37 })
    }
}

/// The paper's LRU queues, by rounded ratio. The victim is the oldest object of one of them: the one of the lowest
/// rank, and of those the one that was accessed first.
struct SlowCAMP: SlowTwin {
    struct Entry {
        var object: Int
        var size: Int
        var rank: Double
        var lastAccess: Int
    }

    var bytes = Int.max
    var objects = Int.max
    var packets = false
    var precision = 4
    /// Least recently accessed first.
    var queues: [Int: [Entry]] = [:]
    var clock = 0
    var lowest = 0.0
    var largest = 1

    var entries: [Entry] { queues.values.flatMap { $0 } }

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let entry = entries.first(where: { $0.object == access.object }) else { return .miss }
        remove(access.object)
        insert(access.object, entry.size)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > bytes || objects < 1 { return [] }
        largest = max(largest, access.size)
        var victims: [Int] = []
        while entries.map(\.size).reduce(0, +) + access.size > bytes || entries.count + 1 > objects {
            let oldest = queues.values.compactMap(\.first)
            let victim = oldest.min { ($0.rank, $0.lastAccess) < ($1.rank, $1.lastAccess) }?.object ?? -1
            remove(victim)
            victims.append(victim)
            lowest = queues.values.compactMap(\.first?.rank).min() ?? lowest
        }
        insert(access.object, access.size)
        return victims
    }

    mutating func remove(_ object: Int) {
        queues = queues.mapValues { $0.filter { $0.object != object } }.filter { !$0.value.isEmpty }
    }

    private mutating func insert(_ object: Int, _ size: Int) {
        clock += 1
        let cost = packets ? 2 + Double(size) / 536 : 1
        let ratio = Int(Double(largest) / Double(max(size, 1)) * cost)
        // As many bits of the ratio as are too many become 0.
        var unit = 1
        while ratio / unit >= 1 << precision { unit *= 2 }
        let rounded = ratio / unit * unit
        let entry = Entry(object: object, size: size, rank: lowest + Double(rounded), lastAccess: clock)
        queues[rounded, default: []].append(entry)
    }
}

/// The paper's wheels of queues, of which the last objects are the ones at the front. Hands go queue by queue.
struct SlowGDWheel: SlowTwin {
    var bytes: Int
    var objects: Int
    var queues: Int
    var packets: Bool
    var wheels: [[[Int]]]
    var hands: [Int]
    var sizes: [Int: Int] = [:]

    init(bytes: Int, objects: Int, wheels: Int, queues: Int, packets: Bool = true) {
        self.bytes = bytes
        self.objects = objects
        self.queues = queues
        self.packets = packets
        self.wheels = Array(repeating: Array(repeating: [], count: queues), count: wheels)
        hands = Array(repeating: 0, count: wheels)
    }

    var held: [Int] { Array(sizes.keys) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let size = sizes[access.object] else { return .miss }
        remove(access.object)
        insert(access.object, size)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > bytes || objects < 1 { return [] }
        var victims: [Int] = []
        while sizes.values.reduce(0, +) + access.size > bytes || sizes.count + 1 > objects {
            while wheels[0][hands[0]].isEmpty { advance(0) }
            let victim = wheels[0][hands[0]][0]
            remove(victim)
            victims.append(victim)
        }
        insert(access.object, access.size)
        return victims
    }

    mutating func remove(_ object: Int) {
        if sizes.removeValue(forKey: object) == nil { return }
        wheels = wheels.map { $0.map { $0.filter { $0 != object } } }
    }

    /// The digits of the cost of an object of this size, lowest first, one for each wheel.
    private func digits(_ size: Int) -> [Int] {
        var rest = packets ? 2 + size / 536 : 1
        var digits: [Int] = []
        for _ in wheels.indices {
            digits.append(rest % queues)
            rest /= queues
        }
        return rest == 0 ? digits : digits.map { _ in queues - 1 }
    }

    private mutating func insert(_ object: Int, _ size: Int) {
        sizes[object] = size
        let digits = digits(size)
        let wheel = digits.lastIndex { $0 > 0 } ?? 0
        wheels[wheel][(hands[wheel] + digits[wheel]) % queues].append(object)
    }

    private mutating func advance(_ wheel: Int) {
        hands[wheel] = (hands[wheel] + 1) % queues
        if hands[wheel] == 0, wheel + 1 < wheels.count { advance(wheel + 1) }
        if wheel == 0 { return }
        let moving = wheels[wheel][hands[wheel]]
        wheels[wheel][hands[wheel]] = []
        for object in moving {
            let digit = digits(sizes[object] ?? 0)[wheel - 1]
            wheels[wheel - 1][(hands[wheel - 1] + digit) % queues].append(object)
        }
    }
}
