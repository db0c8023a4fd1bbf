import Basics
import CachePolicies
import CacheReplayCommand
import CacheTiers
import MeasuredTiers
import Testing

/// Run on Linux only. On a Mac, `platform` is Darwin's class, whose order Apple does not document.
@Suite("The policy urlcache")
struct PlatformURLCacheTests {
    private func policy(_ text: String) throws -> any CachePolicy {
        var policy = try PolicyContext(registry: .builtIn.adding(URLCachePolicy.entry)).policy(text)
        policy.reserve(64)
        return policy
    }

    /// A capacity of 10: a (4) and b (5) are held. c (3) makes the oldest leave. d (10) is as large as the capacity.
    @Test("First in, first out; an entry as large as the capacity is refused", arguments: ["corelibs", "platform"])
    func story(model: String) throws {
        var policy = try policy("urlcache(capacity: 10B, model: \(model))")
        var victims = EvictionList()
        let (a, b) = (
            policy.admit(Access(object: 0, size: 4), &victims), policy.admit(Access(object: 1, size: 5), &victims)
        )
        #expect(a && b && victims.victims.isEmpty && policy.occupancy == Occupancy(objects: 2, bytes: 9))
        // A read changes nothing.
        #expect(policy.lookup(Access(object: 0, size: 4), &victims) == .hit)
        let c = policy.admit(Access(object: 2, size: 3), &victims)
        #expect(c && victims.victims.map(\.object) == [0] && policy.occupancy == Occupancy(objects: 2, bytes: 8))
        let d = policy.admit(Access(object: 3, size: 10), &victims)
        #expect(!d && victims.victims.count == 1 && policy.occupancy == Occupancy(objects: 2, bytes: 8))
        #expect(policy.lookup(Access(object: 3, size: 0), &victims) == .miss)
        // An older entry of the key of a refused one stays.
        let again = policy.admit(Access(object: 1, size: 12), &victims)
        #expect(again && policy.occupancy == Occupancy(objects: 2, bytes: 8))
        policy.clear()
        #expect(policy.occupancy == Occupancy() && policy.lookup(Access(object: 1, size: 5), &victims) == .miss)
    }

    @Test("What ends the process when an app does it: a stored twice, then evicted twice")
    func trap() throws {
        var policy = try policy("urlcache(capacity: 1000B, model: platform)")
        var victims = EvictionList()
        for (object, size) in [(0, 300), (0, 300), (1, 600), (2, 900), (0, 300), (3, 950)] {
            let kept = policy.admit(Access(object: object, size: size), &victims)
            #expect(kept)
        }
        #expect(victims.victims.map(\.object) == [0, 1, 2, 0] && policy.contains(3))
    }

    @Test("A capacity beyond all memory is an error, an object beyond the capacity is refused, and neither is a crash")
    func huge() throws {
        #expect(throws: SpecError.self) { _ = try policy("urlcache(capacity: 9000TB, model: platform)") }
        var small = try policy("urlcache(capacity: 10B, model: platform)")
        var victims = EvictionList()
        let kept = small.admit(Access(object: 0, size: 1 << 60), &victims)
        #expect(!kept && victims.victims.isEmpty && small.occupancy == Occupancy())
    }

    #if os(Linux)
    @Test("On Linux, the class answers as its model: 20,000 random operations", arguments: [100, 1_000])
    func random(capacity: Int) throws {
        var (real, model) = (
            try policy("urlcache(capacity: \(capacity)B, model: platform)"),
            try policy("urlcache(capacity: \(capacity)B, model: corelibs)")
        )
        var random = SplitMix64(seed: UInt64(capacity))
        var hits = 0
        for operation in 0..<20_000 {
            let object = random.next(below: 40)
            var (one, other) = (EvictionList(), EvictionList())
            switch random.next(below: 100) {
            case 0..<45:
                let found = real.lookup(Access(object: object, size: 0), &one)
                #expect(found == model.lookup(Access(object: object, size: 0), &other))
                if found == .hit { hits += 1 }
            case 45..<95:
                let size = random.next(below: 50) == 0 ? capacity + random.next(below: 2) : 1 + random.next(below: 40)
                let access = Access(object: object, size: size)
                let kept = real.admit(access, &one)
                #expect(kept == model.admit(access, &other))
            case 95..<99:
                real.remove(object)
                model.remove(object)
            default:
                guard random.next(below: 20) == 0 else { continue }
                real.clear()
                model.clear()
            }
            guard one.victims.map(\.object) == other.victims.map(\.object), real.occupancy == model.occupancy else {
                Issue.record("operation \(operation): \(one.victims), \(real.occupancy); \(other), \(model.occupancy)")
                return
            }
        }
        #expect(hits > 500)
    }
    #endif

    @Test("In a memory tier, the class holds the payload, and gives it back")
    func payload() throws {
        let policy = try PolicyContext(registry: .builtIn.adding(URLCachePolicy.entry)).policy(
            "ttl(urlcache(capacity: 10B, model: platform), lifetime: 1s)")
        let tier = MemoryTier(policy)
        let payload = Payload(count: 6) { $0.copyBytes(from: [1, 2, 3, 4, 5, 6]) }
        #expect(tier.store(payload, for: "a"))
        #expect(tier.payload(for: "a")?.payload === payload)
        #expect(tier.store(Payload(count: 5) { _ = $0.initializeMemory(as: UInt8.self, repeating: 7) }, for: "b"))
        #expect(
            tier.payload(for: "a") == nil
                && tier.payload(for: "b")?.payload.bytes.elementsEqual([7, 7, 7, 7, 7]) == true)
        #expect(tier.counts.evictions == 1 && tier.occupancy == Occupancy(objects: 1, bytes: 5))
        #expect(tier.payload(for: "b", at: 2_000_000) == nil)
    }
}
