import Foundation
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("Charts as gnuplot scripts")
struct ChartTests {
    private func chart(_ kind: ChartKind, _ results: [RunResult]) throws -> Chart {
        try #require(ChartKind.charts(results, formats: [.svg]).first { $0.name.hasSuffix("-\(kind.rawValue)") })
    }

    @Test("Every chart has a test here", arguments: ChartKind.allCases)
    func tested(kind: ChartKind) throws {
        let tests = try String(contentsOfFile: #filePath, encoding: .utf8)
        #expect(tests.contains("chart(.\(kind), "), "add a test that compares the data of the chart \(kind)")
    }

    @Test("the outcomes of two caches, script and data in full")
    func outcomes() throws {
        var second = Samples.ten(Samples.identity(cache: "it's"))
        let place = try #require(second.latencies.firstIndex { $0.group == .memoryHit })
        second.latencies[place].count -= 1
        second.counts.shown -= 1
        let results = [second, Samples.ten()]
        let chart = try chart(.outcomes, results)
        #expect(
            chart.data == """
                row,requests,memory_share,disk_share,coalesced_share,origin_share,late_share,never_share,\
                wrong_share,cache
                1,10,0.500000,0.200000,0.000000,0.100000,0.100000,0.100000,0.000000,lru
                2,10,0.400000,0.200000,0.000000,0.100000,0.100000,0.200000,0.000000,it's

                """)
        #expect(
            chart.script.hasPrefix(
                """
                # What became of the requests · feed
                # Draws this chart again: gnuplot feed-outcomes.gp
                set encoding utf8
                set datafile separator comma
                set title 'What became of the requests · feed' font ',17'
                set border 3 linecolor rgb '#555555'
                set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
                set tics nomirror
                set lmargin at screen 0.051
                set tmargin at screen 0.8028169014
                set bmargin at screen 0.2957746479
                set yrange [2.6:0.4]
                unset ytics
                set key at screen 0.5, screen 0.08450704225 center center vertical maxrows 1 Left reverse samplen 2
                set label 'lru' right at graph 0, first 1 offset character -1, character 0
                set label 'it'."'".'s' right at graph 0, first 2 offset character -1, character 0
                unset logscale x
                set xrange [0:1]
                set xtics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)

                """))
        #expect(
            chart.script.contains(
                """
                plot 'feed-outcomes.csv' skip 1 using (0):1:(0):($3):($1-0.36):($1+0.36) with boxxyerror linecolor rgb \
                '#0072B2' title 'memory', \\\n
                """
            ))
        #expect(chart.script.hasSuffix("notitle\nset output\n"))
    }

    @Test("caches with equal outcomes share a row, the best row is first, and the legend has only parts that occur")
    func mergedOutcomes() throws {
        var best = Samples.ten(Samples.identity(cache: "best"))
        best.counts.shown = 9
        let equal = ["a", "b"].map { Samples.ten(Samples.identity(cache: $0)) }
        let chart = try chart(.outcomes, equal + [best])
        let rows = chart.data.split(separator: "\n").dropFirst()
        #expect(rows.map { "\($0.prefix(2))" } == ["1,", "2,"])
        #expect(rows.first?.hasSuffix(",best") == true)
        #expect(rows.last?.hasSuffix(",\"a, b\"") == true)
        #expect(chart.script.contains("'2 caches: a, b' right at graph 0, first 2"))
        #expect(!chart.script.contains("title 'coalesced'"))
        #expect(!chart.script.contains("title 'wrong'"))
    }

    @Test("a sweep has a line of blank time and one of shown images for each cache, in order of the values")
    func sweep() throws {
        let runs = [("64MB", 0.25), ("16MB", 0.5), ("unlimited", 0.0)].map { value, blank in
            var run = Samples.ten(Samples.identity(cache: "lru memory=\(value)"))
            run.identity.base = "lru"
            run.identity.swept = [SweptValue(parameter: "memory", value: value)]
            run.blank.blankTime = blank * 1e9
            return run
        }
        let chart = try chart(.sweep, runs)
        #expect(
            chart.data == """
                series,swept_value,blank_ratio,shown_ratio,cache
                1,16000000,0.500000,0.800000,lru
                1,64000000,0.250000,0.800000,lru

                """)
        #expect(chart.script.contains("set xlabel 'memory; values that are no number are not drawn'"))
        #expect(!ChartKind.charts([Samples.ten()]).contains { $0.name.hasSuffix("-sweep") })
    }

    @Test("the memory chart shows limits near the curves and each kind of event of the system by name")
    func limitsAndEvents() throws {
        var run = Samples.ten()
        run.timeline = [0, 100].map { second in
            var row = TimelineSecond(second: second)
            row.memoryBytes = 60_000_000
            return row
        }
        run.memoryLimit = 64_000_000
        run.marks = [SessionMark(.memoryWarning, at: 5_000_000_000), SessionMark(.scrollBegan, at: 6_000_000_000)]
        run.marks.append(SessionMark(.memoryWarning, at: 90_000_000_000))
        let script = try chart(.memory, [run]).script
        #expect(script.contains("set label 'limit 64 MB' right at graph 0.975, first 64000000"))
        #expect(script.components(separatedBy: "'memory warning'").count == 2)
        #expect(script.contains("from first 5, graph 0") && script.contains("from first 90, graph 0"))
        #expect(!script.contains("from first 6, graph 0"))
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

    @Test("percentiles and the tradeoff are medians of the repeats")
    func medians() throws {
        let runs = (1...3).map { repetition in
            var run = Samples.ten(Samples.identity(repetition: repetition))
            run.latencies[0].p50 = Int64(repetition) * 1_000
            run.tiers.memoryPeakBytes = Int64(repetition) * 100
            return run
        }
        #expect(try chart(.percentiles, runs).data.hasSuffix("\n1,2.000,2.500,1000.000,1000.001,lru\n"))
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
        #expect(charts.count == 4 * ChartKind.ofEveryReplay.count)
        #expect(Set(charts.map { $0.name.lowercased() }).count == charts.count)
        #expect(charts.allSatisfy { !$0.name.contains("/") && Chart.isFile("\($0.name).gp", of: ChartKind.allCases) })
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

    @Test("a legend longer than the plot is high keeps every name, each on a line of its own within the picture")
    func longLegend() throws {
        let names = (0..<24).map { "memory: \(String(repeating: "lru ", count: 25))\($0)" }
        let script = try chart(.memory, names.map { Samples.ten(Samples.identity(cache: $0)) }).script
        let lines = script.split(separator: "\n")
        let places = try names.map { name in
            let label = try #require(lines.first { $0.hasPrefix("set label '\(name)'") })
            let height = try #require(label.split(separator: " ").last)
            return try #require(Double(height))
        }
        #expect(Set(places).count == 24)
        #expect(places.allSatisfy { (0.0...0.9).contains($0) })
        #expect(lines.count { $0.hasPrefix("set arrow") } == 24)
        #expect(script.contains("unset key"))
    }

    @Test("each label of the trade-off chart is nearest to a point of its own, also with ties and crowds")
    func nearestLabels() throws {
        // Thirty caches: seven at the same place, a crowd around 50 MB, and others spread out.
        let spots = (0..<30).map { index -> TradeoffChart.Spot in
            let place =
                switch index {
                case 0..<7: PlotFrame.Place(x: 300, y: 200)
                case 7..<20:
                    PlotFrame.Place(x: 600 + Double(index % 5) * 17, y: 400 + Double(index * 7 % 13) * 6)
                default: PlotFrame.Place(x: 120 + Double(index - 20) * 110, y: 90 + Double(index * 37 % 480))
                }
            return TradeoffChart.Spot(name: "split-md5-as-written \(index)", memory: 1, blank: 0, place: place)
        }
        let layout = TradeoffChart.layout(spots)
        #expect(layout.texts.contains { $0.hasPrefix("7 caches [") })
        let names = layout.groups.flatMap { $0.spots.map(\.name) }
        #expect(names.count == 30 && Set(names).count == 30)
        for (index, box) in layout.boxes.enumerated() {
            let own = try #require(layout.groups[index].spots.map { box.distance(to: $0.place) }.min())
            for (other, group) in layout.groups.enumerated() where other != index {
                for spot in group.spots { #expect(box.distance(to: spot.place) > own, "\(layout.texts[index])") }
                #expect(box.overlap(layout.boxes[other]) < 1)
            }
        }
        #expect(layout.groups.count > 12, "too many points share a label")
    }

    @Test("points that are apart keep their names, wherever they are")
    func separateLabels() {
        let places = [(281.0, 463.1), (385.3, 480.7), (622.2, 462.3), (825.1, 499.9), (918.7, 527.3)]
        let names = ["glide", "coil-3", "alamofireimage-4", "kingfisher-8", "hyperoslo-7"]
        let layout = TradeoffChart.layout(
            zip(names, places).map { name, place in
                let place = PlotFrame.Place(x: place.0, y: place.1)
                return TradeoffChart.Spot(name: name, memory: 1, blank: 0, place: place)
            })
        #expect(layout.texts == names)
        #expect(layout.explanations.isEmpty)
    }

    @Test("labels of crowded points cover neither points nor each other")
    func placement() {
        let frame = PlotFrame(left: 100, right: 60, top: 70, bottom: 90, width: 1200, height: 680)
        let points = (0..<8).map { PlotFrame.Place(x: 400 + Double($0 % 4) * 14, y: 300 + Double($0 / 4) * 16) }
        let boxes = LabelPlacement(frame: frame, points: points).place(points.indices.map { "cache number \($0)" })
        for first in boxes.indices {
            for second in boxes.indices where second > first { #expect(boxes[first].overlap(boxes[second]) == 0) }
            for point in points {
                #expect(boxes[first].overlap(LabelBox(left: point.x - 5, top: point.y - 5, width: 10, height: 10)) == 0)
            }
        }
    }
}
