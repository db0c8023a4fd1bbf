import Basics
import ReplayEngine
import Runs

/// For each cache, the smallest swept value whose blank time is within `Tolerance` of the lowest in the sweep.
struct SweepConclusion {
    /// One cache on one trace, over one network, with all values of a sweep.
    private struct Series {
        var place: String
        var cache: String
        /// The values, the smallest first; one without a limit is the last.
        var values: [Value]
    }

    /// The rows of one value: one, or one for each model of an NSCache.
    private struct Value {
        var number: Double
        var text: String
        var groups: [RunGroup]

        /// The largest blank time: no model is known to be the right one.
        var blank: Double { groups.compactMap { $0.median("blank_ratio") }.max() ?? 0 }
    }

    private let series: [Series]
    private let relevanceThreshold: Tolerance

    init(_ results: ResultSet) {
        relevanceThreshold = results.relevanceThreshold
        var series: [Series] = []
        for group in results.groups {
            guard let swept = group.settings("swept").first, !swept.isEmpty, !swept.contains(";"),
                let cache = group.settings("base_cache").first, group.median("blank_ratio") != nil
            else { continue }
            let number = group.settings("swept_value").first.flatMap(Double.init)
            guard let value = number ?? (swept.hasSuffix("=\(SweptValue.unlimited)") ? .infinity : nil) else {
                continue
            }
            let own = Value(number: value, text: swept, groups: [group])
            guard let place = series.firstIndex(where: { $0.place == group.key.place && $0.cache == cache }) else {
                series.append(Series(place: group.key.place, cache: cache, values: [own]))
                continue
            }
            if let known = series[place].values.firstIndex(where: { $0.text == swept }) {
                series[place].values[known].groups.append(group)
            } else {
                series[place].values.append(own)
            }
        }
        self.series = series.filter { $0.values.count > 1 }.map { series in
            var series = series
            series.values = series.values.stableSorted { $0.number < $1.number }
            return series
        }
    }

    /// nil if one value of one parameter is not swept.
    var conclusion: Finding? {
        let parts = series.compactMap(part)
        guard !parts.isEmpty else { return nil }
        let several = Set(series.map(\.place)).count > 1
        let shown = parts.prefix(6).map { several ? "\($0.text) on \(NameList.name($0.place))" : $0.text }
        let more = parts.count > shown.count ? ", and \(parts.count - shown.count) more" : ""
        return Finding(
            subject: .memory,
            text: """
                The smallest values whose blank time is within \(relevanceThreshold.text(.ratio)) of the lowest \
                in each sweep: \
                \(shown.joined(separator: ", "))\(more).
                """,
            evidence: parts.flatMap(\.evidence), caches: parts.prefix(6).flatMap(\.caches).unique())
    }

    private func part(
        _ series: Series
    ) -> (place: String, text: String, evidence: [Finding.Evidence], caches: [String])? {
        guard let least = series.values.map(\.blank).min(),
            let smallest = series.values.first(where: { relevanceThreshold.ties($0.blank, least, .ratio) })
        else { return nil }
        let text = "\(NameList.name(series.cache)) \(smallest.text) (\(HumanText.share(smallest.blank)))"
        return (
            series.place, text, series.values.flatMap(\.groups).compactMap { $0.evidence("blank_ratio") },
            smallest.groups.map(\.key.cache)
        )
    }
}
