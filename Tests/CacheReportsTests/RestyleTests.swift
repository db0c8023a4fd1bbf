import Basics
import CacheTraces
import Foundation
import ReplayEngine
import SessionModel
import Testing
import TraceAnalysis

@testable import Advising
@testable import CacheReports
@testable import Runs

@Suite("The options of charts")
struct ChartOptionTests {
    @Test("a font is a name, a height, or both")
    func font() throws {
        func font(_ family: String?, _ height: Int?) -> ChartFont {
            var font = ChartFont()
            (font.family, font.height) = (family, height)
            return font
        }
        #expect(ChartFont("24") == font(nil, 24))
        #expect(ChartFont("Georgia") == font("Georgia", nil))
        #expect(ChartFont(" Open Sans:Bold , 18 ") == font("Open Sans:Bold", 18))
        #expect(ChartFont("写真") == font("写真", nil))
    }

    @Test(
        "what could end the quotes of gnuplot or the attribute of SVG is no name of a font",
        arguments: [
            "", ",", ",24", "24,", "A,B", "A,B,24", "2.5", "it's", "A\"B", "\"><script>", "A&B", "A\nB", "A\\", "$x",
            "`x`", "A;B", "A=B", "A\u{202E}B", String(repeating: "a", count: 101),
        ])
    func noFont(text: String) { #expect(ChartFont(text) == nil) }

    @Test("no hostile name is passed on with another character than those of names", arguments: HostileName.all)
    func hostileFont(hostile: HostileName) {
        guard let family = ChartFont(hostile.name)?.family else { return }
        #expect(family.allSatisfy { $0.isLetter || $0.isNumber || " -_.+:()".contains($0) })
    }

    @Test("a font is at most as high as leaves the room of the smallest picture: 480x320 with 12 pixels")
    func heights() {
        func heights(_ size: String) -> ClosedRange<Int> {
            var options = ChartOptions()
            options.size = PictureSize(size)
            return options.fontHeights
        }
        #expect(ChartOptions().fontHeights == 8...30)
        #expect(heights("480x320") == 8...12)
        // 1920 · 12 / 480 = 48, and 1080 · 12 / 320 = 40.5.
        #expect(heights("1920x1080") == 8...40)
        // A low picture has a small font, which leaves 400 · 14 / 15 = 373 units of height.
        var low = ChartOptions()
        low.size = PictureSize("1920x400")
        #expect(low.canvas.height == 373)
    }

    @Test(
        "a hostile title changes the comment, the label and the checksum of a script only", arguments: HostileName.all)
    func title(hostile: HostileName) throws {
        for isDark in [false, true] {
            var options = ChartOptions(formats: [.svg])
            options.isDark = isDark
            options.title = "plain"
            let plain = ChartKind.charts([Samples.ten()], options)[0].script.split(separator: "\n")
            options.title = hostile.name
            var script = ChartKind.charts([Samples.ten()], options)[0].script.split(separator: "\n")
            // A long title has a second line, which is a label of its own.
            if script.count == plain.count + 1 { #expect(script.remove(at: 6).hasPrefix("set label '")) }
            try #require(script.count == plain.count)
            let changed = plain.indices.filter { plain[$0] != script[$0] }
            #expect(Set(changed).isSubset(of: [0, 5, plain.count - 1]), "\(changed)")
            #expect(script[0].hasPrefix("# ") && !script[0].hasSuffix("\\"))
            #expect(script[5].hasPrefix("set label '"))
        }
    }
}

@Suite("Charts of every kind of results, drawn again")
struct RestyleTests {
    private static func named(_ names: [String], dark: Bool = false) -> ChartOptions {
        var options = ChartOptions(formats: [.svg])
        options.caches = names
        options.isDark = dark
        return options
    }

    /// Returns an explanation with `misses` of ten requests, and a second of waiting for each.
    private static func explanation(_ cache: String, misses: Int, trace: String = "feed") -> RunExplanation? {
        var run = Samples.ten(Samples.identity(trace: trace, cache: cache))
        var totals = CauseTotals()
        totals.memory = ["capacity": misses - 1, "first_request": 1]
        totals.waits = ["transfer": Int64(misses) * 1_000_000_000]
        run.causes = totals
        return RunExplanation(run)
    }

    @Test("an explanation that was written has the charts of the command, in any look and selection")
    func explanations() throws {
        try withTemporaryFolder { root in
            let runs = try ["worse", "better"].enumerated().map { index, name in
                try #require(Self.explanation(name, misses: 5 - index))
            }
            var store = try ExplanationStore(at: root, csvSafe: false, replaces: false)
            for run in runs { store.add(run, Samples.identity(cache: run.cache), []) }
            try store.write()
            #expect(ExplanationStore.isOwn(root))
            let source = try ExplanationStore.source(in: root)
            #expect(source.caches == ["worse", "better"] && source.traces == ["feed"])
            for options in [Self.named([]), Self.named(["worse"], dark: true)] {
                let (charts, page) = try source.sheet(options)
                #expect(charts == ExplanationChart.charts(runs, options))
                #expect(charts.map(\.name) == ["feed-causes", "feed-waits"] && page == nil)
            }
            // By the least misses; as given.
            func names(_ order: ChartOrder) throws -> [String] {
                var options = Self.named([])
                options.order = order
                return try source.sheet(options).charts[0].data.split(separator: "\n").dropFirst()
                    .map { String($0.split(separator: ",").last ?? "") }
            }
            #expect(try names(.blank) == ["better", "worse"])
            #expect(try names(.given) == ["worse", "better"])
            #expect(try names(.name) == ["better", "worse"])
        }
    }

    @Test("a damaged explanation is an error that names the member", arguments: [#""tier":"sky""#, #""requests":-1"#])
    func damagedExplanation(member: String) throws {
        try withTemporaryFolder { root in
            let cause = #"{"tier":"memory","cause":"capacity","requests":2,"share":1}"#
            let key = member.prefix { $0 != ":" }
            let damaged = cause.replacing(try Regex("\(key):(\"memory\"|2)"), with: member)
            #expect(damaged != cause)
            let file = """
                [{"trace":"feed","cache":"lru","requests":9,"memory_hits":0,"disk_hits":0,"blank_ms":1,"waits":[],\
                "causes":[CAUSE]}]
                """
            try write(file.replacing("CAUSE", with: cause), to: "\(root)/explanation.json")
            #expect(try ExplanationStore.source(in: root).sheet(Self.named([])).charts.map(\.name) == ["feed-causes"])
            try write(file.replacing("CAUSE", with: damaged), to: "\(root)/explanation.json")
            let error = #expect(throws: ResultsError.self) { try ExplanationStore.source(in: root) }
            #expect(error?.kind == .badData)
            #expect(error?.message.contains("causes.0.") == true, "\(error?.message ?? "")")
        }
    }

    @Test("an advice has its chart again, also of some caches; it has no traces to choose from")
    func advice() throws {
        func point(_ cache: String, _ limit: Int, _ blank: Double) -> AdvicePoint {
            AdvicePoint(cache: cache, limit: limit, blankRatio: blank, peakBytes: Double(limit), originBytes: 10)
        }
        let points = AdvicePoint.marked([point("b", 100, 0.1), point("b", 10, 0.3), point("a", 50, 0.2)])
        try withTemporaryFolder { root in
            let file = "\(root)/advice.json"
            struct Stored: Encodable {
                var points: [AdvicePoint]
                var relevance_threshold = Tolerance.standard
                var findings: [String] = []
            }
            try ResultFile.write(try JSONFile.text(Stored(points: points), file: file), to: file)
            let source = try AdviceStore.source(in: root)
            let all = try source.sheet(Self.named([])).charts
            #expect(all.map(\.data) == [AdviceChart.content(points).data])
            #expect(
                try source.sheet(Self.named(["a"])).charts.map(\.data) == [
                    """
                    series,memory_peak_bytes,blank_ratio,memory_limit_bytes,cache
                    1,50,0.200000,50,a

                    """
                ])
            var options = Self.named([])
            options.traces = ["feed"]
            let error = #expect(throws: ResultsError.self) { try [source].draw(options) }
            #expect(error?.message == "has no trace 'feed'; its charts have no traces to choose from")
            try write(#"{"points":[],"replays":1,"objective":"blank"}"#, to: file)
            #expect(AdviceStore.hasAdvice(root))
        }
    }

    @Test("the charts of a trace are read as they were written")
    func trace() throws {
        var encoder = JSONLinesEncoder()
        encoder.append(TracePageTests.trace)
        let inspection = try TraceInspection(TraceInput(bytes: encoder.bytes, path: "feed.jsonl"))
        let charts = TraceCharts(inspection.analysis, trace: "it's a feed")
        try withTemporaryFolder { root in
            try charts.write(to: root)
            let read = try TraceCharts(in: root)
            for options in [Self.named([]), Self.named([], dark: true)] {
                #expect(read.drawn(options) == charts.drawn(options))
            }
            #expect(read.source(in: root).traces == ["it's a feed"])
            let damaged = try text(of: "\(root)/charts.json").replacing("\"style\":0", with: "\"style\":-2")
            try write(damaged, to: "\(root)/charts.json")
            let error = #expect(throws: ResultsError.self) { try TraceCharts(in: root) }
            #expect(error?.kind == .badData && error?.message.contains("style") == true)
        }
    }

    /// Writes a folder with one replay of one cache.
    private static func replay(_ path: String, _ result: RunResult) throws {
        let store = try ReplayStore.begin(at: path, Samples.describe(), resume: false)
        try store.add(result)
        try store.finish(at: Date(timeIntervalSince1970: 1_700_000_060))
    }

    @Test("a gate has the caches of both sides beside each other, and a choice of a cache is one of both")
    func gate() throws {
        try withTemporaryFolder { root in
            var worse = Samples.ten()
            worse.counts.shown = 7
            worse.latencies.removeLast()
            try Self.replay("\(root)/baseline", Samples.ten())
            try Self.replay("\(root)/candidate", worse)
            try write(#"{"worse":true,"verdict":"worse","findings":[]}"#, to: "\(root)/verdict.json")
            #expect(VerdictFiles.isOwn(root))
            let source = try VerdictFiles.chartSource(of: root)
            #expect(source.caches == ["lru"] && source.traces == ["feed"])
            for options in [Self.named([]), Self.named(["lru"])] {
                let outcomes = try #require(try source.sheet(options).charts.first { $0.name == "feed-outcomes" })
                let rows = outcomes.data.split(separator: "\n").dropFirst()
                #expect(rows.count == 2)
                #expect(rows.first?.hasSuffix(",\"lru, baseline\"") == true)
                #expect(rows.last?.hasSuffix(",\"lru, candidate\"") == true)
            }

            // A first run with --force removes the results of the baseline, and keeps what is not a result.
            let charts = "\(root)/baseline/charts"
            try FileManager.default.createDirectory(atPath: charts, withIntermediateDirectories: true)
            try write("mine\n", to: "\(charts)/mine.txt")
            try ReplayStore.remove(at: "\(root)/baseline")
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(root)/baseline") == ["charts"])
            let sheet = try VerdictFiles.chartSource(of: root).sheet(Self.named([]))
            let alone = try #require(sheet.charts.first { $0.name == "feed-outcomes" })
            #expect(alone.data.split(separator: "\n").count == 2, "\(alone.data)")
            try ReplayStore.remove(at: "\(root)/candidate")
            #expect(!FileManager.default.fileExists(atPath: "\(root)/candidate"))
        }
    }

    @Test("errors name the folder, the choices and the remedy")
    func errors() throws {
        try withTemporaryFolder { root in
            func message(_ folder: String, _ options: ChartOptions = ChartOptions()) -> String {
                do {
                    _ = try ResultKind.drawCharts(of: folder, options)
                    return ""
                } catch { return "\(error)" }
            }
            #expect(message("\(root)/none").contains("no such folder"))
            #expect(message(root).contains("holds no results that charts are made of; name a whole folder that `rep"))
            try Self.replay("\(root)/r", Samples.ten())
            #expect(message("\(root)/r", Self.named(["lur"])) == "\(root)/r: has no cache 'lur'; did you mean 'lru'?")
            #expect(message("\(root)/r", Self.named(["nuke"])) == "\(root)/r: has no cache 'nuke'; it has lru")
            var trace = ChartOptions()
            trace.traces = ["fed"]
            #expect(message("\(root)/r", trace).hasSuffix("has no trace 'fed'; did you mean 'feed'?"))
            let simulation = try SimulationStore.begin(at: "\(root)/s", SimulationChartTests.describe(), resume: false)
            try simulation.add(SimulationChartTests.row("unbounded", nil, misses: 1))
            #expect(message("\(root)/s").contains("has nothing to draw"))
            try write(#"{"format":"jsonl","requests":1,"popularity":{},"reuse_distance":{}}"#, to: "\(root)/trace.json")
            #expect(message(root).contains("has no charts.json with the lines of its charts"))
        }
    }

    @Test("a simulation draws the chosen policies, against the baseline that is not drawn")
    func simulation() throws {
        let rows = ["lru": 80, "fifo": 60, "arc": 40].sorted { $0.key > $1.key }.flatMap { name, misses in
            [1_000, 10_000].map { SimulationChartTests.row(name, $0, misses: misses) }
        }
        let charts = SimulationChart.charts(rows, [], options: Self.named(["arc"]))
        #expect(
            charts[0].data == """
                series,capacity_bytes,miss_ratio,policy
                1,1000,0.4,arc
                1,10000,0.4,arc

                """)
        // Of 80 misses, arc avoids 40.
        #expect(charts.last?.data.hasSuffix("\n1,1000,0.5,arc\n1,10000,0.5,arc\n") == true)
        var options = Self.named([])
        options.order = .name
        let named = SimulationChart.charts(rows, [], options: options)
        #expect(named[0].data.contains("\n1,1000,0.4,arc\n") && named[0].data.contains("\n3,1000,0.8,lru\n"))
    }
}
