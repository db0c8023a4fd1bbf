import SessionModel

/// What a trace is like: every figure of `trace info` beyond the counts of ``TraceSummary``.
public struct TraceStatistics: Sendable, Equatable {
    public var popularity: Popularity
    public var reuse: ReuseDistances
    public var interArrivals: InterArrivals
    public var workingSet: WorkingSet
    public var sizes: [ObjectSizeStatistics]
    /// Nil where the trace has no fetch with a duration.
    public var concurrency: FetchConcurrency?
    /// Nil where the trace has no scroll event.
    public var scroll: ScrollSpeeds?
    /// What the trace does not say, in a word each: figures that need it are left out.
    public var missing: [String] = []
    /// What makes a figure less than it seems.
    public var warnings: [String] = []

    public init(_ trace: Trace) {
        let log = RequestLog(trace)
        self.init(log, FetchConcurrency(trace), ScrollSpeeds(trace))
        let untimed = trace.events.count { event in
            guard case .fetch(_, let fetch) = event.action else { return false }
            return fetch.duration == nil && fetch.succeeded
        }
        if untimed > 0, concurrency != nil {
            warnings.append(
                "\(untimed) successful fetches have no times; the figures of fetches in flight leave them out")
        }
    }

    /// Of requests alone.
    public init(_ log: RequestLog) {
        self.init(log, nil, nil)
    }

    private init(_ log: RequestLog, _ concurrency: FetchConcurrency?, _ scroll: ScrollSpeeds?) {
        popularity = Popularity(log)
        reuse = ReuseDistances(log)
        interArrivals = InterArrivals(log)
        workingSet = WorkingSet(log)
        sizes = ObjectSizeStatistics.byVariant(log)
        self.concurrency = concurrency
        self.scroll = scroll
        findGaps(log)
    }

    private mutating func findGaps(_ log: RequestLog) {
        let unknown = sizes.reduce(0) { $0 + $1.unknown }
        if log.objectCount > 0, unknown == log.objectCount {
            missing.append("sizes")
        } else if unknown > 0 {
            warnings.append(
                "\(unknown) of \(log.objectCount) objects have no recorded size; bytes are those of the others")
        }
        if !log.hasTimes { missing.append("times") }
        if concurrency == nil { missing.append("fetch times") }
        if scroll == nil { missing.append("scrolling") }
        if scroll?.usesOffsets == true {
            warnings.append("scroll events carry no velocities; speeds are the offsets' change over time")
        }
        if let zipf = popularity.zipf, zipf.isThin {
            warnings.append(
                """
                fewer than 10 requests per object: the Zipf exponent is biased upwards, because chance orders rarely \
                requested objects too
                """
            )
        }
    }
}
