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
    ) { Self.hasAdvice($0) || AdviceLog.inputs(in: $0) != nil }

    /// Returns whether a folder has an advice.
    static func hasAdvice(_ folder: String) -> Bool { OwnFiles.isJSON("\(folder)/advice.json", of: Mark.self) }

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
        let page: ChartSource.Page = (
            name: "advice.html",
            html: { advice.document(pictures: Document.Block.pictures($0)).titledByAnswer().html() }
        )
        let charted = Charted(
            points: advice.points, relevance_threshold: advice.relevanceThreshold,
            findings: advice.findings.map { Charted.Said(text: $0.text) })
        return try [Self.source(charted, in: path, page: page)].draw(ChartOptions(formats: formats))
    }

    /// The name of the chart, the only one of its folder.
    static let chartName = "advice"

    private static func source(_ advice: Charted, in folder: String, page: ChartSource.Page? = nil) -> ChartSource {
        ChartSource(folder: folder, caches: advice.points.map(\.cache).unique(), traces: []) { options in
            var content = AdviceChart.content(
                options.chosen(advice.points, by: \.cache), within: advice.relevance_threshold ?? .standard,
                options.canvas, order: options.order)
            // The finding is about all caches.
            if options.caches.isEmpty { content.finding = advice.findings?.first?.text }
            let chart = Chart(ChartName(chartName), trace: "", content, options, caption: AdviceChart.meaning)
            return ([chart], page)
        }
    }

    /// Reads the chart of a folder. Its page is not made again, because the folder has not all that it says.
    ///
    /// - Throws: `ResultsError`: `ioError`, or `badData` for a broken file.
    static func source(in folder: String) throws -> ChartSource {
        let (file, remedy) = ("\(folder)/advice.json", "run `cachereplay advise --output` again")
        let stored = try JSONFile.read(Charted.self, at: file, remedy: remedy)
        guard stored.points.allSatisfy({ (0...1).contains($0.blankRatio) && (0...1e15).contains($0.peakBytes) }) else {
            throw ResultsError(.badData, file: file, "has blank time or memory that no session has; \(remedy)")
        }
        return source(stored, in: folder)
    }

    /// An advice, as far as its chart shows it.
    private struct Charted: Decodable {
        struct Said: Decodable {
            var text: String
        }

        var points: [AdvicePoint]
        /// Advice of earlier versions has neither this nor ``findings``.
        var relevance_threshold: Tolerance?
        var findings: [Said]?
    }
}
