import Basics
import CachePolicies
import CacheTraces
import Foundation
import TestSupport
import Testing

@testable import CacheSimulation

/// Objects whose requests have different sizes.
@Suite("Sizes that vary by request")
struct VaryingSizesTests {
    /// A grows from 10 to 30 bytes, and shrinks again.
    private static let text = """
        time_us,key,size
        0,A,10
        1,B,10
        2,A,30
        3,C,10
        4,B,10
        5,A,10

        """

    /// In LRU of 40 bytes. `latest`: the third request stores A anew with 30 bytes; C pushes B out, B pushes A out.
    @Test(
        "LRU of 40 bytes, by hand",
        arguments: [
            (VaryingSizes.first, misses: 3, missBytes: 30, requestBytes: 60),
            (.insertion, misses: 3, missBytes: 30, requestBytes: 80),
            (.latest, misses: 5, missBytes: 50, requestBytes: 80),
        ])
    func story(varying: VaryingSizes, misses: Int, missBytes: Int, requestBytes: Int) throws {
        var notes = ReadingNotes()
        let input = TraceInput(bytes: Self.text.utf8, path: "a.csv")
        let trace = try DenseTrace(input, .init(varying: varying), &notes)
        let counts = Simulation.run(trace, try PolicyContext().policy("lru(40B)"))
        #expect(counts.misses == misses)
        #expect(counts.missBytes == missBytes)
        #expect(counts.requestBytes == requestBytes)
        #expect(notes.warnings.count == 1)
        #expect(notes.hasSizesByRequest)
        // Sessions have one size for each object.
        #expect(DenseTrace(try TraceReading(input).trace).requestBytes == 60)
    }

    /// Reads objects by turns whose sizes change at every fifth request.
    private static func rows(_ count: Int) -> String {
        var text = "time_us,key,size\n"
        for index in 0..<count {
            let key = index * index % 37
            text += "\(index),\(key),\(10 + key + (index % 5 == 0 ? index % 60 : 0))\n"
        }
        return text
    }

    @Test("Windows, plain and compressed, count what the whole trace counts", arguments: VaryingSizes.allCases, [1, 7])
    func windows(varying: VaryingSizes, window: Int) throws {
        let folder = try TemporaryFolder()
        let plain = try folder.file("a.csv", Self.rows(500))
        let compressed = try folder.file(
            "a.csv.gz", Compression.gzip.compress(Array(Self.rows(500).utf8), file: "a.csv.gz"))
        var notes = ReadingNotes()
        let trace = try DenseTrace(contentsOf: plain, .init(varying: varying), &notes)
        let specifications = ["lru(300B)", "fifo(300B)", "s3fifo(600B)", "gdsf(300B)"]
        let whole = try specifications.map { Simulation.run(trace, try PolicyContext().policy($0)) }
        #expect(whole[0].misses > 100)
        for path in [plain, compressed] {
            let outcome = try StreamedSweep.run(
                path, .init(usesSizes: true, varying: varying, window: window),
                specifications.map { try PolicyContext().policy($0) }, jobs: 1, &notes)
            #expect(outcome.counts == whole)
        }
    }

    /// Reads objects at random, of which some have no size, a size of 0, or several.
    private static func rows(_ random: inout SplitMix64) -> String {
        var text = "time_us,key,size\n"
        var time = random.next(below: 3) * 1_700_000_000_000_000
        for _ in 0..<1 + random.next(below: 400) {
            time += random.next(below: 9) == 0 ? random.next(below: 6_000_000_000) : random.next(below: 50_000)
            let key = random.next(below: 40)
            let size = [10 + key, 10 + key, 10 + key, 0, random.next(below: 90)][Int(random.next(below: 5))]
            text += "\(time),\(key % 3 == 0 ? "k" : "")\(key),\(key % 7 == 6 && size % 2 == 0 ? "" : "\(size)")\n"
        }
        return text
    }

    /// Compiled files are read as a whole, in windows, and as samples.
    @Test(
        "A compiled trace and a converted one simulate as their source", arguments: VaryingSizes.allCases,
        [true, false])
    func compiled(varying: VaryingSizes, usesSizes: Bool) throws {
        var random = SplitMix64(seed: 56)
        for _ in 0..<12 {
            let folder = try TemporaryFolder()
            let source = try folder.file("a.csv", Self.rows(&random).utf8)
            var notes = ReadingNotes()
            try CompiledTrace(contentsOf: source, &notes).write(to: folder.path + "/a.crtrace")
            try CompiledTrace(contentsOf: folder.path + "/a.crtrace", &notes).write(to: folder.path + "/b.crtrace")
            let written = try TransferredTrace(contentsOf: folder.path + "/b.crtrace", format: nil, to: .csv, window: 7)
            guard case .requests(let requests) = written else {
                Issue.record("the source holds requests alone")
                return
            }
            _ = try requests.write(to: folder.path + "/b.csv", format: .csv)
            let options = DenseTrace.Options(usesSizes: usesSizes, varying: varying)
            let limit = usesSizes ? "B" : " objects"
            let specifications = ["lru", "fifo", "gdsf", "s3fifo", "belady"].flatMap {
                ["\($0)(30\(limit))", "\($0)(400\(limit))"]
            }
            func policies() throws -> [any CachePolicy] {
                try specifications.map { try PolicyContext().policy($0) }
            }
            let trace = try DenseTrace(contentsOf: source, options, &notes)
            let expected = try policies().map { Simulation.run(trace.withNextAccesses(), $0) }
            let sampled = trace.sampled(ObjectSample(rate: 0.5, of: trace))
            for name in ["a.crtrace", "b.crtrace", "b.csv"] {
                var own = ReadingNotes()
                let trace = try DenseTrace(contentsOf: "\(folder.path)/\(name)", options, &own)
                let counts = try policies().map { Simulation.run(trace.withNextAccesses(), $0) }
                #expect(counts == expected, "\(name)")
                let sample = trace.sampled(ObjectSample(rate: 0.5, of: trace))
                #expect(sample.objects == sampled.objects && sample.requestBytes == sampled.requestBytes)
                #expect(sample.requestSizes == sampled.requestSizes && sample.exceptions == sampled.exceptions)
            }
            let streamed = try StreamedSweep.run(
                folder.path + "/a.crtrace", options,
                specifications.filter { !$0.hasPrefix("belady") }
                    .map { try PolicyContext().policy($0) }, jobs: 1, &notes)
            #expect(streamed.counts == Array(expected.prefix(streamed.counts.count)))
        }
    }

    @Test("A sample of all objects counts what the whole trace counts", arguments: VaryingSizes.allCases)
    func sample(varying: VaryingSizes) throws {
        var notes = ReadingNotes()
        let trace = try DenseTrace(
            TraceInput(bytes: Self.rows(500).utf8, path: "a.csv"), .init(varying: varying), &notes)
        let sampled = trace.sampled(ObjectSample(rate: 1, of: trace))
        #expect(sampled.requestBytes == trace.requestBytes)
        let counts = try [trace, sampled].map { Simulation.run($0, try PolicyContext().policy("lru(300B)")) }
        #expect(counts[0] == counts[1])
    }
}
