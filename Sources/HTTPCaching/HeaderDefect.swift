/// A defect of the headers of a response. A cache goes on with each of them.
public enum HeaderDefect: Sendable, CaseIterable {
    /// An entity tag without quotation marks. It is sent as it was received.
    case unquotedTag
    /// An entity tag that is empty, longer than 4 KiB, or has other characters than visible ASCII. It is not sent.
    case unusableTag
    /// `Last-Modified`, `Expires` or `Date` that is no date. The response cannot be validated by it, or is past its
    /// lifetime at once.
    case invalidDate
    /// One of these fields with a day in 1970, which is a date, and usually stands for a missing one.
    case dateOf1970

    /// Returns the defects of the headers of one response, each once.
    public static func all(in headers: [HTTPField]) -> [HeaderDefect] {
        func value(_ name: String) -> String? { headers.last { $0.name == name }?.value }
        var defects: [HeaderDefect] = []
        if let tag = value("etag") {
            if !HTTPValidators.isSendable(tag) {
                defects.append(.unusableTag)
            } else if !HTTPValidators.isQuoted(tag) {
                defects.append(.unquotedTag)
            }
        }
        let dates = ["last-modified", "expires", "date"].compactMap(value)
        let times = dates.compactMap { HTTPDates.microseconds($0) }
        if times.count < dates.count { defects.append(.invalidDate) }
        let year: Int64 = 365 * 86_400 * 1_000_000
        if times.contains(where: { (0..<year).contains($0) }) { defects.append(.dateOf1970) }
        return defects
    }
}
