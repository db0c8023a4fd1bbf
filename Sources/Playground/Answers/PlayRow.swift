import Basics
import CacheReports
import ReplayEngine
import ResultColumns
import Runs

/// A figure of the page, with its difference between the pinned and the current cache.
struct PlayRow: Sendable {
    /// The figures in the order of the page: columns of `summary.csv`, and their titles.
    private static let shown: [(metric: String, title: String)] = [
        ("blank_ratio", "blank"), ("shown_100ms_ratio", "shown within 100 ms"), ("origin_bytes", "fetched"),
        ("memory_peak_bytes", "peak memory"), ("shown_ratio", "shown"), ("memory_hit_ratio", "hits in memory"),
        ("hit_ratio", "hits"), ("latency_p50_us", "median time to image"),
        ("latency_p99_us", "99th percentile of the time to image"), ("memory_evictions", "evicted from memory"),
        ("prefetch_wasted_bytes", "prefetched and never shown"), ("hitch_60hz_ms_per_s", "hitches"),
        ("stale_hits", "stale images"), ("wrong", "wrong pictures"),
    ]

    let column: Column<RunResult>
    let title: String
    /// By cache; nil if there is no figure.
    let values: [Double?]
    /// By cache.
    let texts: [String]
    /// The difference between the current and the pinned cache; nil without two figures.
    let difference: String?
    /// Whether the difference is more than the tolerance.
    let isRelevant: Bool
    /// Whether the difference is an improvement; nil if it does not count, or if neither direction is one.
    let isGood: Bool?

    /// Returns the rows of results. Rows in which no cache has a figure are left out, and so are faults whose figures
    /// are 0.
    static func rows(_ results: [RunResult], a: Int, b: Int, _ tolerance: Tolerance = .standard) -> [PlayRow] {
        shown.compactMap { shown in
            guard let column = SummaryColumns[shown.metric] else { return nil }
            let row = PlayRow(column, shown.title, results, a: a, b: b, tolerance)
            guard row.values.contains(where: { $0 != nil }) else { return nil }
            let isFault = ["stale_hits", "wrong", "prefetch_wasted_bytes", "hitch_60hz_ms_per_s"].contains(column.name)
            return isFault && row.values.allSatisfy { ($0 ?? 0) == 0 } ? nil : row
        }
    }

    private init(
        _ column: Column<RunResult>, _ title: String, _ results: [RunResult], a: Int, b: Int, _ tolerance: Tolerance
    ) {
        (self.column, self.title) = (column, title)
        let unit = column.unit
        values = results.map { column.value($0).number }
        texts = values.map { value in value.map { Self.text($0, unit) } ?? "–" }
        guard a != b, let before = values[a], let after = values[b] else {
            (difference, isRelevant, isGood) = (nil, false, nil)
            return
        }
        difference = Self.difference(after - before, unit)
        isRelevant = !tolerance.ties(before, after, unit)
        switch column.polarity {
        case .higherIsBetter? where isRelevant: isGood = after > before
        case .lowerIsBetter? where isRelevant: isGood = after < before
        default: isGood = nil
        }
    }

    /// Returns a figure as the tables of the terminal have it.
    static func text(_ value: Double, _ unit: Unit) -> String {
        unit == .ratio ? HumanText.share(value) : HumanText.figure(value, unit)
    }

    /// Returns a difference with its sign: `−7.1 points`, `+16 MB`, or `±0`. A very small difference has words in
    /// place of a sign: `under 0.01 points more`.
    static func difference(_ difference: Double, _ unit: Unit) -> String {
        guard difference != 0 else { return "±0" }
        let amount = unit == .ratio ? AmountText.points(difference) : HumanText.figure(abs(difference), unit)
        guard !amount.hasPrefix("<") else {
            return "under \(amount.dropFirst()) \(difference < 0 ? "less" : "more")"
        }
        return (difference < 0 ? "−" : "+") + amount
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("key", column.name)
            json.member("title", title)
            json.member("meaning", column.sentence)
            json.member("better", column.polarity?.rawValue)
            json.member("texts", texts)
            json.member("difference", difference)
            json.member("relevant", isRelevant)
            json.key("good")
            if let isGood { json.boolean(isGood) } else { json.null() }
        }
    }
}
