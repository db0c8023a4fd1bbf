/// What became of images that were fetched ahead of need.
public struct PrefetchFigures: Codable, Sendable, Equatable {
    /// Transfers that began while no request waited for the image.
    public var fetches = 0
    /// Those transfers whose image a request used: it was found in memory or on disk, or the request joined the
    /// transfer.
    public var used = 0
    /// Fetches that were cancelled because the list changed its direction, also those that had not begun.
    public var cancelled = 0
    /// The bytes of those transfers. A transfer that is cancelled counts in full.
    public var bytes: Int64 = 0
    /// Of those, the bytes of images that no request used.
    public var unusedBytes: Int64 = 0
    /// The blank time, in nanoseconds, of the same replay without prefetches, minus that of this one. Nil for measured
    /// runs, for caches of the user's own, and unless the rule `prefetch` plans prefetches.
    public var blankAvoided: Double?

    public init() {}

    /// Seconds of blank time avoided for each megabyte that was transferred ahead of need; nil if nothing was, or if
    /// the time is unknown.
    public var blankAvoidedPerMegabyte: Double? {
        guard let blankAvoided, bytes > 0 else { return nil }
        return blankAvoided / 1e9 / (Double(bytes) / 1e6)
    }
}
