import CachePolicies
import CacheTiers
import Foundation
import MeasuredTiers
import Synchronization
import Testing

@Suite("The memory tier")
struct MemoryTierTests {
    private func payload(_ size: Int, _ byte: UInt8 = 1) -> Payload {
        Payload(count: size) { $0.initializeMemory(as: UInt8.self, repeating: byte) }
    }

    @Test("Holds payloads by key, separates thumbnails from full images, and lets the policy choose victims")
    func basics() throws {
        let tier = MemoryTier(try PolicyContext().policy("lru(100B)"))
        #expect(tier.store(payload(40, 1), for: "a"))
        #expect(tier.store(payload(40, 2), for: "a", variant: 0))
        #expect(tier.payload(for: "a")?.payload.bytes.first == 1)
        #expect(tier.payload(for: "a", variant: 0)?.payload.bytes.first == 2)
        #expect(tier.store(payload(40, 3), for: "b"))  // Pushes out the full image of a, used longest ago.
        #expect(tier.payload(for: "a") == nil)
        #expect(tier.payload(for: "a", variant: 0) != nil)
        #expect(tier.occupancy == Occupancy(objects: 2, bytes: 80))
        #expect(tier.counts.evictions == 1)
        #expect(tier.counts.peakBytes == 80)
    }

    @Test("A payload is freed when it is evicted and its last reader has released it")
    func freeing() throws {
        let tier = MemoryTier(try PolicyContext().policy("lru(1 objects)"))
        weak var first: Payload?
        do {
            let payload = payload(10)
            first = payload
            tier.store(payload, for: "a")
        }
        #expect(first != nil)
        var reader = tier.payload(for: "a")
        tier.store(payload(10), for: "b")
        #expect(first != nil)
        reader = nil
        #expect(reader == nil && first == nil)
    }

    @Test(
        """
        Trimmed as on the way to the background, each policy evicts its next victims, a clock also if all were read
        """,
        arguments: [
            // Read in the order of storing: the object stored first leaves first.
            ("lru(100B)", ["d"]), ("fifo(100B)", ["d"]), ("trim(100B, order: clock)", ["d"]),
            ("ttl(trim(100B, order: clock), lifetime: 9s)", ["d"]),
            ("max-size(trim(100B, order: clock), limit: 90B)", ["d"]),
            // Among equal costs, the newest leaves first.
            ("nscache(cost: 100B, model: corelibs)", ["a"]),
        ])
    func trimming(policy: String, left: [String]) throws {
        let tier = MemoryTier(try PolicyContext().policy(policy))
        let keys = ["a", "b", "c", "d"]
        for key in keys { tier.store(payload(25), for: key) }
        for key in keys { #expect(tier.payload(for: key) != nil) }
        try tier.trim(to: 49)
        #expect(keys.filter { tier.payload(for: $0) != nil } == left)
        #expect(tier.occupancy == Occupancy(objects: left.count, bytes: 25 * left.count))
        #expect(tier.counts.evictions == 4 - left.count)
    }

    @Test("A trim of a policy that names no victim is an error")
    func untrimmable() throws {
        let tier = MemoryTier(try PolicyContext().policy("split(thumbnail: lru(100B), full: lru(100B))"))
        #expect(throws: UntrimmablePolicyError.self) { try tier.trim(to: 10) }
    }

    @Test("Keys of any kind", arguments: ["", "\n\0\t", "📷é\u{301}", String(repeating: "k", count: 8_192)])
    func keys(key: String) throws {
        let tier = MemoryTier(try PolicyContext().policy("unbounded"))
        tier.store(payload(3), for: key)
        #expect(tier.payload(for: key)?.payload.count == 3)
        #expect(tier.payload(for: key + "x") == nil)
    }

    @Test("Shown objects are held outside of the policy, and are freed when they are refused afterwards")
    func shown() throws {
        let tier = MemoryTier(try PolicyContext().policy("lru(100B)"), pinsShown: true)
        tier.show("a")
        tier.store(payload(80, 1), for: "a")
        tier.show("b")
        tier.store(payload(80, 2), for: "b")
        #expect(tier.occupancy == Occupancy(objects: 2, bytes: 160))
        #expect(tier.cost == 0)
        tier.clear()
        #expect(tier.payload(for: "a") != nil && tier.payload(for: "b") != nil)
        // Shown twice: the first cell that goes changes nothing.
        tier.show("a")
        tier.hide("a")
        #expect(tier.cost == 0)
        tier.hide("a")
        #expect(tier.cost == 80)
        tier.hide("b")
        #expect(tier.payload(for: "a") == nil)
        #expect(tier.occupancy == Occupancy(objects: 1, bytes: 80))
        #expect(tier.counts.evictions == 1)
        // Larger than the limit: held as long as it is shown.
        tier.show("c")
        tier.store(payload(101, 3), for: "c")
        #expect(tier.payload(for: "c") != nil)
        tier.hide("c")
        #expect(tier.payload(for: "c") == nil)
        tier.hide("c")
        #expect(tier.occupancy.bytes <= 80)
        // A removal takes a shown object too; stored again, it is held again.
        tier.show("d")
        tier.store(payload(10, 4), for: "d")
        tier.remove("d")
        #expect(tier.payload(for: "d") == nil)
        tier.store(payload(10, 5), for: "d")
        #expect(tier.payload(for: "d")?.payload.bytes.first == 5)
        tier.relaunch(at: 0)
        #expect(tier.occupancy == Occupancy())
        // Without the option, showing changes nothing.
        let plain = MemoryTier(try PolicyContext().policy("lru(100B)"))
        plain.show("a")
        plain.store(payload(80), for: "a")
        #expect(plain.cost == 80)
    }

    @Test("Eight threads at once: every payload found is the right one, and the limit holds")
    func concurrency() throws {
        let tier = MemoryTier(try PolicyContext().policy("lru(500B)"))
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var state = UInt64(thread + 1)
            for _ in 0..<3_000 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let number = Int(state >> 33) % 100
                if let hit = tier.payload(for: "\(number)") {
                    if hit.payload.bytes.contains(where: { $0 != UInt8(number) }) {
                        wrong.wrappingAdd(1, ordering: .relaxed)
                    }
                } else {
                    tier.store(
                        Payload(count: 10 + number % 7) {
                            $0.initializeMemory(as: UInt8.self, repeating: UInt8(number))
                        }, for: "\(number)")
                }
                if state % 500 == 0 { tier.clear() }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(tier.occupancy.bytes <= 500)
        #expect(tier.counts.peakBytes <= 500)
    }
}
