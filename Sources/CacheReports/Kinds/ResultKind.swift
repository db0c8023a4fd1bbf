import Runs
import TraceAnalysis

/// The kinds of results that `cachereplay chart` can draw.
///
/// A new kind is a case here and an entry in the switches below, which do not compile without it.
public enum ResultKind: String, Sendable, CaseIterable {
    case replay, simulation, explanation, advice, trace, gate

    public var command: String {
        switch self {
        case .replay: "replay"
        case .simulation: "simulate"
        case .explanation: "explain"
        case .advice: "advise"
        case .trace: "trace info"
        case .gate: "gate"
        }
    }

    /// The charts, as the last parts of the names of their files.
    public var charts: [String] {
        switch self {
        case .replay:
            ChartKind.allCases.map(\.rawValue) + FleetChart.allCases.map(\.rawValue)
                + OverviewChart.allCases.map(\.rawValue)
        case .simulation: SimulationChart.allCases.map(\.rawValue)
        case .explanation: ExplanationChart.names
        case .advice: [AdviceStore.chartName]
        case .trace: TraceChart.allCases.map(\.rawValue)
        case .gate: VerdictFiles.charts
        }
    }

    /// Returns whether a folder holds such results.
    private func isHeld(by folder: String) -> Bool {
        switch self {
        case .replay: ReplayStore.holdsResults(folder)
        case .simulation: SimulationStore.holdsResults(folder)
        case .explanation: ExplanationStore.isOwn(folder)
        case .advice: AdviceStore.hasAdvice(folder)
        case .trace: TraceInspection.hasFigures(folder)
        case .gate: VerdictFiles.isOwn(folder)
        }
    }

    private func source(of folder: String) throws -> ChartSource {
        switch self {
        case .replay: try ReplayStore.open(folder).chartSource
        case .simulation: try SimulationStore.open(folder).chartSource
        case .explanation: try ExplanationStore.source(in: folder)
        case .advice: try AdviceStore.source(in: folder)
        case .trace: try TraceCharts(in: folder).source(in: folder)
        case .gate: try VerdictFiles.chartSource(of: folder)
        }
    }

    /// Draws the charts of all results in a folder: usually of one kind, but an explanation can be in the folder of a
    /// replay.
    ///
    /// Pages show charts in the standard form. Pictures in another form leave the pages as they are. Pictures of
    /// explanations and advice do too, because the folders lack some of the data of the pages.
    /// - Throws: `ResultsError`: `notFound` for a folder, a cache or a trace that does not exist; `badData` for a
    ///   folder without results, for a broken file, and if the results have nothing to draw; `missingTool` without
    ///   gnuplot; `cannotCreate` or `ioError`.
    public static func drawCharts(of folder: String, _ options: ChartOptions) throws -> DrawnCharts {
        guard ResultFile.isFolder(folder) else {
            throw ResultsError(.notFound, file: folder, "no such folder; name one of those that \(commands) write")
        }
        try ResultFile.checkReadable(folder)
        let kinds = allCases.filter { $0.isHeld(by: folder) }
        guard !kinds.isEmpty else {
            throw ResultsError(
                .badData, file: folder,
                """
                holds no results that charts are made of; name a whole folder that \(commands) wrote, because CSV \
                files are not enough
                """)
        }
        let drawn = try kinds.map { try $0.source(of: folder) }.draw(options)
        guard !drawn.pictures.isEmpty else {
            throw ResultsError(
                .badData, file: folder, "has nothing to draw: no chart has a figure of what is chosen; choose more")
        }
        return drawn
    }

    private static var commands: String {
        let names = allCases.map { "`\($0.command)`" }
        return "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])"
    }
}
