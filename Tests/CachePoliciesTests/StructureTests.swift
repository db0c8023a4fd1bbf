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
}
