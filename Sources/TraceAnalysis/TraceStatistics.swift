import SessionModel

/// The figures of `trace info` beyond the counts of ``TraceSummary``.
public struct TraceStatistics: Sendable, Equatable {
    /// The distribution of requests over objects.
    public var popularity: Popularity
    /// The distances between two requests of the same object.
    public var reuse: ReuseDistances
    /// The times between requests.
    public var interArrivals: InterArrivals
    /// The distinct objects in use over time.
    public var workingSet: WorkingSet
    public var sizes: [ObjectSizeStatistics]
    /// The fetches in flight; nil if no fetch has a duration.
    public var concurrency: FetchConcurrency?
    /// The movement of the list; nil if the trace has no scroll event.
    public var scroll: ScrollSpeeds?
    /// How the person scrolls and pauses; nil if the trace has no scroll event.
    public var habits: SessionHabits?
    /// The data that were not recorded: `sizes`, `times`, `fetch times` or `scrolling`. Figures that need them are
    /// absent.
    public var missing: [String] = []
    /// Limits of the figures.
    public var warnings: [String] = []

    /// Analyses a session.
    public init(_ trace: Trace) {
        let log = RequestLog(trace)
        self.init(log, FetchConcurrency(trace), ScrollSpeeds(trace))
        habits = SessionHabits(trace)
        let untimed = trace.events.count { event in
            guard case .fetch(_, let fetch) = event.action else { return false }
            return fetch.duration == nil && fetch.succeeded
        }
        if untimed > 0, concurrency != nil {
            warnings.append(
                "\(untimed) successful fetches have no times; the figures of fetches in flight exclude them")
        }
    }

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
                "\(unknown) of \(log.objectCount) objects have no recorded size; figures in bytes exclude them")
        }
        if !log.hasTimes { missing.append("times") }
        if concurrency == nil { missing.append("fetch times") }
        if scroll == nil { missing.append("scrolling") }
        if scroll?.usesOffsets == true {
            warnings.append("scroll events have no velocities; speeds are derived from the offsets")
        }
        if let zipf = popularity.zipf, zipf.isThin {
            warnings.append(
                """
                fewer than 10 requests per object: the Zipf exponent is biased upwards, because chance influences the \
                order of rarely requested objects
                """
            )
        }
    }
}
