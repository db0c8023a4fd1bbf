import Basics
import HTTPCaching
import Testing

@Suite("What a cache may do with a response, by its headers")
struct ResponseRulesTests {
    /// 2026-11-22T00:00:00Z, in microseconds.
    private static let received: Int64 = 1_795_305_600_000_000
    private static let second: Int64 = 1_000_000

    private static func rules(
        _ headers: [(String, String)], _ lifetime: LifetimeRule = .http, _ revalidation: RevalidationRule = .never,
        received: Int64? = received
    ) -> ResponseRules {
        ResponseRules(
            headers.map { HTTPField($0.0, $0.1) }, lifetime: lifetime, revalidation: revalidation, received: received)
    }

    /// What becomes of a response in a tier that validates nothing.
    enum Fate: Equatable {
        case asPolicySays, refused
        /// Seconds.
        case lasts(Int64)
    }

    private static func fate(
        _ headers: [(String, String)], _ lifetime: LifetimeRule = .http, received: Int64? = received
    ) -> Fate {
        let rules = rules(headers, lifetime, received: received)
        return switch rules.storing {
        case .asPolicySays: .asPolicySays
        case .refused: .refused
        case .stored: .lasts(rules.lifetime / second)
        }
    }

    @Test(
        "Lifetimes of RFC 9111, for the cache of one user",
        arguments: [
            ([], .asPolicySays),
            ([("cache-control", "max-age=60")], .lasts(60)),
            ([("cache-control", "public, Max-Age=60 , s-maxage=5")], .lasts(60)),
            ([("cache-control", "max-age=\"60\"")], .lasts(60)),
            ([("cache-control", "x=\"max-age=5\", max-age=60")], .lasts(60)),
            ([("cache-control", "max-age=0, must-revalidate")], .refused),
            ([("cache-control", "max-age=soon")], .refused),
            ([("cache-control", "max-age=1.5"), ("expires", "Sun, 22 Nov 2026 01:00:00 GMT")], .refused),
            ([("cache-control", "max-age=-5")], .refused),
            ([("cache-control", "max-age=99999999999999999999")], .lasts(365 * 86_400)),
            ([("cache-control", "max-age=9999999999999")], .lasts(365 * 86_400)),
            ([("cache-control", "no-store, max-age=60")], .refused),
            ([("cache-control", "no-cache")], .refused),
            ([("cache-control", "private")], .asPolicySays),
            ([("cache-control", "max-age =60")], .asPolicySays),
            // max-age counts more than Expires (section 5.3).
            ([("cache-control", "max-age=60"), ("expires", "Sun, 06 Nov 1994 08:49:37 GMT")], .lasts(60)),
            ([("expires", "Sun, 22 Nov 2026 01:00:00 GMT")], .lasts(3_600)),
            ([("expires", "Sun, 06 Nov 1994 08:49:37 GMT")], .refused),
            ([("expires", "0")], .refused),
            // A tenth of ten days.
            ([("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT")], .lasts(86_400)),
            ([("last-modified", "Mon, 23 Nov 2026 00:00:00 GMT")], .refused),
            ([("etag", "\"5f\"")], .asPolicySays),
            // The date of the response counts more than the time at which it came.
            ([("expires", "Sun, 22 Nov 2026 01:00:00 GMT"), ("date", "Sun, 22 Nov 2026 00:59:00 GMT")], .lasts(60)),
            // The first occurrence counts.
            ([("cache-control", "max-age=60, max-age=5")], .lasts(60)),
            ([("cache-control", "max-age=60"), ("cache-control", "max-age=5")], .lasts(60)),
            ([("cache-control", "no-cache=\"set-cookie\", max-age=60")], .lasts(60)),
            ([("cache-control", "no-cache=\"\", max-age=60")], .refused),
            ([("last-modified", "Thu, 01 Jan 1970 00:00:00 GMT")], .refused),
            ([("last-modified", "yesterday")], .asPolicySays),
            ([("vary", "Accept"), ("cache-control", "max-age=60")], .lasts(60)),
            ([("vary", "Accept, *"), ("cache-control", "max-age=60")], .refused),
        ] as [([(String, String)], Fate)])
    func lifetimes(headers: [(String, String)], expected: Fate) {
        #expect(Self.fate(headers) == expected)
    }

