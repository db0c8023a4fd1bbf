import CacheTraces
import TraceAnalysis

/// The charts of one trace: pure functions of its analysis. The raw value ends the names of their files.
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

    /// How to read it, in a sentence or two.
    var caption: String {
        switch self {
        case .popularity:
            """
            Requests of each object, the most requested first. On two logarithmic axes Zipf's law is a straight line, \
            whose slope is the exponent.
            """
        case .workingSet, .workingSetBytes:
            "What is in use: the distinct objects of each window of time, of the last ten, and of all so far. A cache that holds the middle line "
                + "serves a person who looks around; one that holds the upper line serves everything but first uses."
        case .reuseDistance:
            "The hit ratio of every LRU cache at once: the share of requests whose object was used less than so many other objects ago. "
                + "What lies above the dashed line are first uses, which no cache can serve."
        case .interArrival:
            "How long after a request the next one comes, and how long after its last use an object is used again. An expiry shorter than "
                + "the second line costs hits."
        case .sizes: "Encoded bytes of the objects, each counted once."
        case .inFlight: "Fetches under way in the recording; the highest of each short stretch of time is shown."
        case .scrollSpeed:
            "The share of the time in each phase at which the list was not faster than so many points per second."
        case .scrollPath: "Where the list was, and whether a finger moved it, it ran out, or it stood still."
        }
    }

    /// Every chart that the trace has figures for, with its caption.
    static func charts(_ analysis: TraceStatistics, trace: String, formats: [ChartFormat]) -> [(
        kind: TraceChart, chart: Chart
    )] {
        allCases.compactMap { kind in
            guard let content = kind.draw(analysis, trace)?.content() else { return nil }
            let name = "\(SafeName.of(trace))-\(kind.rawValue)"
            let chart = Chart(
                name: name, trace: trace, title: content.title, script: content.script(name: name, formats: formats),
                data: CSVText.line(content.columns) + content.rows.map(CSVText.line).joined())
            return (kind, chart)
        }
    }
}
