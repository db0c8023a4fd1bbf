import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Lifetimes by HTTP's headers")
struct FreshnessTests {
    /// 2026-11-22T00:00:00Z.
    private static let started: Int64 = 1_795_305_600_000_000

    private static func freshness(_ rule: LifetimeRule, _ headers: [(String, String)], started: Int64? = started)
        -> Freshness
    {
        let control = CacheControl(headers.first { $0.0 == "cache-control" }?.1 ?? "")
        return Freshness(headers.map { HTTPField($0.0, $0.1) }, control, by: rule, started: started)
    }

    private static let second: Int64 = 1_000_000

    @Test(
        "As RFC 9111 has it, for the cache of one user",
        arguments: [
            ([], .unstated),
            ([("cache-control", "max-age=60")], .lasts(60 * second)),
            ([("cache-control", "public, Max-Age=60 , s-maxage=5")], .lasts(60 * second)),
            ([("cache-control", "max-age=60"), ("age", "20")], .lasts(40 * second)),
            ([("cache-control", "max-age=60"), ("age", "60")], .none),
            ([("cache-control", "max-age=0, must-revalidate")], .none),
            ([("cache-control", "max-age=soon")], .none),
            ([("cache-control", "max-age=99999999999999999999")], .lasts(365 * 86_400 * second)),
            ([("cache-control", "max-age=-5")], .none),
            ([("cache-control", "max-age=9999999999999")], .lasts(365 * 86_400 * second)),
            ([("cache-control", "no-store, max-age=60")], .none),
            ([("cache-control", "no-cache")], .none),
            ([("cache-control", "private")], .unstated),
            // max-age counts more than Expires (section 5.3).
            ([("cache-control", "max-age=60"), ("expires", "Sun, 06 Nov 1994 08:49:37 GMT")], .lasts(60 * second)),
            ([("expires", "Sun, 22 Nov 2026 01:00:00 GMT")], .lasts(3_600 * second)),
            ([("expires", "Sun, 06 Nov 1994 08:49:37 GMT")], .none),
            ([("expires", "0")], .none),
            // A tenth of ten days.
            ([("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT")], .lasts(86_400 * second)),
            ([("etag", "\"5f\"")], .unstated),
            // The date of the response counts more than the start of the trace.
            (
                [("expires", "Sun, 22 Nov 2026 01:00:00 GMT"), ("date", "Sun, 22 Nov 2026 00:59:00 GMT")],
                .lasts(60 * second)
            ),
            ([("cache-control", "max-age=60, max-age=5")], .lasts(60 * second)),
            ([("cache-control", "no-cache=\"set-cookie\", max-age=60")], .lasts(60 * second)),
            ([("last-modified", "Thu, 01 Jan 1970 00:00:00 GMT")], .none),
            ([("last-modified", "yesterday")], .unstated),
            ([("vary", "Accept"), ("cache-control", "max-age=60")], .lasts(60 * second)),
            ([("vary", "*"), ("cache-control", "max-age=60")], .none),
        ] as [([(String, String)], Freshness)])
    func http(headers: [(String, String)], expected: Freshness) {
        #expect(Self.freshness(.http, headers) == expected)
    }

    @Test("What states no lifetime in so many words, and what varies, is not stored where only those are")
    func explicit() {
        #expect(Self.freshness(.httpExplicit, [("cache-control", "max-age=60")]) == .lasts(60 * Self.second))
        #expect(Self.freshness(.httpExplicit, [("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT")]) == .none)
        #expect(Self.freshness(.httpExplicit, [("vary", "Accept"), ("cache-control", "max-age=60")]) == .none)
        #expect(Self.freshness(.httpExplicit, []) == .unstated)
        #expect(Self.freshness(.policy, [("cache-control", "no-store")]) == .unstated)
    }

    @Test("Dates have no meaning if the start of the recording is unknown")
    func unknownStart() {
        #expect(Self.freshness(.http, [("expires", "Sun, 22 Nov 2026 01:00:00 GMT")], started: nil) == .unstated)
        #expect(Self.freshness(.http, [("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT")], started: nil) == .unstated)
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            #expect(HTTPDate.microseconds(text) == 784_111_777_000_000)
        }
        for text in [
            "", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
        ] {
            #expect(HTTPDate.microseconds(text) == nil, "\(text)")
        }
    }

    /// Microseconds at which one image appears, and what becomes of it.
    private func outcomes(_ cache: String, header: String?, at times: [Int64], relaunchAt: Int64? = nil) throws
        -> [RequestOutcome?]
    {
        var builder = TraceBuilder()
        let object = builder.object("https://ex.com/a.jpg")
        builder.update(object) { image in
            image.bytes = 1_000
            image.headers = header.map { [HTTPField("cache-control", $0)] } ?? []
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
}
