import SessionModel

/// The parameters by which the shared link follows from the recorded transfers. <doc:ReplaySemantics> describes the
/// estimate.
public struct SharedLinkModel: Codable, Sendable, Hashable {
    /// Whether the link limited the recorded transfers, not their servers.
    public var isBottleneck: Bool
    /// Multiplies the estimated rate.
    public var scale: Double
    /// Multiplies the rate, but not the limits of the transfers: another link with the same servers.
    public var factor = 1.0

    public init(isBottleneck: Bool, scale: Double) {
        self.isBottleneck = isBottleneck
        self.scale = scale
    }
}

/// The load that a transfer puts on a shared link.
struct LinkLoad: Equatable {
    package var bytes: Int
    /// The rate that the transfer never exceeds, in bytes per nanosecond.
    var limit: Double
}

/// The link of a recording, estimated from its concurrent transfers.
///
/// Each second with transfers has a rate: the bytes that arrived, divided by the time in which a transfer was running.
/// Its meaning for the link depends on the limit of the transfers. If several transfers at a time bring hardly more
/// bytes than one alone, the link is the *bottleneck*:
/// - Its rate is the mean within ``window`` seconds. A transfer that got about its share has no limit of its own.
///
/// Otherwise servers limited the transfers:
/// - The rate of the link is the largest within ``window`` seconds. A transfer that ran while the link had room keeps
///   its recorded rate as a limit. A transfer that ran while the link was full has no limit of its own.
///
/// Both rates are multiplied by a scale, which ``ReplayJob/Network/sharedLink(of:)`` finds.
struct SharedLinkEstimate {
    let rate: LinkRate
    private let model: SharedLinkModel
    /// The loads of the recorded transfers, and their times to the first byte.
    private var transfers: [(load: LinkLoad, timeToFirstByte: Int64)]
    /// In the same order: the events of the transfers, which rise.
    private let events: [Int]

    /// In seconds, to both sides.
    private static let window: Int64 = 8
    /// The share of the link's rate above which the link counts as full.
    private static let full = 0.8
    /// The share of its equal part of a bottleneck from which on a transfer counts as limited by the link.
    private static let equal = 0.6
    /// Recorders have a resolution of about a millisecond.
    private static let shortest: Int64 = 1_000
    /// With fewer transfers, there is no estimate.
    private static let fewest = 8

    /// One transfer. Times are microseconds.
    private struct Run {
        var event: Int
        package var bytes: Int
        var begin: Int64
        var end: Int64
        package var timeToFirstByte: Int64

        /// Bytes per microsecond.
        var rate: Double { Double(bytes) / Double(end - begin) }
    }

    /// Returns nil if the trace has fewer than 8 transfers with bytes and times.
    init?(_ trace: Trace, sizes: [Int], _ model: SharedLinkModel) {
        let runs = Self.runs(trace, sizes: sizes)
        guard runs.count >= Self.fewest else { return nil }
        self.model = model
        events = runs.map(\.event)
        transfers = Array(repeating: (LinkLoad(bytes: 0, limit: 0), 0), count: runs.count)
        let marks = Self.marks(runs)
        let recorded = Self.rate(of: runs, marks, model)
        rate = LinkRate(
            segments: recorded.segments.map { LinkRate.Segment(start: $0.start, rate: $0.rate * model.factor) })
        studyLimits(runs, marks, recorded)
    }

    static func exists(_ trace: Trace, sizes: [Int]) -> Bool { runs(trace, sizes: sizes).count >= fewest }

    private static func runs(_ trace: Trace, sizes: [Int]) -> [Run] {
        var runs: [Run] = []
        for (index, event) in trace.events.enumerated() {
            guard case .fetch(let object, let fetch) = event.action, fetch.succeeded, let transfer = fetch.transferTime
            else { continue }
            let bytes = fetch.bytes ?? sizes[Int(object)]
            guard bytes > 0 else { continue }
            let first = fetch.timeToFirstByte ?? 0
            let begin = event.time + (fetch.queued ?? 0) + (fetch.connect ?? 0) + first
            runs.append(
                Run(
                    event: index, bytes: bytes, begin: begin, end: begin + max(Self.shortest, transfer),
                    timeToFirstByte: first))
        }
        return runs
    }

    /// Whether the link limited the transfers: the bytes per second of several transfers at a time grow by less than
    /// half of what they would grow by if each kept the rate of a transfer alone. False without enough concurrency to
    /// tell.
    static func isBottleneck(_ trace: Trace, sizes: [Int]) -> Bool {
        let runs = runs(trace, sizes: sizes)
        var (last, rate, count): (Int64, Double, Int) = (0, 0, 0)
        var alone = (bytes: 0.0, time: 0.0)
        var together = (bytes: 0.0, time: 0.0, transfers: 0.0)
        for mark in marks(runs) {
            let time = Double(mark.time - last)
            if count == 1 {
                alone.bytes += rate * time
                alone.time += time
            } else if count > 1 {
                together.bytes += rate * time
                together.time += time
                together.transfers += Double(count) * time
            }
            last = mark.time
            count += mark.isBegin ? 1 : -1
            rate = count == 0 ? 0 : rate + (mark.isBegin ? 1 : -1) * runs[mark.run].rate
        }
        guard alone.bytes > 0, together.time >= (alone.time + together.time) * leastConcurrency else { return false }
        let growth = together.bytes / together.time / (alone.bytes / alone.time)
        return growth - 1 < (together.transfers / together.time - 1) / 2
    }

    /// The least share of the time with transfers in which several must run, to tell their limit.
    private static let leastConcurrency = 0.02

