import Basics
import CachePolicies
import Runs

/// A chart of lines over capacities, each with its name at its right end: the form of all charts of a simulation.
struct CapacityChart {
    struct Line {
        var name: String
        var points: [(x: Double, y: Double)]
        /// The interval around each point, nil where there is none; empty without any.
        var intervals: [ClosedRange<Double>?] = []
        var role: Role

        enum Role: Equatable {
            /// A policy with its place, which decides its look in all charts.
            case policy(Int)
            /// A policy that knows the future. Others can be better.
            case knowing
            /// A proven lower bound. The area below it is shaded, because no policy gets there.
            case floor
            /// A proven upper bound. The area above it is shaded.
            case ceiling
            /// A curve with a point at every capacity, drawn without marks.
            case curve
        }
    }

    var title: String
    var yLabel: String
    var yColumn: String
    var unit: CapacityUnit
    var lines: [Line]
    /// The height of the line with which the others are compared.
    var baseline: Double?
    /// The number of samples whose means the points are; nil without intervals.
    var samples: Int?

    private static let (left, top, bottom) = (100.0, Double(ChartStyle.top), 84.0)
    private static let lineHeight = 20.0
    private static let characterWidth = 8.2
    private static let longestName = 34
    private static let nameMargin = 88.0

    func content(_ canvas: ChartCanvas) -> ChartContent {
        let texts = texts(canvas)
        let below = texts.explained.isEmpty ? 0 : Double(texts.explained.count) * Self.lineHeight + 12
        let longest = texts.names.map { TextGrid.width($0) }.max() ?? 0
        let right = Double(longest) * Self.characterWidth + Self.nameMargin
        let plot = max(500, Double(lines.count) * Self.lineHeight)
        let height = canvas.height ?? Int(Self.top + plot + Self.bottom + below)
        let frame = PlotFrame(
            left: Self.left, right: right, top: Self.top, bottom: Self.bottom + below, width: canvas.width,
            height: height)
        let (x, y) = (xAxis.labelled(within: Double(canvas.width) - Self.left - right), yAxis)
        var content = ChartContent(
            title: title, height: height,
            settings: frame.settings(extra: 0) + x.settings("x") + y.settings("y") + [
                "set xlabel 'capacity in \(unit.rawValue) (logarithmic)'",
                "set ylabel \(GnuplotText.quoted(yLabel)) offset -1.5", "unset key",
            ] + baseline(y) + labels(frame, x, y, texts.names, canvas) + explanations(texts.explained, height),
            plots: plots(y),
            columns: ["series", "capacity_\(unit.rawValue)", yColumn]
                + (hasIntervals ? ["\(yColumn)_low", "\(yColumn)_high"] : []) + ["policy"],
            rows: lines.enumerated().flatMap { index, line in rows(index, line) })
        if let meaning = meaningOfIntervals { content.source = [meaning] }
        return content
    }

    private var hasIntervals: Bool { lines.contains { Self.hasIntervals($0) } }

    private static func hasIntervals(_ line: Line) -> Bool { line.intervals.contains { $0 != nil } }

    /// The meaning of the bars and the band, in words for the line below the title; nil without intervals.
    private var meaningOfIntervals: String? {
        guard let samples else { return nil }
        let drawn = lines.filter(Self.hasIntervals)
        let hasBand = drawn.contains { $0.role == .curve }
        let hasBars = drawn.contains { $0.role != .curve }
        guard hasBand || hasBars else { return nil }
        let marks = hasBars ? hasBand ? "bars and the band show" : "bars show" : "band shows"
        return "\(marks) 95% intervals of the means of \(HumanText.count(Double(samples))) samples"
    }

    private func rows(_ index: Int, _ line: Line) -> [[String]] {
        line.points.enumerated().map { place, point in
            let interval = place < line.intervals.count ? line.intervals[place] : nil
            let ends = [interval?.lowerBound, interval?.upperBound].map { $0.map { GnuplotText.number($0) } ?? "" }
            return ["\(index + 1)", GnuplotText.number(point.x), GnuplotText.number(point.y)]
                + (hasIntervals ? ends : []) + [VisibleText.printable(line.name)]
        }
    }

