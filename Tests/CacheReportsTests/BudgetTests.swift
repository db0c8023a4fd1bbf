import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Budgets")
struct BudgetTests {
    private let results = ResultSet([Samples.ten()], source: "results")

    @Test(
        "a limit is kept or not, with the unit of its metric",
        arguments: [
            // 250 ms of 1 s blank, 1,500 bytes, a p99 of 1 ms, 7 of 10 requests hit.
            ("blank_ratio<25%", false), ("blank_ratio<=25%", true), ("blank_ratio < 0.26", true),
            ("memory_peak_bytes<1.5kB", false), ("memory_peak_bytes<=1.5kB", true), ("memory_peak_bytes<1501", true),
            ("latency_p99_us<=1ms", true), ("latency_p99_us<999us", false), ("hit_ratio>=70%", true),
            ("hit_ratio>0.7", false), ("blank_s<1s", true), ("failed<1", false),
        ])
    func limits(text: String, isKept: Bool) throws {
        let comparison = try Comparison(budgets: [try FigureBudget(text)], of: results)
        #expect(comparison.budgets.map(\.isKept) == [isKept])
        #expect(comparison.hasWorsened == !isKept)
    }

    @Test(
        "the message of a wrong limit names the mistake",
        arguments: [
            ("blank_ratio", "METRIC<LIMIT"), ("blankratio<2%", "did you mean blank_ratio?"),
            ("blank_ratio<2MB", "a percentage"),
            ("blank_ratio<2pt", "points are for changes"),
            ("memory_peak_bytes<64", nil), ("memory_peak_bytes<5%", "a size"),
            ("latency_p99_us<fast", "a duration"), ("failed<1%", "a number"), ("blank_ratio<nan", "a percentage"),
        ] as [(String, String?)])
    func wrong(text: String, reason: String?) throws {
        guard let reason else {
            _ = try FigureBudget(text)
            return
        }
        let error = #expect(throws: BudgetError.self) { try FigureBudget(text) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test("a limit for another trace, or for a figure that no result has, is an error")
    func nothing() throws {
        let other = #expect(throws: ResultsError.self) {
            try Comparison(budgets: [try FigureBudget("blank_ratio<2%", trace: "gallery")], of: results)
        }
        #expect(other?.message.contains("for the trace gallery, which has no results; traces: feed") == true)
        let silent = #expect(throws: ResultsError.self) {
            try Comparison(budgets: [try FigureBudget("wall_s<2s")], of: results)
        }
        #expect(silent?.message.contains("limits nothing") == true)
    }
}
