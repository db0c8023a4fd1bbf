import Basics
import HTTPCaching
import HTTPCases
import Testing

@Suite("Dates of HTTP")
struct HTTPDatesTests {
    @Test(
        "All three formats of RFC 9110, in any case",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "SUN, 06 NOV 1994 08:49:37 gmt",
        ])
    func formats(text: String) {
        #expect(HTTPDates.microseconds(text) == 784_111_777_000_000)
    }

    @Test("A year of two digits is at most 50 years after 2026")
    func shortYears() {
        // 2076-01-01 and 1977-01-01.
        #expect(HTTPDates.microseconds("Wednesday, 01-Jan-76 00:00:00 GMT") == 3_345_062_400_000_000)
        #expect(HTTPDates.microseconds("Saturday, 01-Jan-77 00:00:00 GMT") == 220_924_800_000_000)
    }

    @Test(
        "What is no date",
        arguments: [
            "", "0", "-1", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06  Nov  1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sün, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
        ])
    func invalid(text: String) {
        #expect(HTTPDates.microseconds(text) == nil)
    }

    @Test("A date that is written is read back, from the year 0 to the year 9999")
    func roundTrip() {
        #expect(CaseDates.text(784_111_777_999_999) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(CaseDates.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(CaseDates.text(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        var random = SplitMix64(seed: 1)
        for _ in 0..<2_000 {
            let seconds = Int64(random.next() % 315_537_897_600) - 62_135_596_800
            #expect(HTTPDates.microseconds(CaseDates.text(seconds * 1_000_000)) == seconds * 1_000_000)
        }
    }
}