    func applied(to sample: NetworkModel.Sample, event: Int, bytes: Int) -> NetworkModel.Sample {
        var sample = sample
        if let transfer = transfer(event) {
            sample.load = transfer.load
            sample.timeToFirstByte = transfer.timeToFirstByte
        } else {
            sample.load = LinkLoad(bytes: bytes, limit: .infinity)
        }
        return sample
    }

    /// Returns the transfer of an event; nil for an event without one. Complexity: O(log n) for n transfers.
    private func transfer(_ event: Int) -> (load: LinkLoad, timeToFirstByte: Int64)? {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle] < event { low = middle + 1 } else { high = middle }
        }
        return low < events.count && events[low] == event ? transfers[low] : nil
    }

    private struct Mark {
        var time: Int64
        var run: Int
        var isBegin: Bool
    }

    private static func marks(_ runs: [Run]) -> [Mark] {
        let marks = runs.indices.flatMap { index in
            [
                Mark(time: runs[index].begin, run: index, isBegin: true),
                Mark(time: runs[index].end, run: index, isBegin: false),
            ]
        }
        return marks.sorted { ($0.time, $0.isBegin ? 1 : 0, $0.run) < ($1.time, $1.isBegin ? 1 : 0, $1.run) }
    }

    private static let second: Int64 = 1_000_000

    private static func rate(of runs: [Run], _ marks: [Mark], _ model: SharedLinkModel) -> LinkRate {
        // The bytes and the busy microseconds of each second with transfers, in order.
        var seconds: [Second] = []
        var (last, rate, count): (Int64, Double, Int) = (0, 0, 0)
        for mark in marks {
            while count > 0, last < mark.time {
                let second = last / Self.second
                let end = min(mark.time, (second + 1) * Self.second)
                if seconds.last?.second != second { seconds.append((second, 0, 0)) }
                seconds[seconds.count - 1].bytes += rate * Double(end - last)
                seconds[seconds.count - 1].busy += Double(end - last)
                last = end
            }
            last = mark.time
            count += mark.isBegin ? 1 : -1
            rate = count == 0 ? 0 : rate + (mark.isBegin ? 1 : -1) * runs[mark.run].rate
        }
        var segments: [LinkRate.Segment] = []
        var (first, next) = (0, 0)
        for (second, _, _) in seconds {
            while seconds[first].second < second - window { first += 1 }
            while next < seconds.count, seconds[next].second <= second + window { next += 1 }
            let near = seconds[first..<next]
            let rate = max(model.isBottleneck ? mean(near) : most(near), 1e-6) * model.scale / 1_000
            if segments.last?.rate != rate {
                segments.append(LinkRate.Segment(start: second * 1_000_000_000, rate: rate))
            }
        }
        return LinkRate(segments: segments)
    }

    private typealias Second = (second: Int64, bytes: Double, busy: Double)

    private static func mean(_ seconds: ArraySlice<Second>) -> Double {
        let (bytes, busy) = seconds.reduce((0, 0)) { ($0.0 + $1.bytes, $0.1 + $1.busy) }
        return bytes / max(busy, 1)
    }

    private static func most(_ seconds: ArraySlice<Second>) -> Double {
        // A second that is hardly busy says little about the link.
        seconds.lazy.map { $0.bytes / max($0.busy, Double(Self.second) / 10) }.max() ?? 0
    }

    /// Finds how full the link was during each transfer.
    private mutating func studyLimits(_ runs: [Run], _ marks: [Mark], _ link: LinkRate) {
        // The integral of the share of the link in use, over time, at the begin of each transfer, and of the bytes that
        // an equal part of the link brings.
        var equal = 0.0
        var equalBefore = Array(repeating: 0.0, count: runs.count)
        var before = Array(repeating: 0.0, count: runs.count)
        var (last, used, count, integral): (Int64, Double, Int, Double) = (0, 0, 0, 0)
        var piece = link.piece(at: 0)
        for mark in marks {
            // Marks are in order of time.
            if last * 1_000 >= piece.end { piece = link.piece(at: last * 1_000) }
            let linkRate = piece.rate * 1_000
            integral += used / linkRate * Double(mark.time - last)
            if count > 0 { equal += linkRate / model.scale / Double(count) * Double(mark.time - last) }
            last = mark.time
            count += mark.isBegin ? 1 : -1
            used = count == 0 ? 0 : used + (mark.isBegin ? 1 : -1) * runs[mark.run].rate
            guard !mark.isBegin else {
                before[mark.run] = integral
                equalBefore[mark.run] = equal
                continue
            }
            let run = runs[mark.run]
            let share = (integral - before[mark.run]) / Double(run.end - run.begin)
            let isEqual = Double(run.bytes) >= Self.equal * (equal - equalBefore[mark.run])
            transfers[mark.run] = load(of: run, link, isFull: model.isBottleneck ? isEqual : share >= Self.full)
        }
    }

    private func load(of run: Run, _ link: LinkRate, isFull: Bool) -> (LinkLoad, Int64) {
        guard isFull else {
            return (LinkLoad(bytes: run.bytes, limit: run.rate / 1_000), run.timeToFirstByte * 1_000)
        }
        // A small body arrives with its first byte: the link's time for it is part of the time to the first byte.
        let alone = Int64(Double(run.bytes) / link.rate(at: run.begin * 1_000))
        let hidden = max(0, alone - (run.end - run.begin) * 1_000)
        return (LinkLoad(bytes: run.bytes, limit: .infinity), max(0, run.timeToFirstByte * 1_000 - hidden))
    }
}
