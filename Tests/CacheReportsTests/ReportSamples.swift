import Foundation
import ReplayEngine

@testable import CacheReports
@testable import Runs

/// Results for the tests of `report.html`, with figures that are easy to work out.
enum ReportSamples {
    /// A name that runs a script wherever it is not escaped.
    static let scriptName = "</script><script>window.broken = 1</script>"
    static let imageName = "<img src=x onerror=\"window.broken = 2\">"

    /// The caches with their blank time and peak memory. Blank time is 7.5 % of what a cache does not keep.
    static let caches: [(name: String, quality: Double, memory: Double)] = [
        ("alpha 10", 0.2, 50e6), ("alpha 9", 0.8, 400e6), ("beta", 0.6, 100e6), ("none", 0, 0),
        (scriptName, 0.4, 200e6), (imageName, 0.5, 300e6),
    ]

    /// The names in the order of the page: the least blank time first.
    static let names = caches.sorted { $0.quality > $1.quality }.map(\.name)

    /// Six caches on each trace. The first one has a timeline of ten seconds: second s ends with s MB in memory,
    /// s mod 3 fetches in flight, and s mod 2 blank cells. A memory warning is at 4.5 s, and the list moves from 1 s to
    /// 3 s.
    static func runs(traces: [String] = ["feed", "grid"]) -> [RunResult] {
        traces.flatMap { trace in
            caches.enumerated().map { index, cache in
                var run = Samples.session(
                    Samples.identity(trace: trace, cache: cache.name), quality: cache.quality, memory: cache.memory,
                    seconds: 10)
                run.identity.specification = "memory: lru(100MB); disk: none; connections: 4"
                run.notes = [.queuesHidden]
                run.marks = [
                    SessionMark(.scrollBegan, at: 1_000_000_000), SessionMark(.scrollEnded, at: 3_000_000_000),
                    SessionMark(.memoryWarning, at: 4_500_000_000),
                ]
                // The first cell gets its image after (1 - quality) * 5 s, the second one at once, the third one never.
                run.film = Film([
                    .init(
                        appeared: 0, delivered: Int64(((1 - cache.quality) * 5_000_000).rounded()), vanished: 6_000_000,
                        source: .origin),
                    .init(appeared: 2_000_000, delivered: 2_000_000, vanished: 8_000_000, source: .memoryHit),
                    .init(appeared: 3_000_000, vanished: 9_000_000, source: .failed),
                ])
                if index == 0 {
                    run.memoryLimit = 8_000_000
                    run.timeline = (0..<10).map { second in
                        var row = TimelineSecond(second: second)
                        row.memoryBytes = Int64(second) * 1_000_000
                        row.fetchesInFlight = Double(second % 3)
                        row.blankCells = Double(second % 2)
                        return row
                    }
                }
                return run
            }
        }
    }

    /// The runs of one trace, whose three cells are in a grid of two columns: the first two in one row, the third one
    /// in the second column of the next row.
    static func runsOfGrid() -> [RunResult] {
        runs(traces: ["feed"]).map {
            var run = $0
            run.places = CellPlaces([
                CellPlace(row: 7, column: 0, columns: 2), CellPlace(row: 7, column: 1, columns: 2),
                CellPlace(row: 8, column: 1, columns: 2),
            ])
            return run
        }
    }

    static func description(traces: [String] = ["feed", "grid"]) -> Manifest<ReplayFacts> {
        var description = Samples.describe(caches: caches.map(\.name))
        description.traces = traces.map {
            .init(
                name: $0, path: "\($0).jsonl", sha256: "aa", format: "jsonl",
                session: .init(
                    title: "A \($0) over LTE", recorder: "recorder 1.0", started: "2026-11-21T13:20:26Z",
                    synthetic: false, scripted: true))
        }
        description.caches[0].preset = "kingfisher-8"
        return description
    }

    /// Each chart with a picture.
    static func pictures(_ runs: [RunResult]) -> [(chart: Chart, svg: Data)] {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='600' height='300'><rect width='9' height='9'/></svg>"
        return ChartKind.charts(runs).map { ($0, Data(svg.utf8)) }
    }

    static func page(traces: [String] = ["feed", "grid"]) -> ReportPage {
        let runs = runs(traces: traces)
        return ReportPage(runs, description(traces: traces), pictures(runs))
    }
}
