/// How unevenly requests fall on objects.
public struct Popularity: Sendable, Equatable {
    /// Requests by rank: the most requested object first.
    public private(set) var counts: [UInt32]
    public private(set) var requests: Int
    /// Objects that are requested exactly once: no cache can serve them.
    public private(set) var oneHitWonders: Int
    /// Nil with fewer than three objects.
    public private(set) var zipf: ZipfFit?

    public init(_ log: RequestLog) {
        counts = log.requestsByObject()
        counts.sort(by: >)
        requests = log.count
        oneHitWonders = counts.count { $0 == 1 }
        zipf = ZipfFit(counts: counts)
    }

    /// The share of requests that goes to the most requested `share` of objects (at least one object); nil without
    /// requests.
    public func requestShare(ofTop share: Double) -> Double? {
        guard requests > 0 else { return nil }
        let top = counts.prefix(max(1, Int((share * Double(counts.count)).rounded())))
        return Double(top.reduce(0) { $0 + Int($1) }) / Double(requests)
    }
}
