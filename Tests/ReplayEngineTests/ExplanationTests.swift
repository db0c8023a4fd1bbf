import CachePolicies
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Causes and waits of requests")
struct ExplanationTests {
    private typealias Explained = (result: RunResult, explanations: [RequestExplanation])

    private func explain(
        _ story: Story, _ cache: String, _ timing: ReplayJob.Timing = .modelled(.standard), decode: Bool = false
    ) throws -> Explained {
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = timing
        job.decode = decode
        let explained = try job.explain(PreparedTrace(story.trace))
        return (explained.result, explained.requests.compactMap(\.explanation))
    }

    private func memoryCauses(_ story: Story, _ cache: String) throws -> [MissCause?] {
        try explain(story, cache).explanations.map(\.memoryCause)
    }

    /// Returns the waits of each request, without those that took no time.
    private func waits(_ story: Story, _ cache: String) throws -> [[Wait: Int64]] {
        try explain(story, cache).explanations.map {
            Dictionary(uniqueKeysWithValues: zip(Wait.allCases, $0.waits).filter { $0.1 != 0 })
        }
    }

    @Test("First requests, hits, and evictions that knowledge of the future avoids or not")
    func evictions() throws {
        var story = Story(network: ["A", "B", "C"].map { ($0, 1, 200) })
        // Two places. When C comes at 20, LRU evicts A, and knowledge would refuse C, which never returns. A at 30 is
        // avoidable, and evicts B; B at 40 is avoidable too.
        for (index, name) in ["A", "B", "C", "A", "B", "B"].enumerated() { story.appear(name, at: Int64(index * 10)) }
        let explained = try explain(story, "lru(2kB)")
        #expect(
            explained.explanations.map(\.memoryCause)
                == [.firstRequest, .firstRequest, .firstRequest, .policy, .policy, nil])
        #expect(explained.explanations.map(\.evictedBy) == [nil, nil, nil, 2, 3, nil])
        // One place: A and B in turn. Knowledge keeps A and misses every B, so each A is avoidable and no B is.
        var turns = Story(network: ["A", "B"].map { ($0, 1, 200) })
        for index in 0..<6 { turns.appear(index % 2 == 0 ? "A" : "B", at: Int64(index * 10)) }
        #expect(
            try memoryCauses(turns, "lru(1kB)")
                == [.firstRequest, .firstRequest, .policy, .capacity, .policy, .capacity])
    }

    @Test("Lifetimes, warnings, the background, relaunches and removals empty memory, each by its name")
    func purges() throws {
        var story = Story(network: [("A", 1, 200)])
        story.appear("A", at: 0)
        story.append(.memoryWarning, at: 10)
        story.appear("A", at: 20)
        story.append(.background, at: 30)
        story.appear("A", at: 40)
        story.append(.terminate, at: 50)
        story.appear("A", at: 60)
        story.remove("A", at: 70)
        story.appear("A", at: 80)
        story.appear("A", at: 700)
        #expect(
            try memoryCauses(story, "memory: ttl(lru(9kB), lifetime: 500ms); memoryOnBackground: clear")
                == [.firstRequest, .memoryWarning, .background, .relaunch, .removal, .expired])
        // Trimmed to a share of memory, the object leaves too.
        #expect(
            try memoryCauses(story, "memory: lru(9kB); memoryOnBackground: 10%; memoryOnWarning: 10%")
                == [.firstRequest, .memoryWarning, .background, .relaunch, .removal, nil])
    }

    @Test("Refused, in flight, failed, cancelled, deferred and blocked objects")
    func neverStored() throws {
        var story = Story(network: [("A", 100, 200), ("F", 10, 500), ("L", 50, 200)])
        story.appear("A", at: 0)
        story.appear("A", at: 10)
        story.appear("F", at: 200)
        story.appear("F", at: 300)
        story.appear("L", at: 400)
        story.disappear("L", at: 410)
        story.appear("L", at: 500)
        story.appear("L", at: 600)
        let explained = try explain(story, "memory: max-size(lru(9kB), limit: 500B); cancelOnDisappear: true")
        #expect(
            explained.explanations.map(\.memoryCause)
                == [.firstRequest, .inFlight, .firstRequest, .failed, .firstRequest, .cancelled, .refused])
        var moving = Story(network: [("A", 1, 200)])
        moving.scroll(.dragged, at: 0)
        moving.appear("A", at: 10)
        moving.disappear("A", at: 20)
        moving.scroll(.atRest, at: 30)
        moving.appear("A", at: 40)
        #expect(
            try memoryCauses(moving, "memory: lru(9kB); fetchWhileScrolling: false") == [.firstRequest, .deferred])
    }

    @Test("Keys that differ in their query only, and another variant of an object")
    func similarKeys() throws {
        var story = Story(network: ["https://a/x?1", "https://a/x?2", "https://a/y"].map { ($0, 1, 200) })
        story.appear("https://a/x?1", at: 0)
        story.appear("https://a/x?2", at: 10)
        story.appear("https://a/y", at: 20, .thumbnail)
        story.appear("https://a/y", at: 30, .full)
        #expect(
            try memoryCauses(story, "lru(9kB)") == [.firstRequest, .similarKey, .firstRequest, .similarKey])
    }

    @Test("Memory and disk each have a cause")
    func tiers() throws {
        var story = Story(network: ["A", "B"].map { ($0, 1, 200) })
        story.appear("A", at: 0)
        story.appear("B", at: 100)
        story.append(.memoryWarning, at: 200)
        story.appear("A", at: 300)
        story.appear("B", at: 400)
        // One place on disk: B has replaced A there, and A's return replaces B.
        let explained = try explain(story, "memory: lru(9kB); disk: lru(1kB)").explanations
        #expect(explained.map(\.memoryCause) == [.firstRequest, .firstRequest, .memoryWarning, .memoryWarning])
        #expect(explained.map(\.diskCause) == [.firstRequest, .firstRequest, .policy, .capacity])
        #expect(explained.map(\.evictedBy) == [nil, nil, 1, 2])
    }

    @Test("Files have their causes over a relaunch, also those that had left before it")
    func relaunchedDisk() throws {
        var story = Story(network: ["A", "B"].map { ($0, 1, 200) })
        // One place on disk: B replaces A, and is the file that the relaunch finds. A replaces B, and B replaces A.
        for (index, name) in "AB".enumerated() { story.appear(String(name), at: Int64(index) * 100) }
        story.append(.terminate, at: 200)
        story.appear("A", at: 300)
        story.appear("B", at: 400)
        story.remove("B", at: 500)
        story.appear("B", at: 600)
        #expect(
            try explain(story, "memory: none; disk: lru(1kB)").explanations.map(\.diskCause)
                == [.firstRequest, .firstRequest, .policy, .capacity, .removal])
    }

    @Test("A file whose name cannot be a file name is refused, not damaged")
    func unstorable() throws {
        let long = "https://a/" + String(repeating: "x", count: 300)
        var story = Story(network: [(long, 1, 200)])
        story.appear(long, at: 0)
        story.appear(long, at: 100)
        #expect(
            try explain(story, "memory: none; disk: lru(9kB); layout: escaped").explanations.map(\.diskCause)
                == [.firstRequest, .refused])
    }

    @Test("Waits: two fetches over one connection, each 100 ms, one after the other")
    func connectionQueue() throws {
        var story = Story(network: ["A", "B"].map { ($0, 100, 200) })
        story.appear("A", at: 0)
        story.appear("B", at: 10)
        story.append(.foreground, at: 500)
        let waits = try waits(story, "memory: lru(9kB); connections: 1")
        #expect(waits[0] == [.firstByte: 100_000_000, .mainLane: 2_000])
        // B waits from 10 ms to 100 ms.
        #expect(waits[1] == [.connectionQueue: 90_000_000, .firstByte: 100_000_000, .mainLane: 2_000])
    }

    @Test("Waits: a cell that vanishes, one that fails, and one that is held back until the list rests")
    func otherWaits() throws {
        var story = Story(network: [("A", 100, 200), ("F", 10, 500)])
        story.appear("A", at: 0)
        story.disappear("A", at: 30)
        story.appear("F", at: 200)
        story.disappear("F", at: 260)
        story.scroll(.dragged, at: 300)
        story.appear("A", at: 310)
        story.scroll(.atRest, at: 350)
        story.append(.foreground, at: 900)
        let waits = try waits(story, "memory: none; fetchWhileScrolling: false")
        #expect(waits[0] == [.firstByte: 30_000_000])
        #expect(waits[1] == [.firstByte: 10_000_000, .nothing: 50_000_000])
        #expect(waits[2] == [.gate: 40_000_000, .firstByte: 100_000_000, .mainLane: 2_000])
    }

    /// Every preset on a bundled trace, and caches with rules that few presets have.
    static let caches =
        CachePreset.all.map(\.name) + [
            "memory: lru(3MB); disk: lru(8MB); connections: 2", "memory: none; disk: ttl(lru(8MB), lifetime: 20s)",
            "memory: lru(3MB); disk: lru(8MB); decodeOnMainLane: true; diskOnMainLane: true",
        ]

    @Test(
        "Causes sum to misses, and waits to blank time, for every preset on every bundled trace",
        arguments: AgreementTests.bundled)
    func sums(path: String) throws {
        let trace = try PreparedTrace(Trace(contentsOf: path))
        for (index, cache) in Self.caches.enumerated() {
            var job = ReplayJob(trace: "t", cache: try CacheConfiguration(specification: cache))
            job.timing = .modelled(.standard)
            job.decode = index % 2 == 0
            let (result, requests) = try job.explain(trace)
            let explanations = requests.compactMap(\.explanation)
            var plain = result
            plain.causes = nil
            #expect(plain == (try job.run(trace)), "\(cache): explaining changes nothing")
            let kept = try job.runForResults(trace)
            #expect(result.causes == CauseTotals(requests) && kept == result, "\(cache)")
            #expect(explanations.count == result.counts.requests)
            let memoryMisses = result.counts.requests - result.counts.memoryHits
            #expect(explanations.count { $0.memoryCause != nil } == memoryMisses, "\(cache)")
            for (request, explanation) in zip(requests, explanations) {
                #expect((request.source == "memory_hit") == (explanation.memoryCause == nil), "\(cache)")
                if request.source == "disk_hit" { #expect(explanation.diskCause == nil) }
                #expect(explanation.waits.allSatisfy { $0 >= 0 }, "\(cache): \(explanation)")
            }
            let blank = explanations.reduce(0) { $0 + Double($1.blank) }
            #expect(abs(blank - result.blank.blankTime) <= 1e-9 * result.blank.blankTime, "\(cache)")
            guard job.cache.disk != nil else { continue }
            let asked = zip(requests, explanations).count { request, explanation in
                explanation.diskCause != nil
                    || request.source == "disk_hit"
            }
            #expect(asked <= memoryMisses)
        }
    }
}
