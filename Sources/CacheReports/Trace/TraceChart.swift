import Basics
import CacheTraces
import Runs
import TraceAnalysis

/// The charts of a trace. The raw values are the endings of their file names.
enum TraceChart: String, CaseIterable, Codable {
    case popularity
    case workingSet = "working-set"
    case workingSetBytes = "working-set-bytes"
    case reuseDistance = "reuse-distance"
    case interArrival = "inter-arrival"
    case sizes
    case inFlight = "in-flight"
    case scrollSpeed = "scroll-speed"
    case scrollPath = "scroll-path"

    fileprivate var draw: (TraceStatistics, String) -> LineChart? {
        switch self {
        case .popularity: PopularityChart.chart
        case .workingSet: WorkingSetChart.objects
        case .workingSetBytes: WorkingSetChart.bytes
        case .reuseDistance: ReuseDistanceChart.chart
        case .interArrival: InterArrivalChart.chart
        case .sizes: ObjectSizeChart.chart
        case .inFlight: InFlightChart.chart
        case .scrollSpeed: ScrollChart.speed
        case .scrollPath: ScrollChart.path
        }
    }

    /// The caption, which explains how to read the chart.
    var caption: String {
        switch self {
        case .popularity:
            """
            Requests of each object, the most requested first. On logarithmic axes, Zipf's law is a straight line \
            whose slope is the exponent.
            """
        case .workingSet, .workingSetBytes:
            """
            The distinct objects of each window of time, of the last ten windows, and of all so far. A cache with \
            room for the middle line serves a person who scrolls back a little; one with room for the upper line \
            serves everything but first uses.
            """
        case .reuseDistance:
            """
            The hit ratio of LRU caches of every size: the share of requests with a shorter reuse distance. The part \
            above the dashed line are first uses, which no cache can serve.
            """
        case .interArrival:
            """
            The time from a request to the next one, and from a use of an object to its next use. An expiry shorter \
            than the second line costs hits.
            """
        case .sizes: "Encoded bytes of the objects, each counted once."
        case .inFlight: "Fetches in flight in the recording. The highest number of each short time is shown."
        case .scrollSpeed:
            "The share of the time in each phase during which the list was not faster than a speed."
        case .scrollPath: "The position of the list, and whether it was dragged, decelerating or at rest."
        }
    }
}

/// The charts of a trace before they have a size and a look: the content of `charts.json`.
struct TraceCharts: Codable {
    struct Entry: Codable {
        var kind: TraceChart
        var chart: LineChart
    }

    var trace: String
    var charts: [Entry]

    /// Creates every chart for which the trace has figures.
    init(_ analysis: TraceStatistics, trace: String) {
        self.trace = trace
        charts = TraceChart.allCases.compactMap { kind in
            kind.draw(analysis, trace).map { Entry(kind: kind, chart: $0) }
        }
    }

    /// Returns the charts with scripts and data.
    func drawn(_ options: ChartOptions) -> [Chart] {
        charts.map { entry in
            Chart(
                ChartName(trace, entry.kind), trace: trace, entry.chart.content(options.canvas), options,
                caption: entry.kind.caption)
        }
    }

    func source(in folder: String, page: ChartSource.Page? = nil) -> ChartSource {
        ChartSource(folder: folder, caches: [], traces: [trace]) { (drawn($0), page) }
    }

    // MARK: As a file

    private static let file = "charts.json"

    /// Reads the charts of a folder.
    ///
    /// - Throws: `ResultsError`: `ioError`, or `badData` for a broken file, and for a folder without it.
    init(in folder: String) throws {
        let (path, remedy) = ("\(folder)/\(Self.file)", "run `cachereplay trace info --output` again")
        guard ResultFile.exists(path) else {
            throw ResultsError(.badData, file: folder, "has no \(Self.file) with the lines of its charts; \(remedy)")
        }
        self = try JSONFile.read(Self.self, at: path, remedy: remedy)
    }

    func write(to folder: String) throws {
        let file = "\(folder)/\(Self.file)"
        try ResultFile.write(try JSONFile.text(self, file: file, .line), to: file)
    }
}

/// The chart of the times to the next request and to the next request of the same object.
enum InterArrivalChart {
    static func chart(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        guard !analysis.missing.contains("times") else { return nil }
        let gaps = [
            ("to the next request of any object", analysis.interArrivals.byRequest),
            ("to the next request of the same object", analysis.interArrivals.byObject),
        ]
        let values = gaps.flatMap { $0.1.curve.map { Double($0.value) } }
        guard let most = values.max(), most > 0, let least = values.filter({ $0 > 0 }).min() else { return nil }
        let axis = Axis.logarithmic(from: max(least, most / 1e12), to: most) { text($0) }
        return LineChart(
            title: "Time between requests, cumulative · \(trace)", x: axis,
            y: .linear(from: 0, to: 1) { HumanText.wholeShare($0) },
            xLabel: "time (logarithmic)", yLabel: "share of gaps not longer", columns: ("gap_us", "share"),
            curves: gaps.enumerated().map { index, gap in
                let curve = gap.1.curve.map { (x: max(Double($0.value), axis.low), y: $0.share) }
                let stairs = curve.isEmpty ? [] : curve.stairs(from: (axis.low, 0)) + [(axis.high, 1)]
                return LineChart.Curve(name: gap.0, points: stairs, style: index)
            })
    }

    /// Returns the label of a time. Times from 1,000 s have a thousands separator.
    private static func text(_ microseconds: Double) -> String {
        microseconds < 999e6 ? HumanText.microseconds(microseconds) : "\(HumanText.count(microseconds / 1e6)) s"
    }
}

/// The chart of the sizes of objects by variant.
enum ObjectSizeChart {
    static func chart(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        let known = analysis.sizes.filter { $0.sorted.contains { $0 > 0 } }
        let values = known.flatMap { [$0.sorted.first { $0 > 0 } ?? 1, $0.sorted.last ?? 1] }.map(Double.init)
        guard let least = values.min(), let most = values.max() else { return nil }
        let axis = Axis.logarithmic(from: least, to: most) { HumanText.bytes($0) }
        return LineChart(
            title: "Sizes of objects, cumulative · \(trace)", x: axis,
            y: .linear(from: 0, to: 1) { HumanText.wholeShare($0) },
            xLabel: "encoded size (logarithmic)", yLabel: "share of objects not larger",
            columns: ("size_bytes", "share"),
            curves: known.map { sizes in
                let points = sizes.sorted.enumerated().map { index, bytes in
                    (x: max(Double(bytes), axis.low), y: Double(index + 1) / Double(sizes.sorted.count))
                }
                let median = sizes.quantile(0.5).map { ", half of them up to \(HumanText.bytes(Double($0)))" } ?? ""
                return LineChart.Curve(
                    name: "\(sizes.variant): \(HumanText.count(Double(sizes.sorted.count))) objects\(median)",
                    points: points.thinned(to: 400).stairs(from: (axis.low, 0)) + [(axis.high, 1)],
                    style: Int(sizes.variant.rawValue))
            })
    }
}
