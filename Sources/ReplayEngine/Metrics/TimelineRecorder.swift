import CachePolicies
import DequeModule

/// Records the seconds of a replay in which something changes. Its size follows the events, not the length of the
/// trace.
///
/// Times are nanoseconds of trace time.
struct TimelineRecorder {
    /// In order: the first and the last second of the trace, and between them those with requests, and those at whose
    /// end the levels differ from the ones before. Numbered by steps of ``width``.
    private var steps = [TimelineSecond(second: 0)]
    /// The width of a step in seconds; 0 if nothing is recorded.
    private let width: Int64
    private let last: Int
    /// The first step that has not ended.
    private var open = 0
    /// The visible cells whose image has not been delivered.
    private var waiting = 0
    /// The steps after the open one in which images arrive that were delivered ahead, in order, and how many: their cells
    /// are blank until then. A busy main lane delivers at the time at which it will be free, so new ones come last.
    private var arrivals = Deque<(step: Int, images: Int)>()
    /// The sum of ``arrivals``.
    private var arriving = 0

    /// The width of a step in nanoseconds.
    private let step: Int64

    /// - Parameter end: The time of the last event.
    init(end: Int64, _ detail: ReplayJob.Timeline = .everySecond) {
        width = Int64(detail.seconds ?? 0)
        step = max(1, width) * 1_000_000_000
        last = width == 0 ? -1 : Int(end / step)
    }

    /// The rows of the timeline.
    var rows: [TimelineSecond] {
        guard width > 0 else { return [] }
        return steps.map { row in
            var row = row
            row.second *= Int(width)
            return row
        }
    }

    /// Whether a step ends by this time, so that ``advance(to:memory:disk:fetches:)`` has an effect.
    func secondEnds(by time: Int64) -> Bool { open <= last && Int64(open + 1) * step <= time }

    mutating func appeared(at time: Int64) {
        guard width > 0 else { return }
        steps[row(of: Int(time / step))].requests += 1
        waiting += 1
    }

    /// Notes that a visible cell shows its image from a time on, which can be later than now.
    mutating func shown(at time: Int64) {
        guard width > 0 else { return }
        waiting -= 1
        if time > endOfOpen { arrive(1, in: stepOfArrival(at: time)) }
    }

    /// Notes that a cell leaves the screen.
    ///
    /// - Parameter delivered: The time from which on it shows its image; negative if it never did.
    mutating func closed(delivered: Int64) {
        guard width > 0 else { return }
        if delivered < 0 {
            waiting -= 1
        } else if delivered > endOfOpen, arriving > 0 {
            arrive(-1, in: stepOfArrival(at: delivered))
        }
    }

    /// The first step at whose end an image is there that arrives at a time after 0.
    private func stepOfArrival(at time: Int64) -> Int { Int((time - 1) / step) }

    private mutating func arrive(_ images: Int, in step: Int) {
        arriving += images
        if let latest = arrivals.last, latest.step < step { return arrivals.append((step, images)) }
        var (low, high) = (0, arrivals.count)
        while low < high {
            let middle = (low + high) / 2
            if arrivals[middle].step < step { low = middle + 1 } else { high = middle }
        }
        if low < arrivals.count, arrivals[low].step == step {
            arrivals[low].images += images
        } else {
            arrivals.insert((step, images), at: low)
        }
    }

    private var endOfOpen: Int64 { Int64(open + 1) * step }

    /// Counts a hit of a request that appeared at this time.
    mutating func hit(_ outcome: RequestOutcome, appeared time: Int64) {
        guard width > 0 else { return }
        let row = row(of: Int(time / step))
        if outcome == .memoryHit { steps[row].memoryHits += 1 } else { steps[row].diskHits += 1 }
    }

    /// Closes the seconds that have ended. Since the end of the first of them, images may have arrived, and all else is
    /// the same.
    mutating func advance(to time: Int64, memory: Occupancy, disk: Occupancy, fetches: Int) {
        guard secondEnds(by: time) else { return }
        while secondEnds(by: time) {
            while let next = arrivals.first, next.step <= open || next.images == 0 {
                arriving -= next.images
                arrivals.removeFirst()
            }
            close(memory, disk, fetches)
            open = min(arrivals.first?.step ?? .max, Int(time / step), last + 1)
        }
        if open > last { _ = row(of: last) }
    }

    /// Closes the last second. Cells that are still visible count.
    mutating func finish(memory: Occupancy, disk: Occupancy) {
        guard open <= last else { return }
        (arrivals, arriving) = ([], 0)
        close(memory, disk, 0)
        _ = row(of: last)
        open = last + 1
    }

    private mutating func close(_ memory: Occupancy, _ disk: Occupancy, _ fetches: Int) {
        var levels = TimelineSecond(second: open)
        levels.memoryBytes = Int64(memory.bytes)
        levels.diskBytes = Int64(disk.bytes)
        levels.fetchesInFlight = fetches
        levels.blankCells = waiting + arriving
        if let latest = steps.last, latest.second < open, latest.hasLevels(of: levels) { return }
        steps[row(of: open)].takeLevels(of: levels)
    }

    /// Returns the place of a second's row. A new row has the levels of the one before it.
    private mutating func row(of second: Int) -> Int {
        var (low, high) = (0, steps.count)
        if let latest = steps.last, latest.second <= second { low = steps.count - 1 }
        while low < high {
            let middle = (low + high) / 2
            if steps[middle].second < second { low = middle + 1 } else { high = middle }
        }
        if low == steps.count || steps[low].second != second {
            var row = TimelineSecond(second: second)
            row.takeLevels(of: steps[low - 1])
            steps.insert(row, at: low)
        }
        return low
    }
}

extension TimelineSecond {
    fileprivate func hasLevels(of other: TimelineSecond) -> Bool {
        memoryBytes == other.memoryBytes && diskBytes == other.diskBytes && fetchesInFlight == other.fetchesInFlight
            && blankCells == other.blankCells
    }

    fileprivate mutating func takeLevels(of other: TimelineSecond) {
        (memoryBytes, diskBytes) = (other.memoryBytes, other.diskBytes)
        (fetchesInFlight, blankCells) = (other.fetchesInFlight, other.blankCells)
    }
}
