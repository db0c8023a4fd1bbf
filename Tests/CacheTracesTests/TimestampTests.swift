import CacheTraces
import SessionModel
import Testing

@Suite("Dates")
struct TimestampTests {
    @Test(
        "Dates as recorders write them",
        arguments: [
            ("1970-01-01T00:00:00Z", Int64(0)), ("1969-12-31T23:59:59Z", -1_000_000),
            ("2000-02-29T12:00:00Z", 951_825_600_000_000),
            ("2018-02-19T11:40:14.325Z", 1_519_040_414_325_000),
            ("2011-07-08T06:40:46.9724178+01:00", 1_310_103_646_972_417),
            ("2023-03-29T17:37:42.482-07:00", 1_680_136_662_482_000),
            ("2010-10-05T10:53:20+0200", 1_286_268_800_000_000), ("2010-10-05 08:53:20", 1_286_268_800_000_000),
        ])
    func valid(text: String, expected: Int64) {
        #expect(Timestamp.microseconds(text) == expected)
    }

    @Test(
        "What is no date is none",
        arguments: [
            "", "NaN-NaN-NaNTNaN:NaN:NaN.NaN+NaN:NaN", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-01-01",
            "2023-01-01T25:00:00Z", "2023-01-01T00:00:00.Z", "2023-01-01T00:00:00Zx", "é023-01-01T00:00:00Z",
        ])
    func invalid(text: String) {
        #expect(Timestamp.microseconds(text) == nil)
    }
}
