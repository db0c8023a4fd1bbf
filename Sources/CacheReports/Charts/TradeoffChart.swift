import Basics
import ReplayEngine
import Runs

/// Blank time against a cost, a labelled point per cache: further down and left is better.
///
/// Caches whose points touch have one label, and no others share one. A label that is nearer to another point than to
/// its own is replaced by a number with a footnote. A line joins a number that is still nearer to another point with
/// its own. Each number has its footnote: in a picture of a given height, points without room for one have no number.
enum TradeoffChart {
    /// What a cache costs.
    struct Cost: Sendable {
        /// In the title: blank time against this.
        var name: String
        var axis: String
        /// The column of the chart's data. A figure in bytes.
        var column: String
        var figure: @Sendable (RunResult) -> Double

        static let memory = Cost(
            name: "peak memory", axis: "peak of the memory tier", column: "memory_peak_bytes"
        ) { Double($0.tiers.memoryPeakBytes) }
        static let fetched = Cost(
            name: "fetched bytes", axis: "bytes fetched from the origin", column: "origin_bytes"
        ) { Double($0.tiers.originBytes) }
    }

    private static let labelLimit = 30

    /// A cache, by its place in the input.
    private struct Spot {
        var series: Int
        var name: String
        /// In bytes.
        var cost: Double
        var blank: Double
    }

    /// Blank time against peak memory.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? { content(input, canvas, .memory) }

    /// Blank time against fetched bytes; nil if nothing was fetched ahead of need on this trace.
    static func prefetches(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        let prefetches = input.caches.compactMap { $0.median { Double($0.prefetch.fetches) } }
        return prefetches.contains { $0 > 0 } ? content(input, canvas, .fetched) : nil
    }

    private static func content(_ input: ChartInput, _ canvas: ChartCanvas, _ cost: Cost) -> ChartContent? {
        var frame = Self.frame(canvas)
        let x = costAxis(input.all.compactMap { $0.median(cost.figure) })
        let y = blankAxis(input.all.compactMap(\.blank))
        let spots = spots(input, cost)
        var labelled = Labels([], [], [])
        if let height = canvas.height {
            // The explanations take space from the plot, so the plot is laid out until both fit.
            for share in [1.0, 0.85, 0.7, 0.62] {
                frame.height = max(260, Int(Double(height) * share))
                labelled = labels(spots, frame, x, y)
                if frame.height + explained(labelled.explanations, canvas).height <= height { break }
            }
            while frame.height + explained(labelled.explanations, canvas).height > height,
                !labelled.explanations.isEmpty
            {
                let texts = labelled.explanations
                let most = texts.indices.first { count in
                    frame.height + explained(Array(texts.prefix(count + 1)), canvas).height > height
                }
                labelled = labels(spots, frame, x, y, mostFootnotes: most ?? texts.count - 1)
            }
        } else {
            labelled = labels(spots, frame, x, y)
        }
        let legend = explained(labelled.explanations, canvas)
        let extra = canvas.height.map { max(0, $0 - frame.height) } ?? legend.height
        let total = frame.height + extra
        return ChartContent(
            title: "Blank time against \(cost.name) · \(input.place)", height: total,
            settings: frame.settings(extra: extra) + x.settings("x") + y.settings("y") + [
                "set xlabel '\(cost.axis)\(x.isLogarithmic ? " (logarithmic)" : "")'",
                "set ylabel 'blank time\(frame.height < 450 ? "" : ", as a share of visible time")' offset -1.5",
                "unset key",
            ] + labelled.places.flatMap { settings($0, frame, extra) } + legend.settings(total),
            plots: spots.map {
                "$data using ($1 == \($0.series + 1) ? $2 : NaN):3 with points \(ChartStyle.point($0.series))"
            },
            columns: ["series", cost.column, "blank_ratio", "cache"],
            rows: spots.map {
                [
                    "\($0.series + 1)", Unit.bytes.written(.real($0.cost)), Unit.ratio.written(.real($0.blank)),
                    VisibleText.printable($0.name),
                ]
            })
    }

    private static func frame(_ canvas: ChartCanvas) -> PlotFrame {
        PlotFrame(
            left: 110, right: 60, top: Double(ChartStyle.top), bottom: 90, width: canvas.width, height: 680)
    }

    private static func spots(_ input: ChartInput, _ cost: Cost) -> [Spot] {
        input.caches.enumerated().compactMap { index, cache in
            guard let blank = cache.blank, let figure = cache.median(cost.figure) else { return nil }
            return Spot(series: index, name: cache.name, cost: figure, blank: blank)
        }
    }

    /// Returns an axis that is logarithmic if sizes differ by more than a factor of 20 and none is 0.
    private static func costAxis(_ values: [Double]) -> Axis {
        let least = values.min() ?? 0
        let most = values.max() ?? 1
        guard least > 0, most > 20 * least else {
            return .linear(from: 0, to: max(most, 1_000) * 1.05, label: HumanText.bytes)
        }
        return .logarithmic(from: least / 1.3, to: most * 1.3, label: HumanText.bytes)
    }

    /// Returns an axis from 0, with a least height so that noise does not look large.
    private static func blankAxis(_ values: [Double]) -> Axis {
        .linear(from: 0, to: min(1, max((values.max() ?? 1) * 1.1, Tolerance.share * Tolerance.leastSpan))) {
            $0 < 0.1 && (values.max() ?? 1) < 0.05 ? HumanText.share($0) : HumanText.wholeShare($0)
        }
    }

