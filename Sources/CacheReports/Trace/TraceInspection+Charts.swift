import Foundation
import ReplayEngine
import Runs
import TraceAnalysis

extension TraceInspection {
    /// Writes the page of the trace into a folder: `trace.json`, `charts.json`, `trace.html`, and `charts/` with the
    /// script, the data and the pictures of each chart. Charts without figures are omitted.
    ///
    /// Scripts and data are written first, and stay if gnuplot is missing. A script that a user has edited is kept, and
    /// draws the chart. The files of an earlier page are replaced.
    /// - Parameters:
    ///   - name: The name of the trace in titles and file names.
    ///   - consistency: The result of the consistency check.
    /// - Throws: `ResultsError`: `missingTool` without gnuplot, `cannotCreate`, also if the folder holds files of the
    ///   user under the names of the page's files, `ioError`.
    @discardableResult
    public func writePage(
        named name: String, to folder: String, formats: [ChartFormat] = [.svg, .png],
        consistency: ConsistencyReport? = nil
    ) throws -> DrawnCharts {
        try writePage(named: name, to: folder, formats: formats, consistency: consistency) { try Gnuplot() }
    }

    func writePage(
        named name: String, to folder: String, formats: [ChartFormat], consistency: ConsistencyReport? = nil,
        with gnuplot: () throws -> Gnuplot
    ) throws -> DrawnCharts {
        let formats = formats.contains(.svg) ? formats : [.svg] + formats  // The page contains the SVG pictures.
        let charts = TraceCharts(analysis, trace: name)
        try Self.files.refuseForeign(in: folder)
        try ResultFile.makeFolder(folder)
        if Self.files.first(in: folder) != nil {
            try OwnFiles.removeCharts(from: folder) { Chart.isOwn($0, of: ResultKind.trace.charts) }
        }
        try ResultFile.write(json(consistency) + "\n", to: "\(folder)/trace.json")
        try charts.write(to: folder)
        let page: ChartSource.Page = (
            name: "trace.html",
            html: { document(named: name, consistency, pictures: Document.Block.pictures($0)).html() }
        )
        return try [charts.source(in: folder, page: page)].draw(ChartOptions(formats: formats), with: gnuplot)
    }

    private static let files = OwnFiles(
        ["trace.json", "trace.html", "charts.json"], shownBy: "trace.json", of: "an earlier page of a trace"
    ) { Self.isPage($0) }

    /// Returns whether a folder has the page of a trace.
    static func isPage(_ folder: String) -> Bool { OwnFiles.isJSON("\(folder)/trace.json", of: Mark.self) }

    /// The members by which the figures of a trace are recognised.
    private struct Mark: Decodable {
        struct Member: Decodable {}

        var format: String
        var requests: Int
        var popularity: Member
        var reuse_distance: Member
    }
}
