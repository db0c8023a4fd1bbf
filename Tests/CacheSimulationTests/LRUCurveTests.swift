import Basics
import CachePolicies
import CacheTraces
import Foundation
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import CacheSimulation

/// The stack as a list, most recent first: obviously right.
private struct NaiveStack {
    var objects: [Int] = []

    /// The sizes of those above the object, and its own; nil where it is new.
    mutating func access(_ object: Int, _ size: (Int) -> Int) -> (others: Int, own: Int)? {
        defer { objects = [object] + objects.filter { $0 != object } }
        guard let place = objects.firstIndex(of: object) else { return nil }
        return (objects[..<place].reduce(0) { $0 + size($1) }, size(object))
    }
}

/// Zipf-like objects, sizes from 1 to 1000, drawn from a seed.
private func requests(_ count: Int, objects: Int, seed: UInt64) -> [UInt32] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
        // The product of two: small numbers are many.
        UInt32(random.next() % UInt64(objects)) * UInt32(random.next() % UInt64(objects)) / UInt32(objects)
    }
}

/// The path of a trace that comes with the package.
private func bundled(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Traces/\(name).jsonl").path
}

@Suite("The LRU curve")
struct LRUCurveTests {
    private static func size(_ object: Int) -> Int { 1 + object * 7_919 % 1_000 }

    private func dense(_ objects: [UInt32], usesSizes: Bool) throws -> DenseTrace {
        let text = "time,key,size\n" + objects.enumerated().map { "\($0),k\($1),\(Self.size(Int($1)))\n" }.joined()
        var notes = ReadingNotes()
        return try DenseTrace(
            TraceInput(bytes: Array(text.utf8), path: "requests.csv"), .init(format: .csv, usesSizes: usesSizes), &notes
        )
    }

    @Test("A story: A B C A B B, by hand")
    func story() throws {
        let trace = try dense([0, 1, 2, 0, 1, 1], usesSizes: false)
        let curve = LRUCurve(trace, unit: .objects)
        // A and B come back after two others, B then at once.
        #expect((0...4).map { curve.misses(at: $0) } == [6, 5, 5, 3, 3])
        #expect(curve.missRatio(at: 3) == 0.5)
        #expect(curve.fullCapacity == 3)
    }

    /// A session of removals: one in twelve events, of objects that may not be held.
    private func session(_ count: Int, objects: Int, seed: UInt64) -> Trace {
        var random = SplitMix64(seed: seed)
        var builder = TraceBuilder()
        for (time, number) in requests(count, objects: objects, seed: seed).enumerated() {
            let object = builder.object("k\(number)")
            let isRemoval = random.next() % 12 == 0
            builder.append(TraceEvent(time: Int64(time), isRemoval ? .remove(object) : .appear(object, .full)))
        }
        return builder.finish()
    }

    @Test("Removed objects leave room that the next store fills", arguments: [5, 60, 6_000])
    func removals(objects: Int) throws {
        // A B are stored, A is removed: a cache of two has room for C, and keeps B.
        var builder = TraceBuilder()
        let (a, b, c) = (builder.object("a"), builder.object("b"), builder.object("c"))
        for (time, action) in [.appear(a, .full), .appear(b, .full), .remove(a), .appear(c, .full), .appear(b, .full)]
            .enumerated() as EnumeratedSequence<[TraceEvent.Action]>
        {
            builder.append(TraceEvent(time: Int64(time), action))
        }
        let story = LRUCurve(DenseTrace(builder.finish(), usesSizes: false), unit: .objects)
        #expect((1...3).map { story.misses(at: $0) } == [4, 3, 3])
        let trace = DenseTrace(session(12_000, objects: objects, seed: 5), usesSizes: false)
        let curve = LRUCurve(trace, unit: .objects)
        for capacity in [1, 2, 3, objects / 10 + 1, objects / 3 + 1, objects] {
            let counts = Simulation.run(trace, LRU(Limits(objects: capacity)))
            #expect(curve.misses(at: capacity) == counts.misses, "\(capacity) objects")
        }
    }

