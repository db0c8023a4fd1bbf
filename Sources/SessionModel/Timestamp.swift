import HTTPCaching

/// Reads the dates of recordings: RFC 3339, which HAR requires, and the deviations of real recorders. Writes RFC 3339.
package enum Timestamp {
    /// Returns a time as a date such as `2018-02-19T11:40:14.325000Z`, without decimals for a whole second.
    ///
    /// - Parameter microseconds: Since 1970, of the years 0 to 9999.
    package static func text(_ microseconds: Int64) -> String {
        let (days, second) = HTTPDates.daysAndSeconds(microseconds)
        let (year, month, day) = HTTPDates.civil(days)
        let fraction = Int(microseconds - (days * 86_400 + Int64(second)) * 1_000_000)
        func padded(_ parts: [Int], _ separator: String) -> String {
            parts.map { HTTPDates.padded($0, 2) }.joined(separator: separator)
        }
        let date = HTTPDates.padded(year, 4) + "-" + padded([month, day], "-")
        let time = padded([second / 3600, second / 60 % 60, second % 60], ":")
        return "\(date)T\(time)\(fraction == 0 ? "" : "." + HTTPDates.padded(fraction, 6))Z"
    }

    /// Returns the microseconds since 1970 of a date such as `2018-02-19T11:40:14.325Z`; nil if the text is not a date.
    ///
    /// Any number of decimals is accepted, and zones such as `Z`, `+01:00`, `+0100` and `+01`. A missing zone means
    /// UTC.
    package static func microseconds(_ text: String) -> Int64? {
        var text = text.utf8[...]
        guard let year = digits(4, &text), skip("-", &text), let month = digits(2, &text), skip("-", &text),
            let day = digits(2, &text), skip("T", &text) || skip("t", &text) || skip(" ", &text),
            let hour = digits(2, &text), skip(":", &text), let minute = digits(2, &text), skip(":", &text),
            let second = digits(2, &text),
            (1...12).contains(month), (1...daysIn(month, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if skip(".", &text) || skip(",", &text) {
            guard let first = text.first, isDigit(first) else { return nil }
            var unit: Int64 = 100_000
            while let digit = text.first, isDigit(digit) {
                fraction += Int64(digit - UInt8(ascii: "0")) * unit
                unit /= 10
                text.removeFirst()
            }
        }
        guard let offset = zone(&text), text.isEmpty else { return nil }
        let seconds = ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second
        return seconds * 1_000_000 + fraction
    }

    /// Reads a zone as minutes east of UTC.
    private static func zone(_ text: inout Substring.UTF8View) -> Int64? {
        if text.isEmpty || skip("Z", &text) || skip("z", &text) { return 0 }
        let sign: Int64
        if skip("+", &text) { sign = 1 } else if skip("-", &text) { sign = -1 } else { return nil }
        guard let hours = digits(2, &text), hours < 24 else { return nil }
        _ = skip(":", &text)
        if text.isEmpty { return sign * hours * 60 }
        guard let minutes = digits(2, &text), minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private static func digits(_ count: Int, _ text: inout Substring.UTF8View) -> Int64? {
        let digits = text.prefix(count)
        guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
        text = text.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func skip(_ character: Unicode.Scalar, _ text: inout Substring.UTF8View) -> Bool {
        guard text.first == UInt8(ascii: character) else { return false }
        text.removeFirst()
        return true
    }

    private static func daysIn(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970 in the Gregorian calendar, in years that begin in March and end with the leap day.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear
        return dayOfEra - 719_468  // 1970-01-01
    }
}
