import Basics
import Foundation
import ReplayEngine
import Runs

/// The files with the verdict of a gate, in its output folder.
public enum VerdictFiles {
    /// The first one shows that the others are not files of the user.
    private static let forms: [(ComparisonFormat, String)] = [
        (.json, "verdict.json"), (.markdown, "verdict.md"), (.html, "verdict.html"),
        (.junit, "junit.xml"), (.github, "annotations.txt"),
    ]

    /// The file with the entries that would accept what fails; absent if there is nothing to accept.
    private static let entries = "accept.yaml"

    private static let files = OwnFiles(forms.map(\.1) + [entries], shownBy: "verdict.json", of: "an earlier gate") {
        Self.isOwn($0)
    }

    static func isOwn(_ folder: String) -> Bool { OwnFiles.isJSON("\(folder)/verdict.json", of: Mark.self) }

    /// The members by which a verdict is recognised.
    private struct Mark: Decodable {
        struct Member: Decodable {}

        var worse: Bool
        var verdict: String
        var findings: [Member]
    }

    /// Throws if a folder has files of the user under the names of the files.
    /// - Throws: `ResultsError` of kind `cannotCreate`.
    public static func refuseForeign(in folder: String) throws { try files.refuseForeign(in: folder) }

    /// Writes the files. Charts of an earlier gate are removed, except scripts that a user has edited.
    /// - Throws: `ResultsError`: `cannotCreate` or `ioError`.
    public static func write(_ comparison: Comparison, to folder: String) throws {
        if isOwn(folder) { try OwnFiles.removeCharts(from: folder) { Chart.isOwn($0, of: charts) } }
        for (form, name) in forms { try ResultFile.write(comparison.rendered(as: form), to: "\(folder)/\(name)") }
        if let acceptance = comparison.acceptance {
            try ResultFile.write(acceptance.entries, to: "\(folder)/\(entries)")
        } else {
            try ResultFile.remove("\(folder)/\(entries)")
        }
    }

    // MARK: Charts

    static var charts: [String] { ChartKind.allCases.map(\.rawValue) + OverviewChart.allCases.map(\.rawValue) }

    public static let sides = ["baseline", "candidate"]

    /// The charts of a gate: the charts of a replay with the caches of both sides, each beside its other side. A first
    /// run has the caches of the candidate alone.
    ///
    /// - Throws: `ResultsError`: `notFound`, `ioError`, or `badData` for a side without results or a broken file.
    static func chartSource(of folder: String) throws -> ChartSource {
        // A folder of the baseline without results has files of the user: --force keeps edited scripts.
        let present = Self.sides.filter { side in
            ReplayStore.holdsResults("\(folder)/\(side)") || ReplayStore.isOwn("\(folder)/\(side)")
        }
        let sides = present.isEmpty ? Self.sides : present
        let stores = try sides.map { try ReplayStore.open("\(folder)/\($0)") }
        let (runs, facts) = (try stores.map { try $0.results }, stores[0].manifest?.facts)
        let identities = runs.joined().map(\.identity)
        let caches = identities.map(\.cache).unique()
        return ChartSource(folder: folder, caches: caches, traces: identities.map(\.trace).unique()) { options in
            var shown: [RunResult] = []
            for cache in caches where options.shows(cache: cache) {
                for (side, runs) in zip(sides, runs) {
                    for var run in runs where run.identity.cache == cache && options.shows(trace: run.identity.trace) {
                        run.identity.cache += ", \(side)"
                        run.identity.base = run.identity.base.map { "\($0), \(side)" }
                        shown.append(run)
                    }
                }
            }
            return (ChartKind.charts(shown, options, judgedBy: facts), nil)
        }
    }
}
