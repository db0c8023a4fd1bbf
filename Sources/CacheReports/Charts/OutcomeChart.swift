import Basics
import ReplayEngine

/// What became of the requests: one bar per cache, whose parts add up to all requests. Shown images are divided by
/// their source. The bars are in the order of the images shown; caches with equal bars share one.
enum OutcomeChart {
    private struct Part {
        var title: String
        var colour: String
        /// The colour of the text on the part.
        var ink: String
        var count: @Sendable (RunResult) -> Int
    }

    private static let parts: [Part] = [
        Part(title: "memory", colour: ChartStyle.blue, ink: "#ffffff") { shown($0, .memoryHit) },
        Part(title: "disk", colour: ChartStyle.skyBlue, ink: "#010101") { shown($0, .diskHit) },
        Part(title: "coalesced", colour: ChartStyle.green, ink: "#ffffff") { shown($0, .coalesced) },
        Part(title: "origin", colour: ChartStyle.orange, ink: "#010101") { shown($0, .origin) },
        Part(title: "late", colour: ChartStyle.paleGrey, ink: "#010101") { $0.counts.late },
        Part(title: "never", colour: ChartStyle.grey, ink: "#010101") { $0.counts.neverShown - $0.counts.wrong },
        Part(title: "wrong", colour: ChartStyle.red, ink: "#ffffff") { $0.counts.wrong },
    ]

    private static func shown(_ result: RunResult, _ group: LatencyGroup) -> Int { result.delivered(group)?.count ?? 0 }

    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        let groups = input.groups { Array(row(0, $0, "").dropLast()) }.sorted {
            let (left, right) = (shownShare(input.caches[$0.members[0]]), shownShare(input.caches[$1.members[0]]))
            return (right, $0.members[0]) < (left, $1.members[0])
        }
        let rows = groups.map { input.caches[$0.members[0]] }
        let names = NameRows(groups.map(\.label), canvas: canvas)
        let isEmpty = rows.allSatisfy { $0.total(\.counts.requests) == 0 }
        let drawn = parts.indices.filter { part in rows.contains { $0.total(parts[part].count) > 0 } }
        return ChartContent(
            title: "What became of the requests · \(input.place)", height: names.height,
            settings: names.settings + Axis.linear(from: 0, to: 1) { HumanText.wholeShare($0) }.settings("x") + [
                "set xlabel 'share of requests'",
                "set rmargin at screen \(GnuplotText.number(1 - 96 / Double(canvas.width)))",
                "set label 'shown' at graph 1.012, graph 1.02",
                "set style fill solid 1 border rgb '#ffffff'",
                "unset grid",
            ] + shownRatios(rows),
            plots: isEmpty ? [] : drawn.map(bar) + drawn.map(label),
            columns: ["row", "requests"] + parts.map { "\($0.title.replacing(" ", with: "_"))_share" } + ["cache"],
            rows: zip(groups, rows).enumerated().map { row($0, $1.1, $1.0.label) })
    }

    private static func shownShare(_ cache: ChartInput.Series) -> Double {
        Double(cache.total(\.counts.shown)) / Double(max(1, cache.total(\.counts.requests)))
    }

    private static func row(_ index: Int, _ cache: ChartInput.Series, _ label: String) -> [String] {
        let requests = cache.total(\.counts.requests)
        let shares = parts.map { part in
            Unit.ratio.written(.share(Double(cache.total(part.count)), of: Double(requests)))
        }
        return ["\(index + 1)", "\(requests)"] + shares + [VisibleText.printable(label)]
    }

    /// Returns the shares of shown requests beside the bars, to which the first four parts add up.
    private static func shownRatios(_ rows: [ChartInput.Series]) -> [String] {
        rows.enumerated().map { index, cache in
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

    private static func bar(_ index: Int) -> String {
        let part = parts[index]
        return "$data using (\(start(index))):1:(\(start(index))):(\(start(index + 1))):($1-0.36):($1+0.36) "
            + "with boxxyerror linecolor rgb '\(part.colour)' title \(GnuplotText.quoted(part.title))"
    }

    /// Returns the labels on a part, empty on narrow ones. A NaN is no alternative: gnuplot 5.4 crashes on labels
    /// without a place.
    private static func label(_ index: Int) -> String {
        let share = "$\(index + 3)"
        return "$data using (\(start(index))+\(share)/2):1:(\(share) >= 0.05 ? sprintf('%.0f%%', 100*\(share)) : '') "
            + "with labels textcolor rgb '\(parts[index].ink)' notitle"
    }
}
