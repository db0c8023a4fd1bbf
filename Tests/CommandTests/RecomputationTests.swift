import Foundation
import Testing

/// Computes the figures of `summary.csv` and `latency.csv` again from the text of `requests.csv`, without code of the
/// project.
@Suite("summary.csv and latency.csv, computed again from requests.csv", .namesCommands)
struct RecomputationTests {
    /// The caches have requests of each outcome but `failed` and `wrong` on the bundled sessions.
    private static let caches = [
        "kingfisher-8", "sdwebimage-5", "ahead=nuke-13; memory: lru(8MB); prefetch: rows(2)", "split-md5",
        """
        small=memory: lru(2MB); disk: ttl(lru(6MB), lifetime: 20s); cancelOnDisappear: true; \
        fetchWhileScrolling: false
        """,
    ]

    private static let outcomes = [
        "memory_hits": "memory_hit", "disk_hits": "disk_hit", "origin_fetches": "origin", "coalesced": "coalesced",
        "deferred": "deferred", "cancelled": "cancelled", "failed": "failed", "wrong": "wrong",
    ]

    /// Returns the least of rising values that a share of them does not exceed.
    private static func percentile(_ perMille: Int, _ values: [Double]) -> Double {
        values[max(1, (values.count * perMille + 999) / 1000) - 1]
    }

    private static func figures(_ prefix: String, _ latencies: [Double]) -> [String: Double] {
        let sorted = latencies.sorted()
        guard let last = sorted.last else { return [:] }
        return [
            "\(prefix)mean_us": sorted.reduce(0, +) / Double(sorted.count),
            "\(prefix)p50_us": percentile(500, sorted), "\(prefix)p90_us": percentile(900, sorted),
            "\(prefix)p99_us": percentile(990, sorted), "\(prefix)p999_us": percentile(999, sorted),
            "\(prefix)max_us": last,
        ]
    }

    private static func check(_ row: [String: String], _ expected: [String: Double]) {
        let name = "\(row["trace"] ?? ""), \(row["cache"] ?? "") \(row["outcome"] ?? "")"
        for (column, value) in expected {
            guard let stated = row[column].flatMap(Double.init) else {
                Issue.record("\(name): \(column) is '\(row[column] ?? "")', and its requests give \(value)")
                continue
            }
            // The files have six digits after the point in seconds and ratios, and three in microseconds.
            let rounding = column.hasSuffix("_us") ? 0.0006 : 0.000_001
            #expect(abs(stated - value) <= rounding + 1e-9 * abs(value), "\(name): \(column)")
        }
    }

    @Test("Every figure of requests is the same, on every bundled session")
    func recomputed() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            var arguments = [
                "replay", "Traces/*.jsonl", "--timing", "modelled", "--no-charts", "--quiet", "--requests", "csv",
            ]
            for cache in Self.caches { arguments += ["--cache", cache] }
            try Command.succeed(arguments + ["--output", output.path])
            let summary = rows(try output.text("summary.csv"))
            let requests = Dictionary(grouping: rows(try output.text("requests.csv"))) {
                "\($0["trace"] ?? "") \($0["cache"] ?? "")"
            }
            // A cache on a model of NSCache has rows for the other models too.
            #expect(summary.count >= 7 * Self.caches.count && requests.count == summary.count)
            var totals: [String: Double] = [:]
            for row in summary {
                let own = try #require(requests["\(row["trace"] ?? "") \(row["cache"] ?? "")"])
                let shown = own.filter { $0["shown"] == "shown" }
                let latencies = shown.compactMap { Double($0["latency_us"] ?? "") }
                #expect(latencies.count == shown.count)
                let count = Double(own.count)
                var expected = Self.figures("latency_", latencies)
                expected["requests"] = count
                for (column, source) in Self.outcomes {
                    expected[column] = Double(own.count { $0["source"] == source })
                }
                expected["shown"] = Double(shown.count)
                expected["late"] = Double(own.count { $0["shown"] == "late" })
                expected["never_shown"] = Double(own.count { $0["shown"] == "never" })
                expected["shown_ratio"] = Double(shown.count) / count
                expected["shown_16ms_ratio"] = Double(latencies.count { $0 <= 16_000 }) / count
                expected["shown_100ms_ratio"] = Double(latencies.count { $0 <= 100_000 }) / count
                expected["shown_1s_ratio"] = Double(latencies.count { $0 <= 1_000_000 }) / count
                let memoryHits = Double(own.count { $0["source"] == "memory_hit" })
                let diskHits = Double(own.count { $0["source"] == "disk_hit" })
                expected["memory_hit_ratio"] = memoryHits / count
                expected["hit_ratio"] = (memoryHits + diskHits) / count
                let waits = own[0].keys.filter { $0.hasPrefix("wait_") }
                #expect(waits.count == 13)
                expected["blank_s"] = own.reduce(0) { sum, request in
                    sum + waits.reduce(0) { $0 + (Double(request[$1] ?? "") ?? .nan) } / 1e6
                }
                Self.check(row, expected)
                for (column, value) in expected { totals[column, default: 0] += value }
            }
            // The sessions have requests of these kinds, so that no comparison is of zeros only.
            for column in ["memory_hits", "disk_hits", "origin_fetches", "coalesced", "deferred", "cancelled", "late"] {
                #expect((totals[column] ?? 0) > 0, "\(column)")
            }
            for row in rows(try output.text("latency.csv")) {
                let own = try #require(requests["\(row["trace"] ?? "") \(row["cache"] ?? "")"]).filter {
                    $0["shown"] == "shown" && $0["source"] == row["outcome"]
                }
                var expected = Self.figures("", own.compactMap { Double($0["latency_us"] ?? "") })
                expected["count"] = Double(own.count)
                Self.check(row, expected)
            }
        }
    }
}
