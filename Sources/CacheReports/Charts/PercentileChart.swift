import Basics
import ReplayEngine

/// Time to image of shown images at four percentiles, the caches in the order of their blank time, which counts the
/// images that are not shown too. The share of blank time stands beside each row.
enum PercentileChart {
    private struct Mark {
        var title: String
        var colour: String
        /// gnuplot's number of the point. The last is hollow, because it often covers the one before.
        var shape: Int
        var figure: (LatencySummary) -> Int64
    }

    private static var marks: [Mark] {
        [
            Mark(title: "p50", colour: ChartStyle.blue, shape: 7) { $0.p50 },
            Mark(title: "p90", colour: ChartStyle.green, shape: 5) { $0.p90 },
            Mark(title: "p99", colour: ChartStyle.orange, shape: 9) { $0.p99 },
            Mark(title: "p99.9", colour: ChartStyle.vermilion, shape: 12) { $0.p999 },
        ]
    }

    private static func figures(_ cache: ChartInput.Series) -> [Double?] {
        marks.map { mark in cache.median { $0.delivered(.all).map { Double(mark.figure($0)) / 1_000 } } }
    }

    private static func fields(_ cache: ChartInput.Series) -> [String] {
        figures(cache).map { Unit.microseconds.written($0.map { .real($0) } ?? .absent) }
    }

    /// What stands beside a row.
    private static func blank(_ cache: ChartInput.Series) -> String { cache.blank.map(HumanText.share) ?? "–" }

    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        let groups = input.groups { fields($0) + [blank($0)] }.stableSorted { one, other in
            func order(_ group: ChartInput.Group) -> Double { input.caches[group.members[0]].blank ?? .infinity }
            return order(one) < order(other)
        }
        let names = NameRows(groups.map(\.label), canvas: canvas)
        let shown = groups.map { figures(input.caches[$0.members[0]]) }
        let axis = Axis.latency(input.all.flatMap { figures($0) }.compactMap { $0 })
        let hasFigures = shown.joined().contains { $0 != nil }
        return ChartContent(
            title: "Time to image, of shown images · \(input.place)", height: names.height,
            settings: names.settings + axis.settings("x") + [
                "set xlabel 'time to image, of shown images (logarithmic)'",
                "set rmargin at screen \(GnuplotText.number(1 - 96 / Double(canvas.width)))",
                "set label 'blank' at graph 1.012, graph 1.02",
            ] + blankShares(groups.map { input.caches[$0.members[0]] }) + (hasFigures ? missing(shown) : []),
            plots: hasFigures ? plots(low: axis.low) : [],
            columns: ["row", "p50_us", "p90_us", "p99_us", "p999_us", "cache"],
            rows: groups.enumerated().map { index, group in
                ["\(index + 1)"] + fields(input.caches[group.members[0]]) + [VisibleText.printable(group.label)]
            })
    }

    /// Returns the shares of blank time beside the rows, by which they are ordered.
    private static func blankShares(_ rows: [ChartInput.Series]) -> [String] {
        rows.enumerated().map { index, cache in
            "set label \(GnuplotText.quoted(blank(cache))) at graph 1.012, first \(index + 1)"
        }
    }

    private static func plots(low: Double) -> [String] {
        // A logarithmic axis has no zero, which is drawn at the low end.
        func place(_ column: Int) -> String {
            "($\(column) > \(GnuplotText.number(low)) ? $\(column) : \(GnuplotText.number(low)))"
        }
        let span =
            """
            $data using \(place(2)):1:(\(place(5))-\(place(2))):(0) with vectors nohead linewidth 2 linecolor rgb \
            '\(ChartStyle.grey)' notitle
            """
        return [span]
            + marks.enumerated().map { index, mark in
                "$data using \(place(index + 2)):1 with points pointtype \(mark.shape) linewidth 2 "
                    + "linecolor rgb '\(mark.colour)' title '\(mark.title)'"
            }
    }

    private static func missing(_ figures: [[Double?]]) -> [String] {
        figures.enumerated().compactMap { index, figures in
            guard figures.allSatisfy({ $0 == nil }) else { return nil }
            return "set label 'no request was shown' at graph 0.02, first \(index + 1) textcolor rgb '#555555'"
        }
    }
}
