import CachePolicies
import Foundation
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Results and charts of simulations")
struct SimulationChartTests {
    static func row(
        _ policy: String, _ capacity: Int?, misses: Int, missBytes: Int = 500, trace: String = "feed",
        unit: CapacityUnit = .bytes, rate: Double? = nil
    ) -> MissRatioRow {
        var row = MissRatioRow(
            .init(trace: trace, policy: policy, capacity: capacity.map { Capacity($0, unit) }), requests: 100,
            misses: misses, requestBytes: 1_000, missBytes: missBytes, requestsPerSecond: 1e6)
        row.sampleRate = rate
        return row
    }

    private static let rows = [
        row("lru", 1_000, misses: 80), row("lru", 10_000, misses: 40), row("belady", 1_000, misses: 60),
        row("belady", 10_000, misses: 30),
        row("s3fifo(small: 0.1)", 1_000, misses: 76), row("s3fifo(small: 0.1)", 10_000, misses: 50),
        row("unbounded", nil, misses: 20),
    ]

    static func describe(
        sha256: String = "aa", settings: [String: String] = ["ignore_size": "false"], name: String = "feed",
        inputs: RunInputs = Samples.inputs
    ) -> Manifest<SimulationFacts> {
        Manifest<SimulationFacts>(
            versions: ["cachereplay": "1"], command: ["cachereplay"],
            traces: [.init(name: name, path: "feed.jsonl", sha256: sha256)], inputs: inputs,
            start: Date(timeIntervalSince1970: 0),
            SimulationFacts(policies: [], capacities: [], settings: settings, jobs: 1))
    }

