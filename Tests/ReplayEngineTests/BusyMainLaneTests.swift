import CachePolicies
import SessionModel
import Testing

@testable import ReplayEngine

/// A cache that decodes on the main lane delivers an image at the time at which the lane will be free. What the cell
/// does until then decides whether the user saw it.
@Suite("Images that a busy main lane delivers later")
struct BusyMainLaneTests {
    /// A photograph of 4000 x 3000 pixels, which takes 50 ms to its first byte and 10 ms of transfer. Its decoding
    /// takes longer than that.
    private func photograph(_ events: [(milliseconds: Int64, TraceEvent.Action)]) -> Trace {
        var builder = TraceBuilder()
        let id = builder.object("A")
        builder.update(id) {
            $0.bytes = 2_000_000
            $0.contentType = "image/jpeg"
            ($0.pixelWidth, $0.pixelHeight) = (4_000, 3_000)
        }
        let fetch = Fetch(status: 200, bytes: 2_000_000, timeToFirstByte: 50_000, transferTime: 10_000)
        builder.append(TraceEvent(time: 0, .fetch(id, fetch)))
        for event in events { builder.append(TraceEvent(time: event.milliseconds * 1_000, event.1)) }
        return builder.finish()
    }

    private func replay(
        _ trace: Trace, _ cache: String = "memory: lru(100MB); decodeOnMainLane: true"
    ) throws -> (result: RunResult, rows: [RequestRow]) {
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        job.decode = true
        let explained = try job.explain(PreparedTrace(trace))
        return (explained.result, explained.requests)
    }

    @Test("A cell that vanishes at 100 ms does not show an image that is decoded after that")
    func vanishes() throws {
        let (result, rows) = try replay(
            photograph([(0, .appear(0, .full)), (100, .disappear(0, .full)), (1_000, .foreground)]))
        #expect(result.counts.originFetches == 1)
        #expect(result.counts.shown == 0 && result.counts.shownWithin1s == 0 && result.counts.late == 1)
        #expect(result.counts.neverShown == 0)
        #expect(result.latency(.all).count == 0 && result.latency(.origin).count == 0)
        // Visible for 100 ms, and blank for all of them: 60 ms for the fetch, then for the main lane.
        #expect(result.blank.visibleTime == 100_000_000 && result.blank.blankTime == 100_000_000)
        #expect(result.causes?.waits == ["first_byte": 50_000_000, "transfer": 10_000_000, "main_lane": 40_000_000])
        #expect(rows.map(\.source) == ["origin"] && rows.map(\.shown) == [.late] && rows.map(\.latency) == [nil])
        #expect(result.film?.cells.map(\.delivered) == [nil])
        #expect(result.film?.cells.map(\.vanished) == [100_000])
    }

    @Test("An image that is decoded before its cell vanishes is shown, and one of a microsecond later is not")
    func boundary() throws {
        let stays = try replay(photograph([(0, .appear(0, .full)), (1_000, .foreground)])).result
        let latency = stays.latency(.all).max
        #expect(latency > 100_000_000 && stays.counts.shown == 1 && stays.counts.late == 0)
        // An image that is ready at the time at which its cell vanishes was shown.
        let ready = (latency + 999) / 1_000
        for (microseconds, isShown) in [(ready - 1, false), (ready, true)] {
            var trace = photograph([(0, .appear(0, .full)), (0, .disappear(0, .full)), (1_000, .foreground)])
            trace.events[2].time = microseconds
            let counts = try replay(trace).result.counts
            #expect(counts.shown == (isShown ? 1 : 0) && counts.late == (isShown ? 0 : 1))
        }
    }

    @Test("A relaunch ends the wait for the main lane, and the end of the session does not")
    func ends() throws {
        let relaunched = try replay(
            photograph([(0, .appear(0, .full)), (100, .terminate), (1_000, .foreground)])
        ).result
        #expect(relaunched.counts.shown == 0 && relaunched.counts.late == 1)
        #expect(relaunched.blank.blankTime == 100_000_000)
        // The work of the session is finished, and its cells are blank until its end.
        let ended = try replay(photograph([(0, .appear(0, .full)), (100, .foreground)])).result
        #expect(ended.counts.shown == 1 && ended.counts.late == 0)
        #expect(ended.blank.blankTime == 100_000_000)
    }

    @Test("A cell that appears again waits for its own delivery")
    func returns() throws {
        let (result, rows) = try replay(
            photograph([
                (0, .appear(0, .full)), (100, .disappear(0, .full)), (110, .appear(0, .full)), (2_000, .foreground),
            ]))
        // The second cell finds the image in memory, as soon as the main lane is free.
        #expect(result.counts.shown == 1 && result.counts.late == 1 && result.counts.memoryHits == 1)
        #expect(rows.map(\.shown) == [.late, .shown])
    }

    @Test("An image past its lifetime that comes too late adds no staleness")
    func stale() throws {
        var trace = photograph([
            (0, .appear(0, .full)), (1_000, .disappear(0, .full)), (60_000, .appear(0, .full)),
            (60_001, .disappear(0, .full)), (70_000, .foreground),
        ])
        trace.objects[0].headers = [
            HTTPField("etag", "\"1\""), HTTPField("cache-control", "max-age=10, stale-while-revalidate=600"),
        ]
        let cache = """
            memory: lru(100MB); holds: encoded; decodeOnMainLane: true; memoryLifetime: http; \
            memoryRevalidate: staleWhileRevalidate
            """
        let late = try replay(trace, cache).result
        #expect(late.counts.late == 1 && late.counts.staleHits == 1 && late.revalidation.stalenessShown == 0)
        // The same cell, visible for 5 s: 49.94 s past a lifetime of 10 s that began at 60 ms, and the decoding.
        trace.events[4].time = 65_000_000
        let shown = try replay(trace, cache).result
        #expect(shown.counts.shown == 2 && shown.revalidation.stalenessShown > 49_940_000_000)
    }
}
