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

    @Test("the name of a font is in the terminals, and its height is in proportion to their standard sizes")
    func terminals() throws {
        var options = ChartOptions(formats: [.svg, .png])
        let plain = ChartKind.charts([Samples.ten()], options)[0].script
        #expect(plain.contains(" noenhanced font 'sans-serif,14' background 'white'\n"))
        #expect(plain.contains(" noenhanced font 'sans,11' background 'white'\n"))
        options.font = try #require(ChartFont("Georgia,21"))
        let script = ChartKind.charts([Samples.ten()], options)[0].script
        // One and a half times as high.
        #expect(script.contains(" noenhanced font 'Georgia,21' linewidth 1.5 background 'white'\n"))
        #expect(script.contains(" noenhanced font 'Georgia,16.5' linewidth 1.5 background 'white'\n"))
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

    /// In the order of the command line: names, and blank time as a share.
    private static let caches = [("lru(16MB)", 0.4), ("lru(8MB)", 0.2), ("None", 0.1)]

    private static let results = caches.enumerated().map { index, cache in
        var run = Samples.ten(Samples.identity(cache: cache.0))
        run.blank.blankTime = cache.1 * 1e9
        run.latencies[0].p50 = Int64(index + 1) * 1_000
        run.latencies[0].distribution = [.init(latency: Int64(index + 1) * 1_000, fraction: 1)]
        return run
    }

    /// Returns the names in the data of a chart, in order.
    private static func names(_ kind: ChartKind, _ options: ChartOptions) throws -> [String] {
        let chart = try #require(
            ChartKind.charts(results, options).first { $0.name.hasSuffix("-\(kind.rawValue)") })
        return chart.data.split(separator: "\n").dropFirst()
            .map { String($0.split(separator: ",").last ?? "") }.unique()
    }

    @Test(
        "caches are in order of blank time, as given, or by name with numbers by value",
        arguments: [
            (ChartOrder.blank, ["None", "lru(8MB)", "lru(16MB)"]), (.given, ["lru(16MB)", "lru(8MB)", "None"]),
            (.name, ["lru(8MB)", "lru(16MB)", "None"]),
        ])
    func order(order: ChartOrder, expected: [String]) throws {
        var options = ChartOptions(formats: [.svg])
        options.order = order
        #expect(try Self.names(.times, options) == expected)
        #expect(try Self.names(.distribution, options) == expected)
        // The legend of lines has the same order.
        let script = try #require(
            ChartKind.charts(Self.results, options).first { $0.name.hasSuffix("-distribution") }?.script)
        let places = expected.compactMap { script.range(of: "set label '\($0)' left at")?.lowerBound }
        #expect(places.count == 3 && places == places.sorted())
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

    @Test("a title that names a colour has the ink of dark paper")
    func titleOfColour() {
        var options = ChartOptions(formats: [.svg])
        options.isDark = true
        options.title = "textcolor rgb '#000000'"
        let lines = ChartKind.charts([Samples.ten()], options)[0].script.split(separator: "\n")
        #expect(lines[5].hasSuffix("font ',17' textcolor rgb '#E6E6E6'"))
    }

    @Test("labels of an axis that do not fit are left out, every second one")
    func axis() {
        let axis = Axis.linear(from: 0, to: 5) { "\(Int($0))" }
        #expect(axis.tics.map(\.label) == ["0", "1", "2", "3", "4", "5"])
        // A label of one character takes 2 · 8.3 units: six take 99.6, three take 49.8.
        #expect(axis.labelled(within: 100).tics.count == 6)
        #expect(axis.labelled(within: 99).tics.map(\.label) == ["0", "2", "4"])
        #expect(axis.labelled(within: 99).minorTics == [1, 3, 5])
    }
}

@Suite("Charts of every kind of results, drawn again")
struct RestyleTests {
    private static var isInstalled: Bool { (try? Gnuplot()) != nil }

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
            try ResultFile.write(try JSONFile.text(["points": points], file: file), to: file)
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

    @Test("the charts of a trace are read as they were written, with the places that interrupt a line")
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
            #expect(charts.drawn(Self.named([])).contains { $0.data.contains(",nan,nan,") })
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
            let simulation = try SimulationStore.begin(
                at: "\(root)/s", SimulationChartTests.describe(), resume: false)
            try simulation.add(SimulationChartTests.row("unbounded", nil, misses: 1))
            #expect(message("\(root)/s").contains("has nothing to draw"))
            try write(#"{"format":"jsonl","requests":1,"popularity":{},"reuse_distance":{}}"#, to: "\(root)/trace.json")
            #expect(message(root).contains("has no charts.json with the lines of its charts"))
        }
    }

    @Test("a simulation draws the chosen policies with their own colours, against the baseline that is not drawn")
    func simulation() throws {
        let rows = ["lru": 80, "fifo": 60, "arc": 40].sorted { $0.key > $1.key }.flatMap { name, misses in
            [1_000, 10_000].map { SimulationChartTests.row(name, $0, misses: misses) }
        }
        let charts = SimulationChart.charts(rows, [], options: Self.named(["arc"]))
        // lru, fifo and arc are the policies 0 to 2: arc is green, as among all of them.
        #expect(charts[0].script.contains("linecolor rgb '#009E73' dashtype solid pointtype 9 notitle"))
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

    @Test(
        "texts of all kinds of charts are within pictures of any size, with 21 caches and names of 60 characters",
        .enabled(if: isInstalled), arguments: ["480x320", "1280x720", "1920x1080"])
    func sizes(size: String) throws {
        let names = (0..<21).map { "cache \($0) \(String(repeating: "n", count: 52))".prefix(60) }.map(String.init)
        var options = Self.named([])
        options.size = PictureSize(size)
        let wanted = try #require(options.size)
        let rows = names.enumerated().flatMap { index, name in
            [1_000, 1_000_000].map { SimulationChartTests.row(name, $0, misses: 20 + 3 * index - $0 / 100_000) }
        }
        let points = names.enumerated().flatMap { index, name in
            [8_000_000, 64_000_000].map { limit in
                AdvicePoint(
                    cache: name, limit: limit, blankRatio: 0.1 + Double(index) / 100 - Double(limit) / 1e9,
                    peakBytes: Double(limit), originBytes: 10)
            }
        }
        let runs = try names.enumerated().map { index, name in
            try #require(Self.explanation(name, misses: 2 + index % 8))
        }
        var encoder = JSONLinesEncoder()
        encoder.append(TracePageTests.trace)
        let inspection = try TraceInspection(TraceInput(bytes: encoder.bytes, path: "feed.jsonl"))
        let advice = Chart(
            ChartName("advice"), trace: "", AdviceChart.content(AdvicePoint.marked(points), options.canvas), options,
            caption: "")
        let charts =
            SimulationChart.charts(rows, [], options: options) + ExplanationChart.charts(runs, options)
            + TraceCharts(inspection.analysis, trace: names[0]).drawn(options) + [advice]
        #expect(charts.count == 2 + 2 + TraceChart.allCases.count + 1)
        try withTemporaryFolder { root in
            for chart in charts {
                try Gnuplot().draw(chart, formats: [.svg], in: root)
                let texts = try SVGText.all(in: try text(of: "\(root)/\(chart.name).svg"))
                #expect(texts.count > 5)
                for text in texts {
                    #expect(text.left > -4 && text.right < Double(wanted.width) + 4, "\(chart.name): \(text)")
                    #expect(text.y > 0 && text.y <= Double(wanted.height), "\(chart.name): \(text)")
                }
            }
        }
    }
}
