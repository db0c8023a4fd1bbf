/// The time until the screen is complete after the list has come to rest.
///
/// A rest is a time of `ListMotion.rests`. The screen is complete at the first moment of a rest at which each visible
/// cell shows its image. A rest whose screen is complete from the start counts with 0. A rest that ends earlier counts
/// with its whole length, because the user has waited so long, and is counted as incomplete too.
///
/// Times are nanoseconds.
public struct RestFigures: Codable, Sendable, Equatable {
    /// The number of rests; above 0.
    public var rests = 0
    /// The rests that end while a visible cell has no image.
    public var incomplete = 0
    /// The median of the times from the start of a rest until the screen is complete.
    public var p50: Int64 = 0
    /// The time that 95 % of the rests do not exceed.
    public var p95: Int64 = 0

    public init() {}
}

extension RestFigures {
    /// - Parameters:
    ///   - requests: The outcome of each request, in order of appearance.
    ///   - rests: In order of time.
    /// - Returns: nil without rests.
    ///
    /// Complexity: O(n + m log m) for n requests and m rests.
    init?(_ requests: some RandomAccessCollection<ReplayRequest>, rests: [Range<Int64>]) {
        guard !rests.isEmpty else { return nil }
        self.init()
        var times: [Int64] = []
        times.reserveCapacity(rests.count)
        var next = requests.startIndex
        // The last moment at which one of the cells that have appeared so far ceases to be blank.
        var blankEnd: Int64 = 0
        for rest in rests {
            // The cells that have appeared when the rest begins, and then those that appear while a cell is blank.
            while next < requests.endIndex, requests[next].appeared <= max(rest.lowerBound, blankEnd),
                requests[next].appeared <= rest.lowerBound || blankEnd < rest.upperBound
            {
                blankEnd = max(blankEnd, requests[next].blankEnd)
                requests.formIndex(after: &next)
            }
            if blankEnd >= rest.upperBound { incomplete += 1 }
            times.append(min(max(blankEnd, rest.lowerBound), rest.upperBound) - rest.lowerBound)
        }
        times.sort()
        self.rests = times.count
        p50 = LatencySummary.percentile(50, of: times)
        p95 = LatencySummary.percentile(95, of: times)
    }
}

extension ReplayRequest {
    /// When the visible cell ceases to be without its image: it shows it, or it vanishes. A cell that does neither is
    /// blank for ever.
    var blankEnd: Int64 { delivered >= 0 ? delivered : vanished >= 0 ? vanished : .max }
}