    @Test("the miss ratio of three policies, data in full")
    func missRatio() throws {
        let charts = SimulationChart.charts(Self.rows, [], options: ChartOptions(formats: [.svg]))
        #expect(charts.map(\.name) == ["feed-miss-ratio", "feed-byte-miss-ratio", "feed-improvement"])
        let chart = try #require(charts.first)
        #expect(
            chart.data == """
                series,capacity_bytes,miss_ratio,policy
                1,1000,0.8,lru
                1,10000,0.4,lru
                2,1000,0.6,belady
                2,10000,0.3,belady
                3,1000,0.76,s3fifo(small: 0.1)
                3,10000,0.5,s3fifo(small: 0.1)

                """)
    }

    private static let bounds = [
        LeastMissesRow(
            .init(trace: "feed", capacity: Capacity(10_000, .bytes)), requests: 100, misses: 25...25,
            requestBytes: 1_000, missBytes: 290...300),
        LeastMissesRow(
            .init(trace: "feed", capacity: Capacity(1_000, .bytes)), requests: 100, misses: 55...58,
            requestBytes: 1_000, missBytes: 400...400),
    ]

    @Test("means of samples have bars, and the subtitle and the caption say what they are")
    func intervals() throws {
        let rows = [1_000, 10_000].map { capacity in
            MissRatioRow(meanOf: [60, 70].map { Self.row("lru", capacity, misses: $0, rate: 0.1) })
        }
        let plain = [Self.row("fifo", 1_000, misses: 80, rate: 0.1)]
        let charts = SimulationChart.charts(rows + plain, [], options: ChartOptions(formats: [.svg]))
        let chart = try #require(charts.first)
        let head = "series,capacity_bytes,miss_ratio,miss_ratio_low,miss_ratio_high,policy\n"
        #expect(chart.data.hasPrefix(head + "1,1000,0.65,"))
        #expect(chart.data.contains("2,1000,0.8,,,fifo\n"))
        #expect(chart.caption.hasSuffix("The bars show 95% intervals of the means of 2 samples."))
        #expect(charts.allSatisfy { $0.name != "feed-improvement" || !$0.script.contains("yerrorbars") })
    }

    @Test("the area beyond the fewest misses is shaded as impossible, and that below belady is not")
    func floor() throws {
        let charts = SimulationChart.charts(Self.rows, [], Self.bounds, options: ChartOptions(formats: [.svg]))
        #expect(charts.map { $0.script.contains("filledcurves") } == [true, true, true])
        let (misses, bytes) = (charts[0], charts[1])
        #expect(misses.data.hasSuffix("\n4,1000,0.55,no policy is below\n4,10000,0.25,no policy is below\n"))
        #expect(bytes.data.hasSuffix("\n4,1000,0.4,no policy is below\n4,10000,0.29,no policy is below\n"))
        // Of lru's 80 and 40 misses, 25 and 15 can be avoided at most: the area above is shaded.
        let avoided = charts[2]
        #expect(avoided.data.hasSuffix("\n3,1000,0.3125,no policy is above\n3,10000,0.375,no policy is above\n"))
        // Also for objects of one size, belady stores what others refuse.
        let unit = Self.rows.map { row in
            var row = row
            (row.requestBytes, row.missBytes) = (row.requests, row.misses)
            return row
        }
        let ofUnits = SimulationChart.charts(unit, [], options: ChartOptions(formats: [.svg]))
        #expect(ofUnits.allSatisfy { !$0.script.contains("filledcurves") })
        // Without a policy, the fewest misses are a chart.
        let alone = SimulationChart.charts([], [], Self.bounds, options: ChartOptions(formats: [.svg]))
        #expect(alone.map(\.name) == ["feed-miss-ratio", "feed-byte-miss-ratio"])
    }

    /// Returns the parts of a row, each of 10 requests and a minute.
    private static func parts(_ policy: String, _ capacity: Int, misses: [Int]) -> [MissRatioPart] {
        misses.enumerated().map { index, count in
            var part = MissRatioPart(
                .init(trace: "feed", policy: policy, capacity: Capacity(capacity, .bytes)), firstRequest: index * 10,
                time: Int64(index) * 60_000_000, requests: 10, requestBytes: 100)
            part.misses = count
            return part
        }
    }

    @Test("the miss ratio over time has a line for each policy at the capacity in the middle")
    func overTime() throws {
        let options = ChartOptions(formats: [.svg])
        let parts =
            Self.parts("lru", 1_000, misses: [10, 8, 6]) + Self.parts("lru", 10_000, misses: [9, 4, 2])
            + Self.parts("belady", 1_000, misses: [9, 5, 4])
        let charts = SimulationChart.charts(Self.rows, [], parts: parts, options: options)
        #expect(charts.map(\.name).last == "feed-miss-ratio-over-time")
        let chart = try #require(charts.last)
        // Two minutes are shown in seconds. Of two capacities, the smaller one is in the middle.
        #expect(
            chart.data == """
                series,seconds,miss_ratio,name
                1,0,1,lru
                1,60,0.8,lru
                1,120,0.6,lru
                2,0,0.9,belady
                2,60,0.5,belady
                2,120,0.4,belady

                """)
        // A line needs two points.
        let single = Self.parts("lru", 1_000, misses: [10])
        #expect(SimulationChart.charts(Self.rows, [], parts: single, options: options).count == charts.count - 1)
    }

    @Test("the fewest misses are read as they were written, and the table and the page say what is proven")
    func leastMisses() throws {
        let file = "least_misses.csv"
        #expect(try LeastMissesFile.rows(LeastMissesFile.csv(Self.bounds), file: file) == Self.bounds)
        #expect(
            LeastMissesFile.grid(Self.bounds).plain()
                == """
                trace  capacity  least miss ratio  known  least byte miss ratio  known  proven optimum
                -----  --------  ----------------  -----  ---------------------  -----  --------------
                feed      10 kB             25.0%  25.0%                  29.0%  30.0%  misses
                feed       1 kB             55.0%  58.0%                  40.0%  40.0%  bytes

                """)
        // 2.4999 % and 2.5001 %: a bound is rounded down.
        var close = Self.bounds[0]
        (close.requests, close.misses) = (10_000_000, 249_990...250_010)
        #expect(LeastMissesFile.grid([close]).plain().contains("2.4%   2.5%"))
        let page = Document(Self.rows, Self.bounds, nil, pictures: []).html()
        #expect(page.contains("The fewest misses of any policy") && page.contains("least byte miss ratio"))
        #expect(!Document(Self.rows, [], nil, pictures: []).html().contains("The fewest misses"))
        let damaged = LeastMissesFile.csv(Self.bounds).replacing(",25,25,", with: ",26,25,")
        let error = #expect(throws: ResultsError.self) { try LeastMissesFile.rows(damaged, file: file) }
        #expect(error?.description.hasPrefix("least_misses.csv:2: least_misses is 26, more than") == true)
    }

    @Test("the improvement is over lru, a policy looks the same in all charts, and worse is below 0")
    func improvement() throws {
        let chart = try #require(SimulationChart.charts(Self.rows, [], options: ChartOptions(formats: [.svg])).last)
        #expect(
            chart.data == """
                series,capacity_bytes,avoided_share,policy
                1,1000,0.25,belady
                1,10000,0.25,belady
                2,1000,0.05,s3fifo(small: 0.1)
                2,10000,-0.25,s3fifo(small: 0.1)

                """)
    }

    @Test("objects without sizes need no byte chart, two units are two charts, and the title names a sample")
    func variants() {
        let unit = [Self.row("lru", 10, misses: 50, unit: .objects, rate: 0.01)].map { row in
            var row = row
            (row.requestBytes, row.missBytes) = (nil, nil)
            return row
        }
        let charts = SimulationChart.charts(unit, [], options: ChartOptions(formats: [.svg]))
        #expect(charts.map(\.name) == ["feed-miss-ratio"])
        #expect(charts.first?.title == "Miss ratio by capacity · feed · estimated from 1.0% of the objects")
        let both = SimulationChart.charts(Self.rows + unit, [], options: ChartOptions(formats: [.svg])).map(\.name)
        #expect(
            both == [
                "feed-bytes-miss-ratio", "feed-bytes-byte-miss-ratio", "feed-bytes-improvement",
                "feed-objects-miss-ratio",
            ])
        let unbounded = [Self.row("unbounded", nil, misses: 1)]
        #expect(SimulationChart.charts(unbounded, [], options: ChartOptions(formats: [.svg])).isEmpty)
        #expect(both.allSatisfy { Chart.isFile($0 + ".svg", of: SimulationChart.allCases.map(\.rawValue)) })
    }

    @Test("names at the lines' ends stand apart, in order, inside, and no further than they must")
    func apart() {
        #expect(LabelHeights.apart([10, 100], gap: 20, from: 0, to: 200) == [10, 100])
        #expect(LabelHeights.apart([50, 50, 50], gap: 20, from: 0, to: 200) == [30, 50, 70])
        #expect(LabelHeights.apart([199, 200], gap: 20, from: 0, to: 200) == [180, 200])
        let many = LabelHeights.apart([5, 6, 7, 90, 100, 101, 180, 181, 182], gap: 20, from: 0, to: 200)
        #expect(zip(many, many.dropFirst()).allSatisfy { $1 - $0 >= 19.999 })
        #expect(many.allSatisfy { $0 >= 0 && $0 <= 200 })
    }

    @Test("rows are read as they were written, in CSV with and without a sample")
    func roundTrip() throws {
        for rows in [
            Self.rows,
            Self.rows.map { row in
                var row = row; row.sampleRate = 0.01; return row
            },
            Self.rows.map { row in
                var row = row
                row.warmupRequests = 12
                return row
            },
        ] {
            #expect(try MissRatioFile.rows(MissRatioFile.csv(rows), file: "miss_ratio.csv") == rows)
        }
        let points = [
            CurvePoint(
                trace: "a,b", capacity: Capacity(7, .objects), missRatio: 0.5, byteMissRatio: 0.25, sampleRate: 0.01,
                isExact: false)
        ]
        #expect(try CurveFile.rows(CurveFile.csv(points), file: "curve.csv") == points)
        var part = MissRatioPart(
            .init(trace: "a", policy: "lru", capacity: nil), firstRequest: 7, time: 9_000_000, requests: 4,
            requestBytes: 100)
        part.misses = 3
        part.missBytes = 25
        let text = MissRatioOverTimeFile.csv([part])
        #expect(text.hasSuffix("\na,lru,,,7,9000000,4,3,100,25,0.750000,0.250000\n"), "\(text)")
        #expect(try MissRatioOverTimeFile.rows(text, file: "miss_ratio_over_time.csv") == [part])
        try checkIntervals()
        let error = #expect(throws: ResultsError.self) {
            try MissRatioFile.rows(
                MissRatioFile.csv(Self.rows).replacingOccurrences(of: ",80,", with: ",x,"), file: "m.csv")
        }
        #expect(error?.description.hasPrefix("m.csv:2: misses is 'x', expected a whole number") == true)
        #expect(
            MissRatioFile.csv([])
                == """
                trace,policy,capacity,unit,requests,misses,request_bytes,miss_bytes,\
                miss_ratio,byte_miss_ratio,requests_per_s\n
                """
        )
    }

    /// The mean of 0.1, 0.2 and 0.3 is 0.2. Their standard error is 0.1 by the root of 3, and the interval reaches
    /// 4.3027 times as far: 0.24841.
    private func checkIntervals() throws {
        let rows = (1...3).map { misses in
            var row = MissRatioRow(
                .init(trace: "a", policy: "lru", capacity: Capacity(7, .objects)), requests: 10, misses: misses,
                requestBytes: 100, missBytes: 50, requestsPerSecond: Double(misses))
            row.sampleRate = 0.5
            return row
        }
        let mean = MissRatioRow(meanOf: rows)
        #expect(mean.misses == 2 && mean.missBytes == 50 && mean.requestsPerSecond == 2 && mean.sampleRate == 0.5)
        #expect(mean.interval?.samples == 3)
        #expect(mean.interval?.missRatio?.lowerBound == 0)
        #expect(abs((mean.interval?.missRatio?.upperBound ?? 0) - 0.44841) < 1e-5)
        #expect(mean.interval?.byteMissRatio == nil)
        let text = MissRatioFile.csv([mean])
        #expect(text.contains(",sample_rate,samples,miss_ratio_low,miss_ratio_high,byte_miss_ratio_low,"))
        #expect(text.hasSuffix(",0.500000,3,0.000000,0.448414,,\n"), "\(text)")
        let read = try #require(MissRatioFile.rows(text, file: "miss_ratio.csv").first)
        #expect(read.interval?.missRatio == 0...0.448414 && read.interval?.byteMissRatio == nil)
        let points = [0.25, 0.75].map {
            CurvePoint(
                trace: "a", capacity: Capacity(7, .objects), missRatio: $0, byteMissRatio: $0, sampleRate: 0.5,
                isExact: false)
        }
        let point = CurvePoint(meanOf: points)
        // The interval is wider than all ratios: 12.7 times 0.25.
        #expect(point.missRatio == 0.5 && point.interval?.missRatio == 0...1)
        #expect(try CurveFile.rows(CurveFile.csv([point]), file: "curve.csv") == [point])
    }

    @Test(
        """
        a folder orders rows by the plan, not by completion, and resumes only with the same traces and settings
        """
    )
    func folder() throws {
        try withTemporaryFolder { path in
            let folder = try SimulationStore.begin(at: path, Self.describe(), resume: false)
            folder.plan(Self.rows.map(\.identity))
            for row in Self.rows.reversed().dropLast() { try folder.add(row) }
            let text = try String(contentsOfFile: "\(path)/miss_ratio.csv", encoding: .utf8)
            #expect(text == MissRatioFile.csv(Self.rows.dropFirst().reversed()))
            try folder.orderRows()
            #expect(
                try CacheReportsTests.text(of: "\(path)/miss_ratio.csv")
                    == MissRatioFile.csv(Array(Self.rows.dropFirst())))

            let again = try SimulationStore.begin(at: path, Self.describe(), resume: true)
            #expect(!again.finished(Self.rows[0].identity) && again.finished(Self.rows[3].identity))
            again.plan(Self.rows.map(\.identity))
            try again.add(Self.rows[0])
            #expect(again.rows == Self.rows)
            for (other, reason) in [
                (Self.describe(sha256: "bb"), "another feed"),
                (Self.describe(settings: ["ignore_size": "true"]), "ignore_size false, not true"),
                (Self.describe(name: "grid"), "holds results of feed"),
            ] {
                let error = #expect(throws: ResultsError.self) {
                    try SimulationStore.begin(at: path, other, resume: true)
                }
                #expect(error?.kind == .cannotCreate && error?.message.contains(reason) == true)
            }
            // Without resume, earlier results are removed, and files that no simulation wrote stay.
            #expect(try SimulationStore.begin(at: path, Self.describe(), resume: false).rows.isEmpty)
            try FileManager.default.removeItem(atPath: "\(path)/run.json")
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(path)/miss_ratio.csv"))
            #expect(throws: ResultsError.self) { try SimulationStore.begin(at: path, Self.describe(), resume: false) }
        }
    }

    @Test("rows of another program or plugin are repeated, and the change is reported")
    func changedInputs() throws {
        try withTemporaryFolder { path in
            let folder = try SimulationStore.begin(at: path, Self.describe(), resume: false)
            for row in Self.rows { try folder.add(row) }
            let now = RunInputs(program: "p1", plugins: ["mine": "m2"], bodies: "b1")
            let again = try SimulationStore.begin(at: path, Self.describe(inputs: now), resume: true)
            #expect(again.rows.isEmpty && !FileManager.default.fileExists(atPath: "\(path)/miss_ratio.csv"))
            #expect(again.repeated == [RepeatedResults(change: .plugin(policy: "mine"), count: Self.rows.count)])
        }
    }

    @Test("the bytes written grow linearly with the number of rows")
    func linearCost() throws {
        func bytes(_ rows: Int) throws -> Int {
            try withTemporaryFolder { path in
                let folder = try SimulationStore.begin(at: path, Self.describe(), resume: false)
                for capacity in 1...rows { try folder.add(Self.row("lru", capacity, misses: 50)) }
                try folder.finish(at: Date(timeIntervalSince1970: 0))
                return folder.bytesWritten
            }
        }
        let (few, many) = (try bytes(50), try bytes(500))
        #expect(many < 11 * few, "\(few) bytes for 50 rows, \(many) for 500")
    }

    @Test("a torn last row is dropped, and resuming adds it again on a line of its own")
    func tornRow() throws {
        try withTemporaryFolder { path in
            let folder = try SimulationStore.begin(at: path, Self.describe(), resume: false)
            for row in Self.rows { try folder.add(row) }
            let whole = try text(of: "\(path)/miss_ratio.csv")
            try write(String(whole.dropLast(4)), to: "\(path)/miss_ratio.csv")
            #expect(try SimulationStore.open(path).rows == Self.rows.dropLast())
            let again = try SimulationStore.begin(at: path, Self.describe(), resume: true)
            #expect(again.rows == Self.rows.dropLast())
            try again.add(Self.rows[Self.rows.count - 1])
            #expect(try text(of: "\(path)/miss_ratio.csv") == whole)
        }
    }

    @Test("of two rows of one item the last one counts, and a finished folder then lacks a row")
    func twice() throws {
        try withTemporaryFolder { path in
            let folder = try SimulationStore.begin(at: path, Self.describe(), resume: false)
            for row in Self.rows { try folder.add(row) }
            let lines = try text(of: "\(path)/miss_ratio.csv").split(separator: "\n")
            // The second row is lost, and the first one is there twice.
            let doubled = ([lines[0], lines[1], lines[1]] + lines.dropFirst(3)).joined(separator: "\n") + "\n"
            try write(doubled, to: "\(path)/miss_ratio.csv")
            #expect(try SimulationStore.open(path).rows == [Self.rows[0]] + Self.rows.dropFirst(2))
            try write(lines.joined(separator: "\n") + "\n", to: "\(path)/miss_ratio.csv")
            try folder.finish(at: Date(timeIntervalSince1970: 0))
            try write(doubled, to: "\(path)/miss_ratio.csv")
            #expect(throws: ResultsError.self) { try SimulationStore.open(path) }
        }
    }

    @Test("curves are appended, and replaced by later ones of the same trace")
    func curves() throws {
        try withTemporaryFolder { path in
            func curve(_ trace: String, _ ratio: Double) -> [CurvePoint] {
                [
                    CurvePoint(
                        trace: trace, capacity: Capacity(7, .bytes), missRatio: ratio, byteMissRatio: 0.5, isExact: true
                    )
                ]
            }
            let folder = try SimulationStore.begin(at: path, Self.describe(), resume: false)
            for trace in ["a", "b"] { try folder.add(curve(trace, 0.5)) }
            #expect(try text(of: "\(path)/curve.csv") == CurveFile.csv(curve("a", 0.5) + curve("b", 0.5)))
            let again = try SimulationStore.begin(at: path, Self.describe(), resume: true)
            try again.add(curve("a", 0.25))
            #expect(try text(of: "\(path)/curve.csv") == CurveFile.csv(curve("b", 0.5) + curve("a", 0.25)))
        }
    }
}
