import HTTPCaching
import HTTPCases
import Testing

@Suite("Headers without the texts of their server")
struct AnonymousHeadersTests {
    /// 2026-11-22T00:00:00Z, in microseconds.
    private static let received: Int64 = 1_795_305_600_000_000
    /// 30 years, in seconds.
    private static let movement: Int64 = 30 * 365 * 86_400

    private static func anonymous(_ headers: [(String, String)]) -> [HTTPField] {
        fields(headers).anonymized(movingDatesBy: movement) { "n\($0.utf8.count)" }
    }

    private static func fields(_ headers: [(String, String)]) -> [HTTPField] {
        headers.map { HTTPField($0.0, $0.1) }
    }

    @Test("Directives, ages and the time between dates stay; texts become names")
    func example() {
        let headers = Self.anonymous([
            ("cache-control", "public, max-age=60, community=\"UCI\""), ("etag", "W/\"a73b\""),
            ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("age", "7, 8"), ("vary", "Accept-Encoding"),
            ("x-served-by", "cache-fra-17"), ("cache-control", "no-cache, max-age=90"),
        ])
        #expect(
            headers.map { "\($0.name): \($0.value)" } == [
                "cache-control: no-cache, max-age=60", "etag: W/\"n8\"",
                // 30 years of 365 days are 8 days less than 30 years with the leap days from 1996 to 2024.
                "last-modified: Tue, 29 Oct 2024 08:49:37 GMT", "age: 7", "vary: n15", "n11: n12",
            ])
    }

    @Test("A date before 1971 stays, the year 9999 is the last one, and a text that is no date stays none")
    func dates() {
        let headers = Self.anonymous([
            ("expires", "Thu, 01 Jan 1970 00:00:00 GMT"), ("expires", "Fri, 31 Dec 9999 23:59:58 GMT"),
            ("expires", "-1"), ("date", " Sun, 06 Nov 1994 08:49:37 GMT"),
        ])
        #expect(
            headers.map(\.value) == [
                "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "0", " Tue, 29 Oct 2024 08:49:37 GMT",
            ])
    }

    @Test(
        "Dates are written as the system writes them", arguments: [-62_135_596_800, -1, 0, 951_782_400] as [Int64])
    func written(seconds: Int64) {
        for day in 0..<1_500 {
            let time = (seconds + Int64(day) * 86_400 + Int64(day) * 61) * 1_000_000
            #expect(HTTPDates.text(time) == CaseDates.text(time))
        }
    }

    /// Fields that rules tell apart.
    private static let values: [String: [String]] = [
        "cache-control": [
            "", "max-age=60", "max-age=3600, immutable", "no-store", "no-cache", "no-cache=\"set-cookie\"", "max-age=x",
            "max-age=0, stale-while-revalidate=30, stale-if-error=\"90\", must-revalidate", "private=\"a, max-age=5",
            "PUBLIC, Max-Age=99999999999",
        ],
        "etag": [
            "", "\"abc\"", "W/\"abc\"", "abc", "a,b", "\"a,b\"", "\"a\",b\"", " \"abc\"", "\"ä\"", "*", "W/", "\"a\"\t",
        ],
        "last-modified": [
            "Sun, 22 Nov 2026 00:00:00 GMT", "Sat, 21 Nov 2026 23:00:00 GMT", "Wed, 01 Jan 2014 00:00:00 GMT",
            "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:01 GMT", "Mon, 01 Jan 1601 00:00:00 GMT", "never",
            " Wed, 01 Jan 2014 00:00:00 GMT",
        ],
        "expires": [
            "0", "Sun, 22 Nov 2026 00:10:00 GMT", "Sat, 21 Nov 2026 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
            "Thu, 01 Jan 1970 00:00:00 GMT",
        ],
        "date": ["Sat, 21 Nov 2026 23:59:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "now"],
        "age": ["30", "30, 40", "-1", "99999999999"], "vary": ["*", "Accept, *", "Accept", ""], "x-cache": ["HIT"],
    ]

    @Test("A cache does the same with them, by every rule", arguments: LifetimeRule.allCases, RevalidationRule.allCases)
    func rules(lifetime: LifetimeRule, revalidation: RevalidationRule) {
        let single = Self.values.sorted { $0.key < $1.key }.flatMap { name, values in values.map { (name, $0) } }
        var sets = single.map { [$0] } + [[]]
        for (index, one) in single.enumerated() { sets += single[index...].map { [one, $0] } }
        var different: [String] = []
        for headers in sets {
            let (before, after) = (Self.fields(headers), Self.anonymous(headers))
            let (own, other) = (HTTPValidators(before), HTTPValidators(after))
            var isSame =
                HeaderDefect.all(in: before) == HeaderDefect.all(in: after)
                && own.conditions.map(\.name) == other.conditions.map(\.name)
                && own.confirm(own.conditions) == other.confirm(other.conditions)
            for received in [nil, Self.received] {
                let moved = received.map { HTTPDates.moved($0, by: Self.movement) }
                isSame =
                    isSame
                    && ResponseRules(before, lifetime: lifetime, revalidation: revalidation, received: received)
                        == ResponseRules(after, lifetime: lifetime, revalidation: revalidation, received: moved)
            }
            if !isSame { different.append("\(headers) became \(after)") }
        }
        #expect(different == [])
        #expect(sets.count > 500)
    }
}
