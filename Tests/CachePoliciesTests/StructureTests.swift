import Basics
import Testing

@testable import CachePolicies

@Suite("Structures of policies")
struct StructureTests {
    @Test("Slots that are drawn together are those that are drawn one by one", arguments: SlotDraws.Method.allCases)
    func draws(_ method: SlotDraws.Method) {
        guard method.isAvailable else { return }
        let draws = SlotDraws(method)
        var random = SplitMix64(seed: 9)
        var expected = random
        for limit in [1, 2, 7, 1_000, 1 << 31, Int(UInt32.max)] {
            for count in 1...SlotDraws.capacity {
                let drawn = draws.draw(count, below: limit, &random).map { Int($0) }
                let single = (0..<count).map { _ in expected.next(below: limit) }
                #expect(drawn == single, "\(count) below \(limit)")
            }
        }
    }

    @Test("The lowest score of many samples is the first drawn of several", arguments: [1, 63, 64, 65, 200])
    func lowest(samples: Int) {
        var table = SlotTable(filler: 0)
        table.reserve(500)
        for object in 0..<500 { table.insert(object, object * 7919 % 50) }
        var random = SplitMix64(seed: 2)
        var expected = random
        for _ in 0..<20 {
            let lowest = table.lowest(of: samples, &random) { $0 }
            let drawn = (0..<samples).map { _ in expected.next(below: 500) }
            let first = drawn.min { table.records[$0] < table.records[$1] }
            #expect(lowest == first)
        }
    }

    @Test("A growing ring has its elements under their numbers while it grows, and as others leave")
    func growingRing() {
        var ring = GrowingRing(filler: -1)
        #expect(ring.first == nil)
        var expected: [Int] = []
        for step in 0..<300 {
            ring.append(step)
            expected.append(step)
            if step % 3 == 0 {
                #expect(ring.first == expected[0])
                let oldest = ring.removeFirst()
                #expect(oldest == expected.removeFirst())
            }
            #expect(ring.count == expected.count && ring.end == step + 1)
            #expect((ring.start..<ring.end).map { ring[$0] } == expected)
        }
        ring[ring.end - 1] = 7
        #expect(ring[ring.end - 1] == 7)
        ring.removeAll()
        #expect(ring.count == 0 && ring.first == nil && ring.end == 0)
    }

    @Test("Rings grow, move what they hold, and use slots again")
    func growingRings() throws {
        let policies: [(String, any SlowTwin)] = [
            ("clock-pro(100 objects)", SlowClockPro(objects: 100)), ("sieve(1kB)", SlowSieve(bytes: 1_000)),
            ("fifo-reinsertion(1kB)", SlowClock(most: 1, bytes: 1_000)),
        ]
        for (specification, twin) in policies {
            compare(specification, try PolicyContext().policy(specification), twin)
        }
    }

    private func compare(_ name: String, _ policy: any CachePolicy, _ twin: any SlowTwin) {
        var (policy, twin) = (policy, twin)
        policy.reserve(1_000)
        var random = SplitMix64(seed: 1)
        var evictions = EvictionList()
        for step in 0..<4_000 {
            let object = min(random.next(below: 1_000), random.next(below: 1_000))
            // Sizes differ after a while, when the rings have grown.
            let access = Access(object: object, size: step < 500 ? 4 : 1 + object % 9)
            let found = policy.liveLookup(access, &evictions)
            let expected = twin.lookup(access)
            #expect(found == expected, "\(name), access \(step)")
            guard found == .miss else { continue }
            _ = policy.liveAdmit(access, &evictions)
            let victims = evictions.victims.map(\.object)
            let left = twin.admit(access)
            #expect(victims == left, "\(name), access \(step)")
            evictions.victims.removeAll()
        }
    }
}
