import Basics
import CachePolicies
import Testing

@testable import CacheSimulation
@testable import CacheTraces

/// What a small sample says about a trace of Zipf's distribution, in which a few objects have most requests.
@Suite("Weights of sampled objects")
struct WeightedSampleTests {
    /// 100,000 requests of 20,000 objects, of which object n has a share in proportion to 1 / n.
    private static let trace: DenseTrace = {
        var random = SplitMix64(seed: 5)
        var sum = 0.0
        let sums = (1...20_000).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
        var numbers: [Int: UInt32] = [:]
        let objects = (0..<100_000).map { _ in
            let drawn = random.fraction() * sum
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < drawn { low = middle + 1 } else { high = middle }
            }
            if numbers[low] == nil { numbers[low] = UInt32(numbers.count) }
            return numbers[low] ?? 0
        }
        return DenseTrace(
            objects: TraceColumn(objects), ticks: TraceColumn([UInt32](repeating: 0, count: objects.count)),
            epochs: [DenseTrace.Epoch(start: 0, time: 0)], objectCount: numbers.count, uniqueBytes: numbers.count,
            requestBytes: objects.count)
    }()

    @Test("The weights of a sample sum to the objects of the trace", arguments: [0.002, 0.01, 0.1, 1])
    func sum(rate: Double) {
        let (sample, weights) = Self.trace.weightedSample(ObjectSample(rate: rate, of: Self.trace))
        #expect(weights.count == sample.objectCount)
        #expect(abs(weights.reduce(0, +) - Double(Self.trace.objectCount)) < 1e-6)
        if rate == 1 { #expect(weights.allSatisfy { $0 == 1 }) }
    }

    /// The errors are the same in every run: the sample and the trace are.
    @Test("Weighted misses of a sample of 20 % are within 0.6 points, and nearer than misses by the rate alone")
    func errors() throws {
        let trace = Self.trace
        var (weighted, scaled) = (0.0, 0.0)
        for seed in [ObjectSample.defaultSeed, 0x9000_0001, 0x5555_5555, 0xC123_4567] {
            let sample = ObjectSample(rate: 0.2, of: trace, seed: seed)
            let (sampled, weights) = trace.weightedSample(sample)
            for share in [0.05, 0.1, 0.3] {
                let capacity = Int(share * Double(trace.objectCount))
                let exact = Simulation.run(trace, try PolicyContext().policy("lru(\(capacity) objects)"))
                let small = Int((Double(capacity) * sample.rate).rounded())
                let counts = try #require(
                    Simulation.run(
                        sampled, try PolicyContext().policy("lru(\(small) objects)"), weights: weights
                    ) { _ in true })
                let requests = Double(trace.objects.count)
                let error = abs(counts.weightedMisses - Double(exact.misses)) / requests
                #expect(error < 0.006, "\(capacity) objects")
                weighted += error
                scaled += abs(Double(counts.misses) / sample.rate - Double(exact.misses)) / requests
            }
        }
        #expect(weighted < scaled / 2)
    }
}
