import CIntrinsics
import Testing

@testable import CacheTraces

@Suite("Samples of objects")
struct ObjectSampleTests {
    @Test(
        "Every way of finding the accesses of a sample finds those of the sampled objects, in order",
        arguments: [0, 0.001, 0.01, 0.3, 0.5, 0.7, 1])
    func accesses(rate: Double) throws {
        var random = SystemRandomNumberGenerator()
        for count in [0, 1, 15, 16, 17, 5_003] {
            let objects = (0..<count).map { _ in UInt32.random(in: 0..<700, using: &random) }
            let trace = DenseTrace(
                objects: TraceColumn(objects), ticks: TraceColumn([UInt32](repeating: 0, count: count)), epochs: [],
                objectCount: 700, uniqueBytes: 700, requestBytes: count)
            let sample = ObjectSample(rate: rate, of: trace)
            let expected = objects.indices.filter { sample.contains(objects[$0]) }
            for usesAVX2 in Set([false, cachereplay_has_avx2() != 0]) {
                let (positions, found) = trace.accesses(of: sample, usesAVX2: usesAVX2)
                #expect(positions == expected.map { UInt32($0) }, "\(count) accesses, AVX2: \(usesAVX2)")
                #expect(found == expected.map { objects[$0] })
            }
        }
    }

    @Test("The number of sampled objects is that of a count, for every seed, rate and number of objects")
    func counts() {
        var random = SystemRandomNumberGenerator()
        for objects in [0, 1, 2, 3, 10, 255, 4_096, 70_000] {
            for rate in [0, 0.000_01, 0.01, 0.25, 0.5, 0.99, 1] {
                let seed = UInt32.random(in: 0 ... .max, using: &random)
                let sample = ObjectSample(rate: rate, ofObjects: objects, seed: seed)
                let counted = (0..<UInt32(objects)).count { sample.contains($0) }
                #expect(sample.objectCount == counted, "\(objects) objects, rate \(rate), seed \(seed)")
            }
        }
    }

    @Test(
        "Objects get new numbers in the order in which they first come, whatever the size of the table",
        arguments: [
            (most: 4, all: 10), (most: 4, all: 1_000_000), (most: 0, all: 0), (most: 500, all: 2_000_000_000),
        ])
    func renumbering(most: Int, all: Int) {
        var numbers = Renumbering(atMost: most, of: all)
        var slow: [UInt32] = []
        var random = SystemRandomNumberGenerator()
        let objects = (0..<most).map { _ in UInt32.random(in: 0..<UInt32(all), using: &random) }
        for _ in 0..<3 {
            for object in objects {
                #expect(numbers.existing(object) == slow.firstIndex(of: object).map { UInt32($0) })
                if !slow.contains(object) { slow.append(object) }
                #expect(slow[Int(numbers.number(of: object))] == object)
            }
        }
        #expect(numbers.objects == slow)
        #expect(numbers.existing(.max - 1) == nil)
    }
}
