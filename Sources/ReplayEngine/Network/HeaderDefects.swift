import SessionModel

/// Recorded headers that a cache which validates its objects survives, and a reader of the figures must know of. Each
/// number counts objects.
public struct HeaderDefects: Codable, Sendable, Hashable {
    /// Entity tags without quotes. They are sent as they were received.
    public var unquotedTags = 0
    /// Entity tags that are empty, longer than 4 KiB, or have other characters than visible ASCII. They are not sent.
    public var unusableTags = 0
    /// `Last-Modified`, `Expires` or `Date` that is no date: the object cannot be validated by it, or is past its
    /// lifetime at once.
    public var invalidDates = 0
    /// The same with a day in 1970, which is a date, and usually stands for none.
    public var datesOf1970 = 0
    /// Objects whose first recorded fetch was answered with 304: the recorded app had them, and a cache that does not
    /// fetches the whole body.
    public var notModifiedFirst = 0

    public init() {}

    init(_ trace: Trace) {
        for object in trace.objects where !object.headers.isEmpty { count(object.headers) }
        var isSeen = Array(repeating: false, count: trace.objects.count)
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) where !isSeen[Int(object)] {
            isSeen[Int(object)] = true
            if fetch.status == 304 { notModifiedFirst += 1 }
        }
    }

    var isEmpty: Bool { self == HeaderDefects() }

    private mutating func count(_ headers: [HTTPField]) {
        func value(_ name: String) -> String? { headers.last { $0.name == name }?.value }
        if let tag = value("etag") {
            let opaque = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
            if !HTTPValidators.isSendable(tag) {
                unusableTags += 1
            } else if opaque.count < 2 || opaque.first != "\"" || opaque.last != "\"" {
                unquotedTags += 1
            }
        }
        let dates = ["last-modified", "expires", "date"].compactMap(value)
        let times = dates.compactMap(HTTPDate.microseconds)
        if times.count < dates.count { invalidDates += 1 }
        let year: Int64 = 365 * 86_400 * 1_000_000
        if times.contains(where: { (0..<year).contains($0) }) { datesOf1970 += 1 }
    }
}
