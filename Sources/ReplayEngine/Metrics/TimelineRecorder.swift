import CachePolicies
import DequeModule

/// Records the seconds of a replay in which something changes. Its size follows the events, not the length of the
/// trace.
///
/// Times are nanoseconds of trace time.
struct TimelineRecorder {
    /// In order: the first and the last second of the trace, and between them those with requests, and those whose
    /// levels differ from the ones before. Numbered by steps of ``width``.
    private var steps = [TimelineSecond(second: 0)]
    /// The width of a step in seconds; 0 if nothing is recorded.
    private let width: Int64
    private let last: Int
    /// The first step that has not ended.
    private var open = 0
    /// In the background, no cell is blank.
    private let foreground: ForegroundClock
    /// The visible cells whose image has not been delivered.
    private var waiting = 0
    /// The steps after the open one in which images arrive that were delivered ahead, in order, how many, and the sum
    /// of the nanoseconds in the foreground from each arrival to the end of its step. Their cells are blank until then.
    /// A busy main lane delivers at the time at which it will be free, so new arrivals come last.
    private var arrivals = Deque<(step: Int, images: Int, rest: Int64)>()
    /// The images of ``arrivals``.
    private var arriving = 0
    private var fetches = 0
    /// The sums of the open step, if nothing changes until its end: the time of blank cells, and the time of
    /// fetches, each summed, in nanoseconds.
    private var blankTime: Int64 = 0
    private var fetchTime: Int64 = 0

    /// The width of a step in nanoseconds.
    private let step: Int64

    init(
        end: Int64, foreground: ForegroundClock = ForegroundClock(), _ detail: ReplayJob.Timeline = .everySecond
    ) {
        self.foreground = foreground
        width = Int64(detail.seconds ?? 0)
        step = max(1, width) * 1_000_000_000
        last = width == 0 ? -1 : Int(end / step)
    }

    var rows: [TimelineSecond] {
        guard width > 0 else { return [] }
        return steps.map { row in
            var row = row
            row.second *= Int(width)
            return row
        }
    }

    /// Whether a step ends by this time, so that ``advance(to:memory:disk:)`` has an effect.
    func secondEnds(by time: Int64) -> Bool { open <= last && Int64(open + 1) * step <= time }

    mutating func appeared(at time: Int64) {
        guard width > 0 else { return }
        steps[row(of: Int(time / step))].requests += 1
        waiting += 1
        blankTime += visibleRest(from: time)
    }

    /// Notes that a visible cell shows its image from a time on, which can be later than now.
    mutating func shown(at time: Int64) {
        guard width > 0 else { return }
        waiting -= 1
        if time > endOfOpen { arrive(1, at: time) } else { blankTime -= visibleRest(from: time) }
    }

    /// Notes that a cell leaves the screen.
    ///
    /// - Parameter delivered: The time from which on it shows its image; negative if it never did.
    mutating func closed(delivered: Int64, at time: Int64) {
        guard width > 0 else { return }
        if delivered < 0 {
            waiting -= 1
            blankTime -= visibleRest(from: time)
        } else if delivered > endOfOpen {
            guard arriving > 0 else { return }
            arrive(-1, at: delivered)
            blankTime -= visibleRest(from: time)
        } else {
            blankTime -= max(0, visibleRest(from: time) - visibleRest(from: delivered))
        }
    }

    /// Adds images that arrive at a time after the open step, or removes them again.
    private mutating func arrive(_ images: Int, at time: Int64) {
        // The first step at whose end the images are there.
        let place = Int((time - 1) / step)
        let rest = Int64(images) * foreground.time(from: time, to: Int64(place + 1) * step)
        arriving += images
        if arrivals.last.map({ $0.step < place }) ?? true { return arrivals.append((place, images, rest)) }
        var (low, high) = (0, arrivals.count)
        while low < high {
            let middle = (low + high) / 2
            if arrivals[middle].step < place { low = middle + 1 } else { high = middle }
        }
        if arrivals[low].step == place {
            arrivals[low].images += images
            arrivals[low].rest += rest
        } else {
            arrivals.insert((place, images, rest), at: low)
        }
    }

    /// Notes the number of fetches in progress from a time on.
    mutating func fetching(_ count: Int, at time: Int64) {
        guard width > 0 else { return }
        fetchTime += Int64(count - fetches) * rest(from: time)
        fetches = count
    }

    private var endOfOpen: Int64 { Int64(open + 1) * step }

    /// Returns the part of the open step after a time, in nanoseconds. The whole step if the time is before it.
    private func rest(from time: Int64) -> Int64 { min(max(endOfOpen - time, 0), step) }

    /// Returns the part of the open step after a time in which a cell can be blank, in nanoseconds.
    private func visibleRest(from time: Int64) -> Int64 {
        foreground.time(from: endOfOpen - rest(from: time), to: endOfOpen)
    }

    /// Counts a hit of a request that appeared at this time.
    mutating func hit(_ outcome: RequestOutcome, appeared time: Int64) {
        guard width > 0 else { return }
        let row = row(of: Int(time / step))
        if outcome == .memoryHit { steps[row].memoryHits += 1 } else { steps[row].diskHits += 1 }
    }

    /// Closes the seconds that have ended. Since the end of the first of them, images may have arrived, and all else is
    /// the same.
    mutating func advance(to time: Int64, memory: Occupancy, disk: Occupancy) {
        guard secondEnds(by: time) else { return }
        while secondEnds(by: time) {
            close(memory, disk)
            while let next = arrivals.first, next.step <= open || next.images == 0 {
                arriving -= next.images
                arrivals.removeFirst()
            }
            // The next second with other levels: the one after this, if this one had others than it ends with, or that
            // in which the next image arrives, or in which the app leaves the foreground or returns.
            let blank = Int64(waiting + arriving)
            let visible = visibleRest(from: endOfOpen - step)
            let isSteady =
                (visible == 0 || visible == step) && blankTime == blank * visible
                && fetchTime == Int64(fetches) * step
            let change = min(arrivals.first?.step ?? .max, Int(foreground.change(from: endOfOpen) / step))
            open = min(isSteady ? change : open + 1, Int(time / step), last + 1)
            let late = arrivals.first.map { $0.step == open ? $0.rest : 0 } ?? 0
            blankTime = blank * visibleRest(from: endOfOpen - step) - late
            fetchTime = Int64(fetches) * step
        }
        if open > last { _ = row(of: last) }
    }

    /// Closes the last second. Cells that are still visible count.
    mutating func finish(memory: Occupancy, disk: Occupancy) {
        guard open <= last else { return }
        close(memory, disk)
        _ = row(of: last)
        open = last + 1
    }

    private mutating func close(_ memory: Occupancy, _ disk: Occupancy) {
        var levels = TimelineSecond(second: open)
        levels.memoryBytes = Int64(memory.bytes)
        levels.diskBytes = Int64(disk.bytes)
        levels.fetchesInFlight = mean(fetchTime)
        levels.blankCells = mean(blankTime)
        if let latest = steps.last, latest.second < open, latest.hasLevels(of: levels) { return }
        steps[row(of: open)].takeLevels(of: levels)
    }

    /// Returns the mean of a level over a step, rounded to millionths.
    private func mean(_ time: Int64) -> Double { (Double(time) / Double(step) * 1e6).rounded() / 1e6 }

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
