import Basics
import CachePolicies
import CacheTiers
import Foundation
import MeasuredTiers

/// Stores and reads of one memory tier, on its own clock. A byte in each payload identifies the store that wrote it.
struct MemoryScenario {
    private let tier: MemoryTier
    private var stores: UInt8 = 0
    private var version: [String: UInt8] = [:]

    init(_ policy: String, entryRule: EntryRule? = nil) throws {
        tier = MemoryTier(try PolicyContext().policy(policy), entryRule: entryRule)
    }

    var evictions: Int { tier.counts.evictions }
    var occupancy: Occupancy { tier.occupancy }

    /// Stores a new version of an object. `time` is in seconds.
    mutating func store(_ key: String, cost: Int = 0, at time: Int64 = 0) {
        stores &+= 1
        version[key] = stores
        let mark = stores
        let payload = Payload(count: 1) { $0.initializeMemory(as: UInt8.self, repeating: mark) }
        tier.store(payload, for: key, counting: (payload.count, cost), at: time * 1_000_000)
    }

    /// Returns `hit`, `stale hit`, `miss`, or `old hit` if the payload is older than the last store. `time` is in
    /// seconds.
    func get(_ key: String, at time: Int64 = 0) -> String {
        guard let hit = tier.payload(for: key, at: time * 1_000_000) else { return "miss" }
        if hit.payload.bytes.first != version[key] { return "old hit" }
        return hit.isStale ? "stale hit" : "hit"
    }

    func advance(to time: Int64) { tier.advance(to: time * 1_000_000) }

    func clear() { tier.clear() }
}

extension DemonstrationReport {
    /// Reads every key and adds a step for each.
    mutating func read(_ keys: [String], expected: [String], _ scenario: MemoryScenario) {
        for (key, expected) in zip(keys, expected) { step("read \(key)", expected: expected, scenario.get(key)) }
    }
}

/// Stores and reads of one disk tier, with real files in a temporary folder. A byte in each file identifies the store
/// that wrote it.
final class DiskScenario {
    private let folder: ScratchFolder
    private let tier: DiskTier
    private var stores: UInt8 = 0
    private var version: [String: UInt8] = [:]

    init(_ policy: String, format: DiskFormat = DiskFormat(), entryRule: EntryRule? = nil) throws {
        folder = try ScratchFolder(prefix: Demonstration.scratchPrefix)
        tier = try DiskTier(
            try PolicyContext().policy(policy), at: folder.path + "/disk", format: format, entryRule: entryRule,
            epoch: Date())
    }

    func store(_ key: String, bytes: Int) throws {
        stores &+= 1
        version[key] = stores
        let mark = stores
        try tier.store(key, Payload(count: bytes) { $0.initializeMemory(as: UInt8.self, repeating: mark) })
    }

    /// Returns `hit`, `miss`, or `old hit` if the payload is older than the last store.
    func get(_ key: String) throws -> String {
        guard let read = try tier.read(key) else { return "miss" }
        return read.payload.bytes.first == version[key] ? "hit" : "old hit"
    }

    deinit { folder.remove() }
}