    /// RFC 9111, section 4.2: a response is fresh while its lifetime is greater than its age.
    @Test(
        "Age shortens each lifetime",
        arguments: [
            ([("cache-control", "max-age=60"), ("age", "20")], .lasts(40)),
            ([("cache-control", "max-age=60"), ("age", "60")], .refused),
            // An hour without 10 minutes.
            ([("expires", "Sun, 22 Nov 2026 01:00:00 GMT"), ("age", "600")], .lasts(3_000)),
            ([("expires", "Sun, 22 Nov 2026 01:00:00 GMT"), ("age", "3600")], .refused),
            // A tenth of ten days, which is 24 hours, without 1 hour.
            ([("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT"), ("age", "3600")], .lasts(23 * 3_600)),
            ([("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT"), ("age", "86400")], .refused),
            // The first number counts, and a text that is no number is ignored (section 5.1).
            ([("cache-control", "max-age=60"), ("age", "20, 50")], .lasts(40)),
            ([("cache-control", "max-age=60"), ("age", "7;x=1")], .lasts(60)),
            ([("cache-control", "max-age=60"), ("age", "-5")], .lasts(60)),
        ] as [([(String, String)], Fate)])
    func ages(headers: [(String, String)], expected: Fate) {
        #expect(Self.fate(headers) == expected)
    }

    @Test("Where only explicit lifetimes count, estimated ones and responses with Vary are not stored")
    func explicit() {
        #expect(Self.fate([("cache-control", "max-age=60")], .httpExplicit) == .lasts(60))
        #expect(Self.fate([("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT")], .httpExplicit) == .refused)
        #expect(Self.fate([("vary", "Accept"), ("cache-control", "max-age=60")], .httpExplicit) == .refused)
        #expect(Self.fate([], .httpExplicit) == .asPolicySays)
        #expect(Self.fate([("cache-control", "no-store")], .policy) == .asPolicySays)
    }

    @Test("Dates have no meaning if the time of the response is unknown")
    func unknownTime() {
        let expires = ("expires", "Sun, 22 Nov 2026 01:00:00 GMT")
        let modified = ("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT")
        #expect(Self.fate([expires], received: nil) == .asPolicySays)
        #expect(Self.fate([modified], received: nil) == .asPolicySays)
        #expect(Self.rules([modified], .http, .conditional, received: nil).storing == .asPolicySays)
        // With Date, they have one.
        #expect(Self.fate([expires, ("date", "Sun, 22 Nov 2026 00:00:00 GMT")], received: nil) == .lasts(3_600))
        let dates = [("last-modified", "Thursday, 12-Nov-26 00:00:00 GMT"), ("date", "Sun Nov 22 00:00:00 2026")]
        #expect(Self.fate(dates, received: nil) == .lasts(86_400))
    }

    @Test(
        "A tier that validates stores what has a validator or a lifetime that has ended",
        arguments: [
            ([("cache-control", "no-store"), ("etag", "\"1\"")], .refused, 0),
            ([("cache-control", "no-cache, max-age=60")], .stored, 60),
            ([("cache-control", "max-age=0")], .stored, 0),
            ([("etag", "\"1\"")], .stored, 0),
            ([("etag", "")], .asPolicySays, 0),
            ([("vary", "*"), ("cache-control", "max-age=60")], .stored, 0),
            ([("expires", "0")], .stored, 0),
            ([("x", "1")], .asPolicySays, 0),
        ] as [([(String, String)], ResponseRules.Storing, Int64)])
    func validating(headers: [(String, String)], storing: ResponseRules.Storing, seconds: Int64) {
        let rules = Self.rules(headers, .http, .conditional)
        #expect(rules.storing == storing && rules.lifetime == seconds * Self.second)
    }

