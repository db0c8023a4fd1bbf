import Advising
import Basics
import ReplayEngine
import Runs

/// Blank time against peak memory: a line per cache with a point per limit, the front of all caches below them, and the
/// knee. Grey crosses are settings with a smaller limit of the disk, or with other rules than the line.
enum AdviceChart {
    static let meaning = """
        Blank time against the most bytes in memory. Each point is a cache at one limit; lower and further left is \
        better. Where memory is traded for blank time, a wide grey line joins the settings that no other one beats in \
        both figures.
        """

    /// - Parameters:
    ///   - tolerance: The smallest difference that counts on the front.
    ///   - order: The order of the caches: by blank time, or as the points have them.
    static func content(
        _ all: [AdvicePoint], within tolerance: Tolerance = .standard, _ canvas: ChartCanvas = .standard,
        order: ChartOrder = .blank
    ) -> ChartContent {
        // A line follows the limits of memory, all with the largest limit of the disk, and the rules with most limits.
        let largest = all.compactMap(\.disk).max()
        let rules = rulesOfLines(all.filter { $0.disk == largest || $0.disk == nil })
        func isOnLine(_ point: AdvicePoint) -> Bool {
            (point.disk == largest || point.disk == nil) && rules[point.cache] == point.changes
        }
        let points = all.filter(isOnLine)
        let caches = order.ranked(points.map(\.cache).unique(), by: \.self) { cache in
            points.filter { $0.cache == cache }.map(\.blankRatio).min()
        }
        let front = AdvicePoint.memoryFront(of: all).map { all[$0] }
        let hasFront = front.count > 1
        let others = all.filter { !isOnLine($0) }
        let otherStyle = "pointtype 1 linewidth 1.5 linecolor rgb '\(ChartStyle.greyLine)'"
        let frontStyle = "linewidth 9 linecolor rgb '\(ChartStyle.paleGrey)' dashtype solid"
        let legend = Legend(
            caches + (hasFront ? [frontName(tolerance)] : []),
            styles: caches.indices.map(ChartStyle.line) + (hasFront ? [frontStyle] : []), canvas: canvas)
        let memory = all.map(\.peakBytes)
        let most = memory.max() ?? 1
        let least = memory.min() ?? 0
        let isLogarithmic = least > 0 && most > 20 * least
        let x =
            isLogarithmic
            ? Axis.logarithmic(from: least / 1.1, to: most * 1.1, label: HumanText.bytes)
            : Axis.linear(from: 0, to: max(most, 1_000) * 1.05, label: HumanText.bytes)
        let knee = all.first(where: \.isKnee).map { "\(VisibleText.printable($0.cache)) with \($0.limitText)" }
        let reasons =
            (others.contains { $0.disk != largest && $0.disk != nil } ? ["smaller limits of the disk"] : [])
            + (others.contains { rules[$0.cache] != $0.changes } ? ["other rules"] : [])
        let crosses = reasons.isEmpty ? "" : " · grey crosses: \(reasons.joined(separator: ", "))"
        let scale = isLogarithmic ? " (logarithmic)" : ""
        let y = blankAxis(all)
        let lines = caches.indices.flatMap { index in
            [
                "$data using ($1 == \(index + 1) ? $2 : NaN):3 with lines \(ChartStyle.line(index)) notitle",
                "$data using ($1 == \(index + 1) ? $2 : NaN):3 with points \(ChartStyle.point(index)) notitle",
            ]
        }
        return ChartContent(
            title: "Blank time against memory, by cache and limit\(knee.map { " · ring: the knee, \($0)" } ?? "")",
            height: legend.height,
            settings: x.settings("x") + y.settings("y") + [
                xLabel(scale + crosses, canvas),
                "set ylabel 'blank time, as a share of visible time'", "set lmargin 11", "set rmargin 5",
            ] + all.filter(\.isKnee).map(ring) + legend.settings,
            plots: (hasFront ? ["$data using ($1 == 0 ? $2 : NaN):3 with lines \(frontStyle) notitle"] : [])
                + (others.isEmpty ? [] : ["$data using ($1 == -1 ? $2 : NaN):3 with points \(otherStyle) notitle"])
                + lines,
            columns: ["series", "memory_peak_bytes", "blank_ratio", "memory_limit_bytes", "cache"],
            rows: others.map { row(-1, $0) } + (hasFront ? front.map { row(0, $0) } : [])
                + caches.enumerated().flatMap { index, cache in
                    points.filter { $0.cache == cache }
                        .stableSorted { ($0.limit ?? .max) < ($1.limit ?? .max) }.map { row(index + 1, $0) }
                })
    }

    private static func blankAxis(_ points: [AdvicePoint]) -> Axis {
        let most = points.map(\.blankRatio).max() ?? 0
        return .linear(from: 0, to: min(1, max(Tolerance.share * Tolerance.leastSpan, most * 1.1))) {
            most < 0.05 ? HumanText.share($0) : HumanText.wholeShare($0)
        }
    }

    private static func xLabel(_ more: String, _ canvas: ChartCanvas) -> String {
        let text = "peak of the memory tier, 95th percentile of users\(more)"
        return "set xlabel \(GnuplotText.quoted(canvas.fitted(text, Double(canvas.width) * 0.93)))"
    }

    private static func frontName(_ tolerance: Tolerance) -> String {
        "grey: the front, no setting has less of both, within \(tolerance.text(.ratio)) and \(tolerance.text(.bytes))"
    }

    /// Returns the rules with the most limits for each cache, the first ones of several.
    private static func rulesOfLines(_ points: [AdvicePoint]) -> [String: [SweptValue]] {
        Dictionary(grouping: points, by: \.cache).compactMapValues { own in
            let counts = Dictionary(own.map { ($0.changes, 1) }, uniquingKeysWith: +)
            let most = counts.values.max() ?? 0
            return own.map(\.changes).first { counts[$0] == most }
        }
    }

    private static func row(_ series: Int, _ point: AdvicePoint) -> [String] {
        [
            "\(series)", Unit.bytes.written(.real(point.peakBytes)), Unit.ratio.written(.real(point.blankRatio)),
            point.limit.map(String.init) ?? "", VisibleText.printable(point.cache),
        ]
    }

    /// Returns a ring around the knee, whose name is in the title: beside the ring it would cross other lines.
    private static func ring(_ point: AdvicePoint) -> String {
        let place = "first \(GnuplotText.number(point.peakBytes)), first \(GnuplotText.number(point.blankRatio))"
        return "set label '' at \(place) point pointtype 6 pointsize 3 linewidth 2 linecolor rgb "
            + "'\(ChartStyle.black)' front"
    }
}

extension AdvicePoint {
    var limitText: String { limit.map { HumanText.bytes(Double($0)) } ?? "no limit" }

    var diskText: String { disk.map { HumanText.bytes(Double($0)) } ?? "–" }
}
