import Basics
import CachePolicies
import CacheTraces
import SessionModel
import TestSupport
import Testing

@testable import CacheSimulation

/// Samples of traces that are read in windows.
@Suite("Samples of traces in windows")
struct StreamedSampleTests {
    /// Writes 5,000 requests, three seconds apart, so that their times need several epochs.
    private static func requestsFile(_ folder: TemporaryFolder, varies: Bool) throws -> String {
        var random = SplitMix64(seed: 4)
        let rows = (0..<5_000).map { index in
            let object = random.next(below: 900) * random.next(below: 900) / 900
            return "\(index * 3_000_000),\(object),\(1 + object * 37 % 900 + (varies && index % 9 == 0 ? 5 : 0))"
        }
        return try folder.file(
            varies ? "varying.csv" : "fixed.csv", "time_us,key,size\n" + rows.joined(separator: "\n") + "\n")
    }

    private static func counts(_ trace: DenseTrace, _ policy: String, _ weights: [Double]) throws -> SimulationCounts {
        try #require(Simulation.run(trace, try PolicyContext().policy(policy), weights: weights) { _ in true })
    }

    /// Checks that a sample of windows has the objects, times, sizes and weights of a sample of the whole trace.
    private static func check(_ drawn: WindowedSamples.Drawn, _ whole: DenseTrace, _ name: String) throws {
        let (expected, weights) = whole.weightedSample(drawn.sample)
        #expect(Array(drawn.trace.objects) == Array(expected.objects), "\(name)")
        #expect(drawn.weights == weights, "\(name)")
        #expect(drawn.trace.uniqueBytes == expected.uniqueBytes && drawn.trace.requestBytes == expected.requestBytes)
        let times = (0..<expected.objects.count).map { expected.time(of: $0) }
        let found = (0..<drawn.trace.objects.count).map { drawn.trace.time(of: $0) }
        #expect(found == times, "\(name)")
        for policy in ["lru(4kB)", "w-tinylfu(20 objects)", "ttl(lru(4kB), lifetime: 4000s)", "belady(9 objects)"] {
            var counts = try Self.counts(drawn.trace, policy, drawn.weights)
            let other = try Self.counts(expected, policy, weights)
            // The kernel adds the weights epoch by epoch, and windows have epochs of their own.
            #expect(abs(counts.weightedMisses - other.weightedMisses) < 1e-6, "\(name): \(policy)")
            #expect(abs(counts.weightedMissBytes - other.weightedMissBytes) < 1e-3, "\(name): \(policy)")
            (counts.weightedMisses, counts.weightedMissBytes) = (other.weightedMisses, other.weightedMissBytes)
            #expect(counts == other, "\(name): \(policy)")
        }
    }

    @Test("Whatever the window, samples are those of the whole trace", arguments: [1, 77, 1 << 21], [false, true])
    func windows(window: Int, cuts: Bool) throws {
        let folder = try TemporaryFolder()
        let seeds = (0..<2).map { ObjectSample.seed(ofSalt: $0) }
        var cut = StreamedSweep.Parts()
        if cuts { (cut.skip, cut.first) = (1_000, 2_500) }
        let files = [
            (try Self.requestsFile(folder, varies: false), VaryingSizes.insertion),
            (try Self.requestsFile(folder, varies: true), .insertion),
            (try Self.requestsFile(folder, varies: true), .latest),
            (try folder.file("access.log", SampleLog.squid(5_000, objects: 300)), .first),
        ]
        for (path, varying) in files {
            var notes = ReadingNotes()
            let all = try DenseTrace(contentsOf: path, .init(usesSizes: true, varying: varying), &notes)
            let whole = cuts ? all.part(requests: 1_000..<3_500) : all
            let options = DenseTrace.Options(usesSizes: true, varying: varying, window: window)
            let (samples, read) = try StreamedSweep.samples(
                path, options, of: cut, rate: 0.2, seeds: seeds, &notes)
            #expect(read >= whole.requestCount)
            #expect(samples.requests == whole.requestCount && samples.requestBytes == whole.requestBytes)
            #expect(samples.objectCount == whole.objectCount && samples.uniqueBytes == whole.uniqueBytes)
            let (requests, bytes) = (samples.requests, samples.requestBytes)
            let drawn = samples.finish()
            for (own, seed) in zip(drawn, seeds) {
                let sample = ObjectSample(rate: 0.2, of: whole, seed: seed)
                #expect(own.sample == sample)
                try Self.check(own, whole, path)
                let curve = LRUCurve(own, of: (requests: requests, bytes: bytes), unit: .objects)
                let expected = LRUCurve(whole, unit: .objects, sample: sample)
                let ratios = (0...whole.objectCount).map { curve.missRatio(at: $0) }
                #expect(ratios == (0...whole.objectCount).map { expected.missRatio(at: $0) })
            }
        }
    }

    @Test("Whatever the window, the curve is that of the whole trace", arguments: [1, 77, 1 << 21], [false, true])
    func curves(window: Int, cuts: Bool) throws {
        let folder = try TemporaryFolder()
        var cut = StreamedSweep.Parts()
        if cuts { (cut.skip, cut.first) = (1_000, 2_500) }
        let file = try Self.requestsFile(folder, varies: false)
        let log = try folder.file("access.log", SampleLog.squid(5_000, objects: 300))
        for (path, usesSizes) in [(file, true), (file, false), (log, true)] {
            var notes = ReadingNotes()
            let all = try DenseTrace(contentsOf: path, .init(usesSizes: usesSizes), &notes)
            let whole = cuts ? all.part(requests: 1_000..<3_500) : all
            let options = DenseTrace.Options(usesSizes: usesSizes, window: window)
            let totals = try StreamedSweep.samples(path, options, of: cut, rate: 1, seeds: [], &notes).samples
            for unit in CapacityUnit.allCases {
                let curve = try StreamedSweep.curve(
                    path, options, of: cut, totals, unit: unit, exactAt: [777, 5_555])
                let expected = LRUCurve(whole, unit: unit, exactAt: [777, 5_555])
                #expect(curve.exactFrom == expected.exactFrom && curve.rate == 1)
                #expect(curve.requests == expected.requests && curve.requestBytes == expected.requestBytes)
                for capacity in [0, 1, 2, 5, 10, 50, 100, 300, 777, 5_555, 20_000, 100_000, 1_000_000] {
                    #expect(curve.misses(at: capacity) == expected.misses(at: capacity), "\(path): \(capacity)")
                    #expect(curve.missBytes(at: capacity) == expected.missBytes(at: capacity), "\(path): \(capacity)")
                }
            }
        }
    }
}
