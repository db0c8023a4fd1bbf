import CachePolicies

/// Twins of policies that rank objects, and of admissions.
extension SlowTwinTests {
    static let rankedPairs: [Pair] = [SlowRanked.Rule]([
        .lfu, .lfuda, .lfudaOfLibCacheSim, .gdsf(packets: false), .gdsf(packets: true), .greedyDualSize(packets: false),
        .greedyDualSize(packets: true), .size,
    ]).flatMap { rule in
        [
            (rule.specification("4 objects"), SlowRanked(rule: rule, objects: 4)),
            (rule.specification("20B"), SlowRanked(rule: rule, bytes: 20)),
            (rule.specification("20B, 3 objects"), SlowRanked(rule: rule, bytes: 20, objects: 3)),
            (rule.specification("1 objects"), SlowRanked(rule: rule, objects: 1)),
            (rule.specification("0 objects"), SlowRanked(rule: rule, objects: 0)),
        ]
    }
}

/// Every object with its rank; the victim is found by looking at all of them: the lowest rank, then the oldest access.
struct SlowRanked: SlowTwin {
    enum Rule {
        case lfu, lfuda, lfudaOfLibCacheSim, gdsf(packets: Bool), greedyDualSize(packets: Bool), size

        func specification(_ limits: String) -> String {
            switch self {
            case .lfu: "lfu(\(limits))"
            case .lfuda: "lfuda(\(limits))"
            case .lfudaOfLibCacheSim: "lfuda(\(limits), compat: libcachesim)"
            case .gdsf(let packets): "gdsf(\(limits), cost: \(packets ? "packets" : "one"))"
            case .greedyDualSize(let packets): "greedy-dual-size(\(limits), cost: \(packets ? "packets" : "one"))"
            case .size: "size(\(limits))"
            }
        }
    }

    struct Entry {
        var object: Int
        var size: Int
        var frequency = 1
        var rank = 0.0
    }

    let rule: Rule
    var bytes = Int.max
    var objects = Int.max
    /// Least recently accessed first.
    var entries: [Entry] = []
    /// The rank of the last victim.
    var age = 0.0

    init(rule: Rule, bytes: Int = .max, objects: Int = .max) {
        self.rule = rule
        self.bytes = bytes
        self.objects = objects
    }

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = entries.firstIndex(where: { $0.object == access.object }) else { return .miss }
        var entry = entries.remove(at: index)
        entry.frequency += 1
        if case .lfudaOfLibCacheSim = rule { entry.rank += age } else { entry.rank = rank(entry) }
        entries.append(entry)
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > bytes || objects < 1 { return [] }
        var victims: [Int] = []
        while entries.map(\.size).reduce(0, +) + access.size > bytes || entries.count + 1 > objects {
            let lowest = entries.map(\.rank).min() ?? 0
            let index = entries.firstIndex { $0.rank == lowest } ?? 0
            victims.append(entries.remove(at: index).object)
            age = lowest
            if case .lfudaOfLibCacheSim = rule { age = entries.map(\.rank).min() ?? age }
        }
        var entry = Entry(object: access.object, size: access.size)
        entry.rank = rank(entry)
        entries.append(entry)
        return victims
    }

    mutating func remove(_ object: Int) { entries.removeAll { $0.object == object } }

    private func rank(_ entry: Entry) -> Double {
        let size = Double(max(entry.size, 1))
        func cost(_ packets: Bool) -> Double { packets ? 1e6 * (2 + Double(entry.size) / 536) : 1e6 }
        return switch rule {
        case .lfu: Double(entry.frequency)
        case .lfuda, .lfudaOfLibCacheSim: age + Double(entry.frequency)
        case .gdsf(let packets): age + Double(entry.frequency) * cost(packets) / size
        case .greedyDualSize(let packets): age + cost(packets) / size
        case .size: -Double(entry.size)
        }
    }
}
