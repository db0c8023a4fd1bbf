// Prints the order in which the NSCache of this machine evicts, and which models of CacheReplay have the same order.
//
//     swift Examples/NSCacheOrder.swift
//
// Apple documents neither the order of Darwin's class nor how strict its limits are. A model that fits can be chosen
// with `--nscache MODEL`. The class may evict in another order over longer times, or when the system lacks memory.

import Foundation

/// A call of the cache. Keys are letters.
enum Call {
    case store(String, cost: Int)
    case read(String)
}

/// Calls on a new cache with limits, of which 0 is none.
struct Story {
    var title: String
    var limits: (cost: Int, count: Int)
    var calls: [Call]
}

func stores(_ keys: String, cost: Int = 1) -> [Call] { keys.map { .store(String($0), cost: cost) } }

let stories = [
    Story(title: "Equal costs, at most 3 objects", limits: (0, 3), calls: stores("ABCDEF")),
    Story(
        title: "A is read before D is stored, at most 3 objects", limits: (0, 3),
        calls: stores("ABC") + [.read("A")] + stores("DE")),
    Story(
        title: "A is read twice and B once before D is stored, at most 3 objects", limits: (0, 3),
        calls: stores("ABC") + [.read("A"), .read("B"), .read("A")] + stores("DEF")),
    Story(
        title: "A costs 4, B 1 and C 2; the limit is 8, and D to F cost 3 each", limits: (8, 0),
        calls: stores("A", cost: 4) + stores("B") + stores("C", cost: 2) + stores("DEF", cost: 3)),
    Story(
        title: "A is stored again before D is stored, at most 3 objects", limits: (0, 3),
        calls: stores("ABC") + stores("A") + stores("DE")),
    Story(
        title: "D alone costs more than the limit of 5", limits: (5, 0),
        calls: stores("ABC") + stores("D", cost: 6)),
    Story(
        title: "A is read twice, then B to T once; U to X are stored, at most 20 objects", limits: (0, 20),
        calls: stores("ABCDEFGHIJKLMNOPQRST") + "AABCDEFGHIJKLMNOPQRST".map { .read(String($0)) } + stores("UVWX")),
]

/// What the cache holds under a key.
final class Entry {
    let key: String
    let cost: Int

    init(_ key: String, cost: Int) { (self.key, self.cost) = (key, cost) }
}

/// Collects what the class evicts. Darwin's class also announces an object that another one replaces, which does not
/// count.
final class Witness: NSObject, NSCacheDelegate {
    var evicted: [String] = []
    var replaced: Entry?

    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
        guard let entry = object as? Entry, entry !== replaced else { return }
        evicted.append(entry.key)
    }
}

/// Returns the keys that the class of this machine evicts, in order.
func observed(_ story: Story) -> [String] {
    let cache = NSCache<NSString, Entry>()
    let witness = Witness()
    var last: [String: Entry] = [:]
    cache.delegate = witness
    cache.totalCostLimit = story.limits.cost
    cache.countLimit = story.limits.count
    for call in story.calls {
        switch call {
        case .store(let key, let cost):
            let entry = Entry(key, cost: cost)
            witness.replaced = last[key]
            cache.setObject(entry, forKey: key as NSString, cost: cost)
            last[key] = entry
        case .read(let key): _ = cache.object(forKey: key as NSString)
        }
    }
    let evicted = witness.evicted
    cache.delegate = nil
    // On Linux, the entries of a cache that is released retain each other.
    cache.removeAllObjects()
    return evicted
}

/// The models of `--nscache`.
enum Model: String, CaseIterable {
    /// The object that was stored or read longest ago.
    case lru
    /// The object that was stored longest ago.
    case fifo
    /// The least used among the first quarter of `lru`, at most 8; those before it lose a use.
    case frequency
    /// The cheapest object, and of equal ones the newest.
    case corelibs
    /// None: only discardable content is evicted.
    case gnustep

    /// Returns the keys that the model evicts, in order.
    func evictions(_ story: Story) -> [String] {
        var (held, evicted): ([(key: String, cost: Int, uses: Int)], [String]) = ([], [])
        for call in story.calls {
            switch call {
            case .read(let key):
                guard self == .lru || self == .frequency, let place = held.firstIndex(where: { $0.key == key })
                else { continue }
                held[place].uses += 1
                held.append(held.remove(at: place))
            case .store(let key, let cost):
                let earlier = held.firstIndex { $0.key == key }
                if self == .corelibs, let earlier, held[earlier].cost == cost { continue }
                if let earlier { held.remove(at: earlier) }
                let place = self == .corelibs ? held.firstIndex { $0.cost >= cost } ?? held.count : held.count
                held.insert((key, cost, 0), at: place)
            }
            while self != .gnustep, isOver(story.limits, held.map(\.cost)) {
                let candidates = self == .frequency ? max(1, min(8, held.count / 4)) : 1
                let victim = held[..<candidates].indices.min { held[$0].uses < held[$1].uses } ?? 0
                for place in 0..<victim { held[place].uses -= 1 }
                evicted.append(held.remove(at: victim).key)
            }
        }
        return evicted
    }

    private func isOver(_ limits: (cost: Int, count: Int), _ costs: [Int]) -> Bool {
        (limits.cost > 0 && costs.reduce(0, +) > limits.cost) || (limits.count > 0 && costs.count > limits.count)
    }
}

func words(_ keys: [String]) -> String { keys.isEmpty ? "nothing" : keys.joined(separator: " ") }

print("NSCache on \(ProcessInfo.processInfo.operatingSystemVersionString)")
var fitting = Model.allCases
for story in stories {
    let found = observed(story)
    let same = Model.allCases.filter { $0.evictions(story) == found }
    fitting.removeAll { !same.contains($0) }
    print("\n\(story.title)\n  evicts \(words(found))")
    print("  as \(same.isEmpty ? "no model" : same.map(\.rawValue).joined(separator: ", "))")
}
print("\nModels with all of these orders: \(fitting.isEmpty ? "none" : words(fitting.map(\.rawValue)))")
