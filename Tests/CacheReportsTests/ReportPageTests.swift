import Basics
import CachePolicies
import Foundation
import ImageLibraries
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("report.html")
struct ReportPageTests {
    @Test("has the table, the notes and every chart of its trace, and needs no network")
    func page() throws {
        var run = Samples.ten(Samples.identity(cache: "<lru> & \"co\""))
        run.notes = [.traceWarning("3 < 4")]
        let svg = Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
        let charts = ChartKind.charts([run]).map { ($0, svg) }
        let html = ReportPage([run], nil, charts).html
        #expect(html.hasPrefix("<!doctype html>"))
        #expect(html.contains("&lt;lru&gt; &amp; &quot;co&quot;</a></th>"))
        #expect(html.contains("3 &lt; 4"))
        #expect(html.components(separatedBy: svg.base64EncodedString()).count == 1 + charts.count)
        let permitted = [
            ("href=\"", ["#"]), ("src=\"", ["data:image/svg+xml;base64,"]), ("url(", ["#", "data:image/webp;base64,"]),
        ]
        for (attribute, locals) in permitted {
            let references = html.components(separatedBy: attribute).dropFirst()
            #expect(references.allSatisfy { text in locals.contains { text.hasPrefix($0) } }, "\(attribute)")
        }
        #expect(html.contains("default-src 'none'"))
    }

    @Test("its policy permits the script with the digest of its bytes alone; pages without a script permit none")
    func policy() throws {
        let html = ReportSamples.page().html
        let parts = html.components(separatedBy: "<script>")
        #expect(parts.count == 2)
        let script = try #require(parts.last?.components(separatedBy: "</script>").first)
        let digest = Data(Digest.of(Array(script.utf8), .sha256)).base64EncodedString()
        #expect(html.contains("; script-src 'sha256-\(digest)'\">"))
        let other = Document("trace", title: "feed", headline: "Which?", [.code("let x = 1")]).html()
        #expect(!other.contains("script-src") && !other.contains("<script"))
    }

    @Test("a changed preset does not keep the preset's description")
    func changedPreset() throws {
        func summary(_ text: String) throws -> String {
            let preset = try #require(CachePreset.all.first { $0.name == "nuke-13" })
            var cache = ReportCache(name: "app", preset: preset)
            let context = PolicyContext(workload: Workload(uniqueBytes: 1_000_000, objects: 10))
            cache.specifications = [("feed", try CacheConfiguration(specification: text).canonical(for: context))]
            return cache.summary
        }
        #expect(try summary("nuke-13").contains("CLOCK of 15 % of memory"))
        // Rules can follow the limit.
        let limited = try summary("nuke-13; memory: 48MB")
        #expect(limited.hasPrefix("nuke-13 with another memory"), "\(limited)")
        #expect(try summary("nuke-13; disk: none; connections: 2") == "nuke-13 with another disk, connections")
        #expect(ReportCache(name: "lru(1MB)").summary.isEmpty)
    }

    // MARK: Size

    @Test("above its limit, timelines are thinned and then static charts left out, and sentences say so")
    func limit() {
        var runs = ReportSamples.runs(traces: ["feed"])
        for index in runs.indices {
            runs[index].timeline = (0..<4_000).map { second in
                var row = TimelineSecond(second: second)
                row.memoryBytes = Int64(second % 7) * 1_000_000
                return row
            }
        }
        let page = ReportPage(runs, nil, ReportSamples.pictures(runs))
        let whole = page.html
        #expect(!whole.contains("A point of a timeline"))
        #expect(whole.contains("\"step\":1,"))

        let some = whole.utf8.count - 150_000
        let thinned = page.html(mostBytes: some)
        #expect(
            thinned.contains(
                "A point of a timeline has the most memory, and the means of the other figures, of 4 seconds"))
        #expect(thinned.contains("\"step\":4,"))
        #expect(thinned.contains("<img"))
        #expect(thinned.utf8.count <= some + 500)

        let few = page.html(mostBytes: 10_000)
        #expect(few.contains("The 6 static charts are not on this page"))
        #expect(!few.contains("<img"))
        // No timeline has fewer than 200 rows without need: 4,000 / 32 is 125.
        #expect(few.contains("\"step\":32,"))
    }

    @Test("thinned rows have the most memory and the mean of blank cells, and levels hold until the next row")
    func thinned() {
        func row(_ second: Int, _ memory: Int64, blank: Double = 0) -> TimelineSecond {
            var row = TimelineSecond(second: second)
            row.memoryBytes = memory
            row.blankCells = blank
            return row
        }
        let rows = [row(0, 5), row(1, 9, blank: 2), row(2, 4), row(3, 3), row(9, 1), row(12, 8), row(13, 2)]
        let thinned = TimelineData.thinned(rows, step: 4)
        // Two cells are blank for one of the first four seconds. The level of second 3 holds until 8.
        #expect(thinned == [row(0, 9, blank: 0.5), row(4, 3), row(8, 3), row(12, 8)])
        // The same level for a long time is one row; its parts in the steps around it count there.
        let long = TimelineData.thinned([row(2, 1, blank: 1), row(4_001, 0)], step: 4)
        #expect(long == [row(0, 1, blank: 0.5), row(4, 1, blank: 1), row(4_000, 1, blank: 0.25)])
        #expect(TimelineData.thinned(rows, step: 1) == rows)
    }

    @Test("films are left out before timelines are thinned, with a notice")
    func withoutFilms() {
        let inputs = ChartInput.byTrace(ReportSamples.runs(traces: ["feed"]))
        let whole = TimelineData(inputs, step: 1)
        let data = TimelineData.fitting(inputs, bytes: whole.json.utf8.count - 1, fewest: 1)
        #expect(whole.omittedFilms == 0 && data.omittedFilms == 6 && data.step == 1 && !data.json.contains("film"))
        // Places are of no use without the cells.
        let grid = ChartInput.byTrace(ReportSamples.runsOfGrid())
        #expect(TimelineData(grid, step: 1).json.contains("\"places\":[7,0,2,0,1,2,1,1,2],"))
        #expect(!TimelineData(grid, step: 1, filmed: []).json.contains("places"))
        #expect(!whole.json.contains("places"))
        // Those of the caches that the conclusions name stay longest.
        let some = TimelineData.fitting(inputs, bytes: whole.json.utf8.count - 1, fewest: 1, first: ["beta"])
        #expect(some.omittedFilms == 5 && some.json.components(separatedBy: "\"film\"").count == 2)
    }

    @Test("the timelines are numbers: seconds as differences, and memory in kilobytes")
    func timelines() {
        let json = TimelineData(ChartInput.byTrace(ReportSamples.runs(traces: ["feed"])), step: 1).json
        #expect(
            json.contains(
                """
                {"limit":8000000,"film":[0,0,4000001,6000001,4,2000000,1,6000001,0,1000000,0,6000001,12],\
                "s":[0,1,1,1,1,1,1,1,1,1],"m":[0,1000,2000,3000,4000,5000,6000,7000,8000,9000],\
                "f":[0,1,2,0,1,2,0,1,2,0],"b":[0,1,0,1,0,1,0,1,0,1]}
                """))
        #expect(
            json.contains(
                """
                "end":10.000,"marks":[["scroll_began",1.000],["scroll_ended",3.000],["memory_warning",4.500]]
                """))
    }
}
