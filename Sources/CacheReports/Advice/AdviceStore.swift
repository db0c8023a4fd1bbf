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

    static let chartName = "advice"

    private static func source(_ advice: Charted, in folder: String, page: ChartSource.Page? = nil) -> ChartSource {
        ChartSource(folder: folder, caches: advice.points.map(\.cache).unique(), traces: []) { options in
            var content = AdviceChart.content(
                options.chosen(advice.points, by: \.cache), within: advice.relevance_threshold,
                options.canvas, order: options.order)
            // The finding is about all caches.
            if options.caches.isEmpty { content.finding = advice.findings.first?.text }
            let chart = Chart(ChartName(chartName), trace: "", content, options, caption: AdviceChart.meaning)
            return ([chart], page)
        }
    }

    /// Reads the chart of a folder. Its page is not made again, because the folder does not have all that the page
    /// says.
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
        var relevance_threshold: Tolerance
        var findings: [Said]
    }
}

/// An advice as JSON: its figures, what it says with the figures behind each sentence, and the code of its settings.
package struct AdviceRecord: Encodable {
    private let advice: Advice

    package init(_ advice: Advice) { self.advice = advice }

    private enum Key: CodingKey { case findings, settings, why }

    package func encode(to encoder: any Encoder) throws {
        try advice.encode(to: encoder)
        var values = encoder.container(keyedBy: Key.self)
        try values.encode((advice.findings + advice.searched + advice.exempt).map(Said.init), forKey: .findings)
        try values.encode(advice.settings, forKey: .settings)
        try values.encodeIfPresent(advice.why, forKey: .why)
    }

    /// A finding over all users.
    private struct Said: Encodable {
        struct Evidence: Encodable {
            var cache: String
            var metric: String
            var value: Double
        }

        let subject: String
        let text: String
        let caches: [String]
        let evidence: [Evidence]

        init(_ finding: Finding) {
            subject = finding.subject.rawValue
            text = finding.text
            caches = finding.caches
            evidence = finding.evidence.map { Evidence(cache: $0.cache, metric: $0.metric, value: $0.value) }
        }
    }
}

/// The columns of `advice.csv`: one row per cache and limit.
public enum AdviceColumns {
    public static let all: [Column<AdvicePoint>] = [
        .identity("cache", "name of the cache without the limit") { .text($0.cache) },
        .identity("memory_limit_bytes", "limit of memory; empty for none", unit: .bytes) {
            $0.limit.map { .integer(Int64($0)) } ?? .absent
        },
        .identity("disk_limit_bytes", "limit of the disk; empty for that of the cache itself", unit: .bytes) {
            $0.disk.map { .integer(Int64($0)) } ?? .absent
        },
        .identity("changes", "values of rules that are not the cache's own, such as order=lifo; empty for none") {
            .text($0.changes.map(\.text).joined(separator: " "))
        },
        .metric(
            "blank_ratio", .ratio, .lowerIsBetter,
            "mean over users of the share of the visible time of cells without an image"
        ) { .real($0.blankRatio) },
        .metric(
            "memory_peak_bytes", .bytes, .lowerIsBetter,
            "95th percentile over users of the peak of the memory tier"
        ) { .real($0.peakBytes) },
        .metric("origin_bytes", .bytes, .lowerIsBetter, "mean over users of the bytes that a session fetches") {
            .real($0.originBytes)
        },
        .metric(
            "near_app_limit_ratio", .ratio, .lowerIsBetter,
            "share of sessions near the limit of the app; empty without one"
        ) { $0.near.map { .real($0.share) } ?? .absent },
        .metric("near_app_limit_low", .ratio, .neutral, "lower end of its 95 % interval") {
            $0.near.map { .real($0.low) } ?? .absent
        },
        .metric("near_app_limit_high", .ratio, .neutral, "upper end of its 95 % interval") {
            $0.near.map { .real($0.high) } ?? .absent
        },
        .identity("front", "yes on the front: a row on it matches each other row in blank time, memory and bytes") {
            .text($0.isOnFront ? "yes" : "no")
        },
        .identity("knee", "yes for the knee of blank time over memory") { .text($0.isKnee ? "yes" : "no") },
    ]
}
