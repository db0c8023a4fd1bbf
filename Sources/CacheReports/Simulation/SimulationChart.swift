import Basics
import CachePolicies
import Runs

/// The charts of a simulation: pure functions of its rows. The raw value is the last part of the names of their files.
///
/// A new chart is a case here and an entry in the two switches below, which do not compile without it.
public enum SimulationChart: String, Sendable, CaseIterable {
    case missRatio = "miss-ratio"
    case byteMissRatio = "byte-miss-ratio"
    case improvement
    case overTime = "miss-ratio-over-time"

    /// The meaning of the chart, in a sentence or two.
    public var meaning: String {
        switch self {
        case .missRatio: "The share of requests that have to be fetched, by capacity. Lower is better."
        case .byteMissRatio:
            """
            The share of the requested bytes that have to be fetched, which a user's data plan pays for. Lower is \
            better.
            """
        case .improvement:
            """
            The share of the baseline's misses that each policy avoids at the same capacity. Higher is better; below \
            0 a policy is worse than the baseline.
            """
        case .overTime:
            """
            The share of the requests of each part of the trace that have to be fetched, in order of time. Lower is \
            better.
            """
        }
    }

    private func draw(_ series: SimulationSeries, _ canvas: ChartCanvas) -> ChartContent? {
        self == .overTime ? MissRatioLines.chart(series)?.content(canvas) : byCapacity(series)?.content(canvas)
    }

    /// Returns the chart if its horizontal axis has capacities.
    private func byCapacity(_ series: SimulationSeries) -> CapacityChart? {
        switch self {
        case .missRatio:
            return Self.ratios(series, .requests)
        case .byteMissRatio:
            // If every object counts as 1, the chart is equal to the chart of the miss ratio.
            guard series.countsBytes else { return nil }
            return Self.ratios(series, .bytes)
        case .improvement: return Self.improvement(series)
        case .overTime: return nil
        }
    }

    /// Returns all charts of all traces that have figures for them.
    static func charts(
        _ rows: [MissRatioRow], _ curves: [CurvePoint], _ bounds: [LeastMissesRow] = [],
        parts: [MissRatioPart] = [], options: ChartOptions
    ) -> [Chart] {
        SimulationSeries.all(rows, curves, bounds, parts, options).flatMap { series in
            allCases.compactMap { kind in
                guard let content = kind.draw(series, options.canvas) else { return nil }
                let unit = series.isOnlyUnit ? nil : series.unit
                return Chart(
                    ChartName(series.trace, unit: unit, kind), trace: series.trace, content, options,
                    caption: ([kind.meaning] + content.source.map { "The \($0)." }).joined(separator: " "))
            }
        }
    }

    /// The policy of the curve. Its results are known for every capacity.
    static let curvePolicy = "lru"

    /// A ratio of misses, and where rows, points and bounds have it.
    private struct Ratio {
        var name: String
        var column: String
        var row: (MissRatioRow) -> Double
        var point: (CurvePoint) -> Double
        var least: (LeastMissesRow) -> Double
        var interval: (SampleInterval) -> ClosedRange<Double>?

        static var requests: Ratio {
            Ratio(
                name: "Miss ratio", column: "miss_ratio", row: \.missRatio, point: \.missRatio,
                least: \.leastMissRatio, interval: \.missRatio)
        }

        /// Drawn only where requests have sizes.
        static var bytes: Ratio {
            Ratio(
                name: "Byte miss ratio", column: "byte_miss_ratio", row: { $0.byteMissRatio ?? 0 },
                point: { $0.byteMissRatio ?? 0 }, least: { $0.leastByteMissRatio ?? 0 }, interval: \.byteMissRatio)
        }
    }