    @Test("A sample keeps the removals of its objects, under their new numbers")
    func sampledRemovals() throws {
        let trace = DenseTrace(session(5_000, objects: 400, seed: 6), usesSizes: false)
        let sampled = trace.sampled(ObjectSample(rate: 0.3, of: trace))
        let removals = sampled.exceptions.compactMap { exception -> UInt32? in
            if case .removal(let object) = exception.kind { object } else { nil }
        }
        #expect(removals.count > 20 && removals.count < trace.exceptions.count)
        #expect(removals.allSatisfy { $0 < sampled.objectCount })
        #expect(trace.sampled(ObjectSample(rate: 1, of: trace)).exceptions == trace.exceptions)
    }

    @Test("Distances are those of a list, through growth and closing up", arguments: [3, 50, 3_000])
    func twin(objects: Int) {
        var naive = NaiveStack()
        var marks = LRUStack<MarkRow>(objectCount: objects)
        var weights = LRUStack<WeightRow>(objectCount: objects)
        for (index, object) in requests(objects > 1_000 ? 20_000 : 12_000, objects: objects, seed: UInt64(objects)).map(
            Int.init
        ).enumerated() {
            if index == 9_000 {
                naive = NaiveStack()
                marks.removeAll()
                weights.removeAll()
            }
            var unit = naive
            let expected = unit.access(object) { _ in 1 }
            let counted = marks.access(object) { 1 }
            #expect(counted?.others == expected?.others)
            let bytes = naive.access(object, Self.size)
            let weighed = weights.access(object) { Self.size(object) }
            #expect(weighed?.others == bytes?.others && weighed?.own == bytes?.own)
        }
    }

    @Test("In objects of different sizes the missed bytes are right too")
    func objectsWithSizes() throws {
        let trace = try dense(requests(6_000, objects: 200, seed: 2), usesSizes: true)
        let curve = LRUCurve(trace, unit: .objects)
        for capacity in stride(from: 0, through: 200, by: 7) {
            let counts = Simulation.run(trace, LRU(Limits(objects: capacity)))
            #expect(
                curve.misses(at: capacity) == counts.misses && curve.missBytes(at: capacity) == counts.missBytes,
                "\(capacity)")
        }
    }

    @Test("In bytes it is LRU simulated from the largest object on, and at most a little too pessimistic below")
    func bytes() throws {
        let trace = try dense(requests(6_000, objects: 200, seed: 3), usesSizes: true)
        let capacities = [0, 10, 300, 700, 999, 1_000, 1_001, 1_777, 4_999, 12_345, 33_333, 77_777, 1_000_000]
        let curve = LRUCurve(trace, unit: .bytes, exactAt: capacities)
        #expect(curve.exactFrom <= 1_000)
        for capacity in capacities {
            let counts = Simulation.run(trace, LRU(Limits(bytes: capacity)))
            if capacity >= curve.exactFrom {
                #expect(
                    curve.misses(at: capacity) == counts.misses && curve.missBytes(at: capacity) == counts.missBytes,
                    "\(capacity)")
            } else {
                #expect(curve.misses(at: capacity) >= counts.misses, "\(capacity)")
            }
        }
    }

    @Test(
        "Losses of memory and prefetches are those of the simulation",
        arguments: ["stress-feed", "stress-return", "photo-feed"])
    func sessions(name: String) throws {
        let trace = try DenseTrace(contentsOf: bundled(name), usesSizes: false)
        guard !trace.hasFailedFetches else { return }
        let curve = LRUCurve(trace, unit: .objects)
        for capacity in [0, 1, 2, 5, 10, 30, 100, 1_000] {
            #expect(
                curve.misses(at: capacity) == Simulation.run(trace, LRU(Limits(objects: capacity))).misses,
                "\(capacity)")
        }
    }

    @Test("The rungs of the scale rise, and each amount finds the lowest that holds it")
    func scale() {
        let scale = CapacityScale(upTo: 1 << 40, and: [12_345, 12_346, 999_999_999])
        #expect(zip(scale.rungs, scale.rungs.dropFirst()).allSatisfy { $0 < $1 })
        var random = SplitMix64(seed: 5)
        for _ in 0..<20_000 {
            let amount = Int(random.next() >> (24 + random.next() % 40))
            let place = scale.place(of: amount)
            #expect(scale.rungs[place] >= amount && (place == 0 || scale.rungs[place - 1] < amount), "\(amount)")
        }
        #expect(scale.place(of: 12_345) == scale.place(of: 12_346) - 1)
        #expect(CapacityScale(upTo: 0, and: []).rungs == [0])
    }
}

