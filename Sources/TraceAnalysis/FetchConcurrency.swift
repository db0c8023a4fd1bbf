import SessionModel

/// How many of the recorded fetches were in flight at a time.
public struct FetchConcurrency: Sendable, Equatable {
    /// One moment at which the number changed, and the number from then on.
    public struct Step: Sendable, Equatable {
        /// Microseconds since the trace's first event.
        public var time: Int64
        public var inFlight: Int

        public init(time: Int64, inFlight: Int) {
            self.time = time
            self.inFlight = inFlight
        }
    }

    /// In order of time.
    public private(set) var steps: [Step] = []
    public private(set) var peak = 0
    /// Over the trace's duration, or until the last fetch ended.
    public private(set) var mean = 0.0
    /// Over the time at which any was in flight.
    public private(set) var meanWhileBusy = 0.0
    /// Microseconds at which any was in flight.
    public private(set) var busy: Int64 = 0
    public private(set) var fetches = 0
    /// Fetches whose duration was not recorded; the figures leave them out.
    public private(set) var untimed = 0

    /// Nil where no fetch has a duration.
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

    /// Both sorted. At one instant fetches end before others begin, as connections are handed on.
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
            if now != before || steps.isEmpty { steps.append(Step(time: time, inFlight: now)) }
        }
    }
}