    private static func ratios(_ series: SimulationSeries, _ ratio: Ratio) -> CapacityChart? {
        var lines = series.shown.map { place, policy in
            CapacityChart.Line(
                name: policy.name, points: policy.rows.map { (Double($0.capacity?.value ?? 0), ratio.row($0)) },
                intervals: policy.rows.map { $0.interval.flatMap(ratio.interval) },
                role: knowsTheFuture(policy.name) ? .knowing : .policy(place))
        }
        if !series.bounds.isEmpty {
            lines.append(
                .init(
                    name: "no policy is below",
                    points: series.bounds.map { (Double($0.capacity.value), ratio.least($0)) },
                    role: .floor))
        }
        if !series.curve.isEmpty, series.isShown(curvePolicy) {
            let rate = series.curve[0].sampleRate == nil ? "" : ", estimated"
            lines.append(
                .init(
                    name: "\(curvePolicy), every capacity\(rate)",
                    points: series.curve.map { (Double($0.capacity.value), ratio.point($0)) },
                    intervals: series.curve.map { $0.interval.flatMap(ratio.interval) },
                    role: .curve))
        }
        guard lines.contains(where: { !$0.points.isEmpty }) else { return nil }
        return CapacityChart(
            title: "\(ratio.name) by capacity · \(series.trace)\(series.sampling)", yLabel: ratio.name.lowercased(),
            yColumn: ratio.column, unit: series.unit, lines: lines, samples: series.samples)
    }

    /// Returns the chart of the misses that each policy avoids, or nil without a baseline or without other policies.
    private static func improvement(_ series: SimulationSeries) -> CapacityChart? {
        guard let base = ["lru", "fifo"].lazy.compactMap({ name in series.policies.first { $0.name == name } }).first,
            series.policies.count > 1
        else { return nil }
        let misses = Dictionary(base.rows.map { ($0.capacity, $0.missRatio) }) { $1 }
        /// Returns the share of the baseline's misses that a ratio avoids; nil without any.
        func avoided(_ ratio: Double, _ capacity: Capacity) -> (x: Double, y: Double)? {
            guard let before = misses[capacity], before > 0 else { return nil }
            return (Double(capacity.value), (before - ratio) / before)
        }
        var lines = series.shown.filter { $0.policy.name != base.name }.map { place, policy in
            CapacityChart.Line(
                name: policy.name,
                points: policy.rows.compactMap { row in row.capacity.flatMap { avoided(row.missRatio, $0) } },
                role: knowsTheFuture(policy.name) ? .knowing : .policy(place))
        }
        guard lines.contains(where: { !$0.points.isEmpty }) else { return nil }
        if !series.bounds.isEmpty {
            lines.append(
                .init(
                    name: "no policy is above",
                    points: series.bounds.compactMap { avoided($0.leastMissRatio, $0.capacity) }, role: .ceiling))
        }
        return CapacityChart(
            title: "Misses avoided against \(base.name) · \(series.trace)\(series.sampling)",
            yLabel: "share of \(base.name)'s misses that are avoided",
            yColumn: "avoided_share", unit: series.unit, lines: lines, baseline: 0)
    }

    static func knowsTheFuture(_ policy: String) -> Bool {
        ["belady", "belady-bypass", "belady-size"].contains { policy == $0 || policy.hasPrefix("\($0)(") }
    }
}

/// The figures of one trace and one unit of capacity, for the charts.
struct SimulationSeries {
    var trace: String
    var unit: CapacityUnit
    /// Whether all capacities of the trace are in this unit.
    var isOnlyUnit: Bool
    /// The policies in the order of the rows, each with its rows by rising capacity. Policies with a size in their own
    /// text have no place on the axis and are left out.
    var policies: [(name: String, rows: [MissRatioRow])] = []
    var curve: [CurvePoint] = []
    /// The fewest misses, by rising capacity.
    var bounds: [LeastMissesRow] = []
    /// The parts of the rows. The parts of one row are in order of time.
    var parts: [MissRatioPart] = []
    /// Returns whether the lines of a policy are drawn. Others count as baselines.
    var isShown: (_ policy: String) -> Bool = { _ in true }

    /// The policies whose lines are drawn, each with its place among all, so that a choice does not change its look.
    var shown: [(place: Int, policy: (name: String, rows: [MissRatioRow]))] {
        policies.enumerated().filter { isShown($0.element.name) }.map { ($0.offset, $0.element) }
    }

    var countsBytes: Bool {
        policies.contains { $0.rows.contains { $0.requestBytes != nil } }
            || curve.contains { $0.byteMissRatio != nil } || bounds.contains { $0.requestBytes != nil }
    }

    /// The number of samples whose means the figures are; nil without intervals.
    var samples: Int? {
        let intervals = policies.flatMap(\.rows).compactMap(\.interval) + curve.compactMap(\.interval)
        return intervals.first?.samples
    }