    /// Returns the bars of the policies' intervals, and the bands of the curves' intervals, which lie below the lines.
    private var intervalPlots: (bands: [String], bars: [String]) {
        let drawn = lines.indices.filter { Self.hasIntervals(lines[$0]) }
        let bands = drawn.filter { lines[$0].role == .curve }.map { index in
            "$data using ($1 == \(index + 1) ? $2 : NaN):4:5 with filledcurves fillcolor rgb '#d8d8d8' "
                + "fillstyle solid 1 noborder notitle"
        }
        let bars = drawn.filter { lines[$0].role != .curve }.map { index in
            "$data using ($1 == \(index + 1) ? $2 : NaN):3:4:5 with yerrorbars linewidth 1.5 linecolor rgb "
                + "'\(colour(index))' dashtype solid pointtype 0 notitle"
        }
        return (bands, bars)
    }

    /// Returns the names beside the lines, and the lines below the plot that have the full names of those that are cut.
    /// A picture of a given height has the latter only if they leave three quarters of it.
    private func texts(_ canvas: ChartCanvas) -> (names: [String], explained: [String]) {
        let room = Int((Double(canvas.width) * 0.4 - Self.nameMargin) / Self.characterWidth)
        let limit = min(Self.longestName, max(8, room))
        let names = ShortNames(lines.map(\.name), limit: limit)
        let columns = canvas.columns(Double(canvas.width) * 0.97)
        let explained = names.explanations.flatMap { line in
            NameRows.wrap(line, at: columns, mostLines: 3).enumerated().map { $0 == 0 ? $1 : "      " + $1 }
        }
        if let height = canvas.height, Double(explained.count) * Self.lineHeight > Double(height) / 4 {
            return (lines.map { TextGrid.cut(VisibleText.printable($0.name), width: limit) }, [])
        }
        return (lines.map { names[$0.name] }, explained)
    }

    private var xAxis: Axis {
        let values = lines.flatMap(\.points).map(\.x).filter { $0 > 0 }
        return .logarithmic(from: values.min() ?? 1, to: values.max() ?? 10) {
            unit == .bytes ? HumanText.bytes($0) : HumanText.count($0)
        }
    }

    private var yAxis: Axis {
        let ends = lines.flatMap(\.intervals).compactMap { $0 }.flatMap { [$0.lowerBound, $0.upperBound] }
        let values = lines.flatMap(\.points).map(\.y) + ends + [baseline].compactMap { $0 }
        let (least, most) = (values.min() ?? 0, values.max() ?? 1)
        let slack = max((most - least) * 0.06, Tolerance.share * Tolerance.leastSpan / 2)
        let low = least >= 0 ? max(0, least - slack) : least - slack
        return .linear(from: low, to: baseline == nil ? min(1, most + slack) : most + slack) {
            HumanText.wholeShare($0)
        }
    }

    private func plots(_ y: Axis) -> [String] {
        let grounds = lines.indices.filter { [.floor, .ceiling].contains(lines[$0].role) }.map { index in
            let edge = GnuplotText.number(lines[index].role == .floor ? y.low : y.high)
            return "$data using ($1 == \(index + 1) ? $2 : NaN):3 with filledcurves y1=\(edge) "
                + "fillcolor rgb '#eeeeee' fillstyle solid 1 noborder notitle"
        }
        let intervals = intervalPlots
        // gnuplot clears the ground of bars, so points come behind them.
        return grounds + intervals.bands + intervals.bars
            + lines.indices.filter { !lines[$0].points.isEmpty }.map { index in
                let how = lines[index].role == .curve ? "lines" : "linespoints"
                return "$data using ($1 == \(index + 1) ? $2 : NaN):3 with \(how) \(style(index)) notitle"
            }
    }

    private static let colours = [
        ChartStyle.blue, ChartStyle.vermilion, ChartStyle.green, ChartStyle.purple, ChartStyle.orange,
        ChartStyle.skyBlue, "#8B5A2B",
    ]
    private static let dashes = ["solid", "(10,5)", "(3,4)"]
    private static let shapes = [7, 5, 9, 11, 13, 15, 6, 4, 8, 10, 12, 14]

