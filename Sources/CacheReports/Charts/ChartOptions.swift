import ReplayEngine

/// What the charts of a replay show, and how.
public struct ChartOptions: Sendable, Equatable {
    /// The title of all charts; nil for one that names the chart and the trace.
    public var title: String?
    /// The names of the caches to draw; all if empty.
    public var caches: [String] = []
    /// The names of the traces to draw; all if empty.
    public var traces: [String] = []
    public var isDark = false

    public init() {}

    /// Whether the charts are those of a replay without options.
    var isPlain: Bool { self == ChartOptions() }

    func selected(_ results: [RunResult]) -> [RunResult] {
        results.filter {
            (caches.isEmpty || caches.contains($0.identity.cache))
                && (traces.isEmpty || traces.contains($0.identity.trace))
        }
    }

    /// Returns a script for a dark background: the same colours, lighter where they would be hard to see.
    static func darkened(_ script: String) -> String {
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = String(line)
            for (light, dark) in darkColours { line = line.replacing("rgb '\(light)'", with: "rgb '\(dark)'") }
            let isText = ["set label ", "set title ", "set xlabel ", "set ylabel "].contains { line.hasPrefix($0) }
            return isText && !line.contains(" textcolor ") ? "\(line) textcolor rgb '\(ink)'" : line
        }
        return lines.joined(separator: "\n")
            .replacing("set tics nomirror\n", with: "set tics nomirror textcolor rgb '\(ink)'\n")
            .replacing("\nset border 3", with: "\nset key textcolor rgb '\(ink)'\nset border 3")
            .replacing(" background 'white'", with: " background '\(background)'")
    }

    private static let background = "#16181d"
    private static let ink = "#e6e6e6"

    private static let darkColours = [
        (ChartStyle.black, ink), (ChartStyle.blue, "#3B9BDC"), (ChartStyle.vermilion, "#F07B3A"),
        (ChartStyle.paleGrey, "#5A5F66"), (ChartStyle.red, "#D63A4A"), ("#555555", "#a8adb5"), ("#dddddd", "#363b43"),
        ("#ffffff", background),
    ]
}
