import CacheTraces
import TraceAnalysis

/// The charts of a trace. The raw values are the endings of their file names.
enum TraceChart: String, CaseIterable {
    case popularity
    case workingSet = "working-set"
    case workingSetBytes = "working-set-bytes"
    case reuseDistance = "reuse-distance"
    case interArrival = "inter-arrival"
    case sizes
    case inFlight = "in-flight"
    case scrollSpeed = "scroll-speed"
    case scrollPath = "scroll-path"

    private var draw: (TraceStatistics, String) -> LineChart? {
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

    /// Returns every chart for which the trace has figures.
    static func charts(_ analysis: TraceStatistics, trace: String, formats: [ChartFormat]) -> [(
        kind: TraceChart, chart: Chart
    )] {
        allCases.compactMap { kind in
            guard let content = kind.draw(analysis, trace)?.content() else { return nil }
            return (kind, Chart(ChartName(trace, kind), trace: trace, content, formats: formats))
        }
    }
}
