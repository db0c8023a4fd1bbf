import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The details of results without timelines")
struct ReportDetailsTests {
    /// Caches without timelines. Their blank time rises with their number, by a point each.
    private func runs(_ count: Int, traces: [String] = ["feed"]) -> [RunResult] {
        traces.flatMap { trace in
            (0..<count).map { number in
                var run = Samples.ten(Samples.identity(trace: trace, cache: "cache-\(number)"))
                run.timeline = []
                run.blank.blankTime = Double(number + 1) * 1e7
                run.tiers.memoryPeakBytes = Int64(1_000 - number)
                return run
            }
        }
    }

    private func withFolder(_ runs: [RunResult], _ body: (ReplayStore) throws -> Void) throws {
        try withTemporaryFolder { root in
            let caches = runs.map(\.identity.cache).unique()
            let folder = try ReplayStore.begin(at: root, Samples.describe(caches: caches), resume: false)
            for run in runs { try folder.add(run) }
            try folder.finish(at: Date(timeIntervalSince1970: 1_700_000_060))
            try body(folder)
        }
    }

    @Test("come into the report without a change of the results, and --force removes them")
    func kept() throws {
        let runs = runs(3)
        try withFolder(runs) { (folder: ReplayStore) throws in
            #expect(try folder.withDetails(runs) == runs)
            var detail = runs[1]
            detail.timeline = [TimelineSecond(second: 0)]
            detail.film = Film([.init(appeared: 0, source: .origin)])
            detail.places = CellPlaces([CellPlace(row: 2)])
            detail.marks = [SessionMark(.relaunch, at: 1)]
            detail.counts.shown = 0
            try folder.keepDetails([detail])
            let detailed = try folder.withDetails(runs)
            #expect(detailed.map(\.timeline.count) == [0, 1, 0] && detailed[1].film == detail.film)
            #expect(detailed[1].places == detail.places)
            // Every figure is that of the results.
            #expect(detailed[1].marks == detail.marks && detailed[1].counts == runs[1].counts)
            #expect(try ReplayStore.open(folder.path).results == runs)
        }
    }

    @Test("that are damaged are an error with the line and the remedy")
    func damaged() throws {
        let runs = runs(1)
        try withFolder(runs) { (folder: ReplayStore) throws in
            try folder.keepDetails(runs)
            let file = "\(folder.path)/details.jsonl"
            try (text(of: file) + "{\n").write(toFile: file, atomically: true, encoding: .utf8)
            let error = #expect(throws: ResultsError.self) { try folder.withDetails(runs) }
            #expect(error?.message.contains("line 2 is no run; remove the file") == true, "\(error?.message ?? "")")
        }
    }

    @Test("Pictures come into the report, and damaged ones are an error with the remedy")
    func thumbnails() throws {
        var run = Samples.ten()
        run.film = Film([.init(appeared: 0, delivered: 1, source: .origin)])
        try withFolder([run]) { (folder: ReplayStore) throws in
            #expect(try folder.thumbnails.isEmpty)
            let trace = run.identity.trace
            let session = SessionThumbnails(trace: trace, cells: [0, -1, 0], images: ["UklGRg=="])
            try folder.keepThumbnails([session, SessionThumbnails(trace: "other", cells: [-1])])
            #expect(try folder.thumbnails == [session])
            let page = ReportPage(try folder.results, nil, [], thumbnails: try folder.thumbnails)
            let html = page.html
            #expect(html.contains(#""pictures":["UklGRg=="],"pictured":[0,-1,0]"#))
            // Without room, the page says what is missing.
            let small = page.html(mostBytes: 1_000)
            #expect(!small.contains("UklGRg==") && small.contains("show no small pictures of the images"))
            let damaged = [
                #"{"trace":"a","cells":[1],"images":["QQ=="]}"#, #"{"trace":"a","cells":[0],"images":["x)y"]}"#, "{",
            ]
            for damage in damaged {
                try (damage + "\n").write(toFile: "\(folder.path)/thumbnails.jsonl", atomically: true, encoding: .utf8)
                let error = #expect(throws: ResultsError.self) { _ = try folder.thumbnails }
                #expect(error?.message.contains("line 1 is no list of pictures; remove the file") == true)
            }
        }
    }

    @Test("Joined results have the details of their shards, those that the report shows first")
    func joined() throws {
        let runs = runs(60)
        try withFolder(runs) { (folder: ReplayStore) throws in
            try withTemporaryFolder { root in
                var shards: [String] = []
                for number in [1, 2] {
                    let shard = try ReplayStore.begin(
                        at: "\(root)/\(number)", Samples.describe(caches: ["a"]), resume: false)
                    var detail = runs[number == 1 ? 20 : 1]
                    detail.timeline = [TimelineSecond(second: number)]
                    try shard.keepDetails([detail])
                    let picture = SessionThumbnails(trace: "s\(number)", cells: [0], images: ["QQ=="])
                    try shard.keepThumbnails([picture])
                    shards.append(shard.path)
                }
                try folder.joinDetails(of: shards)
                // cache-1 is one of those that the conclusions name.
                #expect(try ReplayStore.details(in: folder.path).map(\.identity.cache) == ["cache-1", "cache-20"])
                #expect(try folder.thumbnails.map(\.trace) == ["s1", "s2"])
            }
        }
    }
}
