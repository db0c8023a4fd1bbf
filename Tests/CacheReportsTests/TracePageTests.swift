import Basics
import CacheTraces
import Foundation
import ReplayEngine
import SessionModel
import Testing
import TraceAnalysis

@testable import CacheReports
@testable import Runs

@Suite("What a trace is like, for people and programs")
struct TracePageTests {
    /// Two thumbnails, one full image; a b a in three seconds, two fetches, and a list that moves by 200 points, or 4.7
    /// screens of 844 points a minute.
    static let trace = Trace(
        header: TraceHeader(title: "<Feed>", synthetic: true),
        objects: [
            TraceObject(key: "a", bytes: 1_000), TraceObject(key: "b", bytes: 4_000),
            TraceObject(key: "c", bytes: 90_000),
        ],
        events: [
            TraceEvent(time: 0, .scroll(.dragged, offset: 0, velocity: 0)),
            TraceEvent(time: 0, .appear(0, .thumbnail)),
            TraceEvent(time: 0, .fetch(0, Fetch(bytes: 1_000, timeToFirstByte: 400_000, transferTime: 100_000))),
            TraceEvent(time: 250_000, .fetch(2, Fetch(bytes: 90_000, timeToFirstByte: 500_000, transferTime: 0))),
            TraceEvent(time: 1_000_000, .appear(1, .thumbnail)),
            TraceEvent(time: 1_000_000, .scroll(.decelerating, offset: 100, velocity: 200)),
            TraceEvent(time: 2_000_000, .scroll(.atRest, offset: 200, velocity: 0)),
            TraceEvent(time: 2_000_000, .appear(2, .full)),
            TraceEvent(time: 3_000_000, .appear(0, .thumbnail)),
        ])

    private func inspection(_ trace: Trace = trace) throws -> TraceInspection {
        var encoder = JSONLinesEncoder()
        encoder.append(trace)
        return try TraceInspection(TraceInput(bytes: encoder.bytes, path: "feed.jsonl"))
    }

