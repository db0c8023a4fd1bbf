import Basics
import CachePolicies
import Testing

@testable import CacheSimulation
@testable import CacheTraces

extension ObjectSample {
    /// Creates a sample of so many objects: those with the lowest hashes.
    fileprivate init(size: Int, of trace: DenseTrace, seed: UInt32 = defaultSeed) {
        let hashes = (0..<UInt32(trace.objectCount)).map { $0 &* Self.multiplier &+ seed }.sorted()
        self.init(rate: size < hashes.count ? Double(hashes[size]) / 0x1p32 : 1, of: trace, seed: seed)
    }
}

/// Curves of samples against a plain histogram with the correction SHARDS-adj.
@Suite("SHARDS-adj")
struct SampledCurveTests {
    private static func trace(_ objects: [Int]) throws -> DenseTrace {
        let text = "time,key,size\n" + objects.enumerated().map { "\($0),k\($1),1\n" }.joined()
        var notes = ReadingNotes()
        return try DenseTrace(
            TraceInput(bytes: Array(text.utf8), path: "requests.csv"), .init(format: .csv, usesSizes: false), &notes)
    }

    /// The miss ratio at a number of places of the sample, which can be above 1, by "Efficient MRC Construction with
    /// SHARDS", 4.
    private static func slowMissRatio(_ trace: DenseTrace, _ sample: ObjectSample, places: Int) -> Double {
        let sampled = trace.objects.filter(sample.contains)
        var stack: [UInt32] = []
        /// By the place at which an object is found, from 1 on.
        var histogram = [Double](repeating: 0, count: trace.objectCount + 2)
        for object in sampled {
            if let place = stack.firstIndex(of: object) {
                histogram[place + 1] += 1
                stack.remove(at: place)
            }
            stack.insert(object, at: 0)
        }
        let expected = Double(trace.requestCount) * sample.rate
        histogram[1] += expected - Double(sampled.count)
        let hits = histogram[1...max(1, places)].reduce(0, +)
        return 1 - hits / expected
    }

    /// Of 4 objects, 2 are in the sample: each place of it stands for 2 objects. Of 10 requests, 5 are expected in it.
    @Test("The difference of expected and actual requests goes to the first bucket, by hand")
    func story() throws {
        // A is requested seven times, the others once.
        let trace = try Self.trace([0, 0, 1, 0, 0, 2, 0, 3, 0, 0])
        let sample = ObjectSample(size: 2, of: trace)
        let sampled = trace.objects.filter(sample.contains)
        let curve = LRUCurve(trace, unit: .objects, sample: sample)
        #expect(curve.rate == 0.5)
        // Two first requests miss at any capacity, and nothing else from four objects on: 2 of the expected 5. Without
        // the correction, it would be 2 of the actual 8, or of the actual 2.
        #expect(sampled.count == 8 || sampled.count == 2)
        #expect(curve.missRatio(at: 4) == 0.4)
        #expect(Self.slowMissRatio(trace, sample, places: 2) == 0.4)
    }

    @Test("Curves of samples are those of the plain histogram", arguments: [0, 1, 2, 3])
    func twin(salt: Int) throws {
        var random = SplitMix64(seed: 7)
        let objects = (0..<3_000).map { _ in random.next(below: 200) * random.next(below: 200) / 200 }
        let trace = try Self.trace(objects)
        let size = trace.objectCount / 4
        let sample = ObjectSample(size: size, of: trace, seed: ObjectSample.seed(ofSalt: salt))
        let curve = LRUCurve(trace, unit: .objects, sample: sample)
        for places in 1...size {
            // A capacity of so many places: between two of them the curve is a straight line.
            let capacity = Int((Double(places) / sample.rate).rounded(.down))
            let place = Double(capacity) * sample.rate
            let low = Self.slowMissRatio(trace, sample, places: Int(place))
            let high = Self.slowMissRatio(trace, sample, places: min(Int(place) + 1, size))
            guard place >= 1 else { continue }
            let expected = min(1, low + (place - place.rounded(.down)) * (high - low))
            #expect(abs(curve.missRatio(at: capacity) - expected) < 1e-9, "\(places)")
        }
    }

    @Test("Salts choose different samples of one size, and the first one is the default")
    func salts() throws {
        let trace = try Self.trace(Array(0..<500))
        #expect(ObjectSample.seed(ofSalt: 0) == ObjectSample.defaultSeed)
        let seeds = Set((0..<100).map { ObjectSample.seed(ofSalt: $0) })
        #expect(seeds.count == 100)
        let samples = (0..<3).map { ObjectSample(size: 50, of: trace, seed: ObjectSample.seed(ofSalt: $0)) }
        #expect(samples[0] == ObjectSample(size: 50, of: trace))
        let chosen = samples.map { sample in (0..<UInt32(500)).filter { sample.contains($0) } }
        #expect(chosen.map(\.count) == [50, 50, 50])
        #expect(chosen[0] != chosen[1] && chosen[1] != chosen[2])
    }
}
