import CachePolicies

/// Records the seconds of a replay in which something changes. Its size follows the events, not the length of the
/// trace.
///
/// Times are nanoseconds of trace time.
struct TimelineRecorder {
    /// In order: the first and the last second of the trace, and between them those with requests, and those at whose
    /// end the levels differ from the ones before.
    private(set) var rows = [TimelineSecond(second: 0)]
    private let last: Int
    /// The first second that has not ended.
    private var open = 0

    private static let second: Int64 = 1_000_000_000

    /// - Parameter end: The time of the last event.
    init(end: Int64) { last = Int(end / Self.second) }

    /// Whether a second ends by this time, so that ``advance(to:memory:disk:fetches:)`` has an effect.
    func secondEnds(by time: Int64) -> Bool { open <= last && Int64(open + 1) * Self.second <= time }

    mutating func appeared(at time: Int64) { rows[row(of: Int(time / Self.second))].requests += 1 }

    /// Counts a hit of a request that appeared at this time.
    mutating func hit(_ outcome: RequestOutcome, appeared time: Int64) {
        let row = row(of: Int(time / Self.second))
        if outcome == .memoryHit { rows[row].memoryHits += 1 } else { rows[row].diskHits += 1 }
    }

    /// Closes the seconds that have ended. The levels have been the same since the end of the first of them.
    mutating func advance(to time: Int64, memory: Occupancy, disk: Occupancy, fetches: Int) {
        guard secondEnds(by: time) else { return }
        close(memory, disk, fetches)
        open = min(Int(time / Self.second), last + 1)
        if open > last { _ = row(of: last) }
    }

    mutating func finish(memory: Occupancy, disk: Occupancy) {
        guard open <= last else { return }
        close(memory, disk, 0)
        _ = row(of: last)
        open = last + 1
    }

    private mutating func close(_ memory: Occupancy, _ disk: Occupancy, _ fetches: Int) {
        var levels = TimelineSecond(second: open)
        levels.memoryBytes = Int64(memory.bytes)
        levels.diskBytes = Int64(disk.bytes)
        levels.fetchesInFlight = fetches
        if let latest = rows.last, latest.second < open, latest.hasLevels(of: levels) { return }
        rows[row(of: open)].takeLevels(of: levels)
    }

    /// Returns the place of a second's row. A new row has the levels of the one before it.
    private mutating func row(of second: Int) -> Int {
        var (low, high) = (0, rows.count)
        if let latest = rows.last, latest.second <= second { low = rows.count - 1 }
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].second < second { low = middle + 1 } else { high = middle }
        }
        if low == rows.count || rows[low].second != second {
            var row = TimelineSecond(second: second)
            row.takeLevels(of: rows[low - 1])
            rows.insert(row, at: low)
        }
        return low
    }
}

extension TimelineSecond {
    fileprivate func hasLevels(of other: TimelineSecond) -> Bool {
        memoryBytes == other.memoryBytes && diskBytes == other.diskBytes && fetchesInFlight == other.fetchesInFlight
    }

    fileprivate mutating func takeLevels(of other: TimelineSecond) {
        (memoryBytes, diskBytes, fetchesInFlight) = (other.memoryBytes, other.diskBytes, other.fetchesInFlight)
    }
}
