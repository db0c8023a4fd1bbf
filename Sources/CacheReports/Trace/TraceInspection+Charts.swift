import Foundation
import ReplayEngine
import Runs
import TraceAnalysis

extension TraceInspection {
    /// Writes the figures of the trace into a folder: `trace.json`, `charts.json`, and `charts/` with the script, the
    /// data and the pictures of each chart. Charts without figures are omitted.
    ///
    /// Scripts and data are written first, and stay if gnuplot is missing. A script that a user has edited is kept, and
    /// draws the chart. Earlier files of a trace are replaced.
    ///
    /// - Throws: `ResultsError`: `missingTool` without gnuplot, `cannotCreate`, also if the folder holds files of the
    ///   user under the names of the page's files, `ioError`.
    @discardableResult
    public func writeFigures(
        named name: String, to folder: String, formats: [ChartFormat] = [.svg, .png],
        consistency: ConsistencyReport? = nil
    ) throws -> DrawnCharts {
        try writeFigures(named: name, to: folder, formats: formats, consistency: consistency) { try Gnuplot() }
    }

    func writeFigures(
        named name: String, to folder: String, formats: [ChartFormat], consistency: ConsistencyReport? = nil,
        with gnuplot: () throws -> Gnuplot
    ) throws -> DrawnCharts {
        let charts = TraceCharts(analysis, trace: name)
        try Self.files.refuseForeign(in: folder)
        try ResultFile.makeFolder(folder)
        if Self.files.first(in: folder) != nil {
            try OwnFiles.removeCharts(from: folder) { Chart.isOwn($0, of: ResultKind.trace.charts) }
        }
        try ResultFile.write(json(consistency) + "\n", to: "\(folder)/trace.json")
        try charts.write(to: folder)
        return try [charts.source(in: folder)].draw(ChartOptions(formats: formats), with: gnuplot)
    }

    private static let files = OwnFiles(
        ["trace.json", "charts.json"], shownBy: "trace.json", of: "earlier figures of a trace"
    ) { Self.hasFigures($0) }

    static func hasFigures(_ folder: String) -> Bool { OwnFiles.isJSON("\(folder)/trace.json", of: Mark.self) }

    /// The members by which the figures of a trace are recognised.
    private struct Mark: Decodable {
        struct Member: Decodable {}

        var format: String
        var requests: Int
        var popularity: Member
        var reuse_distance: Member
    }
}
