import Basics
import ReplayEngine
import Runs

/// Blank time against a cost, a labelled point per cache: further down and left is better. No cache reaches the shaded
/// part, whose edge is the front: nothing has less of both. A line joins the values of a sweep of one cache.
///
/// Caches whose points touch have one label, and no others share one. A label that is nearer to another point than to
/// its own is replaced by a number with a footnote. A line joins a number that is still nearer to another point with
/// its own. Each number has its footnote: in a picture of a given height, footnotes have a smaller font, and then
/// points without room for one have no number.
enum TradeoffChart {
    struct Cost: Sendable {
        /// The name in the title after "blank time against".
        var name: String
        var axis: String
        /// The column of the chart's data. It is a figure in bytes.
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
        /// The text of its label if no other point touches it.
        var short: String
        /// The number of its cache without swept values, by which it has its look.
        var line: Int
        /// The swept value that orders a line; infinite for no limit.
        var value: Double
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
        let spots = spots(input, cost)
        let (x, y) = (costAxis(spots.map(\.cost)), blankAxis(spots.map(\.blank)))
        let layout = layout(spots, x, y, canvas)
        let frame = layout.frame
        let legend = layout.footnotes
        let extra = canvas.height.map { max(0, $0 - frame.height) } ?? legend.height
        let total = frame.height + extra
        let noun = "blank time\(frame.height < 560 ? "" : ", as a share of visible time")"
        return ChartContent(
            title: "Blank time against \(cost.name) · \(input.place)", height: total,
            settings: frame.settings(extra: extra) + x.settings("x") + y.settings("y") + [
                "set xlabel \(GnuplotText.quoted(xLabel(input, cost, x, canvas)))",
                "set ylabel '\(noun)\(y.low > 0 ? ", not from 0" : "")' offset -1.5",
                "unset key",
            ] + front(spots, x, y) + lines(spots)
                + layout.labels.places.flatMap { settings($0, frame, extra) } + legend.settings(total),
            plots: spots.map {
                "$data using ($1 == \($0.series + 1) ? $2 : NaN):3 with points \(ChartStyle.point($0.line))"
            },
            columns: ["series", cost.column, "blank_ratio", "cache"],
            rows: spots.map {
                [
                    "\($0.series + 1)", Unit.bytes.written(.real($0.cost)), Unit.ratio.written(.real($0.blank)),
                    VisibleText.printable($0.name),
                ]
            })
    }

    /// Returns the title of the axis, which says how the axis fits the figures, cut to the picture.
    private static func xLabel(_ input: ChartInput, _ cost: Cost, _ x: Axis, _ canvas: ChartCanvas) -> String {
        let scale = x.isLogarithmic ? " (logarithmic)" : x.low > 0 ? ", not from 0" : ""
        let own = input.all.count > input.caches.count ? " · axes fit this chart, not the others" : ""
        let (text, columns) = ("\(cost.axis)\(scale)\(own)", canvas.columns(Double(canvas.width) - 60))
        return TextGrid.width(text) > columns ? TextGrid.prefix(text, width: columns - 1) + "…" : text
    }

    /// The plot, its labels and its footnotes.
    private struct Layout {
        var frame: PlotFrame
        var labels: Labels
        var footnotes: Footnotes
    }

    /// Returns the first layout that fits the height of the picture. Footnotes take space from the plot.
    private static func layout(_ spots: [Spot], _ x: Axis, _ y: Axis, _ canvas: ChartCanvas) -> Layout {
        func draft(_ frame: PlotFrame, font: Double = 1, mostFootnotes: Int = .max) -> Layout {
            let labels = labels(spots, frame, x, y, mostFootnotes: mostFootnotes)
            return Layout(
                frame: frame, labels: labels, footnotes: Footnotes(labels.explanations, canvas, font: font))
        }
        var frame = Self.frame(canvas)
        guard let height = canvas.height else { return draft(frame) }
        var last = draft(frame)
        for font in [1, 0.85, 0.7] {
            for share in [1.0, 0.85, 0.7, 0.62] {
                frame.height = max(260, Int(Double(height) * share))
                last = draft(frame, font: font)
                if last.frame.height + last.footnotes.height <= height { return last }
            }
        }
        while last.frame.height + last.footnotes.height > height, !last.labels.explanations.isEmpty {
            let texts = last.labels.explanations
            let most = texts.indices.first { count in
                frame.height + Footnotes(Array(texts.prefix(count + 1)), canvas, font: 0.7).height > height
            }
            last = draft(frame, font: 0.7, mostFootnotes: most ?? texts.count - 1)
        }
        return last
    }

    private static func frame(_ canvas: ChartCanvas) -> PlotFrame {
        PlotFrame(
            left: 110, right: 60, top: Double(ChartStyle.top), bottom: 90, width: canvas.width, height: 680)
    }

