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

/// Run on Linux only. On a Mac, `platform` is Darwin's class, whose order Apple does not document.
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

    #if os(Linux)
    @Test(
        "On Linux, the class answers as the model corelibs: 50,000 random operations",
        arguments: [(500, 0), (0, 20), (500, 20), (100, 3), (0, 0)])
    func random(cost: Int, count: Int) throws {
        var real = try PolicyContext().policy("nscache(cost: \(cost)B, count: \(count), model: platform)")
        var model = try PolicyContext().policy("nscache(cost: \(cost)B, count: \(count), model: corelibs)")
        real.reserve(100)
        model.reserve(100)
        var random = SeededGenerator(seed: UInt64(cost + count))
        var hits = 0
        for operation in 0..<50_000 {
            let object = Int(random.next() % 100)
            var (one, other) = (EvictionList(), EvictionList())
            switch random.next() % 100 {
            case 0..<50:
                let found = real.lookup(Access(object: object, size: 0), &one)
                #expect(found == model.lookup(Access(object: object, size: 0), &other))
                if found == .hit { hits += 1 }
            case 50..<97:
                let size = random.next() % 50 == 0 ? 2_000 : Int(random.next() % 12) * 10
                let kept = real.admit(Access(object: object, size: size), &one)
                #expect(kept == model.admit(Access(object: object, size: size), &other))
            case 97, 98:
                real.remove(object)
                model.remove(object)
            default:
                guard random.next() % 100 == 0 else { continue }
                real.clear()
                model.clear()
            }
            guard one.victims.map(\.object) == other.victims.map(\.object), real.occupancy == model.occupancy else {
                Issue.record("operation \(operation): \(one.victims), \(real.occupancy); \(other), \(model.occupancy)")
                return
            }
        }
        #expect(hits > 200)
    }
    #endif
}
