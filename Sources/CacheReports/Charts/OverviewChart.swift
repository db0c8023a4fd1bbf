import Basics
import ReplayEngine
import Runs

/// The chart of all sessions of a replay: the blank time of each cache in each session, darker for more. A frame marks
/// what is within the tolerance of the best of a session. The raw value is the last part of the name of its files.
public enum OverviewChart: String, Sendable, CaseIterable {
    case overview

    public var meaning: String { "the blank time of each cache in each session" }

    /// A row of cells, one per session.
    private struct Row {
        var label: String
        /// The first cache of the row.
        var cache: String
        /// nil for a session in which the cache has no blank time.
        var shares: [Double?]
        var mean: Double? {
            let known = shares.compactMap(\.self)
            return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
        }
    }

    /// Returns the chart of several sessions, or of a session over several networks; nil for a single one, and without
    /// blank times.
    static func chart(_ inputs: [ChartInput], _ options: ChartOptions, judgedBy facts: ReplayFacts?) -> Chart? {
        let rows = rows(inputs, options.order)
        guard inputs.count > 1, rows.contains(where: { $0.mean != nil }) else { return nil }
        let runs = inputs.flatMap(\.caches).flatMap(\.runs)
        var content = Self.content(
            rows, inputs.map(\.place), facts?.relevanceThreshold ?? .standard, options.canvas)
        content.finding = ResultSet(runs, source: "", judgedBy: facts).conclusions.first { $0.subject == .best }?.text
        content.source = inputs.flatMap(\.source).unique()
        return Chart(
            ChartName("sessions", OverviewChart.overview), trace: "", content, options,
            caption: OverviewChart.overview.meaning)
    }

    /// Returns the rows by the mean of their shares, unless another order is chosen. Caches with equal shares have one.
    private static func rows(_ inputs: [ChartInput], _ order: ChartOrder) -> [Row] {
        let names = order.arranged(inputs.flatMap { $0.caches.map(\.name) }.unique()) { $0 }
        let shares = names.map { name in
            inputs.map { input in input.caches.first { $0.name == name }?.blank }
        }
        func text(_ share: Double?) -> String { share.map { Unit.ratio.written(.real($0)) } ?? "" }
        let keys = shares.map { row in row.map(text) }
        let rows = ChartInput.groups(names, keys: keys).map { group in
            Row(label: group.label, cache: names[group.members[0]], shares: shares[group.members[0]])
        }
        return order.ranked(rows, by: \.cache, \.mean)
    }

    private static func content(
        _ rows: [Row], _ places: [String], _ tolerance: Tolerance, _ canvas: ChartCanvas
    ) -> ChartContent {
        // The names of sessions are below their columns, slanted if they are longer than these are wide.
        let room = Double(canvas.width) * 0.62 / Double(places.count)
        let longest = places.map { TextGrid.width(VisibleText.printable($0)) }.max() ?? 0
        let isSlanted = Double(longest) * 8.7 > room
        let columns = isSlanted ? 24 : longest
        let names = NameRows(
            rows.map(\.label), canvas: canvas, legendLines: isSlanted ? 1 + min(columns, longest) * 5 / 21 : 1)
        let best = places.indices.map { place in rows.compactMap { $0.shares[place] }.min() ?? 0 }
        let most = rows.flatMap { $0.shares.compactMap(\.self) }.max() ?? 0
        let labels = places.enumerated().map { index, place in
            let name = VisibleText.printable(place)
            let short = TextGrid.width(name) > columns ? TextGrid.prefix(name, width: columns - 1) + "…" : name
            return "set label \(GnuplotText.quoted(short)) \(isSlanted ? "right" : "center") at first \(index + 1), "
                + "graph 0 offset 0, character \(isSlanted ? "-0.6 rotate by 30" : "-1")"
        }
        let format = places.count > 12 ? "'%.0f%%'" : "'%.1f%%'"
        func texts(_ isLight: Bool) -> String {
            "$data using 1:2:($5 == \(isLight ? 1 : 0) ? sprintf(\(format), 100*$3) : '') with labels "
                + "textcolor rgb '\(isLight ? "#010101" : "#ffffff")' notitle"
        }
        let frame = "($1-0.49):($1+0.49):($2-0.485):($2+0.485)"
        return ChartContent(
            title: "Blank time of each cache in each session", height: names.height,
            settings: names.settings + [
                "set border 0", "unset xtics", "unset grid", "unset key",
                "set xrange [0.5:\(places.count).5]",
                "set rmargin at screen 0.96",
                "set style fill solid 1 border rgb '#ffffff'",
                """
                set label 'share of the visible time; framed: within \(tolerance.text(.ratio)) of the best' center \
                at screen 0.5, screen \(GnuplotText.number(18 / Double(names.height)))
                """,
            ] + labels,
            plots: [
                "$data using 1:2:($1-0.48):($1+0.48):($2-0.46):($2+0.46):4 with boxxyerror linecolor rgb variable "
                    + "notitle",
                "$data using ($6 == 1 ? $1 : NaN):2:\(frame) with boxxyerror fillstyle empty linewidth 2 "
                    + "linecolor rgb '\(ChartStyle.black)' notitle",
                texts(true), texts(false),
            ],
            columns: ["column", "row", "blank_ratio", "colour", "is_light", "is_framed", "session", "cache"],
            rows: rows.enumerated().flatMap { index, row in
                row.shares.enumerated().compactMap { place, share -> [String]? in
                    guard let share else { return nil }
                    let (colour, isLight) = Self.colour(most > 0 ? (share / most).squareRoot() : 0)
                    return [
                        "\(place + 1)", "\(index + 1)", Unit.ratio.written(.real(share)), "\(colour)",
                        isLight ? "1" : "0", tolerance.accepts(share, for: best[place], .ratio) ? "1" : "0",
                        VisibleText.printable(places[place]), VisibleText.printable(row.label),
                    ]
                }
            })
    }

    /// Returns a colour between pale and the darkest red as gnuplot's number, and whether dark text is on it.
    private static func colour(_ depth: Double) -> (number: Int, isLight: Bool) {
        let channels = zip([255, 244, 230], [140, 29, 4]).map { pale, dark in
            Int((Double(pale) + Double(dark - pale) * depth).rounded())
        }
        let number = channels.reduce(0) { $0 << 8 | $1 }
        let hex = String(number, radix: 16)
        let text = "#" + String(repeating: "0", count: 6 - hex.count) + hex
        return (number, Fill.contrast(text, "#010101") >= Fill.contrast(text, "#ffffff"))
    }
}
