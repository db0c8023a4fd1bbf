import CachePolicies

/// Twins of policies that learn from what they have let go.
extension SlowTwinTests {
    static let adaptivePairs: [Pair] = [
        ("arc(4 objects)", SlowARC(objects: 4)),
        ("arc(1 objects)", SlowARC(objects: 1)),
        ("arc(20B)", SlowARC(bytes: 20)),
        ("arc(20B, 3 objects)", SlowARC(bytes: 20, objects: 3)),
        ("arc(5 objects)", SlowPageARC(pages: 5)),
        ("arc(4 objects, compat: libcachesim)", SlowARC(objects: 4, oneGhostEach: true)),
        ("arc(20B, compat: libcachesim)", SlowARC(bytes: 20, oneGhostEach: true)),
    ]
}

/// Limits and a measure for twins: bytes where they are limited, otherwise objects.
struct SlowLimits {
    var bytes = Int.max
    var objects = Int.max

    var capacity: Int { bytes == .max ? objects : bytes }

    func size(_ entry: SlowEntry) -> Int { bytes == .max ? 1 : entry.size }

    func size(_ entries: [SlowEntry]) -> Int { entries.map { size($0) }.reduce(0, +) }

    func hold(_ entries: [SlowEntry]) -> Bool { entries.map(\.size).reduce(0, +) <= bytes && entries.count <= objects }
}

struct SlowEntry {
    var object: Int
    var size: Int
}

extension [SlowEntry] {
    /// Takes the object out; nil where it is not in.
    mutating func take(_ object: Int) -> SlowEntry? {
        firstIndex { $0.object == object }.map { remove(at: $0) }
    }

    func has(_ object: Int) -> Bool { contains { $0.object == object } }
}

/// ARC with sizes: lists, oldest first.
struct SlowARC: SlowTwin {
    var limits: SlowLimits
    var t1: [SlowEntry] = []
    var t2: [SlowEntry] = []
    var b1: [SlowEntry] = []
    var b2: [SlowEntry] = []
    var p = 0.0

    /// libCacheSim's details.
    let oneGhostEach: Bool

    init(bytes: Int = .max, objects: Int = .max, oneGhostEach: Bool = false) {
        limits = SlowLimits(bytes: bytes, objects: objects)
        self.oneGhostEach = oneGhostEach
    }

    var held: [Int] { (t1 + t2).map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let entry = t1.take(access.object) ?? t2.take(access.object) else { return .miss }
        t2.append(entry)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let entry = SlowEntry(object: access.object, size: access.size)
        let (size1, size2) = (Double(max(1, limits.size(b1))), Double(max(1, limits.size(b2))))
        let step = oneGhostEach ? 1 : Double(limits.size(entry))
        let (inB1, inB2, inT2) = (b1.has(access.object), b2.has(access.object), t2.has(access.object))
        let isNew = !inB1 && !inB2 && !held.contains(access.object)
        if inB1 { p = min(p + step * max(1, size2 / size1), Double(limits.capacity)) }
        if inB2 { p = max(p - step * max(1, size1 / size2), 0) }
        remove(access.object)
        guard limits.hold([entry]) else { return [] }
        var victims: [Int] = []
        while !limits.hold(t1 + t2 + [entry]) {
            if oneGhostEach, isNew {
                if limits.size(t1 + b1 + [entry]) > limits.capacity {
                    if b1.isEmpty, !t1.isEmpty {
                        victims.append(t1.removeFirst().object)
                        continue
                    }
                    if !b1.isEmpty { b1.removeFirst() }
                } else if limits.size(t1 + t2 + b1 + b2) >= 2 * limits.capacity, !b2.isEmpty {
                    b2.removeFirst()
                }
            }
            let size = Double(limits.size(t1))
            if !t1.isEmpty && (size > p || inB2 && size == p) || t2.isEmpty {
                b1.append(t1.removeFirst())
                victims += b1.suffix(1).map(\.object)
            } else {
                b2.append(t2.removeFirst())
                victims += b2.suffix(1).map(\.object)
            }
        }
        if inB1 || inB2 || inT2 { t2.append(entry) } else { t1.append(entry) }
        if oneGhostEach { return victims }
        while limits.size(t1 + b1) > limits.capacity { b1.removeFirst() }
        while limits.size(t1 + t2 + b1 + b2) > 2 * limits.capacity { b2.removeFirst() }
        return victims
    }

    mutating func remove(_ object: Int) {
        _ = t1.take(object)
        _ = t2.take(object)
        _ = b1.take(object)
        _ = b2.take(object)
    }
}

/// ARC(c) case by case, as Figure 4 of the paper has it; only that nobody leaves while there is room, as there is after a removal.
struct SlowPageARC: SlowTwin {
    let pages: Int
    var t1: [Int] = []
    var t2: [Int] = []
    var b1: [Int] = []
    var b2: [Int] = []
    var p = 0.0

    init(pages: Int) { self.pages = pages }

    var held: [Int] { t1 + t2 }

    mutating func lookup(_ access: Access) -> Lookup {
        guard held.contains(access.object) else { return .miss }
        remove(access.object)
        t2.append(access.object)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        let x = access.object
        var victims: [Int] = []
        if t1.contains(x) || t2.contains(x) {
            let first = t1.contains(x)
            remove(x)
            if first { t1.append(x) } else { t2.append(x) }
        } else if b1.contains(x) {
            p = min(p + (b1.count >= b2.count ? 1 : Double(b2.count) / Double(b1.count)), Double(pages))
            replace(x, &victims)
            remove(x)
            t2.append(x)
        } else if b2.contains(x) {
            p = max(p - (b2.count >= b1.count ? 1 : Double(b1.count) / Double(b2.count)), 0)
            replace(x, &victims)
            remove(x)
            t2.append(x)
        } else {
            if t1.count + b1.count == pages {
                if t1.count < pages {
                    b1.removeFirst()
                    replace(x, &victims)
                } else {
                    victims.append(t1.removeFirst())
                }
            } else if t1.count + t2.count + b1.count + b2.count >= pages {
                if t1.count + t2.count + b1.count + b2.count == 2 * pages { b2.removeFirst() }
                replace(x, &victims)
            }
            t1.append(x)
        }
        return victims
    }

    mutating func replace(_ x: Int, _ victims: inout [Int]) {
        guard t1.count + t2.count == pages else { return }
        if !t1.isEmpty && (b2.contains(x) && Double(t1.count) == p || Double(t1.count) > p) {
            b1.append(t1[0])
            victims.append(t1.removeFirst())
        } else {
            b2.append(t2[0])
            victims.append(t2.removeFirst())
        }
    }

    mutating func remove(_ object: Int) {
        t1.removeAll { $0 == object }
        t2.removeAll { $0 == object }
        b1.removeAll { $0 == object }
        b2.removeAll { $0 == object }
    }
}
