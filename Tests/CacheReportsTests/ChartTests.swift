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

    @Test("the outcomes of three caches, equal ones in one row")
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
        #expect(!ChartKind.charts([results[0]]).contains { $0.name.hasSuffix("-overview") })
    }

    @Test("how soon images were there: shares of all requests that add up to 1")
    func times() throws {
        let chart = try chart(.times, [Samples.ten()])
        #expect(
            chart.data == """
                row,requests,within_16ms_share,within_100ms_share,within_1s_share,later_share,never_share,cache
                1,10,0.700000,0.100000,0.000000,0.000000,0.200000,lru

                """)
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
        // A trace on which nothing was prefetched has no such chart, whatever other traces have.
        let other = Samples.ten(Samples.identity(trace: "other"))
        #expect(ChartKind.charts([run, other]).map(\.name).filter { $0.hasSuffix("-prefetch") } == ["feed-prefetch"])
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
        let chart = try chart(.blankArea, [run])
        #expect(chart.name == "feed-blank-area")
        #expect(
            chart.data == "series,second,blank_s,cache\n1,1,0.000,lru\n1,3,4.000,lru\n1,7,4.000,lru\n1,10,5.500,lru\n")
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
        #expect(!ChartKind.charts([Samples.ten()]).contains { $0.name.hasSuffix("-sweep") })
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
}
