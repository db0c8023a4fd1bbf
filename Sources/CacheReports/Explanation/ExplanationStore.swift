import Basics
import Foundation
import ReplayEngine
import Runs

/// The folder of `explain --output`: `causes.csv`, `waits.csv`, `requests.csv`, `explanation.json`, `charts/` and
/// `explanation.html`.
public struct ExplanationStore: Sendable {
    public let path: String
    private let style: CSVStyle
    private let lock: FolderLock
    private var runs: [RunExplanation] = []
    private var requests = CSVText.header(RequestColumns.all)

    private static let files = OwnFiles(
        ["causes.csv", "waits.csv", "requests.csv", "explanation.json", "explanation.html"],
        shownBy: "explanation.json", of: "an earlier explanation"
    ) { Self.isOwn($0) }

    static func isOwn(_ folder: String) -> Bool { OwnFiles.isJSON("\(folder)/explanation.json", of: [Mark].self) }

    /// The members by which an explanation is recognised.
    private struct Mark: Decodable {
        var trace: String
        var cache: String
        var blank_ms: Double
    }

    /// Creates the folder. An earlier explanation is removed with `replaces`.
    ///
    /// - Throws: `ResultsError` of kind `cannotCreate` if it holds an explanation and `replaces` is false, if it
    ///   holds files of the user under the names of its files, or if it cannot be created.
    public init(at path: String, csvSafe: Bool, replaces: Bool) throws {
        self.path = path
        style = csvSafe ? .safe : .exact
        lock = try ResultFile.claimFolder(path)
        try Self.files.refuseForeign(in: path)
        guard Self.files.first(in: path) != nil else { return }
        guard replaces else { throw ResultsError.existingResults(in: path, resumes: false) }
        try Self.files.remove(from: path) { Chart.isOwn($0, of: ExplanationChart.names) }
    }

    public mutating func add(_ run: RunExplanation, _ identity: RunIdentity, _ rows: [RequestRow]) {
        runs.append(run)
        requests += CSVText.rows(RequestColumns.all, rows.map { .init(identity, $0) }, style)
    }

    /// Writes all files, `explanation.json` first: it shows that the others are not files of the user.
    public func write() throws {
        let file = "\(path)/explanation.json"
        try ResultFile.write(try JSONFile.text(runs, file: file), to: file)
        let causes = runs.flatMap { run in run.causes.map { CauseColumns.Row(run: run, cause: $0) } }
        try ResultFile.write(CSVText.render(CauseColumns.all, causes, style), to: "\(path)/causes.csv")
        let waits = runs.flatMap { run in run.waits.map { WaitColumns.Row(run: run, wait: $0) } }
        try ResultFile.write(CSVText.render(WaitColumns.all, waits, style), to: "\(path)/waits.csv")
        try ResultFile.write(requests, to: "\(path)/requests.csv")
    }

    /// Draws the charts, and writes the page.
    ///
    /// - Parameters:
    ///   - formats: The formats of the pictures.
    ///   - staying: The traces in which no cell disappears. A note of the page names this.
    /// - Throws: `ResultsError` of kind `missingTool` without gnuplot.
    public func drawCharts(
        _ formats: [ChartFormat] = [.svg, .png], staying: Set<String> = []
    ) throws -> DrawnCharts {
        let page: ChartSource.Page = (
            name: "explanation.html",
            html: { pictures in
                let blocks = Dictionary(grouping: pictures, by: \.chart.trace).mapValues(Document.Block.pictures)
                return RunExplanation.document(runs, staying: staying, pictures: blocks).html()
            }
        )
        return try [Self.source(runs, in: path, page: page)].draw(ChartOptions(formats: formats))
    }

    private static func source(
        _ runs: [RunExplanation], in folder: String, page: ChartSource.Page? = nil
    ) -> ChartSource {
        ChartSource(
            folder: folder, caches: runs.map(\.cache).unique(), traces: runs.map(\.trace).unique()
        ) { (ExplanationChart.charts(runs, $0), page) }
    }

    /// Reads the charts of a folder. Their page is not made again, because the folder does not have all that the page
    /// says.
    ///
    /// - Throws: `ResultsError`: `ioError`, or `badData` for a broken file.
    static func source(in folder: String) throws -> ChartSource {
        let runs = try JSONFile.read(
            [Charted].self, at: "\(folder)/explanation.json", remedy: "run `cachereplay explain --output` again")
        return source(runs.map(\.run), in: folder)
    }

    private struct Charted: Decodable {
        let run: RunExplanation

        init(from decoder: any Decoder) throws {
            run = try RunExplanation(charted: try decoder.container(keyedBy: RunExplanation.CodingKeys.self))
        }
    }
}

/// The columns of `causes.csv`: one row per run, tier and cause.
public enum CauseColumns {
    public struct Row: Sendable {
        var run: RunExplanation
        var cause: RunExplanation.Cause
    }

    public static let all: [Column<Row>] = [
        .identity("trace", "name of the trace") { .text($0.run.trace) },
        .identity("cache", "name of the cache") { .text($0.run.cache) },
        .identity("tier", "memory or disk") { .text($0.cause.tier.rawValue) },
        .identity("cause", "why the tier did not have the image") { .text($0.cause.cause.name) },
        .metric("requests", .count, .neutral, "requests that the tier missed for this cause") {
            .integer($0.cause.requests)
        },
        .metric("share", .ratio, .neutral, "share of the tier's misses") { .real($0.cause.share) },
    ]
}

/// The columns of `waits.csv`: one row per run and thing that was waited for.
public enum WaitColumns {
    public struct Row: Sendable {
        var run: RunExplanation
        var wait: RunExplanation.WaitShare
    }

    public static let all: [Column<Row>] = [
        .identity("trace", "name of the trace") { .text($0.run.trace) },
        .identity("cache", "name of the cache") { .text($0.run.cache) },
        .identity("wait", "what visible cells without their image waited for") { .text($0.wait.wait.name) },
        .metric("blank_us", .microseconds, .lowerIsBetter, "blank time of all cells in this wait") {
            .real($0.wait.milliseconds * 1_000)
        },
        .metric("share", .ratio, .neutral, "share of the blank time") { .real($0.wait.share) },
    ]
}
