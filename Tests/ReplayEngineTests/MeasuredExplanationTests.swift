import ImageLibraries
import MeasuredTiers
import SessionModel
import Testing
import TraceRecording

@testable import ReplayEngine

@Suite("Causes and waits of measured requests")
struct MeasuredExplanationTests {
    private func explain(
        _ trace: Trace, _ cache: String, decode: Bool = false
    ) async throws -> (result: RunResult, requests: [RequestRow]) {
        try await replayed(trace, cache) { job in
            job.decode = decode
            return try job.explain(PreparedTrace(trace), measured: .real)
        }.result
    }

    private func checkSums(_ explained: (result: RunResult, requests: [RequestRow]), _ name: String) throws {
        let (result, requests) = explained
        let explanations = requests.compactMap(\.explanation)
        #expect(explanations.count == result.counts.requests, "\(name)")
        for (request, explanation) in zip(requests, explanations) {
            #expect((request.source == "memory_hit") == (explanation.memoryCause == nil), "\(name): \(request)")
            if request.source == "disk_hit" { #expect(explanation.diskCause == nil, "\(name): \(request)") }
            #expect(explanation.waits.allSatisfy { $0 >= 0 }, "\(name): \(explanation)")
            // Until its image is there, an image that is shown has been waited for.
            if let latency = request.latency { #expect(explanation.blank <= latency, "\(name): \(request)") }
        }
        let blank = explanations.reduce(0) { $0 + Double($1.blank) }
        #expect(abs(blank - result.blank.blankTime) <= 1e-9 * result.blank.blankTime, "\(name)")
        let causes = try #require(result.causes)
        #expect(causes == CauseTotals(requests), "\(name)")
        #expect(
            causes.memory.values.reduce(0, +) == result.counts.requests - result.counts.memoryHits, "\(name)")
    }

    @Test(
        "Causes sum to misses, and waits to blank time, on every bundled trace", arguments: AgreementTests.bundled)
    func sums(path: String) async throws {
        let trace = try Trace(contentsOf: path)
        for (index, cache) in [
            "kingfisher-8", "nuke-13", "glide", "urlcache",
            "memory: lru(3MB); disk: ttl(lru(4MB), lifetime: 20s); connections: 2; decodeOnMainLane: true",
        ].enumerated() {
            try checkSums(try await explain(trace, cache, decode: index % 2 == 1), cache)
        }
    }

    /// Explains a story with real tiers and without, and compares the causes.
    private func compare(_ story: Story, _ cache: String, atLeast kinds: Set<MissCause>) async throws {
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration(specification: cache))
        job.timing = .modelled(.standard)
        let modelled = try job.explain(PreparedTrace(story.trace), measured: .real).requests
        let found = Set(modelled.compactMap { $0.explanation?.memoryCause })
        #expect(found.isSuperset(of: kinds), "\(found)")
        let measured = try await explain(story.trace, cache)
        try checkSums(measured, cache)
        for (one, other) in zip(modelled, measured.requests) {
            let name = "request \(one.index) of \(one.key)"
            #expect(one.explanation?.memoryCause == other.explanation?.memoryCause, "\(name)")
            #expect(one.explanation?.diskCause == other.explanation?.diskCause, "\(name)")
            #expect(one.explanation?.evictedBy == other.explanation?.evictedBy, "\(name)")
        }
    }

    private static let caches: [(String, Set<MissCause>)] = [
        (
            "memory: lru(2kB); disk: ttl(lru(2kB), lifetime: 9s); memoryOnBackground: clear",
            [.firstRequest, .policy, .capacity, .memoryWarning, .background, .removal, .relaunch, .failed]
        ),
        ("memory: max-size(lru(9kB), limit: 500B); disk: none", [.firstRequest, .refused, .failed]),
        (
            "memory: lru(2kB); disk: lru(3kB); diskOnMainLane: true; memoryOnWarning: 60%",
            [.firstRequest, .policy, .removal, .relaunch]
        ),
    ]

    @Test("Causes are those of a modelled replay where timing cannot matter", arguments: caches)
    func modelledAgrees(cache: String, kinds: Set<MissCause>) async throws {
        // A second between any two requests: whatever takes how long, everything is done by the next.
        var story = Story(network: ["A", "B", "C", "D"].map { ($0, 10, $0 == "D" ? 404 : 200) })
        for (second, name) in "ABCABDDBBAC".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        story.append(.memoryWarning, at: 11_000)
        story.appear("C", at: 12_000)
        story.append(.background, at: 13_000)
        story.appear("C", at: 14_000)
        story.remove("C", at: 15_000)
        story.appear("C", at: 16_000)
        story.append(.terminate, at: 17_000)
        for (second, name) in "ABCDA".enumerated() { story.appear(String(name), at: Int64(second + 18) * 1_000) }
        story.append(.foreground, at: 30_000)
        try await compare(story, cache, atLeast: kinds)
    }

    @Test("Waits have at least the latency that the origin injects; a cell that vanishes waits until then")
    func waits() async throws {
        var story = Story(network: [("A", 2_000, 200), ("B", 5_000, 200)])
        story.appear("A", at: 0)
        story.appear("B", at: 10_000)
        story.disappear("B", at: 11_000)
        story.append(.foreground, at: 20_000)
        let (_, requests) = try await explain(story.trace, "memory: lru(9kB)")
        let waits = requests.compactMap(\.explanation?.waits)
        #expect(waits[0][Wait.firstByte.rawValue] >= 1_900_000_000, "\(Array(waits[0]))")
        #expect(waits[1].reduce(0, +) == 1_000_000_000, "\(Array(waits[1]))")
    }
}
