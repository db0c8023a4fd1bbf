import Basics
import HTTPCaching
import Testing

/// 2026-11-24T00:00:00Z, in microseconds.
let start: Int64 = 1_795_478_400_000_000
let second: Int64 = 1_000_000

@Suite("Freshness of responses")
struct ResponseFreshnessTests {
    private static func freshness(
        _ fields: [(String, String)], status: Int = 200, requested: Int64 = start, received: Int64 = start
    ) -> (ResponseFreshness, HTTPOddities) {
        var oddities = HTTPOddities()
        let response = ResponseHead(status, HeaderFields(fields))
        let freshness = ResponseFreshness(response, requested: requested, received: received, oddities: &oddities)
        return (freshness, oddities)
    }

    private static let midnight = "Tue, 24 Nov 2026 00:00:00 GMT"

    @Test(
        "Lifetimes in seconds, and where they come from",
        arguments: [
            ([], 0, .none),
            ([("Cache-Control", "max-age=60")], 60, .maxAge),
            ([("Cache-Control", "MAX-AGE=\"60\"")], 60, .maxAge),
            ([("Cache-Control", "x=\"max-age=5\", max-age=60")], 60, .maxAge),
            // The first occurrence counts.
            ([("Cache-Control", "max-age=60"), ("Cache-Control", "max-age=5")], 60, .maxAge),
            ([("Cache-Control", "s-maxage=60")], 0, .none),
            ([("Cache-Control", "max-age=99999999999999999999")], 1 << 31, .maxAge),
            ([("Cache-Control", "max-age=1.5"), ("Expires", "Tue, 24 Nov 2026 01:00:00 GMT")], 0, .maxAge),
            ([("Cache-Control", "max-age =60")], 0, .none),
            ([("Expires", "Tue, 24 Nov 2026 01:00:00 GMT")], 3_600, .expires),
            ([("Expires", "Tue, 24 Nov 2026 01:00:00 GMT"), ("Date", "Tue, 24 Nov 2026 00:59:00 GMT")], 60, .expires),
            ([("Expires", "0")], 0, .expires),
            (
                [("Expires", "Thu, 01 Jan 1970 00:00:00 GMT"), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")], 0,
                .expires
            ),
            // A tenth of ten days.
            ([("Last-Modified", "Sat, 14 Nov 2026 00:00:00 GMT")], 86_400, .heuristic),
            ([("Last-Modified", "Wed, 25 Nov 2026 00:00:00 GMT")], 0, .none),
            ([("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")], 0, .none),
        ] as [([(String, String)], Int64, FreshnessLifetime.Source)])
    func lifetimes(fields: [(String, String)], seconds: Int64, source: FreshnessLifetime.Source) {
        #expect(Self.freshness(fields).0.lifetime == FreshnessLifetime(seconds * second, source))
    }

    @Test("A lifetime is estimated for some statuses, and for any that is public")
    func heuristicStatuses() {
        let modified = ("Last-Modified", "Sat, 14 Nov 2026 00:00:00 GMT")
        for status in [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501] {
            #expect(Self.freshness([modified], status: status).0.lifetime.source == .heuristic)
        }
        for status in [201, 302, 307, 403, 500, 503, 599] {
            #expect(Self.freshness([modified], status: status).0.lifetime.source == .none)
            let stated = Self.freshness([modified, ("Cache-Control", "public")], status: status).0
            #expect(stated.lifetime.source == .heuristic)
        }
    }

    @Test("The age is the greater of that by Date and that by Age, which grows by the time of the transfer")
    func ages() {
        let tenPast = start + 10 * second
        let age = { Self.freshness($0, received: tenPast).0.initialAge / second }
        #expect(age([]) == 10)
        #expect(age([("Date", Self.midnight)]) == 10)
        #expect(age([("Date", "Mon, 23 Nov 2026 23:59:00 GMT")]) == 70)
        #expect(age([("Date", "Mon, 23 Nov 2026 23:59:00 GMT"), ("Age", "100")]) == 110)
        #expect(age([("Date", "Tue, 24 Nov 2026 01:00:00 GMT"), ("Age", "5, 100")]) == 15)
        for text in ["abc", "-5", "7.0", "7;x=1", ""] { #expect(age([("Age", text)]) == 10, "\(text)") }
    }

    @Test("A response is fresh until its age is its lifetime, and not younger by a clock that goes back")
    func fresh() {
        let freshness = Self.freshness([("Cache-Control", "max-age=60"), ("Age", "20")]).0
        #expect(freshness.isFresh(at: start + 39 * second))
        #expect(!freshness.isFresh(at: start + 40 * second))
        #expect(freshness.age(at: start - 100 * second) == 20 * second)
        #expect(freshness.staleness(at: start + 45 * second) == 5 * second)
    }

    @Test("Windows after the end of the lifetime, which must-revalidate closes")
    func windows() {
        let fields = "max-age=10, stale-while-revalidate=5, stale-if-error=20"
        let freshness = Self.freshness([("Cache-Control", fields)]).0
        #expect(freshness.allowsStaleWhileRevalidate(at: start + 15 * second))
        #expect(!freshness.allowsStaleWhileRevalidate(at: start + 16 * second))
        #expect(freshness.allowsStaleIfError(at: start + 30 * second))
        #expect(!freshness.allowsStaleIfError(at: start + 31 * second))
        let request = RequestDirectives("stale-if-error=60")
        #expect(freshness.allowsStaleIfError(at: start + 31 * second, request: request))
        let strict = Self.freshness([("Cache-Control", fields + ", must-revalidate")]).0
        #expect(!strict.allowsStaleWhileRevalidate(at: start + 11 * second))
        #expect(!strict.allowsStaleIfError(at: start + 11 * second, request: request))
    }

    @Test("What is wrong with a response is counted by name")
    func oddities() {
        let counted = { (fields: [(String, String)]) in
            let oddities = Self.freshness(fields).1
            return HTTPOddity.allCases.filter { oddities[$0] > 0 }
        }
        #expect(counted([("Date", "now"), ("Expires", "0")]) == [.invalidDate, .invalidExpires])
        #expect(counted([("Last-Modified", "yesterday")]) == [.invalidLastModified])
        #expect(counted([("Last-Modified", "Thu, 01 Jan 1970 00:00:00 GMT")]) == [.dateOf1970])
        #expect(counted([("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")]) == [.dateOf1970])
        #expect(counted([("Cache-Control", "max-age=soon"), ("Age", "old")]) == [.invalidAge, .invalidCacheControl])
        #expect(counted([("Cache-Control", "max-age=60"), ("Date", Self.midnight)]).isEmpty)
    }

    @Test("Directives of responses")
    func directives() {
        let all = ResponseDirectives(
            "no-store, no-cache, must-revalidate, must-understand, private, public, immutable, s-maxage=5")
        #expect(all.noStore && all.noCache && all.mustRevalidate && all.mustUnderstand && all.isPrivate)
        #expect(all.isPublic && all.immutable && all.isValid && all.maxAge == nil)
        let some = ResponseDirectives("no-cache=\"a, b\", private=\"c\", unknown=\"x\\\",no-store\", ,")
        #expect(some.noCacheFields == ["a", "b"] && !some.noCache && some.isPrivate && !some.noStore && some.isValid)
        // A quotation mark without an end takes the rest of the text.
        #expect(!ResponseDirectives("x=\"a, no-store").noStore)
        #expect(!ResponseDirectives("no store").isValid)
    }

    @Test("A field that targets the cache replaces Cache-Control if it is valid (RFC 9213)")
    func targets() {
        let fields: HeaderFields = [
            HeaderField("Cache-Control", "max-age=5"), HeaderField("App-Cache-Control", "max-age=60"),
        ]
        #expect(ResponseDirectives(fields).maxAge == 5)
        #expect(ResponseDirectives(fields, targets: ["App-Cache-Control"]).maxAge == 60)
        #expect(ResponseDirectives(fields, targets: ["CDN-Cache-Control"]).maxAge == 5)
        var invalid = fields
        invalid.set("App-Cache-Control", "max-age=x")
        #expect(ResponseDirectives(invalid, targets: ["App-Cache-Control"]).maxAge == 5)
    }

    @Test("Directives of requests; limits that are no numbers limit as far as possible")
    func requestDirectives() {
        let directives = RequestDirectives("No-Cache, no-store, only-if-cached, max-age=5, max-stale, min-fresh=x")
        #expect(directives.noCache && directives.noStore && directives.onlyIfCached)
        #expect(directives.maxAge == 5 && directives.maxStale == 1 << 31 && directives.minFresh == 1 << 31)
        #expect(RequestDirectives("max-stale=x, max-age=y").maxStale == 0)
        #expect(RequestDirectives("max-stale=x, max-age=y").maxAge == 0)
    }

    @Test("Random bytes in fields do no harm")
    func randomFields() {
        var random = SplitMix64(seed: 7)
        let pieces = [
            "max-age=", "\"", "\\", ",", ";", "=", "no-cache", "W/", "bytes=", "-", "/", "*", "Tue, 24 Nov 2026", "9",
            " ",
            "\t", "99999999999999999999", "ü", "\0", "GMT", "00:00:00", "stale-while-revalidate",
        ]
        let names = [
            "Cache-Control", "Date", "Expires", "Last-Modified", "Age", "ETag", "Vary", "Content-Range", "Range",
        ]
        for _ in 0..<3_000 {
            func text() -> String {
                (0..<random.next() % 8).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
            }
            var cache = HTTPCache()
            let fields = HeaderFields(names.map { ($0, text()) })
            let request = RequestHead("http://a.example/", fields: fields)
            let status = [200, 206, 304, 404][Int(random.next() % 4)]
            for time in [start, start + 100 * second] {
                guard case .send(let sent) = cache.step(for: request, at: time) else { continue }
                let body = Array(repeating: UInt8(1), count: Int(random.next() % 4))
                let isComplete = random.next() % 4 > 0
                _ = cache.receive(
                    ResponseHead(status, fields), body: body, isComplete: isComplete, for: sent, requested: time,
                    received: time)
            }
        }
    }
}
