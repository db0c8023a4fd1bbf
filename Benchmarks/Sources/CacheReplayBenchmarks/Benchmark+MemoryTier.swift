import CachePolicies
import CacheTiers
import Foundation
import MeasuredTiers

/// Compares the memory tier with Foundation's NSCache, with the `String` keys of an app: 1,000 objects, keys like URLs.
///
/// NSCache needs objects as keys. An app either bridges its string in every call (`as NSString`), or stores an
/// NSString: both are measured. The bars are relative to the first, which is the usual form.
func memoryTierBenchmarks() throws -> [BenchmarkRow] {
    let count = 1_000
    let passes = 200
    // Created at run time, so that strings do not share storage, as in an app that parses URLs from JSON.
    func key(_ number: Int) -> String {
        String(decoding: Array("https://images.example.com/photos/\(number)/thumbnail-360.jpg".utf8), as: UTF8.self)
    }
    let stored = (0..<count).map(key)
    let asked = (0..<count).map { key(($0 &* 7_919) % count) }
    let kept = asked.map { NSString(string: $0) }
    let payload = Payload(count: 64) { $0.initializeMemory(as: UInt8.self, repeating: 1) }
    let limits = "lru(1000000 objects)"

    let tier = MemoryTier(try PolicyContext().policy(limits))
    let cache = NSCache<NSString, Payload>()
    for name in stored {
        tier.store(payload, for: name)
        cache.setObject(payload, forKey: NSString(string: name), cost: payload.count)
    }

    func perOperation(_ body: () -> Int) throws -> Double {
        var found = 0
        let time = seconds { for _ in 0..<passes { found += body() } }
        guard found == passes * count else { throw BenchmarkError(description: "found \(found) of \(passes * count)") }
        return time / Double(passes * count) * 1e9
    }
    let lookup = try alternating([
        {
            try perOperation { asked.reduce(into: 0) { found, key in if tier.payload(for: key) != nil { found += 1 } } }
        },
        {
            try perOperation {
                asked.reduce(into: 0) { found, key in
                    if cache.object(forKey: NSString(string: key)) != nil { found += 1 }
                }
            }
        },
        {
            try perOperation {
                kept.reduce(into: 0) { found, key in if cache.object(forKey: key) != nil { found += 1 } }
            }
        },
    ])

    // Stores new objects into a cache with room, like a feed that is scrolled for the first time.
    func storing(_ body: () throws -> Void) throws -> Double {
        let time = try seconds { for _ in 0..<20 { try body() } }
        return time / Double(20 * count) * 1e9
    }
    let keptStored = stored.map { NSString(string: $0) }
    let store = try alternating([
        {
            try storing {
                let fresh = MemoryTier(try PolicyContext().policy(limits))
                for name in stored { fresh.store(payload, for: name) }
                guard fresh.occupancy.objects == count else { throw BenchmarkError(description: "not all stored") }
            }
        },
        { try storing { fill(NSCache(), stored.lazy.map { NSString(string: $0) }, payload) } },
        { try storing { fill(NSCache(), keptStored, payload) } },
    ])

    func row(_ metric: String, _ ours: Double, _ peer: String, _ theirs: Double) -> BenchmarkRow {
        BenchmarkRow(
            "memory tier, 1,000 objects", metric: metric, unit: "ns", .lowerIsBetter, ours: ours, peerName: peer,
            peer: theirs)
    }
    return [
        row("lookup hit", lookup[0], "NSCache, String bridged", lookup[1]),
        row("lookup hit", lookup[0], "NSCache, NSString kept", lookup[2]),
        row("store", store[0], "NSCache, String bridged", store[1]),
        row("store", store[0], "NSCache, NSString kept", store[2]),
    ]
}

private func fill(_ cache: NSCache<NSString, Payload>, _ keys: some Sequence<NSString>, _ payload: Payload) {
    for key in keys { cache.setObject(payload, forKey: key, cost: payload.count) }
}
