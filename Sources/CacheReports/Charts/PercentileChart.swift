import ReplayEngine

/// Time to image at four percentiles.
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

    static func content(_ input: ChartInput) -> ChartContent {
        let names = NameRows(input.caches.map(\.name))
        let figures = input.caches.map { cache in
            marks.map { mark in cache.median { $0.delivered(.all).map { Double(mark.figure($0)) / 1_000 } } }
        }
        let axis = Axis.latency(figures.joined().compactMap { $0 })
        let hasFigures = figures.joined().contains { $0 != nil }
        return ChartContent(
            title: "Time to image · \(input.trace)", height: names.height,
            settings: names.settings + axis.settings("x") + [
                "set xlabel 'time to image (logarithmic)'",
                "set rmargin at screen 0.95",
            ] + (hasFigures ? missing(figures) : []),
            plots: hasFigures ? plots(low: axis.low) : [],
            columns: ["row", "p50_us", "p90_us", "p99_us", "p999_us", "cache"],
            rows: zip(input.caches.indices, figures).map { index, figures in
                ["\(index + 1)"] + figures.map { Unit.microseconds.written($0.map { .real($0) } ?? .absent) }
                    + [ShortNames.printable(input.caches[index].name)]
            })
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