    // MARK: Labels

    /// The label of a point, in units from the top left.
    struct Label {
        var text: String
        var point: PlotFrame.Place
        var box: LabelBox
        /// Whether a line joins label and point, however near they are.
        var needsLine: Bool
    }

    private struct Labels {
        var places: [Label]
        /// The points of all spots.
        var points: [PlotFrame.Place]
        var explanations: [String]

        init(_ places: [Label], _ points: [PlotFrame.Place], _ explanations: [String]) {
            (self.places, self.points, self.explanations) = (places, points, explanations)
        }
    }

    /// Points nearer than this are one point for a reader.
    private static let nearest = 9.0

    private static func labels(
        _ spots: [Spot], _ frame: PlotFrame, _ x: Axis, _ y: Axis, mostFootnotes: Int = .max
    ) -> Labels {
        let points = spots.map { frame.place(x.fraction($0.cost), y.fraction($0.blank)) }
        // Groups of spots with one label each, by places in `spots`: those that touch the first one.
        var groups: [[Int]] = []
        for index in spots.indices {
            if let group = groups.firstIndex(where: { points[$0[0]].distance(to: points[index]) < nearest }) {
                groups[group].append(index)
            } else {
                groups.append([index])
            }
        }
        var numbered: Set<Int> = []
        while true {
            let names = groups.map { group in ChartInput.label(group.map { spots[$0].name }) }
            var explanations: [String] = []
            let texts = groups.indices.map { group -> String in
                let name = VisibleText.printable(names[group])
                let isShort = TextGrid.width(name) <= labelLimit
                guard numbered.contains(groups[group][0]) || !isShort else { return name }
                let count = groups[group].count
                guard explanations.count < mostFootnotes else {
                    guard !numbered.contains(groups[group][0]) else { return "" }
                    return count > 1 ? "\(count) caches" : TextGrid.prefix(name, width: labelLimit - 1) + "…"
                }
                let mark = "[\(explanations.count + 1)]"
                explanations.append("\(mark) \(name)")
                if numbered.contains(groups[group][0]) { return mark }
                return count > 1
                    ? "\(count) caches \(mark)"
                    : TextGrid.prefix(name, width: labelLimit - TextGrid.width(mark) - 2) + "… " + mark
            }
            let places = groups.map { points[$0[0]] }
            let boxes = LabelPlacement(frame: frame, points: places, marks: points).place(texts)
            let wrong = groups.indices.filter { group in
                guard !texts[group].isEmpty else { return false }
                let own = groups[group].map { boxes[group].distance(to: points[$0]) }.min() ?? 0
                return points.indices.contains { other in
                    !groups[group].contains(other) && boxes[group].distance(to: points[other]) <= own
                }
            }
            let fresh = wrong.filter { !numbered.contains(groups[$0][0]) }
            guard fresh.isEmpty else {
                for group in fresh { numbered.insert(groups[group][0]) }
                continue
            }
            let labels = groups.indices.filter { !texts[$0].isEmpty }.map {
                Label(text: texts[$0], point: places[$0], box: boxes[$0], needsLine: wrong.contains($0))
            }
            return Labels(labels, points, explanations)
        }
    }

    /// Returns the labels and points of a trace, for tests.
    static func placed(_ input: ChartInput, _ canvas: ChartCanvas = .standard) -> (
        labels: [Label], points: [PlotFrame.Place]
    ) {
        let frame = Self.frame(canvas)
        let spots = spots(input, .memory)
        let labelled = labels(
            spots, frame, costAxis(input.all.compactMap { $0.median(Cost.memory.figure) }),
            blankAxis(input.all.compactMap(\.blank)))
        return (labelled.places, labelled.points)
    }

    private static func settings(_ label: Label, _ frame: PlotFrame, _ extra: Int) -> [String] {
        // The width is an estimate, so the side that faces the point is the anchor.
        let (point, box) = (label.point, label.box)
        let isLeft = box.left + box.width < point.x
        let anchor = frame.screen(isLeft ? box.left + box.width : box.left, box.middle, extra: extra)
        let text = "set label \(GnuplotText.quoted(label.text)) \(isLeft ? "right" : "left") at \(anchor)"
        guard let end = label.needsLine ? box.nearest(to: point) : box.leader(from: point) else { return [text] }
        return [
            text,
            "set arrow from \(frame.screen(point.x, point.y, extra: extra)) "
                + "to \(frame.screen(end.x, end.y, extra: extra)) nohead linewidth 1 linecolor rgb '#999999'",
        ]
    }

    /// The full names of cut labels, below the chart.
    private struct Explanations {
        var lines: [String]
        /// In units.
        var height: Int { lines.isEmpty ? 0 : lines.count * 20 + 12 }

        func settings(_ total: Int) -> [String] {
            lines.enumerated().map { index, line in
                let y = (Double(height) - Double(index) * 20 - 12) / Double(total)
                return "set label \(GnuplotText.quoted(line)) left at screen 0.03, screen \(GnuplotText.number(y))"
            }
        }
    }

    private static func explained(_ texts: [String], _ canvas: ChartCanvas) -> Explanations {
        let columns = canvas.columns(Double(canvas.width) * 0.93)
        return Explanations(
            lines: texts.flatMap { text in
                NameRows.wrap(text, at: columns, mostLines: 200).enumerated().map { $0 == 0 ? $1 : "      " + $1 }
            })
    }
}
