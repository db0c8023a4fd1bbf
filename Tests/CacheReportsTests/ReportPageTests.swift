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

    @Test("The matrix and the conclusions come first, then the sessions and the tables; terms and notes are the end")
    func order() throws {
        let html = ReportSamples.page().html
        let places = [
            "<h2 id=\"overview-title\">",
            "<h2 id=\"conclusions-title\">", "<h2 id=\"sessions-title\">", "<h2 id=\"t1-title\">",
            "<h2 id=\"caches-title\">", "<details id=\"rest\" class=\"folded\" open>", "<h2 id=\"glossary-title\">",
            "<h2 id=\"repeat-title\">",
            "<h2 id=\"notes-title\">",
        ].map { html.range(of: $0)?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test("begins with the answer, and has what the headers of the traces say")
    func beginning() {
        let html = ReportSamples.page().html
        #expect(html.contains("<td class=\"left\">A feed over LTE</td>"))
        #expect(html.contains("recorded by recorder 1.0; a script used the app, not a person"))
        // 7.5 % of the 20 % that alpha 9 does not keep, and of the 40 % that beta does not.
        #expect(
            html.contains(
                """
                <h1>alpha 9 leaves the least blank time on both sessions, by up to 1.5 points.</h1>
                <p class="context">The next, beta, is at most 1.5 points behind, on feed, where alpha 9 is best: \
                3.0% against 1.5%.</p>
                """))
    }

    @Test("The line below the title names what makes the largest difference between the runs of a sweep")
    func lever() {
        // A single connection costs 30 points, and 8 MB less of memory cost 1 point.
        let runs = ["8MB", "16MB"].flatMap { memory in
            ["1", "6"].map { connections in
                var identity = Samples.identity(cache: "k memory=\(memory) connections=\(connections)")
                identity.base = "k"
                identity.swept = [
                    SweptValue(parameter: "memory", value: memory),
                    SweptValue(parameter: "connections", value: connections),
                ]
                var run = Samples.ten(identity)
                run.blank.blankTime = (connections == "1" ? 400 : 100) * 1e6 + (memory == "8MB" ? 10 : 0) * 1e6
                return run
            }
        }
        let document = ReportPage(runs, nil, []).document([], TimelineData([], step: 1))
        #expect(
            document.context.hasSuffix(
                "The largest difference comes from connections: up to 30.0 points of blank time."))
    }

    @Test("The matrix has the least mean first, frames the best of each session, and leads to its row")
    func matrix() throws {
        let html = ReportSamples.page().html
        let matrix = try #require(html.components(separatedBy: "<table class=\"matrix\"").last)
            .components(separatedBy: "</table>")[0]
        let rows = matrix.components(separatedBy: "<tr>").dropFirst(2)
        let names = ["alpha 9", "beta", ReportSamples.imageName, ReportSamples.scriptName, "alpha 10", "none"]
        #expect(rows.count == names.count && ReportSamples.names == names)
        for (row, name) in zip(rows, names) { #expect(row.contains(">\(MarkupText.escaped(name))</a></th>")) }
        // The square root of 1.5 % is 12.2 %, and 94 % of it is 11.5 %. alpha 9 is the first row of each session, and
        // has the largest memory.
        let best = try #require(rows.first)
        #expect(
            best.hasPrefix(
                """
                <th scope="row"><a href="#c2">alpha 9</a></th><td class="share tie" style="--colour:12%" \
                data-value="0.01499999999975"><a href="#t1-r1">1.5%</a><span class="said"> best</span></td>\
                <td class="share tie" style="--colour:12%" data-value="0.01499999999975"><a href="#t2-r1">1.5%</a>
                """))
        #expect(
            best.contains(
                """
                <td class="mean" data-value="0.01499999999975">1.5%</td><td class="left" data-value="400000000.0">\
                <span class="size memory" style="--length:1.000"></span>400 MB</td>
                """))
        #expect(rows.dropFirst().allSatisfy { !$0.contains("tie") && !$0.contains("best") })
        #expect(
            matrix.contains(
                """
                <th scope="col" data-unit="ratio"><a href="#t1">feed</a><span>A feed over LTE</span></th>
                """))
        // Nothing is on disk, so there is no column for it.
        #expect(matrix.contains("peak memory") && !matrix.contains("peak disk"))
    }

    @Test("A matrix of many caches has the best 24, and those that the conclusions name")
    func manyRows() {
        // The blank time rises with the number, and the memory falls with it.
        let runs = (0..<40).map { number in
            var run = Samples.ten(Samples.identity(cache: "cache-\(number)"))
            run.blank.blankTime = Double(number + 1) * 1e7
            run.tiers.memoryPeakBytes = Int64(1_000 - number)
            return run
        }
        let page = ReportPage(runs, nil, [])
        guard case .section(_, _, let blocks)? = page.overview.first, case .matrix(let matrix)? = blocks.first else {
            Issue.record("There is no matrix.")
            return
        }
        // The conclusions name cache-0, cache-1 and cache-10, which are among the first ones.
        #expect(matrix.rows.map(\.head.plain) == (0..<24).map { "cache-\($0)" })
        #expect(page.html.contains("The tables of the sessions have all 40."))
        // One session has no mean: its column, and the bars of memory and bytes.
        #expect(matrix.columns.map(\.title.plain) == ["feed", "peak memory", "fetched"])
    }

    @Test("Boxes say what made the difference, what made none, and how far to trust it")
    func boxes() throws {
        let html = ReportSamples.page().html
        let conclusions = try #require(html.components(separatedBy: "id=\"conclusions\"").last)
            .components(separatedBy: "</section>")[0]
        let boxes = Array(conclusions.components(separatedBy: "<h3>").dropFirst())
        #expect(boxes.count == 3)
        #expect(boxes[0].hasPrefix("What made the difference</h3>") && boxes[0].contains("alpha 9 holds up to 400 MB"))
        // Nothing is swept.
        #expect(
            boxes[1].hasPrefix(
                "What made none</h3>\n<p class=\"quiet\">These runs change nothing one at a time. <code>--sweep"))
        #expect(boxes[2].hasPrefix("How far to trust it</h3>") && boxes[2].contains("These figures rest on"))
        // The answer is the title, and stands there alone.
        #expect(!conclusions.contains("leaves the least blank time"))
    }

    @Test("a row has the figures as text and as numbers, and marks the best of a column")
    func row() throws {
        let html = ReportSamples.page(traces: ["feed"]).html
        let row = try #require(html.components(separatedBy: "<tr>").first { $0.contains("id=\"t1-r1\"") })
        #expect(row.contains(">alpha 9</a>"))
        #expect(row.contains("<td class=\"best\" data-value=\"0.01499999999975\">1.5%</td>"))
        #expect(row.contains("<td data-value=\"400000000.0\">400 MB</td>"))
    }

    @Test("the best figures are marked among the caches whose blank time is within the tolerance of the least")
    func marks() throws {
        // hides shows next to nothing, for next to no bytes. b ties with a in blank time, and needs less memory.
        let runs = [("a", 0.0600, 300.0), ("b", 0.0609, 200), ("c", 0.0611, 150), ("hides", 0.99, 1)].map {
            var run = Samples.ten(Samples.identity(cache: $0))
            run.blank.blankTime = $1 * 1e9
            run.tiers.memoryPeakBytes = Int64($2) * 1_000_000
            return run
        }
        let html = ReportPage(runs, nil, []).html
        let rows = html.components(separatedBy: "<tr>").filter { $0.contains("id=\"t1-r") }
        #expect(rows[0].contains("<td class=\"best\" data-value=\"0.06\">6.0%</td>"))
        #expect(rows[1].contains("<td class=\"best\" data-value=\"0.0609\">6.1%</td>"))
        #expect(rows[1].contains("<td class=\"best\" data-value=\"200000000.0\">200 MB</td>"))
        #expect(!rows[2].contains("class=\"best\"") && !rows[3].contains("class=\"best\""))
    }

    @Test("a column in which most rows are equally good marks none of them")
    func manyBest() {
        let html = ReportSamples.page(traces: ["feed"]).html
        // All requests of all caches are shown equally often.
        #expect(html.contains("<td data-value=\"0.982\">98.2%</td>"))
        #expect(!html.contains("<td class=\"best\" data-value=\"0.982\">"))
    }

    @Test("explains the policies, the rules and the facts of a preset, by certainty")
    func caches() throws {
        var run = Samples.ten(Samples.identity(cache: "mine"))
        run.identity.specification =
            "memory: ttl(nscache(cost: 5MB, model: lru), lifetime: 5min); disk: none; connections: 4"
        var description = Samples.describe(caches: ["mine"])
        description.caches[0].preset = "kingfisher-8"
        let html = ReportPage([run], description, []).html
        let section = try #require(
            html.components(separatedBy: "id=\"c1\"").last?.components(separatedBy: "</details>")[0])
        #expect(section.contains("<code>ttl</code>: Gives the objects of another policy a lifetime."))
        #expect(section.contains("<code>nscache</code>: "))
        // The word lru is the model of the nscache, not a policy.
        #expect(!section.contains("<code>lru</code>"))
        #expect(
            section.contains(
                """
                <code>connections</code></th><td class="left"><code>4</code></td>\
                <td class="left"><code>none</code></td>
                """))
        #expect(!section.contains("<code>retries</code>"))
        let preset = try #require(CachePreset.all.first { $0.name == "kingfisher-8" })
        let places = try PresetFact.Certainty.allCases.map { certainty in
            let facts = preset.facts.filter { $0.certainty == certainty }
            let word = certainty.rawValue.prefix(1).uppercased() + certainty.rawValue.dropFirst()
            for fact in facts { #expect(section.contains(MarkupText.escaped(fact.value))) }
            return try #require(section.range(of: "<h4>\(word) (\(facts.count))</h4>")).lowerBound
        }
        #expect(places == places.sorted())
    }

    @Test("the points of a sweep share the section of their cache, and charts name them with their values")
    func sweep() {
        let runs = ["1MB", "2MB"].map { value in
            var identity = Samples.identity(cache: "lru memory=\(value)")
            identity.base = "lru"
            identity.swept = [SweptValue(parameter: "memory", value: value)]
            return Samples.ten(identity)
        }
        let html = ReportPage(runs, nil, []).html
        #expect(html.components(separatedBy: "<details id=\"c").count == 2)
        #expect(
            html.contains(
                "<tr><th scope=\"row\" id=\"t1-r2\" data-name=\"lru memory=2MB\"><a href=\"#c1\">lru</a></th>"))
        #expect(html.contains("<td data-value=\"2000000.0\">memory=2MB</td>"))
    }

    @Test("a long name is cut in tables, and whole in the section of its cache")
    func longName() {
        let html = ReportPage([Samples.ten(Samples.identity(cache: Samples.longName))], nil, []).html
        #expect(html.contains(" [1]</a></th>"))
        #expect(html.contains("are cut; the link has the whole name"))
        #expect(html.contains("<h3>\(MarkupText.escaped(Samples.longName))</h3>"))
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
        #expect(few.contains("The 7 static charts are not on this page"))
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

    @Test("causes are sentences and tables for runs that have them")
    func causes() throws {
        var runs = ReportSamples.runs(traces: ["feed"])
        #expect(!ReportPage(runs, nil, []).html.contains("Misses of memory by cause"))
        var totals = CauseTotals()
        totals.memory = ["capacity": 3, "policy": 1]
        totals.disk = ["first_request": 2]
        totals.waits = ["transfer": 3_000_000_000, "disk_read": 1_000_000_000]
        runs[0].causes = totals
        let html = ReportPage(runs, nil, []).html
        let misses = runs[0].counts.requests - runs[0].counts.memoryHits
        #expect(html.contains("4 of \(misses) misses were of images that had left memory to make room."))
        #expect(html.contains("Cells were blank for 4.0 s, of which 75.0% went to: transfer."))
        // The page of an explanation has it as its title.
        let explanation = try #require(RunExplanation(runs[0]))
        #expect(
            RunExplanation.document([explanation]).headline
                == "With alpha 10 on feed, cells were blank for 4.0 s, of which 75.0% went to: transfer.")
        #expect(html.contains("<td>3 (75%)</td><td>1 (25%)</td>"))
        #expect(html.contains("<td>1 s (25%)</td><td>3 s (75%)</td>"))
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

    @Test("timelines that are not kept are left out, and a sentence says so")
    func missingTimelines() {
        var runs = ReportSamples.runs(traces: ["feed"])
        #expect(!ReportPage(runs, nil, []).html.contains("timeline 1"))
        for index in runs.indices where index != 1 {
            runs[index].timeline = []
            runs[index].film = nil
        }
        let some = ReportPage(runs, nil, []).html
        #expect(some.contains("Timelines, films and causes are those of alpha 9, which the conclusions name."))
        // alpha 9 is the first row of the table, and the first run of the data.
        #expect(some.contains("\"runs\":[{\"film\":") && some.contains("]},\n{},\n{}"))
        // A backtick of a name begins no code.
        runs[1].identity.cache = "a`b"
        let quoted = ReportPage(runs, nil, []).html
        #expect(quoted.contains("those of a`b, which the conclusions name. A replay with <code>--timeline 1</code>"))
        runs[1].film = nil
        #expect(ReportPage(runs, nil, []).html.contains("There is no film of what the user saw: it needs a timeline"))
        runs[1].timeline = []
        let none = ReportPage(runs, nil, []).html
        #expect(none.contains("There is no timeline, and no film of what the user saw: these results keep none."))
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
