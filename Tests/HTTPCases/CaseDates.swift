import HTTPCaching

/// The dates and the locations of a case, which depend on the time and the place of the origin.
enum CaseDates {
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
            let date = HTTPDates.text((now + Int64(seconds) * 1_000) * 1_000)
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