    private static func spots(_ input: ChartInput, _ cost: Cost) -> [Spot] {
        /// Returns the name without the first swept value, which caches on one line share.
        func base(_ cache: ChartInput.Series) -> String {
            let identity = cache.runs[0].identity
            guard let base = identity.base, let swept = identity.swept else { return cache.name }
            return ([base] + swept.dropFirst().map(\.text)).joined(separator: "; ")
        }
        let bases = input.caches.map(base)
        let lines = bases.unique()
        var named: Set<String> = []
        return input.caches.indices.compactMap { index in
            let cache = input.caches[index]
            guard let blank = cache.blank, let figure = cache.median(cost.figure) else { return nil }
            let swept = cache.runs[0].identity.swept?.first
            // The first point of a line has the whole name.
            let isFirst = named.insert(bases[index]).inserted
            return Spot(
                series: index, name: cache.name, short: isFirst ? cache.name : swept?.value ?? cache.name,
                line: lines.firstIndex(of: bases[index]) ?? index, value: swept?.number ?? .infinity, cost: figure,
                blank: blank)
        }
    }

    /// Returns an axis that is logarithmic if sizes differ by more than a factor of 20 and none is 0. It begins at 0
    /// if that takes less than a third of it.
    private static func costAxis(_ values: [Double]) -> Axis {
        let least = values.min() ?? 0
        let most = values.max() ?? 1
        if least > 0, most > 20 * least {
            return .logarithmic(from: least / 1.3, to: most * 1.3, label: HumanText.bytes)
        }
        guard least > most / 3, least < most, most > 1_000 else {
            return .linear(from: 0, to: max(most, 1_000) * 1.05, label: HumanText.bytes)
        }
        let span = max(most - least, most * Tolerance.standard.percent / 100 * Tolerance.leastSpan)
        let middle = (least + most) / 2
        return .linear(from: max(0, middle - span * 0.58), to: middle + span * 0.58, label: HumanText.bytes)
    }

    /// Returns an axis with a least height, so that noise does not look large. It begins at 0 if that takes less than
    /// half of it.
    private static func blankAxis(_ values: [Double]) -> Axis {
        let (least, most) = (values.min() ?? 0, values.max() ?? 1)
        let span = max(most - least, Tolerance.share * Tolerance.leastSpan)
        let isFromZero = least <= most / 2 || most <= span
        let middle = (least + most) / 2
        let (low, high) =
            isFromZero
            ? (0.0, max(most * 1.1, Tolerance.share * Tolerance.leastSpan))
            : (max(0, middle - span * 0.6), middle + span * 0.6)
        return .linear(from: low, to: min(1, high)) {
            min(most, high - low) < 0.05 ? HumanText.share($0) : HumanText.wholeShare($0)
        }
    }

    /// Returns the area that no cache reaches: whatever is below and left of it is better than all.
    private static func front(_ spots: [Spot], _ x: Axis, _ y: Axis) -> [String] {
        var corners = [(x.low, y.low), (x.low, y.high)]
        var least = y.high
        for spot in spots.sorted(by: { ($0.cost, $0.blank) < ($1.cost, $1.blank) }) where spot.blank < least {
            corners += [(max(spot.cost, x.low), least), (max(spot.cost, x.low), spot.blank)]
            least = spot.blank
        }
        guard corners.count > 2 else { return [] }
        corners += [(x.high, least), (x.high, y.low), corners[0]]
        let places = corners.map { "first \(GnuplotText.number($0.0)), first \(GnuplotText.number($0.1))" }
        return [
            "set object polygon from \(places.joined(separator: " to ")) behind fillcolor rgb '#eeeeee' "
                + "fillstyle solid 1 noborder"
        ]
    }

    /// Returns lines between the points of a cache, in the order of its swept values.
    private static func lines(_ spots: [Spot]) -> [String] {
        spots.map(\.line).unique().flatMap { line -> [String] in
            let own = spots.filter { $0.line == line }.stableSorted { $0.value < $1.value }
            return zip(own, own.dropFirst()).map { from, to in
                "set arrow from first \(GnuplotText.number(from.cost)), first \(GnuplotText.number(from.blank)) "
                    + "to first \(GnuplotText.number(to.cost)), first \(GnuplotText.number(to.blank)) nohead "
                    + "\(ChartStyle.line(line)) back"
            }
        }
    }

    // MARK: Labels

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
                let count = groups[group].count
                let short = count == 1 ? VisibleText.printable(spots[groups[group][0]].short) : name
                let isShort = TextGrid.width(short) <= labelLimit
                guard numbered.contains(groups[group][0]) || !isShort else { return short }
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
        let spots = spots(input, .memory)
        let labelled = labels(
            spots, frame(canvas), costAxis(spots.map(\.cost)), blankAxis(spots.map(\.blank)))
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
}
