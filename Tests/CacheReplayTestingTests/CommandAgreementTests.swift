import CachePolicies
import Foundation
import ReplayEngine
import ResultColumns
import Testing

@testable import CacheReplayCommand
@testable import CacheReplayTesting

/// A test of an app and `cachereplay replay` say the same about the same cache, without any option.
@Suite("Figures of tests and of the command")
struct CommandAgreementTests {
    private static let policies = [
        "lru(64MB)", "fifo(64MB)", "sieve(64MB)", "s3fifo(64MB)", "nscache(cost: 64MB, model: lru)",
    ]
    private static let traces: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: SessionTests.traces)) ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.sorted()
    }()

    /// A replay does not know these of a class, or they name the cache.
    private static let unknown: Set = [
        "cache", "base_cache", "memory_evictions", "memory_expirations", "image_memory_peak_bytes", "cache_faults",
    ]

    @Test("Every bundled session has tests") func all() { #expect(Self.traces.count >= 7) }

    @Test("Five caches have the same digits in each column", arguments: traces, ["modelled", "instant"])
    func agreement(trace: String, timing: String) async throws {
        let path = "\(SessionTests.traces)/\(trace)"
        let session = try Session(path)
        let command = try ReplayCommand.parse(
            [path, "--timing", timing] + Self.policies.flatMap { ["--cache", $0] })
        let (plan, _) = try command.makePlan()
        defer { plan.removeCompiledTraces() }
        let (entry, read) = try plan.read(0, isCompiled: false)
        let prepared = try #require(read)
        for (policy, run) in zip(Self.policies, try plan.runs(of: entry)) {
            let expected = try run.job.runForResults(prepared, identity: run.identity)
            let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1))
            let cache = PolicyCache(try context.policy(try PolicySpec(policy)))
            let own = try await session.replay(
                through: cache, options: .timing(timing == "instant" ? .instant : .modelled))
            for column in SummaryColumns.all where !Self.unknown.contains(column.name) {
                #expect(column.written(own.run) == column.written(expected), "\(policy): \(column.name)")
            }
            #expect(own.memoryMisses["first_request"] == expected.causes?.memory["first_request"])
        }
    }
}