@Suite("Samples of objects")
struct ObjectSampleTests {
    private func trace(_ name: String = "requests.txt") throws -> DenseTrace {
        let text = requests(60_000, objects: 20_000, seed: 9).map { "\($0)\n" }.joined()
        var notes = ReadingNotes()
        return try DenseTrace(
            TraceInput(bytes: Array(text.utf8), path: name), .init(format: .plainText, usesSizes: false), &notes)
    }

    @Test("An object is in with all its accesses or with none, in their order")
    func whole() throws {
        let trace = try trace()
        for sample in [0.1, 0.03, 1].map({ ObjectSample(rate: $0, of: trace) }) {
            let sampled = trace.sampled(sample)
            var numbers: [UInt32: UInt32] = [:]
            let expected = trace.objects.filter(sample.contains).map { object in
                if numbers[object] == nil { numbers[object] = UInt32(numbers.count) }
                return numbers[object] ?? 0
            }
            #expect(Array(sampled.objects) == expected)
            #expect(sampled.objectCount == sample.objectCount && sampled.requestBytes == expected.count)
        }
        #expect(ObjectSample(rate: 1, of: trace).rate == 1)
        #expect(abs(ObjectSample(rate: 0.1, of: trace).rate - 0.1) < 0.005)
    }

    @Test("The estimate is near the curve, and all of the objects are the curve")
    func estimate() throws {
        let trace = try trace()
        let exact = LRUCurve(trace, unit: .objects)
        let sampled = LRUCurve(trace, unit: .objects, sample: ObjectSample(rate: 0.1, of: trace))
        let all = LRUCurve(trace, unit: .objects, sample: ObjectSample(rate: 1, of: trace))
        var error = 0.0
        for step in 1...100 {
            let capacity = step * trace.objectCount / 100
            #expect(all.misses(at: capacity) == exact.misses(at: capacity))
            error += abs(sampled.missRatio(at: capacity) - exact.missRatio(at: capacity)) / 100
        }
        #expect(error < 0.02, "\(error)")
    }

    @Test("Losses and prefetches stay at their places")
    func sessions() throws {
        let trace = try DenseTrace(contentsOf: bundled("stress-return"))
        let sampled = trace.sampled(ObjectSample(rate: 0.5, of: trace))
        #expect(
            sampled.exceptions.count { $0.kind == .memoryWarning }
                == trace.exceptions.count { $0.kind == .memoryWarning })
        #expect(zip(sampled.exceptions, sampled.exceptions.dropFirst()).allSatisfy { $0.position <= $1.position })
        #expect(sampled.requestCount <= trace.requestCount && sampled.requestBytes <= trace.requestBytes)
        // Time goes on as it did.
        for access in sampled.objects.indices.dropFirst() {
            #expect(sampled.time(of: access) >= sampled.time(of: access - 1))
        }
        _ = Simulation.run(sampled, LRU(Limits(bytes: 1_000_000)))
    }
}

@Suite("Sweeps")
struct SweepTests {
    private func trace() throws -> DenseTrace {
        let text = requests(30_000, objects: 2_000, seed: 11).map { "\($0)\n" }.joined()
        var notes = ReadingNotes()
        return try DenseTrace(
            TraceInput(bytes: Array(text.utf8), path: "r.txt"), .init(format: .plainText, usesSizes: false), &notes)
    }

