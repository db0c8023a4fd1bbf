import Foundation

/// The dates and the locations of a case, which depend on the time and the place of the origin.
package enum CaseDates {
    /// Returns a date in the preferred format (RFC 9110, section 5.6.7), of microseconds since 1970. Fractions of
    /// seconds are left out.
    package static func text(_ microseconds: Int64) -> String {
        var seconds = time_t((microseconds - (microseconds < 0 ? 999_999 : 0)) / 1_000_000)
        var date = tm()
        gmtime_r(&seconds, &date)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func digits(_ number: Int32, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let time = [date.tm_hour, date.tm_min, date.tm_sec].map { digits($0) }.joined(separator: ":")
        let day = "\(days[Int(date.tm_wday)]), \(digits(date.tm_mday)) \(months[Int(date.tm_mon)])"
        return "\(day) \(digits(date.tm_year + 1900, 4)) \(time) GMT"
    }

    private static let dateFields = ["date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"]

    /// The text of a field.
    ///
    /// - Parameters:
    ///   - now: The time of the response that the date is relative to, in milliseconds since 1970.
    ///   - base: The path of the request that `magic_locations` are relative to.
    static func text(_ name: String, _ value: CaseValue, _ request: CaseRequest, now: Int64?, base: String?) -> String {
        let lowercased = name.lowercased()
        switch value {
        case .number(let seconds):
            guard dateFields.contains(lowercased), let now else { return String(seconds) }
            let date = self.text((now + Int64(seconds) * 1_000) * 1_000)
            return request.rfc850date?.contains(lowercased) == true ? obsolete(date) : date
        case .text(let text):
            guard request.magicLocations == true, ["location", "content-location"].contains(lowercased), let base
            else { return text }
            return text.isEmpty ? base : "\(base)/\(text)"
        default: return ""
        }
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT` of `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func obsolete(_ date: String) -> String {
        let parts = date.split(separator: " ")
        let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let name = names.first { $0.prefix(3) == parts[0].prefix(3) } ?? ""
        return "\(name), \(parts[1])-\(parts[2])-\(parts[3].suffix(2)) \(parts[4]) GMT"
    }
}