    @Test("The text is a finding, and one screen of labels and values")
    func text() throws {
        // One of four requests is for an object that was requested before, with two others in between.
        #expect(
            try inspection().text() == """
                At most 25.0% of the requests can be hits without prefetching: the others are the first ones for their \
                object. LRU with 3 objects answers at least half of those that can.

                format            jsonl
                title             <Feed> (synthetic)
                duration          3.0 s
                requests          4, 96.0 kB
                variants          3 thumbnail, 1 full
                objects           3, 95.0 kB
                fetches           2, 91.0 kB, 0 of images, 2 of unknown type
                events            4 appear, 3 scroll, 2 fetch
                popularity        Zipf exponent 0.711 ± 1.095, KS distance 0.029; the top 10% of objects get 50.0% of \
                requests
                requested once    2 objects, 66.7% of all
                reuse distance    p50 2, p90 2, max 2 objects; 75.0% of requests are first uses
                between requests  p50 1 s, p90 1 s, p99 1 s, mean 1 s
                between uses      p50 3 s, p90 3 s, p99 3 s, mean 3 s, of the same object
                working set       within 200 ms: mean 0.2 objects, 6.3 kB; peak 1 object, 90 kB
                thumbnail sizes   p10 1 kB, p50 1 kB, p90 4 kB, p99 4 kB, max 4 kB (2 objects)
                full sizes        p10 90 kB, p50 90 kB, p90 90 kB, p99 90 kB, max 90 kB (1 object)
                in flight         peak 2 fetches, mean 0.33, while busy 1.33
                scroll phases     dragged 1 s, decelerating 1 s, at rest 1 s; 1 flick
                scroll speed      dragged p50 100, p99 100; decelerating p50 100, p99 100 points/s
                pace              4.7 screens/min, moving 66.7%, 0.0% of scrolls back, 0.0% of the way over known ground
                pace of people    13 to 33 screens/min, moving 14% to 49%, 17% to 30% back, 35% to 50% over known \
                ground (modelled)
                                  the list moves 0.24 times as fast as with people
                """)
    }

    @Test("On a narrow terminal, values continue below their beginning")
    func narrow() throws {
        let text = try inspection().text(width: 80)
        #expect(text.split(separator: "\n").allSatisfy { TextGrid.width(String($0)) <= 80 })
        #expect(
            text.contains(
                """
                popularity        Zipf exponent 0.711 ± 1.095, KS distance 0.029; the top 10% of
                                  objects get 50.0% of requests

                """))
    }

    @Test("The JSON keeps the keys of before, adds the figures, and any JSON reader takes it")
    func json() throws {
        let object = try #require(JSONSerialization.jsonObject(with: Data(inspection().json().utf8)) as? [String: Any])
        for key in ["requests", "objects", "bytes", "unique_bytes", "duration_s", "format", "images"] {
            #expect(object[key] != nil, "\(key)")
        }
        func part(_ name: String) throws -> [String: Any] { try #require(object[name] as? [String: Any]) }
        #expect(try part("popularity")["one_hit_wonders"] as? Int == 2)
        #expect(try part("reuse_distance")["max"] as? Int == 2)
        #expect(try part("between_uses_us")["p50"] as? Int == 3_000_000)
        #expect((try part("working_set")["windows"] as? [Any])?.isEmpty == false)
        #expect((try part("sizes")["full"] as? [String: Any])?["max"] as? Int == 90_000)
        #expect(try part("fetches_in_flight")["peak"] as? Int == 2)
        #expect(try part("scroll")["flicks"] as? Int == 1)
        #expect((object["not_recorded"] as? [String])?.isEmpty == true)
    }

    @Test("The consistency check is a row for each network model, and a member of the JSON")
    func consistency() throws {
        let report = try ConsistencyReport(Self.trace)
        let text = try inspection().text(report)
        #expect(text.hasPrefix(try inspection().text()))
        #expect(
            text.hasSuffix(
                """
                \nconsistency       recorded: agrees, median 500 ms → 500 ms (+0.0%), p90 500 ms → 500 ms (+0.0%) \
                (2 fetches)
                """))
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(inspection().json(report).utf8)) as? [String: Any])
        let member = try #require(json["consistency"] as? [String: Any])
        let check = try #require((member["checks"] as? [[String: Any]])?.first)
        #expect(check["network"] as? String == "recorded")
        #expect(check["fetches"] as? Int == 2)
        #expect(check["recorded_p90_ms"] as? Double == 500)
        #expect(check["replayed_p90_ms"] as? Double == 500)
        #expect(check["agrees"] as? Bool == true)
        #expect(member["first_fetches_only"] as? Bool == false)
        let plain = try #require(JSONSerialization.jsonObject(with: Data(inspection().json().utf8)) as? [String: Any])
        #expect(plain["consistency"] is NSNull)
    }

    @Test("A check of the first fetches says so; without recorded times there is none")
    func partialConsistency() throws {
        let report = try ConsistencyReport(Self.trace, first: 1)
        #expect(report.isPartial)
        #expect(report.checks.map(\.fetches) == [1])
        #expect(try inspection().text(report).contains("(the first 1 fetches)"))
        let whole = try ConsistencyReport(Self.trace, first: 2)
        #expect(!whole.isPartial && whole.checks.map(\.fetches) == [2])
        let untimed = try ConsistencyReport(
            Trace(
                objects: [TraceObject(key: "a")],
                events: [
                    TraceEvent(time: 0, .fetch(0, Fetch(bytes: 5)))
                ]))
        #expect(untimed.checks.isEmpty && untimed.passes)
        #expect(untimed.notes == ["records no fetch with times, so there is nothing to compare."])
    }

    @Test("What is not recorded is named, and makes neither figures nor charts")
    func missing() throws {
        let csv = "key\n" + (0..<50).map { "k\($0 % 7)\n" }.joined()
        let inspection = try TraceInspection(
            TraceInput(bytes: Array(csv.utf8), path: "keys.txt"), format: TraceFormat.named("text"))
        #expect(inspection.text().contains("not recorded    sizes, times, fetch times, scrolling"))
        #expect(inspection.text().contains("sizes unknown"))
        #expect(!inspection.text().contains("between"))
        let kinds = TraceCharts(inspection.analysis, trace: "keys").charts.map(\.kind)
        #expect(kinds == [.popularity, .workingSet, .reuseDistance])
        #expect(TraceCharts(try self.inspection(Trace()).analysis, trace: "empty").charts.isEmpty)
    }

    @Test("The hit ratio of LRU, data in full")
    func reuseDistance() throws {
        let charts = TraceCharts(try inspection().analysis, trace: "feed").drawn(ChartOptions(formats: [.svg]))
        let chart = try #require(charts.first { $0.name.hasSuffix("-reuse-distance") })
        #expect(chart.name == "feed-reuse-distance")
        #expect(
            chart.data == """
                series,capacity_objects,share,name
                1,1,0,LRU
                1,2,0,LRU
                1,3,0.25,LRU
                1,5,0.25,LRU
                2,1,0.25,all but first uses: 25.0%
                2,5,0.25,all but first uses: 25.0%

                """)
        #expect(chart.script.contains("set output 'feed-reuse-distance.svg'"))
        #expect(chart.script.contains("set xtics ('1' 1, '2' 2, '5' 5"))
    }

    @Test("Stretches of another phase break a line")
    func path() throws {
        let charts = TraceCharts(try inspection().analysis, trace: "feed").drawn(ChartOptions(formats: [.svg]))
        let chart = try #require(charts.first { $0.name.hasSuffix("-scroll-path") })
        #expect(
            chart.data == """
                series,time_seconds,offset_points,name
                1,0,0,"dragged, 1 s"
                1,1,100,"dragged, 1 s"
                1,nan,nan,"dragged, 1 s"
                2,1,100,"decelerating, 1 s"
                2,2,200,"decelerating, 1 s"
                2,nan,nan,"decelerating, 1 s"
                3,2,200,"at rest, 1 s"
                3,3,200,"at rest, 1 s"

                """)
    }

    @Test("The page holds every chart and asks for nothing from outside")
    func page() throws {
        let svg = Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
        let inspection = try inspection()
        let charts = TraceCharts(inspection.analysis, trace: "feed")
        #expect(charts.charts.map(\.kind) == TraceChart.allCases)
        let drawn = charts.drawn(ChartOptions(formats: [.svg]))
        let pictures = Document.Block.pictures(drawn.map { (chart: $0, svg: svg) })
        let html = inspection.document(named: "feed", nil, pictures: pictures).html()
        #expect(html.contains("<h1>&lt;Feed&gt;</h1>"))
        #expect(html.contains("<p>Synthetic: a model made this session"))
        #expect(html.components(separatedBy: svg.base64EncodedString()).count == 1 + charts.charts.count)
        for reference in ["href=\"http", "src=\"http", "<script", "url("] {
            #expect(!html.contains(reference), "\(reference)")
        }
    }

    @Test("Pictures, data, scripts, JSON and page are written", .enabled(if: (try? Gnuplot()) != nil))
    func drawing() throws {
        try withTemporaryFolder { root in
            let written = try inspection().writePage(named: "it's `a` feed", to: root).pictures
            #expect(written.count == 2 * TraceChart.allCases.count)
            for path in written + ["trace.html", "trace.json"].map({ "\(root)/\($0)" }) {
                #expect(try !Data(contentsOf: URL(fileURLWithPath: path)).isEmpty, "\(path)")
            }
            let files = try names(in: "\(root)/charts")
            for ending in ["gp", "csv", "svg", "png"] {
                #expect(files.count { $0.hasSuffix(".\(ending)") } == TraceChart.allCases.count)
            }
        }
    }

    @Test("Without gnuplot scripts, data and JSON are kept, and the message says how to install it")
    func noGnuplot() throws {
        try withTemporaryFolder { root in
            let error = #expect(throws: ResultsError.self) {
                try inspection().writePage(named: "feed", to: root, formats: [.svg]) {
                    try Gnuplot(searching: "\(root)/missing")
                }
            }
            #expect(error?.kind == .missingTool)
            let (files, charts) = (try names(in: root), try names(in: "\(root)/charts"))
            #expect(files == ["charts", "charts.json", "trace.json"])
            #expect(charts.count == 2 * TraceChart.allCases.count)
        }
    }

    @Test("Figures of time and error are written for people")
    func figures() {
        #expect(HumanText.duration(5e5) == "500 ms")
        #expect(HumanText.duration(1.2e8) == "2 min")
        #expect(HumanText.duration(9e7) == "90 s")
        #expect(HumanText.duration(8.64e10 * 3) == "3 d")
    }
}
