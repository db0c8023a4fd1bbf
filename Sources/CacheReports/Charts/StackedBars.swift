import Basics

/// A bar per cache, divided into parts: the form of the charts of outcomes, times, causes and waits.
struct StackedBars {
    struct Part {
        var title: String
        var column: String
        var fill: Fill
    }

    struct Row {
        var label: String
        var requests: Int
        /// By part. Not a number where there is no whole to have a share of.
        var amounts: [Double]
        /// The figure at the right of the bar.
        var beside: String
    }

    enum Amount {
        /// Shares, whose axis ends at 100 %.
        case shares
        case seconds

        /// The expression of a label in gnuplot's language.
        func text(_ value: String) -> String {
            self == .shares ? "sprintf('%.0f%%', 100*\(value))" : "sprintf('%.1f s', \(value))"
        }
    }

    var parts: [Part]
    /// The rows in the order of the picture, from the top.
    var rows: [Row]
    var amount = Amount.shares
    var axisTitle: String
    var heading: String

    /// The parts that some row has.
    private var drawn: [Int] { parts.indices.filter { part in rows.contains { $0.amounts[part] > 0 } } }

    func content(_ title: String, _ canvas: ChartCanvas) -> ChartContent {
        let drawn = drawn
        let legend = FillLegend(drawn.map { parts[$0] }, canvas)
        let names = NameRows(rows.map(\.label), canvas: canvas, legendLines: legend.lines.count)
        let sums = rows.map { $0.amounts.reduce(0, +) }.filter { $0.isFinite }
        let most = amount == .shares ? 1 : max(sums.max() ?? 0, 1e-9)
        let axis = Axis.linear(from: 0, to: most) {
            amount == .shares ? HumanText.wholeShare($0) : HumanText.count($0)
        }
        let besides = rows.enumerated().map { index, row in
            "set label \(GnuplotText.quoted(row.beside)) at graph 1.012, first \(index + 1)"
        }
        return ChartContent(
            title: title, height: names.height,
            settings: names.settings + axis.settings("x") + [
                "set xlabel '\(axisTitle)'",
                "set rmargin at screen \(GnuplotText.number(1 - 96 / Double(canvas.width)))",
                "set label '\(heading)' at graph 1.012, graph 1.02",
                "set style fill solid 1 border rgb '#ffffff'",
                "unset grid",
                "unset key",
            ] + besides + legend.settings(names.height),
            plots: drawn.map(bar) + drawn.map { label($0, least: most * (amount == .shares ? 0.05 : 0.06)) },
            columns: ["row", "requests"] + parts.map(\.column) + ["cache"],
            rows: rows.enumerated().map { index, row in
                ["\(index + 1)", "\(row.requests)"] + row.amounts.map { Unit.ratio.written(.real($0)) }
                    + [VisibleText.printable(row.label)]
            })
    }

    // Amounts are in the columns from 3. A part starts at the sum of the amounts before it.
    private func start(_ part: Int) -> String {
        part == 0 ? "0" : (0..<part).map { "$\($0 + 3)" }.joined(separator: "+")
    }

    private func bar(_ index: Int) -> String {
        "$data using (\(start(index))):1:(\(start(index))):(\(start(index + 1))):($1-0.36):($1+0.36) "
            + "with boxxyerror linecolor rgb '\(parts[index].fill.colour)' notitle"
    }

    /// Returns the labels on a part, empty on those below the least amount. A NaN is no alternative: gnuplot 5.4
    /// crashes on labels without a place.
    private func label(_ index: Int, least: Double) -> String {
        let amount = "$\(index + 3)"
        return "$data using (\(start(index))+\(amount)/2):1:"
            + "(\(amount) >= \(GnuplotText.number(least)) ? \(self.amount.text(amount)) : '') "
            + "with labels textcolor rgb '\(parts[index].fill.ink)' notitle"
    }
}
