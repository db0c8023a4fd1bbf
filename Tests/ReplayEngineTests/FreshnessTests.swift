import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Lifetimes by HTTP's headers")
struct FreshnessTests {
    /// Seconds at which one image appears, and what becomes of it.
    private func outcomes(_ cache: String, header: String?, at times: [Int64], relaunchAt: Int64? = nil) throws
        -> [RequestOutcome?]
    {
        try outcomes(
            cache, headers: header.map { [HTTPField("cache-control", $0)] } ?? [], at: times, relaunchAt: relaunchAt)
    }

    private func outcomes(_ cache: String, headers: [HTTPField], at times: [Int64], relaunchAt: Int64? = nil) throws
        -> [RequestOutcome?]
    {
        var builder = TraceBuilder()
        let object = builder.object("https://ex.com/a.jpg")
        builder.update(object) { image in
            image.bytes = 1_000
            image.headers = headers
        }
        var events = times.map { TraceEvent(time: $0 * 1_000_000, .appear(object, .full)) }
        if let relaunchAt { events.append(TraceEvent(time: relaunchAt * 1_000_000, .terminate)) }
        for event in events.sorted(by: { $0.time < $1.time }) { builder.append(event) }
        var job = ReplayJob(trace: "one", cache: try CacheConfiguration(specification: cache))
        job.timing = .modelled(.instant)
        return try job.runRecordingRequests(builder.finish(keepingTimes: true)).requests.map(\.outcome)
    }

    @Test("Promotion does not prolong what the headers grant, nor does the end of the app")
    func promotion() throws {
        let cache =
            """
            memory: ttl(unbounded, lifetime: 1d); memoryLifetime: http; disk: ttl(unbounded, lifetime: 1d); \
            diskLifetime: http
            """
        #expect(
            try outcomes(cache, header: "max-age=10", at: [0, 6, 9, 10, 19], relaunchAt: 5) == [
                .origin, .diskHit, .memoryHit, .origin, .memoryHit,
            ])
        #expect(try outcomes(cache, header: nil, at: [0, 86_399, 86_400]) == [.origin, .memoryHit, .origin])
        #expect(try outcomes(cache, header: "no-store", at: [0, 1]) == [.origin, .origin])
        #expect(
            try outcomes("urlcache", header: "max-age=10", at: [0, 6, 9, 10]) == [
                .origin, .memoryHit, .memoryHit, .origin,
            ])
    }

    @Test("An image that has been in another cache for 4 seconds expires 4 seconds earlier, also by Expires")
    func age() throws {
        let dates = [
            HTTPField("date", "Sun, 22 Nov 2026 00:00:00 GMT"), HTTPField("expires", "Sun, 22 Nov 2026 00:00:10 GMT"),
        ]
        let cache = "memory: unbounded; memoryLifetime: http"
        #expect(try outcomes(cache, headers: dates, at: [0, 9, 10]) == [.origin, .memoryHit, .origin])
        let aged = dates + [HTTPField("age", "4")]
        #expect(try outcomes(cache, headers: aged, at: [0, 5, 6]) == [.origin, .memoryHit, .origin])
    }
}
