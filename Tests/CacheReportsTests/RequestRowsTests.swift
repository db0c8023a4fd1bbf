import CacheTraces
import Foundation
import ImageLibraries
import ReplayEngine
import SessionModel
import Testing

@testable import CacheReports

@Suite("requests.csv beside summary.csv")
struct RequestRowsTests {
    private static func bundled(_ name: String) throws -> Trace {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try Trace(contentsOf: root.appendingPathComponent("Traces/\(name).jsonl").path)
    }

    @Test(
        "The rows of requests add up to the columns of the summary, for every preset",
        arguments: ["stress-search", "stress-flicks"])
    func partitions(name: String) throws {
        let trace = try Self.bundled(name)
        var totals: [String: Int] = [:]
        for preset in CachePreset.all {
            var job = ReplayJob(trace: name, cache: try CacheConfiguration(specification: preset.name))
            job.timing = .modelled(.standard)
            job.decode = true
            let (result, rows) = try job.explain(PreparedTrace(trace))
            func summary(_ column: String) throws -> Int? {
                Int(try #require(SummaryColumns.all.first { $0.name == column }).written(result))
            }
            func check(_ column: String, _ isCounted: (RequestRow) -> Bool) throws {
                let count = rows.count(where: isCounted)
                totals[column, default: 0] += count
                #expect(try summary(column) == count, "\(preset.name): \(column)")
            }
            try check("requests") { _ in true }
            try check("shown") { $0.shown == .shown }
            try check("late") { $0.shown == .late }
            try check("never_shown") { $0.shown == .never }
            for (column, source) in [
                ("memory_hits", "memory_hit"), ("disk_hits", "disk_hit"), ("origin_fetches", "origin"),
                ("coalesced", "coalesced"), ("deferred", "deferred"), ("cancelled", "cancelled"), ("failed", "failed"),
                ("wrong", "wrong"),
            ] {
                try check(column) { $0.source == source }
            }
            #expect(rows.allSatisfy { ($0.latency != nil) == ($0.shown == .shown) })
        }
        // The traces have requests of each kind, so that no comparison is of zeros only.
        #expect((totals["shown"] ?? 0) > 0)
        #expect((totals["late"] ?? 0) > 0)
        #expect((totals["never_shown"] ?? 0) > 0)
        #expect((totals["wrong"] ?? 0) > 0)
    }
}
