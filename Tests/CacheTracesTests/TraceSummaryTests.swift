import CacheTraces
import Foundation
import SessionModel
import Testing
import TraceAnalysis

@Suite("Trace summaries")
struct TraceSummaryTests {
    /// Two cells, one prefetch, one image that no event names; photo.jpg is asked for twice.
    static let trace = Trace(
        header: TraceHeader(title: "Feed", synthetic: true),
        objects: [
            TraceObject(key: "photo.jpg", bytes: 1000, contentType: "image/jpeg"),
            TraceObject(key: "page.html", bytes: 50, contentType: "text/html"),
            TraceObject(key: "unknown"), TraceObject(key: "named by no event", bytes: 7),
        ],
        events: [
            TraceEvent(time: 2_000_000, .appear(0, .thumbnail)),
            TraceEvent(time: 2_000_000, .fetch(0, Fetch(status: 200, bytes: 990))),
            TraceEvent(time: 2_500_000, .disappear(0, .thumbnail)),
            TraceEvent(time: 3_000_000, .appear(0, .full)),
            TraceEvent(time: 3_000_000, .appear(2, .full)),
            TraceEvent(time: 3_000_000, .prefetch(1, .full)),
            TraceEvent(time: 3_000_000, .fetch(1, Fetch(status: 404, bytes: 50))),
            TraceEvent(time: 4_250_000, .scroll(.dragged, offset: 1, velocity: 2)),
            TraceEvent(time: 4_250_000, .memoryWarning),
        ])

    @Test("Requests, objects and bytes are counted as defined")
    func counts() {
        let summary = TraceSummary(Self.trace)
        #expect(summary.requests == 3)
        #expect(summary.requestsWithoutSize == 1)
        #expect(summary.bytes == 2000)
        #expect(summary.objects == 3)
        #expect(summary.objectsWithoutSize == 1)
        #expect(summary.uniqueBytes == 1050)
        #expect(summary.prefetches == 1)
        #expect(summary.fetches == 2)
        #expect(summary.images == 1)
        #expect(summary.fetchedBytes == 1040)
        #expect(summary.duration == 2_250_000)
        #expect(
            summary.events.map { "\($0.count) \($0.name)" } == [
                "3 appear", "1 disappear", "1 prefetch", "1 scroll", "2 fetch", "1 memory_warning",
            ])
        #expect(summary.variants.map { "\($0.count) \($0.name)" } == ["1 thumbnail", "2 full"])
    }

    @Test("The head of a trace names the objects that it needs, on one line each")
    func head() {
        var trace = Self.trace.prefix(3)
        #expect(trace.objects.count == 1)
        trace.objects[0].key = "a\nb" + String(repeating: "c", count: 200)
        let shown = "a\\u{a}b" + String(repeating: "c", count: 97) + "…"
        #expect(
            trace.table() == """
                seconds   event      variant    bytes  key
                2.000000  appear     thumbnail  1000   \(shown)
                2.000000  fetch                 990    \(shown)  (status 200)
                2.500000  disappear  thumbnail  1000   \(shown)
                """)
    }

    @Test("Objects that are picked become thumbnails in every event")
    func thumbnails() {
        var trace = Self.trace
        #expect(trace.markThumbnails { $0.key == "unknown" || $0.key == "page.html" } == 2)
        #expect(trace.events[4].action == .appear(2, .thumbnail))
        #expect(trace.events[5].action == .prefetch(1, .thumbnail))
        #expect(trace.events[3].action == .appear(0, .full))
    }
}
