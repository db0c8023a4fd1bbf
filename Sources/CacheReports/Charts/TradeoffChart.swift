import ReplayEngine

/// Hit ratio against peak memory, one labelled point per cache: further up and left is better.
///
/// The point is the hit ratio of memory alone. A thin line rises from it to the hit ratio of memory and disk together.
enum TradeoffChart {
    private static let frame = PlotFrame(
        left: 110, right: 60, top: 70, bottom: 90, width: ChartContent.width, height: 680)
    private static let labelLimit = 30

    private struct Spot {
        var index: Int
        var name: String
        var memory: Double
        /// The hit ratio of memory alone.
        var hits: Double
        /// The hit ratio of memory and disk.
        var allHits: Double
    }

    static func content(_ input: ChartInput) -> ChartContent {
        let spots = input.caches.enumerated().compactMap { index, cache -> Spot? in
            func share(_ hits: (OutcomeCounts) -> Int) -> Double? {
                cache.median { $0.counts.requests > 0 ? Double(hits($0.counts)) / Double($0.counts.requests) : nil }
            }
            guard let hits = share(\.memoryHits), let allHits = share({ $0.memoryHits + $0.diskHits }),
                let memory = cache.median({ Double($0.tiers.memoryPeakBytes) })
            else { return nil }
            return Spot(index: index, name: cache.name, memory: memory, hits: hits, allHits: allHits)
        }
        let x = memoryAxis(spots.map(\.memory))
        let y = hitAxis(spots.flatMap { [$0.hits, $0.allHits] })
        let names = ShortNames(spots.map(\.name), limit: labelLimit)
        let legend = explained(names.explanations)
        return ChartContent(
            title: "Hit ratio against peak memory · \(input.trace)", height: frame.height + legend.height,
            settings: frame.settings(extra: legend.height) + x.settings("x") + y.settings("y") + [
                "set xlabel 'peak of the memory tier\(x.isLogarithmic ? " (logarithmic)" : "")'",
                "set ylabel 'hit ratio: point memory, bar memory and disk' offset -1.5",
                "unset key",
            ] + labels(spots, names, x, y, extra: legend.height) + legend.settings,
            plots: ["$data using 2:3:3:4 with yerrorbars pointtype 0 linecolor rgb '#bbbbbb'"]
                + spots.map {
                    "$data using ($1 == \($0.index + 1) ? $2 : NaN):3 with points \(ChartStyle.point($0.index))"
                },
            columns: ["series", "memory_peak_bytes", "memory_hit_ratio", "hit_ratio", "cache"],
            rows: spots.map {
                [
                    "\($0.index + 1)", Unit.bytes.written(.real($0.memory)), Unit.ratio.written(.real($0.hits)),
                    Unit.ratio.written(.real($0.allHits)),
                    ShortNames.printable($0.name),
                ]
            })
    }

    /// Returns an axis that is logarithmic if sizes differ by more than a factor of 20 and none is 0.
    private static func memoryAxis(_ values: [Double]) -> Axis {
        let least = values.min() ?? 0
        let most = values.max() ?? 1
        guard least > 0, most > 20 * least else {
            return .linear(from: 0, to: max(most, 1_000) * 1.05, label: HumanText.bytes)
        }
        return .logarithmic(from: least / 1.3, to: most * 1.3, label: HumanText.bytes)
    }

    /// Returns an axis close to the data, with a least height so that noise does not look large.
    private static func hitAxis(_ values: [Double]) -> Axis {
        let least = values.min() ?? 0
        let most = values.max() ?? 1
        let slack = max((most - least) * 0.15, 0.05)
        return .linear(from: max(0, least - slack), to: min(1, most + slack)) { HumanText.wholeShare($0) }
    }

    private static func labels(_ spots: [Spot], _ names: ShortNames, _ x: Axis, _ y: Axis, extra: Int) -> [String] {
        let points = spots.map { frame.place(x.fraction($0.memory), y.fraction($0.hits)) }
        let texts = spots.map { names[$0.name] }
        let placed = LabelPlacement(frame: frame, points: points).place(texts)
        return zip(texts, zip(points, placed)).flatMap { text, place in
            let (point, box) = place
            // The width is an estimate, so the side that faces the point is the anchor.
            let isLeft = box.left + box.width < point.x
            let anchor = frame.screen(isLeft ? box.left + box.width : box.left, box.middle, extra: extra)
            let label = "set label \(GnuplotText.quoted(text)) \(isLeft ? "right" : "left") at \(anchor)"
            guard let end = box.leader(from: point) else { return [label] }
            return [
                label,
                "set arrow from \(frame.screen(point.x, point.y, extra: extra)) "
                    + "to \(frame.screen(end.x, end.y, extra: extra)) nohead linewidth 1 linecolor rgb '#999999'",
            ]
        }
    }

    /// Returns the full names of cut labels below the chart.
    private static func explained(_ lines: [String]) -> (height: Int, settings: [String]) {
        let wrapped = lines.flatMap { line in
            NameRows.wrap(line, at: 125, mostLines: 2).enumerated().map { $0 == 0 ? $1 : "      " + $1 }
        }
        let height = wrapped.isEmpty ? 0 : wrapped.count * 20 + 12
        let total = Double(frame.height + height)
        let settings = wrapped.enumerated().map { index, line in
            let y = (Double(height) - Double(index) * 20 - 12) / total
            return "set label \(GnuplotText.quoted(line)) left at screen 0.03, screen \(GnuplotText.number(y))"
        }
        return (height, settings)
    }
}
