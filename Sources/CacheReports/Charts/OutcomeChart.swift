import ReplayEngine

/// Where the images came from: one bar per cache, whose parts add up to all requests.
enum OutcomeChart {
    private struct Part {
        var title: String
        var colour: String
        /// The colour of the text on the part.
        var ink: String
        var count: @Sendable (OutcomeCounts) -> Int
    }

    private static let parts: [Part] = [
        Part(title: "memory", colour: ChartStyle.blue, ink: "#ffffff") { $0.memoryHits },
        Part(title: "disk", colour: ChartStyle.skyBlue, ink: "#000000") { $0.diskHits },
        Part(title: "coalesced", colour: ChartStyle.green, ink: "#ffffff") { $0.coalesced },
        Part(title: "origin", colour: ChartStyle.orange, ink: "#000000") { $0.originFetches },
        Part(title: "not delivered", colour: ChartStyle.grey, ink: "#000000") {
            $0.failed + $0.cancelled + $0.deferred
        },
    ]

    static func content(_ input: ChartInput) -> ChartContent {
        let names = NameRows(input.caches.map(\.name))
        let isEmpty = input.caches.allSatisfy { $0.total(\.requests) == 0 }
        return ChartContent(
            title: "Where the images came from · \(input.trace)", height: names.height,
            settings: names.settings + Axis.linear(from: 0, to: 1) { HumanText.wholeShare($0) }.settings("x") + [
                "set xlabel 'share of requests'",
                "set rmargin at screen 0.92",
                "set label 'hit ratio' at graph 1.012, graph 1.02",
                "set style fill solid 1 border rgb '#ffffff'",
                "unset grid",
            ] + hitRatios(input),
            plots: isEmpty ? [] : bars + labels,
            columns: ["row", "requests"] + parts.map { "\($0.title.replacing(" ", with: "_"))_share" } + ["cache"],
            rows: input.caches.enumerated().map { row($0, $1) })
    }

    private static func row(_ index: Int, _ cache: ChartInput.Series) -> [String] {
        let requests = cache.total(\.requests)
        let shares = parts.map { part in
            Unit.ratio.written(.share(Double(cache.total(part.count)), of: Double(requests)))
        }
        return ["\(index + 1)", "\(requests)"] + shares + [ShortNames.printable(cache.name)]
    }

    /// Returns the hit ratios beside the bars, to which the first two parts add up.
    private static func hitRatios(_ input: ChartInput) -> [String] {
        input.caches.enumerated().map { index, cache in
            let requests = cache.total(\.requests)
            let hits = cache.total { $0.memoryHits + $0.diskHits }
            let text = requests > 0 ? HumanText.share(Double(hits) / Double(requests)) : "–"
            return "set label \(GnuplotText.quoted(text)) at graph 1.012, first \(index + 1)"
        }
    }

    // Shares are in the columns from 3. A part starts at the sum of the shares before it.
    private static func start(_ part: Int) -> String {
        part == 0 ? "0" : (0..<part).map { "$\($0 + 3)" }.joined(separator: "+")
    }

    private static var bars: [String] {
        parts.enumerated().map { index, part in
            "$data using (\(start(index))):1:(\(start(index))):(\(start(index + 1))):($1-0.36):($1+0.36) "
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
