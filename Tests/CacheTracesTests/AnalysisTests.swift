import Basics
import Testing

@testable import CacheTraces
@testable import SessionModel
@testable import TraceAnalysis

@Suite("What a trace is like")
struct AnalysisTests {
    /// a b a c b a, one request per second.
    static let story = RequestLog(objects: [0, 1, 0, 2, 1, 0], sizes: [10, 20, 40])

    @Test("Reuse distances count the distinct objects in between")
    func reuse() {
        // a: b in between, then c b. b: a c.
        let reuse = ReuseDistances(Self.story)
        #expect(reuse.firstUses == 3)
        #expect(reuse.reuses == 3)
        #expect(reuse.counts == [0, 1, 2])
        #expect(reuse.quantile(0.3) == 1)
        #expect(reuse.quantile(1) == 2)
        #expect(reuse.mean == 5.0 / 3)
        #expect((0...4).map(reuse.hits) == [0, 0, 1, 3, 3])
    }

    @Test(
        """
        They are those of a list that is searched from its end, over traces that fill and close up the row of marks \
        many times
        """
    )
    func slowTwin() {
        var random = SplitMix64(seed: 1)
        for (objects, requests) in [(1, 50), (3, 5_000), (40, 3_000), (700, 20_000)] {
            var list: [UInt32] = []
            var numbers: [UInt32: UInt32] = [:]
            var expected: [Int: Int] = [:]
            let log = (0..<requests).map { _ in
                let drawn = UInt32(min(random.next() % UInt64(objects), random.next() % UInt64(objects)))
                numbers[drawn] = numbers[drawn] ?? UInt32(numbers.count)
                return numbers[drawn] ?? 0
            }
            for object in log {
                if let place = list.lastIndex(of: object) {
                    expected[list.count - 1 - place, default: 0] += 1
                    list.remove(at: place)
                }
                list.append(object)
            }
            let reuse = ReuseDistances(RequestLog(objects: log, sizes: [Int](repeating: 1, count: numbers.count)))
            #expect(
                reuse.counts.enumerated().filter { $1 > 0 }.reduce(into: [:]) { $0[$1.offset] = $1.element } == expected
            )
            #expect(reuse.firstUses == numbers.count)
        }
    }

    @Test("Popularity counts requests by rank, and what is requested once")
    func popularity() {
        let popularity = Popularity(Self.story)
        #expect(popularity.counts == [3, 2, 1])
        #expect(popularity.oneHitWonders == 1)
        #expect(popularity.requestShare(ofTop: 0.01) == 0.5)
        #expect(popularity.requestShare(ofTop: 1) == 1)
    }

    @Test("Gaps are those between neighbours, and between uses of one object")
    func gaps() {
        let gaps = InterArrivals(Self.story)
        #expect(gaps.byRequest.count == 5)
        #expect(gaps.byRequest.minimum == 1_000_000 && gaps.byRequest.maximum == 1_000_000)
        // a after 2 s and 3 s, b after 3 s.
        #expect(gaps.byObject.count == 3)
        #expect(gaps.byObject.minimum == 2_000_000 && gaps.byObject.maximum == 3_000_000)
        #expect(gaps.byObject.mean == 8_000_000.0 / 3)
    }

    @Test("The working set counts each object once per window, and once since the beginning")
    func workingSet() {
        // 0 a, 0.9 s b, 1.1 s a a, 480 s c: windows of 5 s.
        let log = RequestLog(
            objects: [0, 1, 0, 0, 2], sizes: [10, 20, 40], times: [0, 900_000, 1_100_000, 1_200_000, 480_000_000])
        let set = WorkingSet(log)
        #expect(set.windowLength == 5_000_000)
        #expect(set.windows.count == 97)
        #expect(
            set.windows[0]
                == WorkingSet.Window(
                    start: 0, requests: 4, objects: 2, bytes: 30, recentObjects: 2, recentBytes: 30,
                    cumulativeObjects: 2, cumulativeBytes: 30))
        #expect(
            set.windows[1]
                == WorkingSet.Window(
                    start: 5_000_000, recentObjects: 2, recentBytes: 30, cumulativeObjects: 2, cumulativeBytes: 30))
        #expect(
            set.windows.map(\.recentObjects) == [Int](repeating: 2, count: 10) + [Int](repeating: 0, count: 86) + [1])
        #expect(
            set.windows[96]
                == WorkingSet.Window(
                    start: 480_000_000, requests: 1, objects: 1, bytes: 40, recentObjects: 1, recentBytes: 40,
                    cumulativeObjects: 3,
                    cumulativeBytes: 70))
        #expect(set.peak(\.objects) == 2)
        #expect(set.mean(\.requests) == 5.0 / 97)
    }

    @Test("The recent working set is that of a search through the last ten windows")
    func recent() {
        var random = SplitMix64(seed: 5)
        var time: Int64 = 0
        let times = (0..<2_000).map { _ in
            time += Int64(random.next() % 90_000)
            return time
        }
        let objects = (0..<50).map(UInt32.init) + (50..<2_000).map { _ in UInt32(random.next() % 50) }
        let set = WorkingSet(RequestLog(objects: objects, sizes: (0..<50).map { 1 << ($0 % 20) }, times: times))
        for (index, window) in set.windows.enumerated() {
            let origin = times[0]
            let start = max(0, index - 9) * Int(set.windowLength), end = (index + 1) * Int(set.windowLength)
            let inside = Set(zip(times, objects).filter { (start..<end).contains(Int($0.0 - origin)) }.map(\.1))
            #expect(window.recentObjects == inside.count)
            #expect(window.recentBytes == inside.reduce(0) { $0 + 1 << (Int($1) % 20) })
        }
        #expect(set.windows.count > 50)
    }

    @Test("Without times the windows are of requests, and no gap is reported")
    func noTimes() {
        let times = (0..<1_000).map { Int64($0) * 1_000 }
        let log = RequestLog(
            objects: (0..<1_000).map { UInt32($0 % 10) }, sizes: [Int](repeating: -1, count: 10), times: times)
        let analysis = TraceStatistics(log)
        #expect(analysis.missing == ["sizes", "times", "fetch times", "scrolling"])
        #expect(!analysis.workingSet.isOfTime)
        #expect(analysis.workingSet.windowLength == 5)
        #expect(analysis.workingSet.windows.count == 200)
        #expect(analysis.workingSet.windows.allSatisfy { $0.objects == 5 })
    }

    @Test("The lengths of windows are ones that people can name")
    func windowLengths() {
        let second: Int64 = 1_000_000
        #expect([1, 2, 3, 5, 6, 11, 201, 3_808].map(WindowLength.round) == [1, 2, 5, 5, 10, 20, 500, 5_000])
        #expect(WindowLength.fitting(0, atMost: 240) == 1_000)
        #expect(WindowLength.fitting(100 * second, atMost: 240) == second / 2)
        #expect(WindowLength.fitting(3_600 * second, atMost: 240) == 20 * second)
        #expect(WindowLength.fitting(86_400 * 365 * second, atMost: 240) == 2 * 86_400 * second)
    }

    @Test("Fetches in flight: one that ends as another begins is not beside it; the mean is over time")
    func concurrency() throws {
        func fetch(_ time: Int64, _ first: Int64?, _ transfer: Int64?) -> TraceEvent {
            TraceEvent(time: time, .fetch(0, Fetch(bytes: 1, timeToFirstByte: first, transferTime: transfer)))
        }
        // 100–200, 150–250, 250–260 and one of unknown duration; the trace ends at 500.
        let events = [
            fetch(100, 60, 40), fetch(150, 100, nil), fetch(250, 5, 5), fetch(300, nil, nil),
            TraceEvent(time: 500, .background),
        ]
        let trace = Trace(objects: [TraceObject(key: "a")], events: [TraceEvent(time: 0, .appear(0, .full))] + events)
        let concurrency = try #require(FetchConcurrency(trace))
        #expect(concurrency.peak == 2)
        #expect(concurrency.mean == 210.0 / 500)
        #expect(concurrency.busy == 160)
        #expect(concurrency.meanWhileBusy == 210.0 / 160)
        #expect(concurrency.untimed == 1)
        #expect(FetchConcurrency(Trace(events: [fetch(0, nil, nil)])) == nil)
    }

    @Test("Scroll phases last until the next event or the background, and speeds are weighted by time")
    func scroll() throws {
        func scroll(_ time: Int64, _ phase: ScrollPhase, _ offset: Double, _ velocity: Double) -> TraceEvent {
            TraceEvent(time: time, .scroll(phase, offset: offset, velocity: velocity))
        }
        let trace = Trace(events: [
            scroll(0, .dragged, 0, 100), scroll(1_000, .dragged, 10, -400), scroll(4_000, .decelerating, 20, 200),
            scroll(5_000, .atRest, 30, 0), TraceEvent(time: 9_000, .background), TraceEvent(time: 90_000, .foreground),
        ])
        let scroll = try #require(ScrollSpeeds(trace))
        #expect(ScrollPhase.allCases.map(scroll.time) == [4_000, 1_000, 4_000])
        #expect(scroll.flicks == 1)
        #expect(scroll.distance == 30)
        // (100 + 400) / 2 for 1 ms, (400 + 200) / 2 for 3 ms; then 200 / 2.
        #expect(scroll.speed(.dragged, quantile: 0.25).map { abs($0 - 250) <= 1 } == true)
        #expect(scroll.speed(.dragged, quantile: 0.26).map { abs($0 - 300) <= 1.2 } == true)
        #expect(scroll.speed(.decelerating, quantile: 1) == 100)
        #expect(scroll.speed(.atRest, quantile: 0.5) == nil)
        #expect(ScrollSpeeds(Trace()) == nil)
    }

    @Test("Without velocities speeds come from the offsets, with a warning")
    func offsets() throws {
        let trace = Trace(events: [
            TraceEvent(time: 0, .scroll(.dragged, offset: 0, velocity: 0)),
            TraceEvent(time: 500_000, .scroll(.atRest, offset: -50, velocity: 0)),
        ])
        let analysis = TraceStatistics(trace)
        #expect(analysis.scroll?.speed(.dragged, quantile: 0.5) == 100)
        #expect(analysis.warnings.count == 1)
    }

    @Test("A histogram's quantiles are exact when small, and within half a percent when large")
    func histogram() throws {
        var histogram = LogHistogram()
        #expect(histogram.quantile(0.5) == nil)
        for value in 1...100 { histogram.add(Int64(value)) }
        #expect([0, 0.01, 0.5, 0.905, 1].map(histogram.quantile) == [1, 1, 50, 91, 100])
        for power in 8..<63 {
            for value in [Int64(1) << power, (Int64(1) << power) + (Int64(1) << (power - 1)) + 7, Int64.max] {
                var one = LogHistogram()
                one.add(0)
                one.add(value)
                one.add(.max)
                let found = try #require(one.quantile(0.6))
                #expect(abs(Double(found) - Double(value)) <= Double(value) * 0.005)
            }
        }
    }

    @Test("What a file of requests tells is the same, read as columns or as events")
    func columns() throws {
        let rows = (0..<500).map {
            "\($0 * $0 % 997 + $0 * 1_000),k\($0 * $0 % 37),\($0 * $0 % 37 == 5 ? 0 : $0 * $0 % 37 * 100)"
        }
        let input = TraceInput(
            bytes: Array(("time,key,size\n" + rows.joined(separator: "\n") + "\n").utf8), path: "a.csv")
        let inspection = try TraceInspection(input)
        let trace = try TraceReading(input).trace
        #expect(inspection.summary == TraceSummary(trace))
        #expect(inspection.analysis == TraceStatistics(trace))
    }
}
