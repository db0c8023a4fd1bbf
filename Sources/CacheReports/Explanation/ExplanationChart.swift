import Basics
import ReplayEngine

/// The charts of explanations: one bar per cache, divided by cause or by wait. The raw value is the last part of the
/// names of their files.
public enum ExplanationChart: String, Sendable, CaseIterable {
    case causes, waits

    /// How to read the chart.
    var meaning: String {
        switch self {
        case .causes: "The requests that memory did not answer, by cause, as shares of all requests."
        case .waits: "The seconds in which visible cells were blank, by what they waited for."
        }
    }

    private struct Part {
        var title: String
        var colour: String
        /// The colour of the text on the part.
        var ink = "#010101"
        var value: @Sendable (RunExplanation) -> Double
    }

    /// Titles are short, so that the legend of all parts fits.
    private static let causeParts: [Part] = [
        cause("too small", ChartStyle.orange, .capacity),
        cause("poor choice", ChartStyle.vermilion, ink: "#ffffff", .policy),
        cause("at once, guess", ChartStyle.purple, .evictedAtOnce, .wrongPrefetch),
        cause(
            "emptied", ChartStyle.blue, ink: "#ffffff", .memoryWarning, .background, .relaunch, .removal),
        cause("expired", ChartStyle.skyBlue, .expired, .validation),
        cause("not taken", ChartStyle.black, ink: "#ffffff", .refused, .damaged),
        cause("in flight", ChartStyle.green, ink: "#ffffff", .inFlight),
        cause("unfetched", ChartStyle.grey, .cancelled, .deferred, .blocked, .failed),
        cause("first request", ChartStyle.paleGrey, .firstRequest, .similarKey),
    ]

    private static func cause(_ title: String, _ colour: String, ink: String = "#010101", _ causes: MissCause...)
        -> Part
    {
        Part(title: title, colour: colour, ink: ink) { run in
            let misses = run.causes.filter { $0.tier == .memory && causes.contains($0.cause) }
            return Double(misses.reduce(0) { $0 + $1.requests }) / Double(max(1, run.requests))
        }
    }

    private static let waitParts: [Part] = [
        wait("main lane", ChartStyle.black, ink: "#ffffff", .mainLane),
        wait("disk", ChartStyle.skyBlue, .diskQueue, .diskRead),
        wait("decoding", ChartStyle.purple, .decodeQueue, .decode),
        wait("gate", ChartStyle.green, ink: "#ffffff", .gate),
        wait("queue", ChartStyle.orange, .connectionQueue),
        wait("first byte", ChartStyle.vermilion, ink: "#ffffff", .connect, .firstByte),
        wait("transfer", ChartStyle.blue, ink: "#ffffff", .transfer),
        wait("validation", ChartStyle.red, ink: "#ffffff", .validation),
        wait("retry", ChartStyle.grey, .retryPause),
        wait("nothing", ChartStyle.paleGrey, .nothing),
    ]

    private static func wait(_ title: String, _ colour: String, ink: String = "#010101", _ waits: Wait...) -> Part {
        Part(title: title, colour: colour, ink: ink) { run in
            run.waits.filter { waits.contains($0.wait) }.reduce(0) { $0 + $1.milliseconds } / 1_000
        }
    }

    /// Returns both charts of each trace.
    static func charts(_ runs: [RunExplanation], formats: [ChartFormat]) -> [Chart] {
        runs.map(\.trace).unique().flatMap { trace in
            let own = runs.filter { $0.trace == trace }
            return allCases.map { kind in
                Chart(
                    ChartName(trace, kind), trace: trace, kind.content(own, trace), formats: formats,
                    caption: kind.meaning)
            }
        }
    }

    private func content(_ runs: [RunExplanation], _ trace: String) -> ChartContent {
        let parts = self == .causes ? Self.causeParts : Self.waitParts
        let sums = runs.map { run in parts.reduce(0) { $0 + $1.value(run) } }
        let order = runs.indices.sorted { (sums[$0], $0) < (sums[$1], $1) }
        let names = NameRows(order.map { runs[$0].cache }, canvas: .standard)
        let drawn = parts.indices.filter { part in runs.contains { parts[part].value($0) > 0 } }
        let most = max(sums.max() ?? 0, 1e-9)
        let axis =
            self == .causes
            ? Axis.linear(from: 0, to: min(1, most)) { HumanText.wholeShare($0) }
            : Axis.linear(from: 0, to: most) { HumanText.count($0) }
        // A part is in column 3 and those that follow.
        func start(_ part: Int) -> String { part == 0 ? "0" : (0..<part).map { "$\($0 + 3)" }.joined(separator: "+") }
        let bars = drawn.map { index in
            """
            $data using (\(start(index))):1:(\(start(index))):(\(start(index + 1))):($1-0.36):($1+0.36) \
            with boxxyerror linecolor rgb '\(parts[index].colour)' title \(GnuplotText.quoted(parts[index].title))
            """
        }
        let format = self == .causes ? "sprintf('%.0f%%', 100*" : "sprintf('%.1f s', "
        let labels = drawn.map { index in
            let value = "$\(index + 3)"
            return
                "$data using (\(start(index))+\(value)/2):1:(\(value) >= \(GnuplotText.number(most * 0.06)) ? "
                + "\(format)\(value)) : '') with labels textcolor rgb '\(parts[index].ink)' notitle"
        }
        return ChartContent(
            title: self == .causes ? "Why memory missed · \(trace)" : "What blank cells waited for · \(trace)",
            height: names.height,
            settings: names.settings + axis.settings("x") + [
                "set xlabel '\(self == .causes ? "share of requests" : "blank time of all cells in seconds")'",
                "set rmargin at screen 0.95", "set style fill solid 1 border rgb '#ffffff'", "unset grid",
            ],
            plots: bars + labels,
            columns: ["row", "requests"] + parts.map { $0.title.replacing(" ", with: "_") }
                + ["cache"],
            rows: order.enumerated().map { row, index in
                ["\(row + 1)", "\(runs[index].requests)"]
                    + parts.map { Unit.ratio.written(.real($0.value(runs[index]))) }
                    + [VisibleText.printable(runs[index].cache)]
            })
    }
}
