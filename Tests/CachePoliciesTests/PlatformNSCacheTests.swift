import CachePolicies
import Foundation
import Testing

/// A class of the platform that can let objects go as Darwin's do: without a word, or on another thread.
private final class Forgetful: ObjectCache {
    var entries: [Int: ObjectCacheEntry] = [:]

    func find(_ number: Int) -> ObjectCacheEntry? { entries[number] }
    func store(_ entry: ObjectCacheEntry) { entries[entry.number] = entry }
    func remove(_ number: Int) {
        // As on Darwin, where the delegate is called for objects that the app removes.
        entries[number]?.noteEviction()
        entries[number] = nil
    }
    func removeAll() { entries = [:] }
}

@Suite("The policy nscache(model: platform)")
struct PlatformNSCacheTests {
    @Test("An object that the class let go without a word has left, once, at the next call")
    func silentLoss() {
        let cache = Forgetful()
        var policy = PlatformPolicy(cache)
        policy.reserve(4)
        var victims = EvictionList()
        for object in 0..<3 { _ = policy.admit(Access(object: object, size: 10), &victims) }
        cache.entries[1] = nil
        #expect(policy.lookup(Access(object: 0, size: 10), &victims) == .hit)
        #expect(victims.victims.map(\.object) == [1] && policy.occupancy == Occupancy(objects: 2, bytes: 20))
        #expect(policy.lookup(Access(object: 1, size: 0), &victims) == .miss)
        #expect(victims.victims.count == 1)
        // Still referred to from elsewhere, so its end is not noticed: the lookup finds out.
        let kept = cache.entries.removeValue(forKey: 2)
        #expect(policy.contains(2))
        #expect(policy.lookup(Access(object: 2, size: 0), &victims) == .miss)
        #expect(victims.victims.map(\.object) == [1, 2] && policy.occupancy == Occupancy(objects: 1, bytes: 10))
        withExtendedLifetime(kept) {}
    }

    @Test("A removal and a replacement are no evictions, though the class announces them")
    func removal() {
        let cache = Forgetful()
        var policy = PlatformPolicy(cache)
        policy.reserve(4)
        var victims = EvictionList()
        _ = policy.admit(Access(object: 0, size: 10), &victims)
        let kept = policy.admit(Access(object: 0, size: 7), &victims)
        #expect(kept && policy.occupancy == Occupancy(objects: 1, bytes: 7))
        policy.remove(0)
        #expect(policy.lookup(Access(object: 0, size: 0), &victims) == .miss)
        #expect(victims.victims.isEmpty && policy.occupancy == Occupancy())
    }
}
