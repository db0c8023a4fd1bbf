/// Dates of header fields (RFC 9110, section 5.6.7).
public enum HTTPDates {
    /// Returns microseconds since 1970, or nil if the text has none of the three formats:
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// Letters may have any case, as many servers have it. The name of the day is not compared with the date. A year of
    /// two digits is at most 50 years after 2026, so that the result does not depend on the clock.
    public static func microseconds(_ text: some StringProtocol) -> Int64? {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        switch parts.count {
        case 6: return preferred(parts) ?? asctime(bytes)
        case 5: return asctime(bytes)
        case 4: return obsolete(parts)
        default: return nil
        }
    }

    /// Returns a time as a date in the first of these formats, without fractions of a second.
    ///
    /// - Parameter microseconds: Since 1970, of the years 0 to 9999.
    public static func text(_ microseconds: Int64) -> String {
        let (days, second) = daysAndSeconds(microseconds)
        let (year, month, day) = civil(days)
        // 1970-01-01 was a Thursday.
        let weekday = Int((days + 4) - (days + 4).flooredQuotient(7) * 7)
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        let date = "\(padded(day, 2)) \(monthNames[month - 1]) \(padded(year, 4))"
        return "\(dayNames[weekday].prefix(3)), \(date) \(time) GMT"
    }

    /// Returns a date that is moved by a time, in microseconds since 1970; at the latest the end of the year 9999.
    ///
    /// A date before 1971 stands for a missing one, and does not move: rules treat it as that.
    public static func moved(_ microseconds: Int64, by seconds: Int64) -> Int64 {
        guard microseconds >= 365 * 86_400 * 1_000_000 else { return microseconds }
        return min(microseconds + seconds * 1_000_000, 253_402_300_799_000_000)
    }

    /// Returns the days since 1970, and the second of the day.
    package static func daysAndSeconds(_ microseconds: Int64) -> (days: Int64, second: Int) {
        let seconds = microseconds.flooredQuotient(1_000_000)
        let days = seconds.flooredQuotient(86_400)
        return (days, Int(seconds - days * 86_400))
    }

    /// Returns a number with zeros in front, at least `digits` digits long.
    package static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    private typealias Bytes = ArraySlice<UInt8>

    private static func preferred(_ parts: [Bytes]) -> Int64? {
        guard parts[0].count == 4, parts[0].last == UInt8(ascii: ","), isDayName(parts[0].dropLast(), short: true),
            isGMT(parts[5]), let day = number(parts[1], 2), let month = month(parts[2]),
            let year = number(parts[3], 4), let time = time(parts[4])
        else { return nil }
        return microseconds(year, month, day, time)
    }

    private static func obsolete(_ parts: [Bytes]) -> Int64? {
        let date = parts[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts[0].last == UInt8(ascii: ","), isDayName(parts[0].dropLast(), short: false), isGMT(parts[3]),
            date.count == 3, let day = number(date[0], 2), let month = month(date[1]),
            let short = number(date[2], 2), let time = time(parts[2])
        else { return nil }
        return microseconds(short > 76 ? 1900 + short : 2000 + short, month, day, time)
    }

    /// `Sun Nov  6 08:49:37 1994`: a day of one digit has a space before it.
    private static func asctime(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count == 24, [3, 7, 10, 19].allSatisfy({ bytes[$0] == UInt8(ascii: " ") }),
            isDayName(bytes[0..<3], short: true), let month = month(bytes[4..<7]),
            let day = bytes[8] == UInt8(ascii: " ") ? number(bytes[9..<10], 1) : number(bytes[8..<10], 2),
            let time = time(bytes[11..<19]), let year = number(bytes[20..<24], 4)
        else { return nil }
        return microseconds(year, month, day, time)
    }

    private static let dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func isDayName(_ bytes: Bytes, short: Bool) -> Bool {
        dayNames.contains { isEqual(bytes, short ? $0.prefix(3) : $0[...]) }
    }

    private static func isGMT(_ bytes: Bytes) -> Bool { isEqual(bytes, "GMT") }

    private static func month(_ bytes: Bytes) -> Int? {
        monthNames.firstIndex { isEqual(bytes, $0[...]) }.map { $0 + 1 }
    }

    private static func isEqual(_ bytes: Bytes, _ text: Substring) -> Bool {
        bytes.count == text.utf8.count && zip(bytes, text.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }

    private static func number(_ bytes: Bytes, _ digits: Int) -> Int? {
        guard bytes.count == digits else { return nil }
        var value = 0
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = 10 * value + Int(byte - 0x30)
        }
        return value
    }

    /// Seconds of the day, of `08:49:37`. A leap second is allowed.
    private static func time(_ bytes: Bytes) -> Int? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], 2), let minute = number(parts[1], 2),
            let second = number(parts[2], 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    private static func microseconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
        let days = days(year, month, day)
        // A day that its month does not have comes back as another one.
        guard day > 0, civil(days) == (year, month, day) else { return nil }
        return (days * 86_400 + Int64(time)) * 1_000_000
    }

    /// Days since 1970 in the Gregorian calendar, and back: the algorithms of Howard Hinnant's
    /// "chrono-Compatible Low-Level Date Algorithms", in eras of 400 years that begin in March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let year = Int64(month <= 2 ? year - 1 : year)
        let era = year.flooredQuotient(400)
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(146_097)
        let day = shifted - era * 146_097
        let yearOfEra = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = Int(part < 10 ? part + 3 : part - 9)
        return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, Int(dayOfYear - (153 * part + 2) / 5 + 1))
    }
}

extension Int64 {
    func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
