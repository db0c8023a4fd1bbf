import Basics
import CachePolicies
import CacheTraces
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import CacheSimulation

/// Parts of traces that are read in windows.
@Suite("Parts of traces in windows")
struct StreamedPartTests {
    /// Writes 5,000 requests, three seconds apart, so that their times need several epochs.
    private static func requestsFile(_ folder: TemporaryFolder) throws -> String {
        var random = SplitMix64(seed: 4)
        let rows = (0..<5_000).map { index in
            let object = random.next(below: 300) * random.next(below: 300) / 300
            return "\(index * 3_000_000),\(object),\(1 + object * 37 % 900)"
        }
        return try folder.file("requests.csv", "time_us,key,size\n" + rows.joined(separator: "\n") + "\n")
    }

    @Test(
        "Whatever the window, the counts are those of the part of the whole trace",
        arguments: [1, 77, 1_000, 1 << 21],
        [PartMarks.Length.requests(400), .time(600_000_000), nil] as [PartMarks.Length?])
    func parts(window: Int, every: PartMarks.Length?) throws {
        let folder = try TemporaryFolder()
        let log = try folder.file("access.log", SampleLog.squid(5_000, objects: 300))
        for path in [try Self.requestsFile(folder), log] {
            let part = try DenseTrace(contentsOf: path).part(requests: 1_000..<3_500)
            #expect(part.requestCount == 2_500)
            let later: [Int] =
                switch every {
                case .requests: [700, 1_100, 1_500, 1_900, 2_300]
                case .time(let time): part.marks(every: time, from: 300)
                case nil: []
                }
            // Policies that hash the numbers of objects show whether these are the same.
            let texts = ["lru(20kB)", "w-tinylfu(40 objects)", "ttl(lru(20kB), lifetime: 4000s, sweep: 600s)"]
            var cut = StreamedSweep.Parts(warmup: .requests(300))
            (cut.skip, cut.first, cut.every) = (1_000, 2_500, every)
            var notes = ReadingNotes()
            let streamed = try StreamedSweep.run(
                path, .init(usesSizes: true, window: window), texts.map { try PolicyContext().policy($0) }, of: cut,
                jobs: 2, &notes)
            for (index, text) in texts.enumerated() {
                let whole = try #require(
                    Simulation.cumulativeCounts(part, try PolicyContext().policy(text), at: [300] + later) { _ in true }
                )
                #expect(streamed.marked[index] + [streamed.counts[index]] == whole, "\(path): \(text)")
            }
            #expect(streamed.parts == part.requestParts(at: [300] + later))
            #expect(streamed.objects == part.objectCount)
        }
    }

    @Test("Whatever the window, hits are those of the whole trace", arguments: [1, 77, 1 << 21])
    func hits(window: Int) throws {
        let folder = try TemporaryFolder()
        let path = try Self.requestsFile(folder)
        let texts = ["lru(20kB)", "sieve(5kB)", "w-tinylfu(40 objects)"]
        let received = Mutex([[UInt8]](repeating: [], count: texts.count))
        var cut = StreamedSweep.Parts(warmup: .time(600_000_000))
        cut.hits = { item, bytes in received.withLock { $0[item] += bytes } }
        var notes = ReadingNotes()
        let policies = try texts.map { try PolicyContext().policy($0) }
        let streamed = try StreamedSweep.run(
            path, .init(usesSizes: true, window: window), policies, of: cut, jobs: 2, &notes)
        #expect(streamed.warmup == 200)
        let trace = try DenseTrace(contentsOf: path)
        for (index, text) in texts.enumerated() {
            var hits: HitBits? = HitBits()
            _ = Simulation.cumulativeCounts(trace, try PolicyContext().policy(text), at: [], hits: &hits) { _ in true }
            let found = received.withLock { $0[index] }
            #expect(found == hits?.bytes, "\(text)")
        }
    }

    @Test("Requests are counted, also up to a limit")
    func counted() throws {
        let folder = try TemporaryFolder()
        let path = try Self.requestsFile(folder)
        let all = try DenseTrace.countRequests(of: path, .init(window: 64), upTo: .max)
        #expect(all == 5_000)
        let some = try DenseTrace.countRequests(of: path, .init(window: 64), upTo: 700)
        #expect(some == 700)
        let records = try folder.file("a.oracleGeneral", [UInt8](repeating: 0, count: 24 * 7))
        let seven = try DenseTrace.countRequests(of: records, .init(), upTo: .max)
        #expect(seven == 7)
    }

    @Test("Marks of windows are those of the whole trace", arguments: [1, 2, 3, 6])
    func marks(window: Int) throws {
        let folder = try TemporaryFolder()
        let rows = ["0,A,10", "1,B,20", "2,A,10", "3,C,30", "4,B,20", "5,A,10"]
        let path = try folder.file("a.csv", "time_us,key,size\n" + rows.joined(separator: "\n") + "\n")
        let cases: [(warmup: Int, every: PartMarks.Length?, marks: [Int])] = [
            (0, .requests(2), [2, 4]), (0, .requests(6), []), (1, .requests(2), [1, 3, 5]),
            (0, .requests(.max), []), (1, .requests(.max), [1]), (3, nil, [3]), (6, nil, []),
            (0, .time(4), [4]), (1, .time(2), [1, 2, 4]), (0, .time(1), [1, 2, 3, 4, 5]),
        ]
        for (warmup, every, expected) in cases {
            var marks = PartMarks(behind: .requests(warmup), every: every)
            var (found, notes) = ([Int](), ReadingNotes())
            try DenseTrace.forEachWindow(of: path, .init(usesSizes: true, window: window), &notes) { window in
                found += marks.marks(in: window)
                return true
            }
            #expect(found == expected, "\(warmup), \(String(describing: every))")
        }
    }

    @Test("A part ends the reading, and too many parts are an error")
    func ends() throws {
        let folder = try TemporaryFolder()
        let path = try Self.requestsFile(folder)
        let policy = try PolicyContext().policy("lru(20kB)")
        var cut = StreamedSweep.Parts()
        cut.first = 10
        var notes = ReadingNotes()
        let few = try StreamedSweep.run(path, .init(usesSizes: true, window: 8), [policy], of: cut, jobs: 1, &notes)
        #expect(few.counts.map(\.requests) == [10])
        #expect(few.read >= 10)
        cut = StreamedSweep.Parts()
        cut.skip = 5_000
        let none = try StreamedSweep.run(path, .init(usesSizes: true, window: 8), [policy], of: cut, jobs: 1, &notes)
        #expect(none.counts.map(\.requests) == [0] && none.read == 5_000)
        cut = StreamedSweep.Parts()
        (cut.every, cut.most) = (.requests(1_000), 5)
        let five = try StreamedSweep.run(path, .init(usesSizes: true, window: 8), [policy], of: cut, jobs: 1, &notes)
        #expect(five.parts.count == 5)
        cut.most = 4
        #expect(throws: StreamedSweep.TooManyParts()) {
            try StreamedSweep.run(path, .init(usesSizes: true, window: 8), [policy], of: cut, jobs: 1, &notes)
        }
    }
}