    @Test(
        "M8: flutter_cache_manager knows max-age and no-cache alone",
        arguments: [
            ("max-age=60", 60), ("max-age=0", 604_800), ("no-store", 604_800), ("no-cache", 0), ("", 604_800),
            ("no-store, max-age=60", 60), ("public", 604_800), ("max-age=60, must-revalidate", 60),
        ])
    func maxAge(control: String, seconds: Int64) {
        let headers = [("cache-control", control), ("age", "50"), ("expires", "0"), ("vary", "*")]
        let rules = Self.rules(headers, .maxAge, .staleThenNetwork)
        #expect(rules.storing == .stored && rules.lifetime == seconds * Self.second)
        #expect(rules.use(staleness: -1) == .show)
        #expect(rules.use(staleness: 0) == .showAndValidate(isStale: true))
        #expect(!rules.mayShowAfterError(staleness: 0))
        // Without validations, what is past its lifetime at once is not stored.
        #expect(Self.fate(headers, .maxAge) == (seconds == 0 ? .refused : .lasts(seconds)))
        #expect(Self.fate([], .maxAge) == .asPolicySays)
    }

    @Test("Use before and after the end of the lifetime, by rule")
    func use() {
        let text = "max-age=10, stale-while-revalidate=5"
        func use(_ rule: RevalidationRule, _ text: String, at seconds: Int64) -> ResponseRules.Use {
            Self.rules([("cache-control", text)], .http, rule).use(staleness: seconds * Self.second)
        }
        for rule in RevalidationRule.allCases where rule != .cacheThenNetwork {
            #expect(use(rule, text, at: -1) == .show)
        }
        #expect(use(.conditional, text, at: 0) == .validateFirst)
        #expect(use(.staleWhileRevalidate, text, at: 4) == .showAndValidate(isStale: true))
        #expect(use(.staleWhileRevalidate, text, at: 5) == .validateFirst)
        #expect(use(.staleWhileRevalidate, text + ", must-revalidate", at: 4) == .validateFirst)
        #expect(use(.staleWhileRevalidate, text + ", no-cache", at: -1) == .validateFirst)
        #expect(use(.cacheThenNetwork, text, at: -1) == .showAndValidate(isStale: false))
        #expect(use(.cacheThenNetwork, text, at: 0) == .showAndValidate(isStale: true))
        #expect(use(.cacheThenNetwork, text + ", immutable", at: -1) == .show)
        #expect(use(.cacheThenNetwork, text + ", immutable", at: 0) == .showAndValidate(isStale: true))
        #expect(use(.staleThenNetwork, text, at: 0) == .showAndValidate(isStale: true))
        #expect(use(.staleThenNetwork, text + ", must-revalidate", at: 9) == .showAndValidate(isStale: true))
    }

    @Test("Use after an error within stale-if-error, which must-revalidate and no-cache forbid")
    func errors() {
        func mayShow(_ text: String, at seconds: Int64) -> Bool {
            Self.rules([("cache-control", text)], .http, .conditional)
                .mayShowAfterError(staleness: seconds * Self.second)
        }
        #expect(mayShow("max-age=10, stale-if-error=20", at: 19))
        #expect(!mayShow("max-age=10, stale-if-error=20", at: 20))
        #expect(!mayShow("max-age=10", at: 1))
        #expect(!mayShow("max-age=10, stale-if-error=20, must-revalidate", at: 1))
        #expect(!mayShow("max-age=10, stale-if-error=20, no-cache", at: 1))
        #expect(!mayShow("no-store, stale-if-error=20", at: 1))
    }

    @Test("Rules of many responses are those of each")
    func many() {
        let texts = ["max-age=60", "no-store", "max-age=60", "", "max-age=60, immutable"]
        let responses = texts.map { [HTTPField("cache-control", $0), HTTPField("etag", "\"1\"")] }
        let all = ResponseRules.all(responses, lifetime: .http, revalidation: .conditional, received: nil)
        #expect(all == responses.map { ResponseRules($0, lifetime: .http, revalidation: .conditional, received: nil) })
    }

