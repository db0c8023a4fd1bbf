import HTTPCaching
import SessionModel

/// Defects of recorded headers that a cache which validates its objects survives. A reader of the figures must know of
/// them. Each number counts objects.
public struct HeaderDefects: Codable, Sendable, Hashable {
    /// Entity tags without quotes. They are sent as they were received.
    public var unquotedTags = 0
    /// Entity tags that are empty, longer than 4 KiB, or have other characters than visible ASCII. They are not sent.
    public var unusableTags = 0
    /// `Last-Modified`, `Expires` or `Date` that is no date: the object cannot be validated by it, or is past its
    /// lifetime at once.
    public var invalidDates = 0
    /// Dates as above with a day in 1970, which are valid, and usually stand for none.
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
        for defect in HeaderDefect.all(in: headers) {
            switch defect {
            case .unquotedTag: unquotedTags += 1
            case .unusableTag: unusableTags += 1
            case .invalidDate: invalidDates += 1
            case .dateOf1970: datesOf1970 += 1
            }
        }
    }
}
