import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Figures of runs")
struct FigureTests {
    @Test("Every figure of a result is counted: none is 0 in all of these replays")
    func counted() throws {
        var story = Story(network: ["A1", "A2", "B", "C", "D"].map { ($0, 100, 200) } + [("E", 100, 503)])
        story.prefetch("B", at: 0)
        story.appear("A1", at: 0)
        story.appear("A1", at: 10)
        story.appear("A1", at: 200)
        story.appear("A2", at: 200)
        story.appear("C", at: 300)
        story.disappear("C", at: 310)
        story.appear("E", at: 400)
        story.appear("D", at: 500)
        story.append(.memoryWarning, at: 1_000)
        story.appear("D", at: 1_100)
        story.scroll(.dragged, at: 1_900)
        story.appear("C", at: 1_950)
        story.disappear("C", at: 2_000)
        story.scroll(.atRest, at: 2_100)
        story.appear("D", at: 2_500)
        story.appear("A1", at: 5_000)
        story.append(.background, at: 6_000)
        let caches = [
            "memory: lru(2 objects); disk: lru(2 objects)",
            """
            memory: ttl(lru(10kB), lifetime: 1s, sweep: 2s, checkOnRead: false); \
            disk: ttl(lru(10kB), lifetime: 2s); memoryKey: everyFifth; cancelOnDisappear: true
            """,
            "memory: lru(10kB); fetchWhileScrolling: false",
        ]
        var uncounted: Set<String>?
        for cache in caches {
            var result = try story.replay(cache)
            // A story has no damaged files; `PipelineTests.damagedFiles` counts them.
            result.tiers.damagedFiles = 1
            let zeros = zeros(result.counts) + zeros(result.tiers) + zeros(result.blank)
            uncounted = uncounted?.intersection(zeros) ?? Set(zeros)
        }
        #expect(
            uncounted == [],
            "count the figure in the pipeline, ReplayTally or a tier; or extend this story until it is above 0")
    }

    @Test("Every figure of validations is counted: none is 0 in this replay")
    func validations() throws {
        var session = RevalidationSession()
        session.image("A", ["cache-control": "max-age=10, stale-while-revalidate=10", "etag": "5"])
        for second: Int64 in [0, 15, 90] { session.appear("A", at: second * 1_000) }
        let (result, _) = try session.replay("lru(1MB); memoryLifetime: http; memoryRevalidate: staleWhileRevalidate")
        #expect(zeros(result.revalidation) == [])
    }

    /// Returns the names of the properties that are 0.
    private func zeros(_ figures: some Any) -> [String] {
        let zeros = ["0", "0.0", "Optional(0)", "Optional(0.0)"]
        return Mirror(reflecting: figures).children.filter { zeros.contains("\($0.value)") }.map {
            "\(type(of: figures)).\($0.label ?? "")"
        }
    }

    @Test("Memory counts the bytes of held objects, independent of their cost")
    func heldBytes() throws {
        var builder = TraceBuilder()
        for number in 0..<3 {
            let object = builder.object("\(number)")
            builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (1_000, 50, 20) }
            builder.append(TraceEvent(time: Int64(number), .appear(object, .full)))
        }
        let trace = builder.finish()
        func peak(_ cache: String) throws -> Int64 {
            var job = ReplayJob(trace: "three", cache: try CacheConfiguration(cache))
            job.timing = .modelled(.instant)
            return try job.run(trace).tiers.memoryPeakBytes
        }
        #expect(try peak("memory: lru(10kB); holds: encoded") == 3_000)
        #expect(try peak("memory: lru(10kB); holds: decoded; cost: encoded") == 12_000)
        #expect(try peak("memory: lru(10kB)") == 8_000)
        #expect(try peak("memory: lru(10kB); holds: decoded; cost: none") == 12_000)
        // Entries of 4,000 bytes exceed the entry limit.
        #expect(try peak("memory: lru(10kB); cost: decoded; entryLimit: 3999B") == 0)
    }
}
