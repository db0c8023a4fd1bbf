import SessionModel

/// The load that a transfer puts on a shared link.
struct LinkLoad: Equatable {
    var bytes: Int
    /// The rate that the transfer never exceeds, in bytes per nanosecond.
    var limit: Double
}

/// The link of a recording, estimated from its concurrent transfers.
///
/// Each second with transfers has a rate: the bytes that arrived, divided by the time in which a transfer was running.
/// The rate of the link at that time is the largest such rate within ``window`` seconds, times a scale. A transfer that
/// ran while the link had room was limited by its server, and keeps its recorded rate as a limit. A transfer that ran
/// while the link was full has no limit of its own. ``SharedLinkCalibration`` finds the scale.
struct SharedLinkEstimate {
    let rate: LinkRate
    /// By event: the loads of the recorded transfers, and their times to the first byte.
    private var transfers: [Int: (load: LinkLoad, timeToFirstByte: Int64)] = [:]

    /// In seconds, to both sides.
    private static let window: Int64 = 8
    /// The share of the link's rate above which the link counts as full.
    private static let full = 0.8
    /// Recorders have a resolution of about a millisecond.
    private static let shortest: Int64 = 1_000
    /// With fewer transfers, there is no estimate.
    private static let fewest = 8

    /// One transfer. Times are microseconds.
    private struct Run {
        var event: Int
        var bytes: Int
        var begin: Int64
        var end: Int64
        var timeToFirstByte: Int64

        /// Bytes per microsecond.
        var rate: Double { Double(bytes) / Double(end - begin) }
    }

    /// Returns nil if the trace has fewer than 8 transfers with bytes and times.
    init?(_ trace: Trace, sizes: [Int], scale: Double) {
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
        guard runs.count >= Self.fewest else { return nil }
        rate = Self.rate(of: runs, scale: scale)
        studyLimits(runs, trace)
    }

    /// Returns a sample that uses the link.
    func applied(to sample: NetworkModel.Sample, event: Int, bytes: Int) -> NetworkModel.Sample {
        var sample = sample
        if let transfer = transfers[event] {
            sample.load = transfer.load
            sample.timeToFirstByte = transfer.timeToFirstByte
        } else {
            sample.load = LinkLoad(bytes: bytes, limit: .infinity)
        }
        return sample
    }

    /// A begin or an end of a transfer.
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

    private static func rate(of runs: [Run], scale: Double) -> LinkRate {
        // The bytes and the busy microseconds of each second with transfers, in order.
        var seconds: [(second: Int64, bytes: Double, busy: Double)] = []
        var (last, rate, count): (Int64, Double, Int) = (0, 0, 0)
        for mark in marks(runs) {
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
        // A second that is hardly busy says little about the link.
        let rates = seconds.map { ($0.second, $0.bytes / max($0.busy, Double(Self.second) / 10)) }
        var segments: [LinkRate.Segment] = []
        var (first, next) = (0, 0)
        for (second, _) in rates {
            while rates[first].0 < second - window { first += 1 }
            while next < rates.count, rates[next].0 <= second + window { next += 1 }
            let most = rates[first..<next].lazy.map(\.1).max() ?? 0
            let rate = max(most, 1e-6) * scale / 1_000
            if segments.last?.rate != rate {
                segments.append(LinkRate.Segment(start: second * 1_000_000_000, rate: rate))
            }
        }
        return LinkRate(segments: segments)
    }

    /// Finds how full the link was during each transfer.
    private mutating func studyLimits(_ runs: [Run], _ trace: Trace) {
        // The integral of the share of the link in use, over time, at the begin of each transfer.
        var before = Array(repeating: 0.0, count: runs.count)
        var (last, used, count, integral): (Int64, Double, Int, Double) = (0, 0, 0, 0)
        for mark in Self.marks(runs) {
            integral += used / (rate.rate(at: last * 1_000) * 1_000) * Double(mark.time - last)
            last = mark.time
            count += mark.isBegin ? 1 : -1
            used = count == 0 ? 0 : used + (mark.isBegin ? 1 : -1) * runs[mark.run].rate
            guard !mark.isBegin else {
                before[mark.run] = integral
                continue
            }
            let run = runs[mark.run]
            let share = (integral - before[mark.run]) / Double(run.end - run.begin)
            transfers[run.event] = load(of: run, isFull: share >= Self.full)
        }
    }

    private func load(of run: Run, isFull: Bool) -> (LinkLoad, Int64) {
        guard isFull else {
            return (LinkLoad(bytes: run.bytes, limit: run.rate / 1_000), run.timeToFirstByte * 1_000)
        }
        // A small body arrives with its first byte: the link's time for it is part of the time to the first byte.
        let alone = Int64(Double(run.bytes) / rate.rate(at: run.begin * 1_000))
        let hidden = max(0, alone - (run.end - run.begin) * 1_000)
        return (LinkLoad(bytes: run.bytes, limit: .infinity), max(0, run.timeToFirstByte * 1_000 - hidden))
    }
}