    /// The part of a title that names the sample and the warm-up, or an empty text.
    var sampling: String {
        let rate = policies.lazy.flatMap(\.rows).compactMap(\.sampleRate).first ?? curve.first?.sampleRate
        let warmup = policies.lazy.flatMap(\.rows).compactMap(\.warmupRequests).first
        let sample = rate.map { " · estimated from \(HumanText.share($0)) of the objects" } ?? ""
        return sample + (warmup.map { " · after \(HumanText.count(Double($0))) requests of warm-up" } ?? "")
    }

    static func all(
        _ rows: [MissRatioRow], _ curves: [CurvePoint], _ bounds: [LeastMissesRow], _ parts: [MissRatioPart],
        _ options: ChartOptions
    ) -> [SimulationSeries] {
        var all: [SimulationSeries] = []
        func place(_ trace: String, _ unit: CapacityUnit) -> Int {
            if let place = all.firstIndex(where: { $0.trace == trace && $0.unit == unit }) { return place }
            all.append(SimulationSeries(trace: trace, unit: unit, isOnlyUnit: true, isShown: options.shows(cache:)))
            return all.count - 1
        }
        for row in rows {
            guard let capacity = row.capacity, capacity.value > 0 else { continue }
            let series = place(row.trace, capacity.unit)
            if let policy = all[series].policies.firstIndex(where: { $0.name == row.policy }) {
                all[series].policies[policy].rows.append(row)
            } else {
                all[series].policies.append((row.policy, [row]))
            }
        }
        for point in curves where point.capacity.value > 0 {
            all[place(point.trace, point.capacity.unit)].curve.append(point)
        }
        for row in bounds where row.capacity.value > 0 {
            all[place(row.trace, row.capacity.unit)].bounds.append(row)
        }
        let partsByTrace = Dictionary(grouping: parts, by: \.trace)
        for index in all.indices {
            let unit = all[index].unit
            all[index].parts = (partsByTrace[all[index].trace] ?? []).filter { $0.capacity?.unit == unit }
            all[index].isOnlyUnit = all.count { $0.trace == all[index].trace } == 1
            for policy in all[index].policies.indices {
                all[index].policies[policy].rows.sort { $0.capacity?.value ?? 0 < $1.capacity?.value ?? 0 }
            }
            all[index].policies = options.order.arranged(all[index].policies) { $0.name }
            all[index].curve.sort { $0.capacity.value < $1.capacity.value }
            all[index].bounds.sort { $0.capacity.value < $1.capacity.value }
        }
        return all.filter { options.shows(trace: $0.trace) }
    }
}

extension SimulationRows: DrawnResults {
    public static var chartKinds: [String] { SimulationChart.allCases.map(\.rawValue) }
}

extension Store<SimulationRows> {
    /// Writes `charts/`: for each chart the script, its data and the pictures. With SVG among the formats, it also
    /// writes `report.html`.
    ///
    /// Scripts and data are written first, and remain when gnuplot is missing. A script that a user has edited is kept,
    /// and draws the chart.
    /// - Returns: The paths of the pictures; empty if no row has a capacity above 0.
    /// - Throws: `ResultsError`: `missingTool` without gnuplot, `cannotCreate`, `ioError`, or `notFound` for a policy
    ///   or trace that the results do not have.
    @discardableResult
    public func drawCharts(_ options: ChartOptions = ChartOptions()) throws -> DrawnCharts {
        try [chartSource].draw(options)
    }

    var chartSource: ChartSource {
        let (rows, curves, bounds, parts, manifest) = (rows, curves, bounds, parts, manifest)
        return ChartSource(
            folder: path, caches: (rows.map(\.policy) + (curves.isEmpty ? [] : [SimulationChart.curvePolicy])).unique(),
            traces: (rows.map(\.trace) + curves.map(\.trace) + bounds.map(\.trace)).unique()
        ) { options in
            let charts = SimulationChart.charts(rows, curves, bounds, parts: parts, options: options)
            guard !charts.isEmpty else { return ([], nil) }
            let page: ChartSource.Page = (
                name: "report.html", html: { Document(rows, bounds, manifest, pictures: $0).html() }
            )
            return (charts, page)
        }
    }
}