    private func items() -> [Sweep.Item] {
        ["lru", "fifo"].flatMap { name in
            [1, 10, 100, 500, 1_999].map { capacity in
                Sweep.Item(policy: name) { try PolicyContext(capacity: .objects(capacity)).policy(name) }
            }
        }
    }

    private final class Outcomes: Sendable {
        let found = Mutex<[Int: SimulationCounts]>([:])
    }

    @Test("Several threads give the results of one thread, and of each item alone")
    func threads() throws {
        let trace = try trace()
        let all = try [1, 4, 16].map { jobs in
            let outcomes = Outcomes()
            try Sweep(trace, items()).run(jobs: jobs) { index, outcome in
                outcomes.found.withLock { $0[index] = outcome.counts }
            }
            return outcomes.found.withLock { $0 }
        }
        #expect(all[0] == all[1] && all[0] == all[2])
        for (index, cell) in items().enumerated() { #expect(all[0][index] == Simulation.run(trace, try cell.make())) }
    }

    @Test("An item that fails ends the run with its error, and finished items were delivered")
    func failure() throws {
        struct Broken: Error {}
        let outcomes = Outcomes()
        #expect(throws: Broken.self) {
            try Sweep(trace(), items()).run(jobs: 1) { index, outcome in
                if outcomes.found.withLock({ $0.count }) == 3 { throw Broken() }
                outcomes.found.withLock { $0[index] = outcome.counts }
            }
        }
        #expect(outcomes.found.withLock { $0.count } == 3)
    }

    @Test("A cancelled run delivers nothing more")
    func cancelled() throws {
        let outcomes = Outcomes()
        let sweep = try Sweep(trace(), items())
        try sweep.run(jobs: 1) { index, outcome in
            outcomes.found.withLock { $0[index] = outcome.counts }
            sweep.cancel()
        }
        #expect(outcomes.found.withLock { $0.count } == 1)
    }
}

@Suite("Traces through a window")
struct StreamedSweepTests {
    @Test("Whatever the window, the counts are those of the whole", arguments: [1, 7, 1_000, 1 << 21])
    func windows(window: Int) throws {
        let folder = try TemporaryFolder()
        var bytes: [UInt8] = []
        for (index, object) in requests(5_000, objects: 300, seed: 4).enumerated() {
            // Times that jump by hours begin new epochs; some fall.
            let seconds = UInt32(index / 100 * 3_000 + (index % 50 == 7 ? 0 : 5))
            withUnsafeBytes(of: seconds.littleEndian) { bytes += $0 }
            withUnsafeBytes(of: UInt64(object).littleEndian) { bytes += $0 }
            withUnsafeBytes(of: (1 + object * 37 % 900).littleEndian) { bytes += $0 }
            withUnsafeBytes(of: Int64(-1).littleEndian) { bytes += $0 }
        }
        let path = try folder.file("requests.oracleGeneral.bin", bytes)
        let trace = try DenseTrace(contentsOf: path)
        let texts = ["lru(20kB)", "fifo(50 objects)", "ttl(lru(20kB), lifetime: 4000s, sweep: 600s)", "lru(0 objects)"]
        var notes = ReadingNotes()
        let streamed = try StreamedSweep.run(
            path, .init(usesSizes: true, window: window), texts.map { try PolicyContext().policy($0) }, jobs: 3, &notes)
        #expect(streamed.counts == (try texts.map { Simulation.run(trace, try PolicyContext().policy($0)) }))
        #expect(streamed.objects == trace.objectCount)
        #expect(!notes.warnings.isEmpty)
    }

