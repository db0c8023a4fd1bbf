import CacheTraces
import Foundation
import Testing
import TraceRecording

@testable import ReplayEngine

@Suite("Measured replays, over real memory, files and sockets")
struct MeasuredReplayTests {
    /// Replays against a loopback origin of its own; also returns what that says it served.
    private func measure(_ trace: Trace, _ cache: String) async throws -> (result: RunResult, served: OriginStatistics) {
        let origin = try LoopbackOrigin(trace: trace)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("measured-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
        job.origin = "\(origin.address)/run"
        job.folder = folder
        let result = try job.run(trace)
        let served = origin.served()
        try await origin.stop()
        return (result, served)
    }

    @Test("Every byte is fetched, stored, read back and checked; the origin served what was counted", arguments: AgreementTests.bundled)
    func bundled(path: String) async throws {
        let trace = try Trace(contentsOf: path)
        let (result, served) = try await measure(trace, "memory: lru(1MB); disk: lru(8MB)")
        let requests = trace.events.count { if case .appear = $0.action { true } else { false } }
        #expect(result.counts.requests == requests)
        #expect(result.counts.wrongHits == 0)
        #expect(result.counts.memoryHits > 0)
        #expect(result.counts.diskHits > 0)
        #expect(result.tiers.originBytes == Int64(served.bytes))
        #expect(result.tiers.memoryPeakBytes <= 1_000_000)
        #expect(result.tiers.diskPeakBytes <= 8_000_000)
        #expect(result.latency(.memoryHit).p50 > 0)
        #expect((result.machine?.wallTime ?? 0) > 0)
    }

    @Test("Measured and modelled replays of a trace agree where timing cannot matter")
    func modelledAgrees() async throws {
        // A second between any two requests: whatever takes how long, everything is done by the next.
        var story = Story(network: [("A", 10, 200), ("B", 10, 404), ("C", 10, 200), ("D", 10, 0)])
        for (second, name) in "ABCADCBADBCAAD".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        story.append(.terminate, at: 20_000)
        for (second, name) in "ABCD".enumerated() { story.appear(String(name), at: Int64(second + 21) * 1_000) }
        let cache = "memory: lru(1kB); disk: ttl(lru(2kB), lifetime: 9s)"
        let (measured, _) = try await measure(story.trace, cache)
        let modelled = try story.replay(cache)
        #expect(measured.counts == modelled.counts)
        #expect(measured.tiers.memoryEvictions == modelled.tiers.memoryEvictions)
        #expect(measured.tiers.diskEvictions == modelled.tiers.diskEvictions)
        #expect(measured.tiers.diskExpirations == modelled.tiers.diskExpirations)
        #expect(measured.tiers.diskWrittenBytes == modelled.tiers.diskWrittenBytes)
        #expect(measured.counts.failed > 0)
    }

    @Test("An origin that is not there is said to be so")
    func noOrigin() throws {
        var story = Story()
        story.appear("A", at: 0)
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration("lru(1kB)"))
        job.origin = "http://127.0.0.1:9/run"
        let error = #expect(throws: ReplayError.self) { try job.run(story.trace) }
        #expect(error?.description.contains("cannot be reached") == true)
    }
}
