import CachePolicies

/// Twins of policies that know the future.
extension SlowTwinTests {
    static let futurePairs: [Pair] = [(Int.max, 4), (20, .max), (20, 3), (.max, 1), (.max, 0), (0, .max)].flatMap {
        (limits: (Int, Int)) in
        let (bytes, objects) = limits
        let words = [bytes == .max ? nil : "\(bytes)B", objects == .max ? nil : "\(objects) objects"].compactMap { $0 }
            .joined(separator: ", ")
        return [
            ("belady(\(words))", SlowBelady(bytes: bytes, objects: objects, bypasses: false)),
            ("belady-bypass(\(words))", SlowBelady(bytes: bytes, objects: objects, bypasses: true)),
        ]
    }
}

/// Every object with its next access, the farthest found by sorting all; those never accessed again are farthest, the
/// least recent first.
struct SlowBelady: SlowTwin {
    struct Entry {
        var object: Int
        var size: Int
        var next: Int
    }

    var bytes: Int
    var objects: Int
    var bypasses: Bool
    /// Least recently accessed first.
    var entries: [Entry] = []

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = entries.firstIndex(where: { $0.object == access.object }) else { return .miss }
        var entry = entries.remove(at: index)
        entry.next = access.next
        entries.append(entry)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > bytes || objects < 1 { return [] }
        if bypasses && access.next == .max { return [] }
        // The sort is stable: among equals the least recent comes first.
        var leaving = entries.sorted { $0.next > $1.next }
        var staying = leaving
        while staying.map(\.size).reduce(0, +) + access.size > bytes || staying.count + 1 > objects {
            staying.removeFirst()
        }
        leaving.removeLast(staying.count)
        if bypasses, leaving.contains(where: { $0.next < access.next }) { return [] }
        for entry in leaving { remove(entry.object) }
        entries.append(Entry(object: access.object, size: access.size, next: access.next))
        return leaving.map(\.object)
    }

    mutating func remove(_ object: Int) { entries.removeAll { $0.object == object } }
}
