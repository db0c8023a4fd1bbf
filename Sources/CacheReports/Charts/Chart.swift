import ReplayEngine

/// One chart: a gnuplot script and the figures it draws, both plain text, both pure functions of the results.
///
/// The script names its files relatively: `cd charts && gnuplot NAME.gp` draws it again, after any change by hand.
public struct Chart: Sendable, Equatable {
    /// What the names of its files begin with.
    public var name: String
    public var trace: String
    public var title: String
    public var script: String
    /// RFC 4180; names come last, so that gnuplot only has to count columns of numbers.
    public var data: String
}

/// The charts drawn for each trace. The raw value ends the names of their files.
public enum ChartKind: String, Sendable, CaseIterable {
    case outcomes
    case percentiles
    case distribution
    case memory
    /// Hit ratio against peak memory.
    case tradeoff

    private var draw: @Sendable (ChartInput) -> ChartContent {
        switch self {
        case .outcomes: OutcomeChart.content
        case .percentiles: PercentileChart.content
        case .distribution: DistributionChart.content
        case .memory: MemoryChart.content
        case .tradeoff: TradeoffChart.content
        }
    }

    /// All charts of all traces, in the order of the results.
    public static func charts(_ results: [RunResult], formats: [ChartFormat] = [.svg, .png]) -> [Chart] {
        ChartInput.byTrace(results).flatMap { input in
            allCases.map { kind in
                let name = "\(SafeName.of(input.trace))-\(kind.rawValue)"
                let content = kind.draw(input)
                return Chart(
                    name: name, trace: input.trace, title: content.title,
                    script: content.script(name: name, formats: formats),
                    data: CSVText.line(content.columns) + content.rows.map(CSVText.line).joined())
            }
        }
    }
}
