import SessionModel

/// The number of recorded fetches in flight.
public struct FetchConcurrency: Sendable, Equatable {
    /// The highest number.
    public private(set) var peak = 0
    /// The mean over the duration of the trace, or until the last fetch ended.
    public private(set) var mean = 0.0
    /// The mean over the time with fetches in flight.
    public private(set) var meanWhileBusy = 0.0
    /// The microseconds with fetches in flight.
    public private(set) var busy: Int64 = 0
    /// The number of fetches with a duration.
    public private(set) var fetches = 0
    /// The number of fetches without a recorded duration, which the figures exclude.
    public private(set) var untimed = 0

    /// Counts the fetches of a session. Nil if no fetch has a duration.
    public init?(_ trace: Trace) {
        var starts: [Int64] = []
        var ends: [Int64] = []
        let origin = trace.events.first?.time ?? 0
        for event in trace.events {
            guard case .fetch(_, let fetch) = event.action else { continue }
            guard let duration = fetch.duration else {
                untimed += 1
                continue
            }
            starts.append(event.time - origin)
            ends.append(event.time - origin + max(0, duration))
        }
        guard !starts.isEmpty else { return nil }
        fetches = starts.count
        starts.sort()
        ends.sort()
        sweep(starts, ends)
        let span = max(trace.duration, ends.last ?? 0)
        let total = zip(starts, ends).reduce(0.0) { $0 + Double($1.1 - $1.0) }
        mean = span > 0 ? total / Double(span) : 0
        meanWhileBusy = busy > 0 ? total / Double(busy) : 0
    }

    /// Counts from the sorted starts and ends. At the same time, fetches end before others begin, because connections
    /// are reused.
    private mutating func sweep(_ starts: [Int64], _ ends: [Int64]) {
        var (begun, ended) = (0, 0)
        var busySince: Int64 = 0
        while ended < ends.count {
            let time = begun < starts.count ? min(starts[begun], ends[ended]) : ends[ended]
            let before = begun - ended
            // A fetch that took no time begins before it ends.
            while ended < begun, ends[ended] == time { ended += 1 }
            while begun < starts.count, starts[begun] == time { begun += 1 }
            peak = max(peak, begun - ended)
            while ended < begun, ends[ended] == time { ended += 1 }
            let now = begun - ended
            if before == 0 { busySince = time }
            if now == 0 { busy += time - busySince }
        }
    }
}
