import Advising
import Basics
import Foundation
import Runs

/// The folder of `advise --output`: `advice.csv`, `advice.json`, `charts/` and `advice.html`.
public struct AdviceStore {
    public let path: String
    private let style: CSVStyle
    private let lock: FolderLock

    private static let files = OwnFiles(
        ["advice.csv", "advice.json", "replays.jsonl", "advice.html"], shownBy: "advice.json", of: "an earlier advice"
    ) { OwnFiles.isJSON("\($0)/advice.json", of: Mark.self) || AdviceLog.inputs(in: $0) != nil }

    /// The members by which an advice is recognised.
    private struct Mark: Decodable {
        var replays: Int
        var objective: String
    }

    /// Creates the folder.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - csvSafe: Whether fields are safe for spreadsheets.
    ///   - replaces: Whether an advice or a search that the folder holds is replaced.
    ///   - resumes: Whether a search that was interrupted continues.
    /// - Throws: `ResultsError` of kind `cannotCreate` if it holds an advice or a search, and neither flag is set, if
    ///   it holds files of the user under the names of its files, or if it cannot be created.
    public init(at path: String, csvSafe: Bool, replaces: Bool, resumes: Bool = false) throws {
        self.path = path
        style = csvSafe ? .safe : .exact
        lock = try ResultFile.claimFolder(path)
        try Self.files.refuseForeign(in: path)
        guard !replaces, !resumes else { return }
        if ResultFile.exists(AdviceLog.path(in: path)) {
            throw ResultsError(
                .cannotCreate, file: path,
                "the folder holds a search that was interrupted; continue it with --resume, or replace it with --force")
        }
        if ResultFile.exists("\(path)/advice.json") {
            throw ResultsError(
                .cannotCreate, file: path,
                "the folder holds an advice; name another folder with --output, or replace it with --force")
        }
    }

    /// Writes the files, `advice.json` first: it shows that the others are not files of the user. The page of an
    /// earlier advice is removed.
    public func write(_ advice: Advice) throws {
        try ResultFile.remove("\(path)/advice.html")
        let file = "\(path)/advice.json"
        try ResultFile.write(try JSONFile.text(AdviceRecord(advice), file: file), to: file)
        try ResultFile.write(CSVText.render(AdviceColumns.all, advice.points, style), to: "\(path)/advice.csv")
    }

    /// Draws the chart, and writes the page.
    ///
    /// - Throws: `ResultsError` of kind `missingTool` without gnuplot.
    public func drawChart(_ advice: Advice, _ formats: [ChartFormat] = [.svg, .png]) throws -> DrawnCharts {
        let chart = Chart(
            ChartName("advice"), trace: "",
            AdviceChart.content(advice.points, within: advice.relevanceThreshold), formats: formats,
            caption: AdviceChart.meaning)
        func page(_ pictures: [Chart.Picture]) -> String {
            advice.document(pictures: Document.Block.pictures(pictures)).titledByAnswer().html()
        }
        return try Chart.draw([chart], formats, in: path, page: "advice.html", html: page)
    }
}
