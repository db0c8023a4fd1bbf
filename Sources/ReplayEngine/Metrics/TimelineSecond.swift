/// One row of `timeline.csv`. Between two rows, no request appears and the levels stay as they are.
///
/// A row stands for a second, or for the step of the timeline.
public struct TimelineSecond: Codable, Sendable, Equatable {
    public var second: Int
    /// Requests that appeared in this second, and how many of those were memory hits, disk hits.
    public var requests = 0
    public var memoryHits = 0
    public var diskHits = 0
    /// At the end of the second.
    public var memoryBytes: Int64 = 0
    public var diskBytes: Int64 = 0
    /// The mean over the second, in millionths: most fetches are shorter than a second, and are over at its end.
    public var fetchesInFlight = 0.0
    /// Visible cells without their image: the mean over the second, in millionths. In the background, no cell counts.
    public var blankCells = 0.0

    public init(second: Int) {
        self.second = second
    }
}

/// A row of the timeline is stored as a list of its numbers, in the order of its properties.
extension TimelineSecond {
    public init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        self.init(second: try values.decode(Int.self))
        requests = try values.decode(Int.self)
        memoryHits = try values.decode(Int.self)
        diskHits = try values.decode(Int.self)
        memoryBytes = try values.decode(Int64.self)
        diskBytes = try values.decode(Int64.self)
        fetchesInFlight = try values.decode(Double.self)
        blankCells = try values.decode(Double.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        for number in counts { try values.encode(number) }
        for number in means { try values.encode(number) }
    }

    /// The first properties, in the order in which they are stored.
    public var counts: [Int64] {
        [Int64(second), Int64(requests), Int64(memoryHits), Int64(diskHits), memoryBytes, diskBytes]
    }

    /// The properties that are means, which follow ``counts``.
    public var means: [Double] { [fetchesInFlight, blankCells] }
}
