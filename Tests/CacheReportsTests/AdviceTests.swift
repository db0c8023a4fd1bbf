import Foundation
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("Advice")
struct AdviceTests {
    private func point(_ cache: String, _ limit: Int?, _ blank: Double, _ peak: Double, _ bytes: Double = 10)
        -> AdvicePoint
    {
        AdvicePoint(cache: cache, limit: limit, blankRatio: blank, peakBytes: peak, originBytes: bytes)
    }

    @Test("The front has the points that no other beats in all of blank time, memory and bytes")
    func front() {
        let points = AdvicePoint.marked([
            point("a", 10, 0.5, 10), point("a", 20, 0.3, 20),
            // As good as the second in memory, and worse in blank time: beaten, unless it fetches less.
            point("b", 20, 0.4, 20), point("c", 20, 0.4, 20, 9),
            // The limit does not bind, so that the figures are equal: the smaller limit stands.
            point("d", 50, 0.1, 40), point("d", 40, 0.1, 40), point("d", nil, 0.1, 40),
            // Equal figures of another cache stand beside it.
            point("e", 40, 0.1, 40),
        ])
        #expect(points.map(\.isOnFront) == [true, true, false, true, false, true, false, true])
    }

    @Test("The knee is farthest below the line between the ends of the front of memory and blank time")
    func knee() {
        // Scaled, with x = memory / 90 - 1/9 and y = (blank - 0.1) / 0.8: (0, 1), (1/9, 0.5), (1/3, 0.25), (1, 0). The
        // depths 1 - x - y are 0, 0.389, 0.417 and 0.
        let points = [
            point("a", 100, 0.1, 100), point("a", 40, 0.3, 40), point("a", 20, 0.5, 20), point("a", 10, 0.9, 10),
            // Not on the front.
            point("b", 40, 0.35, 45),
        ]
        #expect(AdvicePoint.memoryFront(of: points) == [3, 2, 1, 0])
        #expect(AdvicePoint.knee(of: points) == 1)
        #expect(AdvicePoint.marked(points).map(\.isKnee) == [false, true, false, false, false])
        // Two points are a line, and a straight front or one above its line has no knee.
        #expect(AdvicePoint.knee(of: [points[0], points[3]]) == nil)
        #expect(AdvicePoint.knee(of: [point("a", 1, 0.3, 1), point("a", 2, 0.2, 2), point("a", 3, 0.1, 3)]) == nil)
        #expect(AdvicePoint.knee(of: [point("a", 1, 0.3, 1), point("a", 2, 0.28, 2), point("a", 3, 0.1, 3)]) == nil)
        #expect(AdvicePoint.knee(of: []) == nil)
    }

    @Test("A row of advice.csv has the figures, and empty fields without limits")
    func columns() {
        let points = AdvicePoint.marked([point("nuke-13", nil, 0.25, 1000, 2000)])
        #expect(
            CSVText.render(AdviceColumns.all, points, .exact) == """
                cache,memory_limit_bytes,blank_ratio,memory_peak_bytes,origin_bytes,near_app_limit_ratio,\
                near_app_limit_low,near_app_limit_high,front,knee
                nuke-13,,0.250000,1000,2000,,,,yes,no

                """)
    }

    @Test("The chart has the front as series 0, a series per cache in order of limits, and the name of the knee")
    func chart() {
        let points = AdvicePoint.marked([
            point("a", 100, 0.1, 100), point("a", 40, 0.3, 40), point("a", 10, 0.9, 10), point("b", nil, 0.5, 50),
        ])
        let content = AdviceChart.content(points)
        #expect(
            content.data == """
                series,memory_peak_bytes,blank_ratio,memory_limit_bytes,cache
                0,10,0.900000,10,a
                0,40,0.300000,40,a
                0,100,0.100000,100,a
                1,10,0.900000,10,a
                1,40,0.300000,40,a
                1,100,0.100000,100,a
                2,50,0.500000,,b

                """)
        #expect(content.settings.contains { $0.contains("knee: a, 40 B") })
        #expect(content.plots.count == 5)
        // Nothing at all is still a chart.
        #expect(AdviceChart.content([]).plots.isEmpty)
    }

    @Test("The sessions near the limit of an app are those of one cache")
    func near() throws {
        var table = FleetTable(caches: ["a", "b"])
        for (session, peak) in [50, 60, 70, 80].enumerated() {
            for (cache, factor) in [("a", 1), ("b", 2)] {
                var result = Samples.ten(Samples.identity(trace: "s\(session)", cache: cache))
                result.tiers.memoryPeakBytes = Int64(peak * factor)
                table.add(result, user: nil)
            }
        }
        // Nine tenths of 100 are 90: 70 + 20 and 80 + 20 reach them; the doubled peaks all do.
        let app = AppMemory(limit: 100, baseline: 20)
        let one = try #require(NearLimit(table, cache: "a", app))
        #expect(one.near == 2 && one.sessions == 4 && one.share == 0.5)
        #expect(NearLimit(table, cache: "b", app)?.near == 4)
        #expect(NearLimit(table, cache: "c", app) == nil)
    }
}
