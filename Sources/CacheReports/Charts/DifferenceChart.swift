import Basics
import ReplayEngine
import Runs

/// The difference of each cache's blank time from the baseline's: one bar per cache, in points. Bars within the
/// tolerance are grey.
///
/// The baseline is the cache with the least mean over all traces. If another order than blank time is chosen, it is the
/// first cache.
enum DifferenceChart {
    private struct Row {
        var label: String
        var blank: Double
        /// The difference from the baseline.
        var change: Double
        /// 1 above the baseline, -1 below it, and 0 within the tolerance.
        var sign: Int
    }

    private static let fills: [(sign: Int, fill: Fill)] = [(1, .never), (0, .grey), (-1, .teal)]

    /// Returns nil if no cache differs from the baseline, or without blank times.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        guard let baseline = baseline(input), let base = baseline.blank else { return nil }
        let groups = input.groups { [$0.blank.map { Unit.ratio.written(.real($0)) } ?? ""] }
        let rows = groups.compactMap { group -> Row? in
            guard let blank = input.caches[group.members[0]].blank else { return nil }
            let sign = input.tolerance.ties(blank, base, .ratio) ? 0 : blank > base ? 1 : -1
            return Row(label: group.label, blank: blank, change: blank - base, sign: sign)
        }
        guard rows.contains(where: { $0.sign != 0 }) else { return nil }
        let axis = axis(input, baseline.name)
        let names = NameRows(rows.map(\.label), canvas: canvas)
        let besides = rows.enumerated().map { index, row in
            "set label \(GnuplotText.quoted(signed(row.change))) at graph 1.012, first \(index + 1)"
        }
        let about = """
            points more blank time than with \(VisibleText.printable(baseline.name)), \(baseline.blankText); grey: \
            within \(input.tolerance.text(.ratio))
            """
        return ChartContent(
            title: "Blank time against a baseline · \(input.place)", height: names.height,
            settings: names.settings + axis.settings("x") + [
                "set xlabel \(GnuplotText.quoted(canvas.fitted(about, Double(canvas.width) * 0.6)))",
                "set rmargin at screen \(GnuplotText.number(1 - 96 / Double(canvas.width)))",
                "set label 'points' at graph 1.012, graph 1.02",
                "set style fill solid 1 border rgb '#ffffff'",
                "set arrow from first 0, graph 0 to first 0, graph 1 nohead linewidth 1 linecolor rgb '#777777' front",
                "unset grid",
                "unset key",
            ] + besides,
            plots: fills.filter { fill in rows.contains { $0.sign == fill.sign } }.map { sign, fill in
                "$data using (0):($4 == \(sign) ? $1 : NaN):($3 < 0 ? $3 : 0):($3 > 0 ? $3 : 0):($1-0.36):($1+0.36) "
                    + "with boxxyerror linecolor rgb '\(fill.colour)' notitle"
            },
            columns: ["row", "blank_ratio", "difference", "sign", "cache"],
            rows: rows.enumerated().map { index, row in
                [
                    "\(index + 1)", Unit.ratio.written(.real(row.blank)), Unit.ratio.written(.real(row.change)),
                    "\(row.sign)", VisibleText.printable(row.label),
                ]
            })
    }

    /// Returns the cache that the others are compared with; nil without blank times.
    private static func baseline(_ input: ChartInput) -> ChartInput.Series? {
        let own = input.caches.filter { $0.blank != nil }
        guard input.order == .blank else { return own.first }
        let shares = Dictionary(grouping: input.all, by: \.name).mapValues { $0.compactMap(\.blank) }
        // A cache with runs of some traces only has the mean of other traces.
        func rank(_ cache: ChartInput.Series) -> (Int, Double) {
            let own = shares[cache.name] ?? []
            return (-own.count, own.reduce(0, +) / Double(max(1, own.count)))
        }
        return own.min { rank($0) < rank($1) }
    }

    /// Returns the axis of all traces, on which differences within the tolerance take at most a tenth.
    private static func axis(_ input: ChartInput, _ name: String) -> Axis {
        func place(_ series: ChartInput.Series) -> [String] {
            [series.runs[0].identity.trace, series.runs[0].identity.network]
        }
        var bases: [[String]: Double] = [:]
        for series in input.all where series.name == name { bases[place(series)] = series.blank }
        let changes = input.all.compactMap { series -> Double? in
            guard let base = bases[place(series)], let blank = series.blank else { return nil }
            return blank - base
        }
        let low = min(0, changes.min() ?? 0)
        let high = max(changes.max() ?? 0, low + Tolerance.share * Tolerance.leastSpan)
        return Axis.linear(from: low, to: high, label: signed)
    }

    /// Returns a difference of shares in points: `+1.5`, `−0.05` or `0`.
    private static func signed(_ change: Double) -> String {
        let points = abs(change) * 100
        guard points >= 0.005 else { return change == 0 ? "0" : "±0" }
        return (change < 0 ? "−" : "+") + HumanText.decimals(points, points < 0.095 ? 2 : 1)
    }
}
