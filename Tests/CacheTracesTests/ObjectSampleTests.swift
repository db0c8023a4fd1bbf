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
}
