import ReplayEngine

/// What became of the requests: one bar per cache, whose parts add up to all requests. Shown images are divided by
/// their source.
enum OutcomeChart {
    private struct Part {
        var title: String
        var colour: String
        /// The colour of the text on the part.
        var ink: String
        var count: @Sendable (RunResult) -> Int
    }

    private static let parts: [Part] = [
        Part(title: "memory", colour: ChartStyle.blue, ink: "#fefefe") { shown($0, .memoryHit) },
        Part(title: "disk", colour: ChartStyle.skyBlue, ink: "#010101") { shown($0, .diskHit) },
        Part(title: "coalesced", colour: ChartStyle.green, ink: "#fefefe") { shown($0, .coalesced) },
        Part(title: "origin", colour: ChartStyle.orange, ink: "#010101") { shown($0, .origin) },
        Part(title: "late", colour: ChartStyle.paleGrey, ink: "#000000") { $0.counts.late },
        Part(title: "never", colour: ChartStyle.grey, ink: "#010101") { $0.counts.neverShown - $0.counts.wrong },
        Part(title: "wrong", colour: ChartStyle.red, ink: "#fefefe") { $0.counts.wrong },
    ]

    private static func shown(_ result: RunResult, _ group: LatencyGroup) -> Int { result.delivered(group)?.count ?? 0 }

    static func content(_ input: ChartInput) -> ChartContent {
        let rows = rows(input)
        let names = NameRows(rows.map(label))
        let isEmpty = input.caches.allSatisfy { $0.total(\.counts.requests) == 0 }
        return ChartContent(
            title: "What became of the requests · \(input.trace)", height: names.height,
            settings: names.settings + Axis.linear(from: 0, to: 1) { HumanText.wholeShare($0) }.settings("x") + [
                "set xlabel 'share of requests'",
                "set rmargin at screen 0.92",
                "set label 'shown' at graph 1.012, graph 1.02",
                "set style fill solid 1 border rgb '#ffffff'",
                "unset grid",
            ] + shownRatios(rows.map { $0[0] }),
            plots: isEmpty ? [] : bars(input) + labels,
            columns: ["row", "requests"] + parts.map { "\($0.title.replacing(" ", with: "_"))_share" } + ["cache"],
            rows: rows.enumerated().map { row($0, $1) })
    }

    /// Returns the caches of each row: those with equal counts share one, and the row with the most shown requests is
    /// the first.
    private static func rows(_ input: ChartInput) -> [[ChartInput.Series]] {
        func counts(_ cache: ChartInput.Series) -> [Int] {
            [cache.total(\.counts.requests), cache.total(\.counts.shown)] + parts.map { cache.total($0.count) }
        }
        func shown(_ cache: ChartInput.Series) -> Double {
            Double(cache.total(\.counts.shown)) / Double(max(1, cache.total(\.counts.requests)))
        }
        var rows: [(counts: [Int], caches: [ChartInput.Series])] = []
        for cache in input.caches {
            let own = counts(cache)
            if let known = rows.firstIndex(where: { $0.counts == own }) {
                rows[known].caches.append(cache)
            } else {
                rows.append((own, [cache]))
            }
        }
        return rows.map(\.caches).stableSorted { shown($0[0]) > shown($1[0]) }
    }

    private static func label(_ caches: [ChartInput.Series]) -> String {
        let names = caches.map(\.name).joined(separator: ", ")
        return caches.count == 1 ? names : "\(caches.count) caches: \(names)"
    }

    private static func row(_ index: Int, _ caches: [ChartInput.Series]) -> [String] {
        let cache = caches[0]
        let requests = cache.total(\.counts.requests)
        let shares = parts.map { part in
            Unit.ratio.written(.share(Double(cache.total(part.count)), of: Double(requests)))
        }
        return ["\(index + 1)", "\(requests)"] + shares
            + [caches.map { ShortNames.printable($0.name) }.joined(separator: ", ")]
    }

    /// Returns the shares of shown requests beside the bars, to which the first four parts add up.
    private static func shownRatios(_ caches: [ChartInput.Series]) -> [String] {
        caches.enumerated().map { index, cache in
            let requests = cache.total(\.counts.requests)
            let shown = cache.total(\.counts.shown)
            let text = requests > 0 ? HumanText.share(Double(shown) / Double(requests)) : "–"
            return "set label \(GnuplotText.quoted(text)) at graph 1.012, first \(index + 1)"
        }
    }

    // Shares are in the columns from 3. A part starts at the sum of the shares before it.
    private static func start(_ part: Int) -> String {
        part == 0 ? "0" : (0..<part).map { "$\($0 + 3)" }.joined(separator: "+")
    }

    /// Returns the bars. The legend leaves out parts that no cache has.
    private static func bars(_ input: ChartInput) -> [String] {
        parts.enumerated().compactMap { index, part in
            guard input.caches.contains(where: { $0.total(part.count) > 0 }) else { return nil }
            return "$data using (\(start(index))):1:(\(start(index))):(\(start(index + 1))):($1-0.36):($1+0.36) "
                + "with boxxyerror linecolor rgb '\(part.colour)' title \(GnuplotText.quoted(part.title))"
        }
    }

    /// The labels on the parts, empty on narrow ones. A NaN is no alternative: gnuplot 5.4 crashes on labels without a
    /// place.
    private static var labels: [String] {
        parts.enumerated().map { index, part in
            let share = "$\(index + 3)"
            return
                "$data using (\(start(index))+\(share)/2):1:(\(share) >= 0.05 ? sprintf('%.0f%%', 100*\(share)) : '') "
                + "with labels textcolor rgb '\(part.ink)' notitle"
        }
    }
}
