import Basics
import Foundation
import ReplayEngine
import Runs
import Testing

@testable import CacheReports

@Suite("Charts as gnuplot scripts")
struct ChartTests {
    private func chart(_ kind: ChartKind, _ results: [RunResult]) throws -> Chart {
        var options = ChartOptions()
        options.formats = [.svg]
        return try #require(ChartKind.charts(results, options).first { $0.name.hasSuffix("-\(kind.rawValue)") })
    }

    @Test("Every chart has a test here, or in another file of tests of charts", arguments: ChartKind.allCases)
    func tested(kind: ChartKind) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let all = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let files = all.filter { $0.hasSuffix("ChartTests.swift") }
        let tests = try files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
        let isTested = tests.contains { $0.contains("chart(.\(kind), ") }
        #expect(isTested, "add a test that compares the data of the chart \(kind)")
    }

    @Test("a trace over several networks has charts for each, named and with its own figures")
    func networks() throws {
        let results = ["lte", "train#1a2b"].map { network in
            var result = Samples.ten()
            result.identity.network = network
            return result
        }
        let charts = ChartKind.charts(results).filter { $0.title.hasPrefix("What became of the requests") }
        #expect(charts.map(\.trace) == ["feed over lte", "feed over train#1a2b"])
        #expect(charts[0].name == "feed-lte-outcomes")
        #expect(charts[1].name.hasPrefix("feed-train-1a2b~") && charts[1].name.hasSuffix("-outcomes"))
        #expect(charts[0].title == "What became of the requests · feed over lte")
        #expect(charts.allSatisfy { $0.data.split(separator: "\n").count == 2 })
        // One network is not named.
        #expect(ChartKind.charts([results[0]])[0].trace == "feed")
    }

    @Test("the outcomes of three caches, script and data in full")
    func outcomes() throws {
        var worse = Samples.ten(Samples.identity(cache: "it's"))
        worse.counts.shown = 7
        worse.latencies.removeLast()
        // Bars are in the order of blank time, not in that of the images shown.
        worse.blank.blankTime = 200_000_000
        // Another bar equals the first one.
        var same = worse
        same.identity.cache = "fifo"
        let results = [Samples.ten(), worse, same]
        let chart = try chart(.outcomes, results)
        #expect(
            chart.data == """
                row,requests,memory_share,disk_share,network_share,late_share,never_share,wrong_share,cache
                1,10,0.500000,0.200000,0.000000,0.100000,0.200000,0.000000,"2 caches: it's, fifo"
                2,10,0.500000,0.200000,0.100000,0.100000,0.100000,0.000000,lru

                """)
        let lines = chart.script.split(separator: "\n").map(String.init)
        #expect(lines[0] == "# What became of the requests · feed")
        #expect(lines.contains("set label '20.0%' at graph 1.012, first 1"))
        #expect(lines.contains("set label '25.0%' at graph 1.012, first 2"))
        #expect(lines.contains("set label 'blank' at graph 1.012, graph 1.02"))
        #expect(lines.contains("set label 'lru' right at graph 0, first 2 offset character -1, character 0"))
        #expect(lines.contains("set xtics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)"))
        #expect(
            chart.script.contains(
                """
                plot 'feed-outcomes.csv' skip 1 using (0):1:(0):($3):($1-0.36):($1+0.36) with boxxyerror linecolor rgb \
                '\(Fill.memory.colour)' notitle, \\\n
                """
            ))
        #expect(chart.script.contains("notitle\nset output\n# checksum "))
        // What no request did has no entry in the legend.
        let legend = lines.filter { $0.hasPrefix("set object rectangle") }
        #expect(legend.count == 5 && !chart.script.contains("'wrong'"))
    }

    @Test("caches are in the order of blank time, those without it last, and those that read the same as given")
    func order() {
        typealias Cache = (name: String, blank: Double?, hits: Double)
        func names(_ all: [Cache], _ order: ChartOrder = .blank) -> [String] {
            order.ranked(all, by: { $0.name }, { $0.blank }, hits: { $0.hits }).map { $0.name }
        }
        // 10.04 % and 10.0 % read as 10.0 %.
        let all: [Cache] = [
            ("late", 0.5, 0.9), ("none", nil, 0.8), ("first", 0.1004, 0), ("second", 0.1, 1), ("k memory=8MB", 0.2, 0),
            ("third", 0.15, 0), ("k memory=4MB", 0.05, 0),
        ]
        #expect(names(all) == ["k memory=4MB", "k memory=8MB", "first", "second", "third", "late", "none"])
        #expect(names(all, .given) == all.map { $0.name })
        // Where nothing takes time, hits decide.
        #expect(names([("few", nil, 0.1), ("many", nil, 0.8)]) == ["many", "few"])
    }

    @Test("The terminal, the page and the charts have the caches of a session in one order")
    func oneOrder() throws {
        // b and d read as 12.1 %, and the values of k stay together.
        let shares = [
            ("c", 0.3), ("b", 0.1212), ("k memory=16MB", 0.25), ("d", 0.121), ("a", 0.05), ("k memory=8MB", 0.1),
        ]
        let runs = shares.map { name, blank in
            var run = Samples.ten(Samples.identity(cache: name))
            run.blank.blankTime = blank * 1e9
            return run
        }
        let order = ["a", "k memory=8MB", "k memory=16MB", "b", "d", "c"]
        #expect(ResultOrder.standard.ordered(ResultSet(runs, source: "").groups).map(\.key.cache) == order)
        let page = ReportPage(runs, nil, [])
        #expect(page.groups.map(\.key.cache) == order)
        #expect(page.inputs[0].caches.map(\.name) == order)
        guard case .section(_, _, let blocks)? = page.overview.first, case .matrix(let matrix)? = blocks.first else {
            Issue.record("There is no matrix.")
            return
        }
        #expect(matrix.rows.map(\.head.plain) == order)
        let bars = ChartInput.byTrace(runs)[0].groups { [$0.name] }
        #expect(bars.map(\.label) == order)
    }

    @Test("the overview has a cell for each cache and session, by the mean, and frames what ties with the best")
    func overview() throws {
        func run(_ trace: String, _ cache: String, _ blank: Double) -> RunResult {
            var run = Samples.ten(Samples.identity(trace: trace, cache: cache))
            run.blank.blankTime = blank * 1e9
            return run
        }
        let results = [
            run("feed", "worse", 0.4), run("feed", "best", 0.1), run("grid", "worse", 0.0205),
            run("grid", "best", 0.02), run("grid", "alone", 0.9),
        ]
        let chart = try #require(ChartKind.charts(results).first { $0.name == "sessions-overview" })
        // Colours lie between pale, 255 244 230, and dark, 140 29 4, by the root of the share of the largest figure.
        let dark = (140 * 256 + 29) * 256 + 4
        let lines = chart.data.split(separator: "\n").map(String.init)
        #expect(lines[0] == "column,row,blank_ratio,colour,is_light,is_framed,session,cache")
        let fields = lines.dropFirst().map { $0.split(separator: ",") }
        #expect(
            fields.map { $0.prefix(3).joined(separator: " ") } == [
                "1 1 0.100000", "2 1 0.020000", "1 2 0.400000", "2 2 0.020500", "2 3 0.900000",
            ])
        #expect(
            fields.map { $0.suffix(3).joined(separator: " ") } == [
                "1 feed best", "1 grid best", "0 feed worse", "1 grid worse", "0 grid alone",
            ])
        #expect(lines[5].contains(",0.900000,\(dark),0,0,"))
        #expect(chart.script.contains("framed: within 0.1 points of the best"))
        #expect(!ChartKind.charts([results[0]]).contains { $0.name.hasSuffix("-overview") })
    }

    @Test("charts that earlier versions drew belong to their results")
    func former() {
        for file in ["feed-percentiles.svg", "feed-times.gp"] {
            #expect(Chart.isFile(file, of: ReplayRuns.chartKinds), "\(file)")
        }
    }

    @Test("titles state the finding, and the line below them what is drawn and what it rests on")
    func headings() throws {
        var worse = Samples.ten(Samples.identity(cache: "fifo"))
        worse.blank.blankTime = 500_000_000
        let results = [Samples.ten(), worse]
        let script = try chart(.outcomes, results).script
        let finding = try #require(ResultSet(results, source: "").conclusions.first { $0.subject == .best }).text
        #expect(finding.hasPrefix("lru leaves the least blank time on feed: 25.0% of the visible time."))
        let titles = script.split(separator: "\n").filter {
            $0.hasPrefix("set label") && $0.contains("at screen 0.5, screen 0.")
        }
        #expect(titles.count == 2 || titles.count == 3)
        let (first, last) = (try #require(titles.first), try #require(titles.last))
        #expect(first.hasPrefix("set label 'lru leaves the least blank time on feed: 25.0% of the visible time."))
        #expect(
            last.hasPrefix(
                """
                set label 'What became of the requests · feed · recorded fetch times · modelled durations · one run \
                each'
                """))
        // A title of the user's own takes the place of the finding.
        var options = ChartOptions()
        options.title = "For the review"
        let own = try #require(ChartKind.charts(results, options).first).script
        #expect(own.contains("set label 'For the review'") && !own.contains("leaves the least blank time"))
    }

    @Test("sentences that do not fit into two lines of the title are left out")
    func longFindings() {
        var content = ChartContent(title: "t", height: 300, settings: [], plots: [], columns: ["a"], rows: [])
        let first = "One cache is best." + String(repeating: " It is so", count: 10) + "."
        content.finding = "\(first) " + String(repeating: "word ", count: 40) + "end."
        let lines = content.script(name: ChartName("feed", ChartKind.memory), formats: [.svg]).split(separator: "\n")
        let title = lines.filter { $0.contains(" at screen 0.5, screen 0.") && !$0.contains("#777777") }
        #expect(title.count == 2 && title[0].hasPrefix("set label 'One cache is best."))
        #expect(title.last?.contains("so.'") == true && !title.contains { $0.contains("word") })
        // The lines have places of their own, below the upper edge of the picture.
        #expect(title[0].contains("screen 0.94 center") && title[1].contains("screen 0.8566666667 center"))
        #expect(lines.contains { $0.hasPrefix("set label 't' at screen 0.5") })
    }

    @Test("how soon images were there: shares of all requests that add up to 1")
    func times() throws {
        let chart = try chart(.times, [Samples.ten()])
        #expect(
            chart.data == """
                row,requests,within_16ms_share,within_100ms_share,within_1s_share,later_share,never_share,cache
                1,10,0.700000,0.100000,0.000000,0.000000,0.200000,lru

                """)
        #expect(chart.script.contains("unset logscale x\nset xrange [0:1]\n"))
        // Nothing takes time with instant timing.
        let instant = Samples.ten(Samples.identity(timing: "instant"))
        #expect(!ChartKind.charts([instant]).contains { $0.name.hasSuffix("-times") })
    }

    @Test("the distribution goes up in stairs from edge to edge")
    func distribution() throws {
        #expect(
            try chart(.distribution, [Samples.ten()]).data == """
                series,latency_us,share,cache
                1,1.000,0.000000,lru
                1,1.000,0.000000,lru
                1,1.000,0.400000,lru
                1,12345.678,0.400000,lru
                1,12345.678,0.800000,lru
                1,100000.000,0.800000,lru

                """)
    }

    @Test("what prefetching costs in bytes, where images were fetched ahead of need")
    func prefetch() throws {
        var run = Samples.ten()
        #expect(!ChartKind.charts([run]).contains { $0.name.hasSuffix("-prefetch") })
        run.prefetch.fetches = 1
        #expect(try chart(.prefetch, [run]).data == "series,origin_bytes,blank_ratio,cache\n1,2000,0.250000,lru\n")
        #expect(try chart(.prefetch, [run]).script.contains("bytes fetched from the origin"))
        // A trace on which nothing was prefetched has no such chart, whatever other traces have.
        let other = Samples.ten(Samples.identity(trace: "other"))
        #expect(ChartKind.charts([run, other]).map(\.name).filter { $0.hasSuffix("-prefetch") } == ["feed-prefetch"])
    }

    @Test("the tradeoff has medians of the repeats")
    func medians() throws {
        let runs = (1...3).map { repetition in
            var run = Samples.ten(Samples.identity(repetition: repetition))
            run.tiers.memoryPeakBytes = Int64(repetition) * 100
            return run
        }
        #expect(try chart(.tradeoff, runs).data.hasSuffix("\n1,200,0.250000,lru\n"))
    }

    @Test("a long timeline is thinned without losing its peak")
    func thinning() throws {
        var run = Samples.ten()
        run.timeline = (0..<100_000).map { TimelineSecond(second: $0) }
        run.timeline[54_321].memoryBytes = 7_777
        let data = try chart(.memory, [run]).data
        #expect(data.split(separator: "\n").count <= 1_001)
        #expect(data.contains("\n1,54321,7777,lru\n"))
    }

    @Test("memory keeps its level until the next row of the timeline")
    func held() throws {
        var run = Samples.ten()
        run.timeline = [(0, 500), (1, 700), (90, 900), (91, Int64(100))].map { second, bytes in
            var row = TimelineSecond(second: second)
            row.memoryBytes = bytes
            return row
        }
        #expect(
            try chart(.memory, [run]).data.hasSuffix(
                "\n1,0,500,lru\n1,1,700,lru\n1,89,700,lru\n1,90,900,lru\n1,91,100,lru\n"))
    }

    @Test("the time axis of memory ends with the session, or with the last change of a curve after it")
    func memoryEnd() throws {
        // Both sessions have two seconds. Nothing changes in memory after 3 s.
        let results = [("fast", Int64(100)), ("slow", 900)].map { name, bytes -> RunResult in
            var run = Samples.ten(Samples.identity(cache: name))
            run.timeline = [(0, 100), (3, bytes), (50, bytes)].map { second, bytes in
                var row = TimelineSecond(second: second)
                row.memoryBytes = bytes
                return row
            }
            return run
        }
        let slow = try chart(.memory, results)
        #expect(slow.script.contains("set xrange [0:3]\n"))
        #expect(slow.data.contains("\n1,0,100,fast\n1,2,100,fast\n1,3,100,fast\n2,0,100,slow\n"))
        #expect(slow.data.hasSuffix("\n2,2,100,slow\n2,3,900,slow\n"))
        #expect(try chart(.memory, [results[0]]).script.contains("set xrange [0:2]\n"))
    }

    @Test("blank time so far climbs while cells are blank, until the end of the trace, and levels hold between rows")
    func blankArea() throws {
        // Two cells are blank for two seconds, and half a cell for the last three.
        var run = Samples.ten()
        run.timeline = [(1, 2.0), (3, 0), (7, 0.5)].map { second, cells in
            var row = TimelineSecond(second: second)
            row.blankCells = cells
            return row
        }
        run.traceDuration = 10_000_000_000
        run.marks = [SessionMark(.memoryWarning, at: 5_000_000_000)]
        let chart = try chart(.blankArea, [run])
        #expect(chart.name == "feed-blank-area")
        #expect(
            chart.data == "series,second,blank_s,cache\n1,1,0.000,lru\n1,3,4.000,lru\n1,7,4.000,lru\n1,10,5.500,lru\n")
        #expect(chart.script.contains("set xrange [0:10]\n") && chart.script.contains("'memory warning'"))
        #expect(chart.script.contains("set label 'lru' left at screen "))
        // A long timeline keeps its end.
        run.timeline = (0..<100_000).map { second in
            var row = TimelineSecond(second: second)
            row.blankCells = 1
            return row
        }
        let data = try self.chart(.blankArea, [run]).data
        #expect(data.split(separator: "\n").count <= 1_002 && data.hasSuffix("\n1,100000,100000.000,lru\n"))
        // The axis ends with the session if nothing changes after it: from 11 s to 60 s, a fetch is in flight.
        run.timeline = [(1, 2.0), (3, 0), (60, 0)].map { second, cells in
            var row = TimelineSecond(second: second)
            row.blankCells = cells
            return row
        }
        let short = try self.chart(.blankArea, [run])
        #expect(short.data == "series,second,blank_s,cache\n1,1,0.000,lru\n1,3,4.000,lru\n1,10,4.000,lru\n")
        #expect(short.script.contains("set xrange [0:10]\n"))
        // Where no cell was blank, nothing is drawn.
        run.timeline = [TimelineSecond(second: 0)]
        #expect(!ChartKind.charts([run]).contains { $0.name.hasSuffix("-blank-area") })
    }

    @Test("the difference is from the cache with the least mean, in points, and grey within the tolerance")
    func difference() throws {
        func run(_ trace: String, _ cache: String, _ blank: Double) -> RunResult {
            var run = Samples.ten(Samples.identity(trace: trace, cache: cache))
            run.blank.blankTime = blank * 1e9
            return run
        }
        // The means of a, b and c are 15 %, 20.05 % and 25 %. On feed, b is better than a, and d ties with a.
        let results = [
            run("feed", "c", 0.4), run("feed", "b", 0.101), run("feed", "a", 0.2), run("feed", "d", 0.2005),
            run("grid", "c", 0.1), run("grid", "b", 0.3), run("grid", "a", 0.1), run("grid", "d", 0.5),
        ]
        let chart = try chart(.difference, results)
        #expect(
            chart.data == """
                row,blank_ratio,difference,sign,cache
                1,0.101000,-0.099000,-1,b
                2,0.200000,0.000000,0,a
                3,0.200500,0.000500,0,d
                4,0.400000,0.200000,1,c

                """)
        let lines = chart.script.split(separator: "\n").map(String.init)
        for (row, text) in ["−9.9", "0", "+0.05", "+20.0"].enumerated() {
            #expect(lines.contains("set label '\(text)' at graph 1.012, first \(row + 1)"), "\(text)")
        }
        #expect(lines.contains("set xlabel 'points more blank time than with a, 20.0%; grey: within 0.1 points'"))
        for fill in [Fill.never, .grey, .teal] {
            #expect(chart.script.contains("with boxxyerror linecolor rgb '\(fill.colour)' notitle"))
        }
        // All traces have one baseline and one axis: from -10 to +40 points.
        let charts = ChartKind.charts(results).filter { $0.name.hasSuffix("-difference") }
        #expect(charts.count == 2 && charts.allSatisfy { $0.script.contains("set xrange [-0.1:0.4]\n") })
        // In the order of the command line, the first cache is the baseline.
        var options = ChartOptions()
        options.order = .given
        let given = try #require(ChartKind.charts(results, options).first { $0.name == "feed-difference" })
        #expect(given.script.contains("more blank time than with c, 40.0%"))
        // A single cache, and caches that tie, have no such chart.
        for few in [[results[0]], [results[2], results[3]]] {
            #expect(!ChartKind.charts(few).contains { $0.name.hasSuffix("-difference") })
        }
    }

    @Test("a name cannot end its string or run a command")
    func quoting() {
        #expect(GnuplotText.quoted("a'b") == "'a'.\"'\".'b'")
        #expect(GnuplotText.quoted("''") == "''.\"'\".''.\"'\".''")
        #expect(GnuplotText.quoted("`rm` \\n \"x\" $y") == "'`rm` \\n \"x\" $y'")
        #expect(GnuplotText.quoted("one\ntwo") == "'one'.\"\\n\".'two'")
        #expect(GnuplotText.quoted("tab\tbell\u{7}") == "'tab bell\\u{7}'")
        #expect(GnuplotText.quoted("a]]>b") == "'a]] >b'")
    }

    @Test("charts of several traces never share a file")
    func names() {
        let traces = ["feed", "Feed", "feed 2", "a/b"]
        let charts = ChartKind.charts(traces.map { Samples.ten(Samples.identity(trace: $0)) })
        // And the overview of all of them.
        #expect(charts.count == 4 * ChartKind.ofPlainRuns.count + 1)
        #expect(Set(charts.map { $0.name.lowercased() }).count == charts.count)
        #expect(
            charts.allSatisfy {
                !$0.name.contains("/") && Chart.isFile("\($0.name).gp", of: ReplayRuns.chartKinds)
            })
    }

    @Test("axes end at round numbers and label them")
    func axes() {
        let linear = Axis.linear(from: 0, to: 402e6, label: HumanText.bytes)
        #expect(linear.tics.map(\.label) == ["0 B", "100 MB", "200 MB", "300 MB", "400 MB", "500 MB"])
        let logarithmic = Axis.latency([0, 3, 45_000])
        #expect(logarithmic.tics.map(\.label) == ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"])
        #expect(abs(logarithmic.fraction(1_000) - 0.6) < 1e-9)
        #expect(logarithmic.fraction(0) == 0)
    }

    @Test("eight curves have colours and long names on lines of their own; the others are grey, with names beside them")
    func longLegend() throws {
        let all = (0..<24).map { "memory: \(String(repeating: "lru ", count: 25))\($0)" }
        let script = try chart(
            .distribution,
            all.enumerated().map { index, name in
                var run = Samples.ten(Samples.identity(cache: name))
                run.latencies[0].distribution[0].latency += Int64(index)
                run.blank.blankTime = Double(index) * 1e6
                return run
            }
        ).script
        let names = all.prefix(8)
        let lines = script.split(separator: "\n")
        let places = try names.map { name in
            let label = try #require(lines.first { $0.hasPrefix("set label '\(name)'") })
            let height = try #require(label.split(separator: " ").last)
            return try #require(Double(height))
        }
        #expect(Set(places).count == 8)
        #expect(places.allSatisfy { (0.0...0.9).contains($0) })
        #expect(lines.count { $0.hasPrefix("set arrow") } == 8)
        #expect(lines.count { $0.contains("linecolor rgb '\(ChartStyle.greyLine)'") } == 16)
        #expect(lines.contains { $0.hasPrefix("set label '") && $0.contains("caches' left at graph 1.01") })
        #expect(script.contains("unset key"))
    }

    @Test("labels of crowded points cover neither points nor each other")
    func placement() {
        let frame = PlotFrame(left: 100, right: 60, top: 70, bottom: 90, width: 1200, height: 680)
        let points = (0..<8).map { PlotFrame.Place(x: 400 + Double($0 % 4) * 14, y: 300 + Double($0 / 4) * 16) }
        let boxes = LabelPlacement(frame: frame, points: points, marks: points).place(
            points.indices.map { "cache number \($0)" })
        for first in boxes.indices {
            for second in boxes.indices where second > first { #expect(boxes[first].overlap(boxes[second]) == 0) }
            for point in points {
                #expect(boxes[first].overlap(LabelBox(left: point.x - 5, top: point.y - 5, width: 10, height: 10)) == 0)
            }
        }
    }

    /// Twenty caches: some in a crowd, some at one place.
    private static func crowd() -> [RunResult] {
        (0..<20).map { index in
            var run = Samples.ten(Samples.identity(cache: "a-cache-with-the-name-\(index)"))
            let place = index % 5 == 4 ? 3 : index
            run.tiers.memoryPeakBytes = Int64(40_000_000 + (place * 7_919) % 23 * 350_000)
            run.blank.blankTime = Double(50 + (place * 104_729) % 37) * 1e6
            return run
        }
    }

    @Test("in the trade-off, each label is nearest to its own point or has a line to it, and each cache is named once")
    func tradeoffLabels() throws {
        let results = Self.crowd()
        let input = ChartInput.byTrace(results)[0]
        let (labels, points) = TradeoffChart.placed(input)
        #expect(points.count == 20 && labels.count > 3)
        for label in labels {
            let own = label.box.distance(to: label.point)
            // Points at the same place are one point.
            let others = points.filter { $0.distance(to: label.point) > 9 }
            #expect(others.allSatisfy { label.box.distance(to: $0) > own } || label.needsLine, "\(label.text)")
            // A label stands for the caches whose points touch.
            if let count = Int(label.text.prefix { $0 != " " }) {
                #expect(points.count - others.count == count, "\(label.text)")
            }
        }
        let script = try chart(.tradeoff, results).script
        let texts = script.split(separator: "\n").filter { $0.hasPrefix("set label") }.joined(separator: "\n")
        let missing = results.map(\.identity.cache).filter { !texts.contains($0) }
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test(
        "each number in the trade-off has its footnote, and no footnote lacks its number",
        arguments: [nil, "900x500", "480x400"])
    func footnotes(size: String?) throws {
        var options = ChartOptions()
        options.size = size.flatMap { PictureSize($0) }
        let chart = try #require(ChartKind.charts(Self.crowd(), options).first { $0.name.hasSuffix("-tradeoff") })
        let labels = chart.script.split(separator: "\n").filter { $0.hasPrefix("set label '") }
            .map { $0.dropFirst("set label '".count).prefix { $0 != "'" } }
        let marks = labels.filter { $0.hasSuffix("]") }.compactMap { $0.split(separator: "[").last }.map { "[\($0)" }
        let notes = labels.filter { $0.hasPrefix("[") && !$0.hasSuffix("]") }.map { $0.prefix { $0 != " " } }
        #expect(marks.sorted() == notes.map(String.init).sorted())
        #expect(!labels.contains { $0.hasPrefix("[") && $0.hasSuffix("…") })
        if size == nil { #expect(!marks.isEmpty) }
    }

    @Test("no axis magnifies what is within the tolerance: 0.1 points take at most a tenth of its height")
    func leastHeight() throws {
        let runs = [0.0001, 0.0002].enumerated().map { index, blank in
            var identity = Samples.identity(cache: "a memory=\(index + 1)MB")
            identity.base = "a"
            identity.swept = [SweptValue(parameter: "memory", value: "\(index + 1)MB")]
            var run = Samples.ten(identity)
            run.blank.blankTime = blank * 1e9
            run.counts.shown = 10
            return run
        }
        #expect(try chart(.tradeoff, runs).script.contains("set yrange [0:0.01]\n"))
        // The highest tic of the upper panel of a sweep is at the height 1 of the plot.
        #expect(try chart(.sweep, runs).script.contains("'1.0%%' 1, "))
    }

    @Test("a sweep: blank time and images not shown by the value, equal lines joined, no limit at the right")
    func sweep() throws {
        let values = ["16MB": 300.0, "32MB": 200, "unlimited": 100]
        let results = ["nuke", "fresco", "coil"].flatMap { base in
            values.map { value, blank in
                var identity = Samples.identity(cache: "\(base) memory=\(value)")
                identity.base = base
                identity.swept = [SweptValue(parameter: "memory", value: value)]
                var run = Samples.ten(identity)
                run.blank.blankTime = (base == "coil" ? 50 : blank) * 1e6
                return run
            }
        }
        let chart = try chart(.sweep, results)
        #expect(
            chart.data == """
                series,value,blank_ratio,unshown_ratio,swept,cache
                1,16000000,0.050000,0.200000,16MB,coil
                1,32000000,0.050000,0.200000,32MB,coil
                1,35200000,0.050000,0.200000,unlimited,coil
                2,16000000,0.300000,0.200000,16MB,"2 caches: nuke, fresco"
                2,32000000,0.200000,0.200000,32MB,"2 caches: nuke, fresco"
                2,35200000,0.100000,0.200000,unlimited,"2 caches: nuke, fresco"

                """)
        #expect(chart.script.contains("'unlimited' 35200000"))
        let lines = chart.script.split(separator: "\n")
        // A panel for each figure, with its own denominator and its own axis: up to 40 % and up to 30 %.
        #expect(lines.contains { $0.hasPrefix("set label 'blank'.\"\\n\".'of visible time'") })
        #expect(lines.contains { $0.hasPrefix("set label 'not shown'.\"\\n\".'of requests'") })
        #expect(chart.script.contains(":(0.56+0.44*$3/0.4) with lines"))
        #expect(chart.script.contains(":(0+0.44*$4/0.25) with lines"))
        // Of the best, 5 %, a band of 0.1 points: from 0.56 + 0.44 * 0.05 / 0.4 on.
        #expect(chart.script.contains("set object rectangle from graph 0, graph 0.615 to graph 1, graph 0.6161 behind"))
        #expect(lines.contains { $0.hasPrefix("set label 'within 0.1 points of the best'") })
        #expect(!ChartKind.charts([Samples.ten()]).contains { $0.name.hasSuffix("-sweep") })
    }

    @Test("the trade-off has axes that fit its own figures, and says where they do not begin at 0")
    func tradeoffAxes() throws {
        func run(_ name: String, _ bytes: Int64, blank: Double, trace: String = "feed") -> RunResult {
            var run = Samples.ten(Samples.identity(trace: trace, cache: name))
            run.tiers.memoryPeakBytes = bytes
            run.blank.blankTime = blank * 1e9
            return run
        }
        let near = [run("a", 40_000_000, blank: 0.114), run("b", 50_000_000, blank: 0.121)]
        let script = try chart(.tradeoff, near).script
        #expect(script.contains("set xlabel 'peak of the memory tier, not from 0'\n"))
        #expect(script.contains("set ylabel 'blank time, as a share of visible time, not from 0' offset -1.5\n"))
        // A difference within the tolerance still takes at most a tenth of the height.
        let range = try #require(script.firstMatch(of: /set yrange \[([0-9.]+):([0-9.]+)\]/))
        let (low, high) = (try #require(Double(range.1)), try #require(Double(range.2)))
        #expect(low > 0.1 && low <= 0.114 && high >= 0.121 && high - low >= 0.01)
        // Another trace, with much larger figures, changes no range, and the axis says so.
        let far = run("a", 900_000_000, blank: 0.9, trace: "other")
        let charts = ChartKind.charts(near + [far]).filter { $0.name == "feed-tradeoff" }
        #expect(charts.count == 1 && charts[0].script.contains("\(range.0)\n"))
        #expect(charts[0].script.contains("tier, not from 0 · axes fit this chart, not the others'\n"))
    }

    @Test("the trade-off shades what no cache reaches, and joins the limits of a cache in their order")
    func front() throws {
        let results = [("16MB", 16.0, 0.3), ("unlimited", 80, 0.05), ("64MB", 60, 0.1)].map { value, bytes, blank in
            var identity = Samples.identity(cache: "nuke memory=\(value)")
            identity.base = "nuke"
            identity.swept = [SweptValue(parameter: "memory", value: value)]
            var run = Samples.ten(identity)
            run.tiers.memoryPeakBytes = Int64(bytes * 1e6)
            run.blank.blankTime = blank * 1e9
            return run
        }
        var worse = Samples.ten(Samples.identity(cache: "worse"))
        worse.tiers.memoryPeakBytes = 70_000_000
        worse.blank.blankTime = 0.2e9
        let lines = try chart(.tradeoff, results + [worse]).script.split(separator: "\n").map(String.init)
        let area = try #require(lines.first { $0.hasPrefix("set object polygon") })
        // The corners are the points of the front; the cache that others beat is no corner.
        for corner in ["first 16000000, first 0.3", "first 60000000, first 0.1", "first 80000000, first 0.05"] {
            #expect(area.contains(corner), "\(corner)")
        }
        #expect(!area.contains("first 70000000"))
        let joins = lines.filter { $0.hasPrefix("set arrow from first") }
        #expect(joins.count == 2)
        #expect(joins[0].contains("from first 16000000, first 0.3 to first 60000000, first 0.1 nohead"))
        #expect(joins[1].contains("from first 60000000, first 0.1 to first 80000000, first 0.05 nohead"))
        // All points of a cache have one look. The first has the whole name, the others their values.
        let looks = lines.joined(separator: "\n").matches(of: /with points (pointtype [^,\n]*)/).map { String($0.1) }
        #expect(looks.count == 4 && Set(looks.prefix(3)).count == 1 && looks[3] != looks[0])
        for text in ["nuke memory=16MB", "64MB", "unlimited", "worse"] {
            #expect(lines.contains { $0.hasPrefix("set label '\(text)'") }, "\(text)")
        }
    }

    @Test("charts of one kind have the same axes for all traces, but for the trade-offs")
    func sameAxes() throws {
        var small = Samples.ten(Samples.identity(trace: "small"))
        small.tiers.memoryPeakBytes = 900
        small.timeline[0].memoryBytes = 10
        small.blank.blankTime = 1
        var large = Samples.ten(Samples.identity(trace: "large"))
        large.timeline = [TimelineSecond(second: 0), TimelineSecond(second: 900)]
        large.timeline[1].memoryBytes = 5_000_000
        large.timeline[1].blankCells = 9
        large.latencies[0].p999 = 70_000_000_000
        large.latencies[0].distribution = [.init(latency: 70_000_000_000, fraction: 1)]
        small.prefetch.fetches = 1
        large.prefetch.fetches = 1
        large.tiers.originBytes = 9_000_000
        let charts = ChartKind.charts([small, large])
        for kind in ChartKind.allCases where ![.difference, .filmstrip, .sweep, .tradeoff, .prefetch].contains(kind) {
            let ranges = charts.filter { $0.name.hasSuffix("-\(kind.rawValue)") }.map { chart in
                chart.script.split(separator: "\n").filter { $0.hasPrefix("set xrange") || $0.hasPrefix("set yrange") }
            }
            #expect(ranges.count == 2 && ranges[0] == ranges[1], "\(kind)")
        }
    }

    @Test("the memory chart has the limits of its caches, and the events of the system")
    func memoryMarks() throws {
        var run = Samples.ten()
        run.memoryLimit = 1_400
        run.marks = [SessionMark(.memoryWarning, at: 500_000_000), SessionMark(.scrollBegan, at: 600_000_000)]
        let script = try chart(.memory, [run]).script
        #expect(script.contains("set label 'limit of 1.4 kB: lru' left at graph 0.01, first 1400"))
        #expect(script.contains("set arrow from first 0.5, graph 0 to first 0.5, graph 1 nohead"))
        #expect(script.contains("'memory warning'") && !script.contains("first 0.6"))
    }

    @Test("each curve of memory has its name at its end, in its colour, and names stand apart")
    func memoryNames() throws {
        func run(_ name: String, _ bytes: Int64, blank: Double) -> RunResult {
            var run = Samples.ten(Samples.identity(cache: name))
            run.timeline = [0, 1].map { second in
                var row = TimelineSecond(second: second)
                row.memoryBytes = bytes
                return row
            }
            run.blank.blankTime = blank
            return run
        }
        let long = "memory: \(String(repeating: "lru ", count: 20))"
        let script = try chart(
            .memory, [run("high", 900, blank: 2), run("low", 100, blank: 1), run(long, 101, blank: 3)]
        ).script
        let labels = try script.matches(of: /set label '([^']+)' left at screen ([0-9.]+), screen ([0-9.]+)(.*)/)
            .map { (name: String($0.1), height: try #require(Double($0.3)), rest: String($0.4)) }
        let names = labels.filter { $0.rest.hasPrefix(" textcolor") }
        try #require(names.count == 3)
        #expect(names[0].name == "high" && names[1].name.hasSuffix(" [1]") && names[2].name == "low")
        #expect(names[0].height > names[1].height + 0.3 && names[1].height > names[2].height + 0.02)
        #expect(labels.contains { $0.name.hasPrefix("[1] memory: lru lru") })
        // The look of a cache follows its place on the command line.
        #expect(names[0].rest == " textcolor rgb '\(ChartStyle.colour(0))'")
        #expect(names[2].rest == " textcolor rgb '\(ChartStyle.colour(1))'")
        // Where nothing was held, nothing is drawn.
        #expect(!ChartKind.charts([run("none", 0, blank: 1)]).contains { $0.name.hasSuffix("-memory") })
    }

    @Test("a script is edited if its lines do not fit its checksum, or if it has none")
    func edited() throws {
        let script = try chart(.outcomes, [Samples.ten()]).script
        #expect(!EditedScript.isEdited(script))
        #expect(EditedScript.isEdited(script.replacing("share of requests", with: "share")))
        #expect(EditedScript.isEdited(script + "set title 'mine'\n"))
        #expect(EditedScript.isEdited("plot x\n"))
    }

    @Test("a size is two numbers of pixels", arguments: ["1920x1080", "480X7680"])
    func size(text: String) { #expect(PictureSize(text) != nil) }

    @Test(
        "what is no size is refused", arguments: ["1920", "1920x", "x", "100x100", "1920x1080x1", "99999x400", "-1x4"])
    func noSize(text: String) { #expect(PictureSize(text) == nil) }

    @Test("dark paper has light texts, titles included, and no black lines")
    func dark() throws {
        var options = ChartOptions()
        options.isDark = true
        options.title = "For the review"
        for chart in ChartKind.charts([Samples.ten()], options) {
            let lines = chart.script.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("set label 'For the review'") && $0.contains("textcolor rgb") })
            #expect(lines.filter { $0.hasPrefix("set label ") }.allSatisfy { $0.contains("textcolor") })
            #expect(!chart.script.contains("rgb '#000000'"))
            #expect(chart.script.contains("background '#17181C'"))
        }
    }
}
