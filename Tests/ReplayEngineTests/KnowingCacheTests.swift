import CachePolicies
import CacheSimulation
import CacheTraces
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// The cache that knows the future has the limits of the tier: `explain` calls no miss avoidable that it could not
/// avoid.
@Suite("The bounds of the cache that knows the future")
struct KnowingCacheTests {
    private func bounds(_ policy: String) throws -> TierBounds? {
        let context = PolicyContext(workload: Workload(uniqueBytes: 1_000, objects: 10))
        return try TierBounds(PolicySpec(policy), in: context)
    }

    @Test("Limits are read from every form of specification")
    func forms() throws {
        #expect(try bounds("lru(20MB)") == .all(Limits(bytes: 20_000_000)))
        #expect(try bounds("lru(20MB, 256 objects)") == .all(Limits(bytes: 20_000_000, objects: 256)))
        #expect(try bounds("lru(50%)") == .all(Limits(bytes: 500)))
        #expect(try bounds("fifo(7 objects)") == .all(Limits(objects: 7)))
        #expect(try bounds("nscache(count: 100, model: lru)") == .all(Limits(objects: 100)))
        #expect(try bounds("nscache(cost: 1kB, count: 5)") == .all(Limits(bytes: 1_000, objects: 5)))
        #expect(try bounds("ttl(max-size(lru(4kB), limit: 1kB), lifetime: 1h)") == .all(Limits(bytes: 4_000)))
        #expect(
            try bounds("split(thumbnail: nscache(count: 100), full: trim(20 objects))")
                == .split(thumbnail: Limits(objects: 100), full: Limits(objects: 20)))
        for unlimited in [
            "none", "unbounded", "nscache(cost: 0B)", "trim(0B)", "split(thumbnail: lru(1B), full: none)",
        ] {
            #expect(try bounds(unlimited) == nil, "\(unlimited)")
        }
    }

    @Test("The most that a policy holds is what the fewest misses are bounded with")
    func room() throws {
        func room(_ policy: String) throws -> Capacity? { try bounds(policy)?.room }
        #expect(try room("lru(20kB, 256 objects)") == Capacity(20_000, .bytes))
        #expect(try room("fifo(7 objects)") == Capacity(7, .objects))
        #expect(try room("split(thumbnail: lru(1kB), full: lru(2kB))") == Capacity(3_000, .bytes))
        #expect(
            try room("split(thumbnail: nscache(count: 100), full: trim(20 objects))") == Capacity(120, .objects))
        #expect(try room("split(thumbnail: lru(1kB), full: lru(2 objects))") == nil)
    }

    @Test("What memory is asked for: requests, prefetches, what is removed and lost, and fetches that fail")
    func demand() throws {
        var story = Story(network: [("A", 1, 200), ("B", 1, 500), ("B", 1, 200)])
        story.appear("A", at: 0)
        story.prefetch("B", at: 10)
        story.append(.memoryWarning, at: 20)
        story.remove("A", at: 30)
        story.appear("B", at: 40)
        story.append(.terminate, at: 50)
        story.appear("A", at: 60)
        func demand(_ cache: String) throws -> MemoryDemand? {
            var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
            job.timing = .modelled(.instant)
            return try job.explainWithDemand(PreparedTrace(story.trace)).demand
        }
        let bytes = try #require(try demand("memory: lru(5kB); holds: encoded"))
        // Thumbnails have even numbers, and full images odd ones.
        let steps: [MemoryDemand.Step] = [
            .lookup(image: 1, size: 1_000, key: 0, isRequest: true),
            .lookup(image: 3, size: 1_000, key: 1, isRequest: false), .loss, .removal(image: 0), .removal(image: 1),
            .lookup(image: 3, size: 1_000, key: 1, isRequest: true), .loss,
            .lookup(image: 1, size: 1_000, key: 0, isRequest: true),
        ]
        #expect(bytes.steps == steps)
        #expect((bytes.capacity, bytes.imageCount) == (5_000, 4))
        #expect(bytes.outcomes == [1: [false, true]])
        let objects = try #require(try demand("memory: lru(2 objects); holds: encoded"))
        #expect(objects.capacity == 2)
        #expect(objects.steps.first == .lookup(image: 1, size: 1, key: 0, isRequest: true))
        #expect(try demand("memory: none") == nil)
        #expect(try demand("memory: lru(5kB); disk: lru(1MB); encodedMemory: 80kB") == nil)
    }

    @Test("Halves of a split: a thumbnail takes no place of a full image")
    func halves() throws {
        var story = Story(network: ["A", "B", "C", "T"].map { ($0, 1, 200) })
        // One place for thumbnails, which T has, and two for A, B and C in turn. Knowledge keeps A and one of the
        // others in turn; with three places for all, it would miss nothing twice.
        story.appear("T", at: 0, .thumbnail)
        for (index, name) in ["A", "B", "C", "A", "B", "C"].enumerated() {
            story.appear(name, at: Int64(index * 10 + 10))
        }
        var job = ReplayJob(
            trace: "story",
            cache: try CacheConfiguration("memory: split(thumbnail: lru(1 objects), full: lru(2 objects)); cost: none"))
        job.timing = .modelled(.standard)
        let causes = try job.explain(PreparedTrace(story.trace)).requests.map(\.explanation?.memoryCause)
        // Knowledge holds A and B, refuses C, hits A and B, and has no place for C.
        #expect(
            causes == [.firstRequest, .firstRequest, .firstRequest, .firstRequest, .policy, .policy, .capacity])
    }

    /// The presets with limits of objects, and the policy that knows the future in their limits.
    static let presets = [
        ("split-md5", "split(thumbnail: belady-bypass(100 objects), full: belady-bypass(20 objects))"),
        ("split-md5-as-written", "split(thumbnail: belady-bypass(100 objects), full: belady-bypass(20 objects))"),
        ("fresco", "belady-bypass(67108864B, 256 objects)"),
        ("fresco; memory: 2MB", "belady-bypass(2000000B, 256 objects)"),
        ("fresco; memory: lru(100MB, 12 objects)", "belady-bypass(100000000B, 12 objects)"),
        ("lru(30 objects)", "belady-bypass(30 objects)"),
        ("lru(3MB)", "belady-bypass(3000000B)"),
    ]

    @Test(
        "Avoidable misses are those that a simulation of the same limits avoids, for every bundled trace",
        arguments: AgreementTests.bundled, presets)
    func simulation(path: String, preset: (cache: String, policy: String)) throws {
        var trace = try Trace(contentsOf: path)
        // A simulation clears memory at each warning, and these caches do not all.
        trace.events.removeAll { event in
            switch event.action {
            case .memoryWarning, .background: true
            default: false
            }
        }
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration(specification: preset.cache))
        job.timing = .modelled(.instant)
        let prepared = try PreparedTrace(trace)
        let dense = DenseTrace(trace, holdsBitmaps: true)
        let simulated = Simulation.run(dense, try PolicyContext().policy(preset.policy))

        // The same policy, request by request.
        let objects = ReplayObjects(
            keys: prepared.keys, images: prepared.images, memory: job.cache.memoryRules, disk: job.cache.diskRules)
        let (memory, _) = try job.knowingCaches(
            prepared, objects, TierFigures(), driven: (memory: false, disk: false))
        #expect(try memory.bounds == bounds(preset.policy))
        var accesses: [ReplayRecorder.TierAccess] = []
        var requests = 0
        for event in trace.events {
            switch event.action {
            case .appear(let object, let variant):
                accesses.append(
                    .init(ImageKey(object: Int(object), variant: variant.rawValue), request: Int32(requests)))
                requests += 1
            case .prefetch(let object, let variant):
                accesses.append(
                    .init(
                        ImageKey(object: Int(object), variant: variant.rawValue),
                        request: ReplayRecorder.TierAccess.prefetch))
            case .terminate: accesses.append(.clear)
            default: break
            }
        }
        let knowing = FutureKnowledge(accesses, in: memory, wanted: Array(0..<requests))
        let hits = (0..<requests).count { knowing.hits($0) }
        #expect(hits == Int(simulated.requests - simulated.misses))

        // What the explanation calls avoidable is what this policy hits.
        let rows = try job.explain(prepared).requests
        for row in rows {
            guard let cause = row.explanation?.memoryCause, cause == .policy || cause == .capacity else { continue }
            #expect((cause == .policy) == knowing.hits(row.index), "request \(row.index)")
        }
    }
}
