import CachePolicies
import CacheTiers

/// Stores and reads of one memory tier, on a clock of its own. Payloads are real, and a byte in them says which store
/// they came from.
struct MemoryStory {
    private let tier: MemoryTier
    private var stores: UInt8 = 0
    private var version: [String: UInt8] = [:]

    init(_ policy: String, entryRule: EntryRule? = nil) throws {
        tier = MemoryTier(try PolicyContext().policy(policy), entryRule: entryRule)
    }

    var evictions: Int { tier.counts.evictions }
    var occupancy: Occupancy { tier.occupancy }

    /// At `time` in seconds.
    mutating func store(_ key: String, cost: Int = 0, at time: Int64 = 0) {
        stores &+= 1
        version[key] = stores
        let mark = stores
        let payload = Payload(count: 1) { $0.initializeMemory(as: UInt8.self, repeating: mark) }
        tier.store(payload, for: key, cost: cost, at: time * 1_000_000)
    }

    /// `hit`, `stale hit`, `miss`, or `old hit` where what is delivered was stored before the last store.
    func get(_ key: String, at time: Int64 = 0) -> String {
        guard let hit = tier.payload(for: key, at: time * 1_000_000) else { return "miss" }
        if hit.payload.bytes.first != version[key] { return "old hit" }
        return hit.isStale ? "stale hit" : "hit"
    }

    func advance(to time: Int64) { tier.advance(to: time * 1_000_000) }

    func clear() { tier.removeAll() }
}

extension DemonstrationReport {
    /// Reads every key, and notes for each whether it was there.
    mutating func read(_ keys: [String], expected: [String], _ story: MemoryStory) {
        for (key, expected) in zip(keys, expected) { step("read \(key)", expected: expected, story.get(key)) }
    }
}