    @Test("Directives of responses")
    func directives() {
        let all = ResponseDirectives("no-store, no-cache, must-revalidate, private, public, immutable, s-maxage=5")
        #expect(all.noStore && all.noCache && all.mustRevalidate && all.isImmutable && all.maxAge == nil)
        let some = ResponseDirectives("no-cache=\"a, b\", private=\"c\", unknown=\"x\\\",no-store\", ,")
        #expect(!some.noCache && !some.noStore)
        // A quotation mark without an end takes the rest of the text.
        #expect(!ResponseDirectives("x=\"a, no-store").noStore)
        #expect(!ResponseDirectives("no store").noStore)
        let limits = ResponseDirectives("stale-if-error=99999999999, stale-while-revalidate=x")
        #expect(limits.staleIfError == 1 << 31 && limits.staleWhileRevalidate == 0)
    }

    @Test(
        "Defects of headers",
        arguments: [
            ([("etag", "5f")], [.unquotedTag]), ([("etag", "W/\"5f\"")], []), ([("etag", "W/5f")], [.unquotedTag]),
            ([("etag", "")], [.unusableTag]), ([("etag", "\"\u{FC}\"")], [.unusableTag]),
            ([("expires", "0"), ("date", "now")], [.invalidDate]),
            ([("last-modified", "Thu, 01 Jan 1970 00:00:00 GMT")], [.dateOf1970]),
            ([("etag", "5f"), ("last-modified", "0")], [.unquotedTag, .invalidDate]),
            ([("cache-control", "max-age=60"), ("last-modified", "Thu, 12 Nov 2026 00:00:00 GMT")], []),
        ] as [([(String, String)], [HeaderDefect])])
    func defects(headers: [(String, String)], expected: [HeaderDefect]) {
        #expect(HeaderDefect.all(in: headers.map { HTTPField($0.0, $0.1) }) == expected)
    }

    @Test("Conditions of a request, and whether an origin confirms them")
    func validators() {
        let modified = "Sun, 15 Nov 2026 00:00:00 GMT"
        let own = HTTPValidators([HTTPField("etag", "W/\"a\\\""), HTTPField("last-modified", modified)])
        #expect(own.conditions == [HTTPField("if-none-match", "W/\"a\\\""), HTTPField("if-modified-since", modified)])
        func confirms(_ name: String, _ value: String) -> Bool { own.confirm([HTTPField(name, value)]) }
        #expect(own.confirm(own.conditions))
        // Tags are compared weakly, and have no escapes.
        #expect(confirms("if-none-match", "\"a\\\"") && confirms("if-none-match", "\"b, c\", W/\"a\\\" , \"d\""))
        #expect(confirms("if-none-match", " * ") == false && confirms("if-none-match", "*"))
        #expect(!confirms("if-none-match", "\"b\"") && !confirms("if-none-match", "a\\"))
        #expect(confirms("if-modified-since", modified) && !confirms("if-modified-since", "yesterday"))
        #expect(HTTPValidators([HTTPField("etag", ""), HTTPField("last-modified", "yesterday")]).isEmpty)
    }

    @Test("Random bytes in fields do no harm")
    func randomFields() {
        var random = SplitMix64(seed: 7)
        let pieces = [
            "max-age=", "\"", "\\", ",", ";", "=", "no-cache", "W/", "-", "/", "*", "Tue, 24 Nov 2026", "9", " ", "\t",
            "99999999999999999999", "\u{FC}", "\0", "GMT", "00:00:00", "stale-while-revalidate", "stale-if-error=",
        ]
        let names = ["cache-control", "date", "expires", "last-modified", "age", "etag", "vary"]
        for _ in 0..<3_000 {
            func text() -> String {
                (0..<random.next() % 8).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
            }
            let headers = names.map { HTTPField($0, text()) }
            for lifetime in LifetimeRule.allCases {
                for revalidation in RevalidationRule.allCases {
                    let rules = ResponseRules(
                        headers, lifetime: lifetime, revalidation: revalidation, received: Self.received)
                    #expect((0...365 * 86_400 * Self.second).contains(rules.lifetime))
                    _ = rules.use(staleness: 100)
                }
            }
            let validators = HTTPValidators(headers)
            _ = validators.confirm(validators.conditions)
            _ = HeaderDefect.all(in: headers)
        }
    }
}
