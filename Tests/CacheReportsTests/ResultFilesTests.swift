import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The CSV files of a results folder")
struct ResultFilesTests {
    /// Returns the fields of a run in `summary.csv` by the names of their columns. The golden output of
    /// `schema columns` has all names in their order.
    private static func row(_ result: RunResult) -> [String: String] {
        let lines = ResultFiles.summary([result]).split(separator: "\n")
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        #expect(lines.count == 2 && lines[0].count == lines[1].count)
        return Dictionary(zip(lines[0], lines[1])) { first, _ in first }
    }

    /// Expects fields of a run.
    private static func expect(_ expected: [String: String], _ result: RunResult) {
        let row = row(result)
        for (column, field) in expected { #expect(row[column] == field, "\(column)") }
    }

    @Test("ten requests, worked out by hand")
    func summaryRow() {
        // 7 hits of 10; 8 of 10 shown, 7 of them within 16 ms, 1 late, 1 never; a third of the bytes; nothing measured,
        // so the figures of the machine are empty.
        Self.expect(
            [
                "trace": "feed", "cache": "lru", "repeat": "1", "seed": "1", "timing": "modelled",
                "network": "recorded", "holds": "decoded", "injected": "", "base_cache": "lru", "swept": "",
                "swept_value": "", "user": "",
                "requests": "10", "prefetches": "3", "memory_hits": "5", "disk_hits": "2", "origin_fetches": "2",
                "coalesced": "0", "failed": "1", "stale_hits": "0", "wrong": "0",
                "shown": "8", "late": "1", "never_shown": "1", "shown_ratio": "0.800000",
                "shown_16ms_ratio": "0.700000", "shown_100ms_ratio": "0.800000", "shown_1s_ratio": "0.800000",
                "hit_ratio": "0.700000", "memory_hit_ratio": "0.500000", "byte_hit_ratio": "0.333333",
                "origin_bytes": "2000", "cache_faults": "", "prefetch_fetches": "0", "prefetch_blank_avoided_s": "",
                "prefetch_blank_avoided_s_per_mb": "", "revalidation_wait_s": "0.000000",
                "latency_mean_us": "1.234", "latency_p50_us": "1.000", "latency_p90_us": "2.500",
                "latency_p99_us": "1000.000", "latency_p999_us": "1000.001", "latency_max_us": "12345.678",
                "blank_ratio": "0.250000", "blank_s": "0.250000", "memory_peak_bytes": "1500",
                "image_memory_peak_bytes": "", "rss_peak_bytes": "", "disk_peak_bytes": "0", "trace_s": "2.000000",
                "wall_s": "", "requests_per_s": "",
            ], Samples.ten())
    }

    @Test("measured runs tell memory, time and speed of the machine")
    func machine() {
        var result = Samples.ten()
        result.machine = MachineFigures(residentPeakBytes: 4_096, wallTime: 4_000_000_000)
        Self.expect(["rss_peak_bytes": "4096", "wall_s": "4.000000", "requests_per_s": "2.5"], result)
    }

    @Test("modelled runs tell the peak of images")
    func images() {
        var result = Samples.ten()
        result.imageMemoryPeak = 2_500
        Self.expect(["memory_peak_bytes": "1500", "image_memory_peak_bytes": "2500", "rss_peak_bytes": ""], result)
    }

    @Test("what prefetches bring and avoid")
    func prefetches() {
        var result = Samples.ten()
        result.prefetch.fetches = 5
        result.prefetch.used = 3
        result.prefetch.cancelled = 1
        result.prefetch.bytes = 2_000_000
        result.prefetch.unusedBytes = 500_000
        result.prefetch.blankAvoided = 3e9
        Self.expect(
            [
                "prefetch_fetches": "5", "prefetch_used": "3", "prefetch_cancelled": "1", "prefetch_bytes": "2000000",
                "prefetch_wasted_bytes": "500000", "prefetch_blank_avoided_s": "3.000000",
                "prefetch_blank_avoided_s_per_mb": "1.500000",
            ], result)
    }

    @Test("without requests there is no ratio and no latency, not a zero")
    func nothingHappened() {
        let row = Self.row(RunResult(identity: Samples.identity()))
        for column in SummaryColumns.metrics where column.unit == .ratio || column.name.hasPrefix("latency_") {
            #expect(row[column.name] == "", "\(column.name)")
        }
        #expect(row["requests"] == "0" && row["origin_bytes"] == "0" && row["blank_s"] == "0.000000")
    }

    @Test("numbers never have an exponent, and what is not finite is empty")
    func numbers() {
        #expect(Unit.seconds.written(.real(1e-9)) == "0.000000")
        #expect(Unit.seconds.written(.real(1e16)) == "10000000000000000.000000")
        #expect(Unit.ratio.written(.real(.nan)) == "")
        #expect(Unit.ratio.written(.real(.infinity)) == "")
    }

    @Test("every metric has a name of its own and says what it means")
    func columns() {
        let names = SummaryColumns.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(SummaryColumns.all.allSatisfy { !$0.meaning.isEmpty })
        #expect(SummaryColumns.metrics.filter(\.isGated).allSatisfy { $0.polarity != .neutral })
    }
}