    /// Files of requests with the same objects and, where the format has them, sizes.
    private static func files(_ folder: TemporaryFolder) throws -> [String] {
        let objects = requests(5_000, objects: 300, seed: 4)
        func text(_ name: String, header: String = "", _ row: (Int, UInt32) -> String) throws -> String {
            let rows = objects.enumerated().map { row($0.offset, $0.element) }
            return try folder.file(name, Array((header + rows.joined(separator: "\n") + "\n").utf8))
        }
        let csv = try text("numbers.csv", header: "time,key,size\n") { "\($0),\($1),\(1 + $1 * 37 % 900)" }
        let texts = try text("texts.csv", header: "time,key,size\n") { index, object in
            // Some keys are numbers, some are quoted, some have letters outside ASCII.
            let key = [
                "\(object)", "\"https://a.example/\(object),1\"", "https://a.example/long/path/\(object).jpg",
                "ö\(object)",
            ]
            return "\(index),\(key[Int(object) % 4]),\(1 + object * 37 % 900)"
        }
        let plain = try text("plain.txt") { "object-\($1)" }
        let session = Trace(
            objects: (0..<300).map { TraceObject(key: "\($0)", bytes: 1 + $0 * 37 % 900) },
            events: objects.enumerated().map {
                TraceEvent(time: Int64($0.offset), .appear(ObjectID($0.element), .full))
            })
        let compiled = "\(folder.path)/requests.crtrace"
        var notes = ReadingNotes()
        try CompiledTrace(TraceInput(path: csv), &notes).write(to: compiled)
        let compressed = "\(folder.path)/compressed.csv.gz"
        try session.write(to: compressed, format: TraceFormat.named("csv"))
        return [csv, texts, plain, compiled, compressed]
    }

    @Test("Every format of requests has the counts of the whole, in windows of any size", arguments: [1, 77, 1 << 21])
    func formats(window: Int) throws {
        let folder = try TemporaryFolder()
        for path in try Self.files(folder) {
            let usesSizes = !path.hasSuffix(".txt")
            var notes = ReadingNotes()
            let trace = try DenseTrace(contentsOf: path, .init(usesSizes: usesSizes), &notes)
            #expect(trace.objectCount == 279 && trace.objects.count == 5_000, "\(path)")
            let texts = usesSizes ? ["lru(20kB)", "sieve(50 objects)"] : ["lru(20 objects)", "arc(50 objects)"]
            let streamed = try StreamedSweep.run(
                path, .init(usesSizes: usesSizes, window: window), texts.map { try PolicyContext().policy($0) },
                jobs: 2, &notes)
            #expect(
                streamed.counts == (try texts.map { Simulation.run(trace, try PolicyContext().policy($0)) }), "\(path)"
            )
            #expect(streamed.objects == 279)
        }
    }

    @Test("Sizes that only the end of the file determines, and sessions, are errors that name the remedy")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let unknown = try folder.file("unknown.csv", Array("time,key,size\n1,a,5\n2,b,\n3,a,5\n".utf8))
        let replaced = try folder.file("replaced.csv", Array("time,key,size\n1,a,0\n2,b,3\n3,a,5\n".utf8))
        let session = "\(folder.path)/session.crtrace"
        let trace = Trace(
            objects: [TraceObject(key: "a", bytes: 1)],
            events: [TraceEvent(time: 0, .appear(0, .full)), TraceEvent(time: 5, .memoryWarning)])
        try trace.write(to: session, format: .compiled)
        let text = "\(folder.path)/session.jsonl"
        try trace.write(to: text)
        for (path, words) in [
            (unknown, "have no size"), (replaced, "have the size 0"), (session, "is a session"), (text, "is a session"),
        ] {
            var notes = ReadingNotes()
            let error = #expect(throws: TraceError.self) {
                try StreamedSweep.run(
                    path, .init(usesSizes: true), [try PolicyContext().policy("lru(9 objects)")], jobs: 1, &notes)
            }
            #expect("\(String(describing: error))".contains(words), "\(path)")
        }
        var notes = ReadingNotes()
        let counted = try StreamedSweep.run(
            unknown, .init(usesSizes: false), [try PolicyContext().policy("lru(9 objects)")], jobs: 1, &notes)
        #expect(counted.counts.first?.misses == 2)
    }
}