    /// Returns the colour of a line: what knows the future is grey, curves are black.
    private func colour(_ index: Int) -> String {
        switch lines[index].role {
        case .policy(let place): Self.colours[place % Self.colours.count]
        case .knowing, .floor, .ceiling: "#555555"
        case .curve: ChartStyle.black
        }
    }

    /// Returns gnuplot's number of the mark, or nil for lines without marks.
    private func shape(_ index: Int) -> Int? {
        switch lines[index].role {
        case .policy(let place): Self.shapes[place % Self.shapes.count]
        case .knowing: 2
        case .floor, .ceiling: 1
        case .curve: nil
        }
    }

    private func style(_ index: Int) -> String {
        let colour = "linecolor rgb '\(colour(index))'"
        switch lines[index].role {
        case .policy(let place):
            let dash = Self.dashes[place / Self.colours.count % Self.dashes.count]
            return "linewidth 2 \(colour) dashtype \(dash) pointtype \(shape(index) ?? 0)"
        case .knowing, .floor, .ceiling: return "linewidth 2.5 \(colour) dashtype solid pointtype \(shape(index) ?? 0)"
        case .curve: return "linewidth 1.2 \(colour) dashtype solid"
        }
    }

    private func baseline(_ y: Axis) -> [String] {
        guard let baseline else { return [] }
        let place = GnuplotText.number(baseline)
        return [
            """
            set arrow from graph 0, first \(place) to graph 1, first \(place) nohead linewidth 1.5 linecolor rgb \
            '#777777' back
            """
        ]
    }

    /// Returns the names in a column at the right, in the order of the lines' ends, each with a thin line to its end.
    /// In a picture that is too low for them, they are smaller.
    private func labels(
        _ frame: PlotFrame, _ x: Axis, _ y: Axis, _ names: [String], _ canvas: ChartCanvas
    ) -> [String] {
        let ends = lines.enumerated().compactMap { index, line -> (index: Int, end: PlotFrame.Place, mean: Double)? in
            guard let last = line.points.last else { return nil }
            let mean = line.points.reduce(0) { $0 + $1.y } / Double(line.points.count)
            return (index, frame.place(x.fraction(last.x), y.fraction(last.y)), mean)
        }.sorted { $0.end.y == $1.end.y ? $0.mean > $1.mean : $0.end.y < $1.end.y }
        let space = Double(frame.height) - frame.top - frame.bottom
        let gap = min(Self.lineHeight, space / Double(max(1, ends.count - 1)))
        let font =
            gap < Self.lineHeight
            ? " font ',\(GnuplotText.number(0.8 * gap / Self.lineHeight * ChartCanvas.fontSize * canvas.scale))'" : ""
        let heights = LabelHeights.apart(
            ends.map(\.end.y), gap: gap, from: frame.top, to: Double(frame.height) - frame.bottom)
        let edge = Double(frame.width) - frame.right
        return zip(ends, heights).flatMap { line, height in
            let colour = colour(line.index)
            let from = frame.screen(line.end.x + 8, line.end.y, extra: 0)
            let bend = frame.screen(edge + 10, line.end.y, extra: 0)
            return [
                "set arrow from \(from) to \(bend) nohead linewidth 0.8 linecolor rgb '\(colour)' dashtype (2,3)",
                """
                set arrow from \(bend) to \(frame.screen(edge + 44, height, extra: 0)) nohead linewidth 0.8 linecolor \
                rgb '\(colour)' dashtype solid
                """,
                "set label \(GnuplotText.quoted(names[line.index])) left "
                    + "at \(frame.screen(edge + 64, height, extra: 0)) textcolor rgb '\(colour)'\(font)",
            ]
                + (shape(line.index).map { shape in
                    [
                        """
                        set label '' at \(frame.screen(edge + 53, height, extra: 0)) point pointtype \(shape) \
                        linewidth 2 linecolor rgb '\(colour)'
                        """
                    ]
                } ?? [])
        }
    }

    private func explanations(_ texts: [String], _ height: Int) -> [String] {
        texts.enumerated().map { index, text in
            let y = (Double(texts.count - index) * Self.lineHeight - 6) / Double(height)
            return "set label \(GnuplotText.quoted(text)) left at screen 0.03, screen \(GnuplotText.number(y))"
        }
    }
}
