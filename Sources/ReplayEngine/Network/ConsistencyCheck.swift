import SessionModel

/// The proof that the network of a replay is the recorded one: a replay of all recorded fetches without a cache, with
/// as many connections to each host as the recording shows, takes as long as the recording took.
///
/// Each recorded fetch with times becomes a request at the time at which it left the client's queue. The queue itself
/// is not compared: it depends on resources of the page that are no images, and on the client's own limits. A chain of
/// redirects is one fetch. Nothing is stored and nothing is coalesced. Only fetches that succeeded are compared; the
/// others still use connections.
public struct ConsistencyCheck: Sendable, Equatable {
    /// Percentiles of durations, in nanoseconds, from the end of the client's queue to the last byte.
    public struct Durations: Sendable, Equatable {
        public var median: Int64
        public var p90: Int64

        /// - Parameter sorted: Durations in rising order, at least one.
        init(_ sorted: [Int64]) {
            median = Self.percentile(50, sorted)
            p90 = Self.percentile(90, sorted)
        }

        /// The smallest value that at least this share of the values does not exceed.
        private static func percentile(_ percent: Int, _ sorted: [Int64]) -> Int64 {
            sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
        }
    }

    public var network: ReplayJob.Network
    public var fetches: Int
    public var recorded: Durations
    public var replayed: Durations
    /// Whether recorded times may contain waits for a connection.
    public var hidesQueues: Bool
    /// The share of the recorded durations with the queue, summed over all compared fetches, that was spent in the
    /// client's queue.
    public var queuedShare: Double

    /// The largest accepted difference, as a share of the recorded duration. It says how well a model of the network
    /// fits a recording; the tolerance for differences between caches is another one.
    public static let medianTolerance = 0.1
    public static let p90Tolerance = 0.2

    /// The difference of the medians, as a share of the recorded one.
    public var medianError: Double { Self.error(replayed.median, recorded.median) }
    public var p90Error: Double { Self.error(replayed.p90, recorded.p90) }

    /// Whether the durations agree. Recorders have a resolution of about a millisecond, so smaller differences count as
    /// none.
    public var passes: Bool { isWithin(median: Self.medianTolerance, p90: Self.p90Tolerance) }

    func isWithin(median: Double, p90: Double) -> Bool {
        (abs(medianError) <= median || abs(replayed.median - recorded.median) < Self.resolution)
            && (abs(p90Error) <= p90 || abs(replayed.p90 - recorded.p90) < Self.resolution)
    }

    private static let resolution: Int64 = 1_000_000

    private static func error(_ replayed: Int64, _ recorded: Int64) -> Double {
        Double(replayed - recorded) / Double(max(recorded, 1))
    }

    /// Replays the recorded fetches. Returns nil if no fetch that succeeded has times, or if `network` is shared and
    /// there are too few transfers to estimate a link.
    public init?(_ trace: Trace, network: ReplayJob.Network) throws {
        guard let sent = try SentFetches(trace) else { return nil }
        try self.init(sent, network: network)
    }

    /// Replays the recorded fetches of a trace that several checks share.
    init?(_ sent: SentFetches, network: ReplayJob.Network) throws {
        self.network = network
        if case .shared = network,
            !SharedLinkEstimate.exists(sent.trace.trace, sizes: sent.trace.sizes.bytes)
        {
            return nil
        }
        let cache = try CacheConfiguration(
            "memory: fifo(1B); store: none; coalesce: false; connectionsPerHost: none", registry: .builtIn)
        var job = ReplayJob(trace: "recording", cache: cache)
        job.timing = .modelled(.standard)
        job.network = network
        job.timeline = .none
        let requests = try job.runRecordingRequests(sent.trace, isLiteral: true).requests
        queuedShare = sent.queuedShare
        let pairs = zip(sent.durations, requests).compactMap { duration, request in
            duration.flatMap { request.delivered >= 0 ? ($0, request.delivered - request.appeared) : nil }
        }
        guard !pairs.isEmpty else { return nil }
        fetches = pairs.count
        recorded = Durations(pairs.map(\.0).sorted())
        replayed = Durations(pairs.map(\.1).sorted())
        hidesQueues = sent.hidesQueues
    }
}

/// The recorded fetches of a trace as requests, each at the time at which it left the client's queue. Checks over
/// several networks share them.
struct SentFetches {
    let trace: PreparedTrace
    /// The recorded duration of each request, in nanoseconds; nil for those that are not compared.
    let durations: [Int64?]
    let queuedShare: Double
    let hidesQueues: Bool

    /// Returns nil if no fetch that succeeded has times.
    init?(_ trace: Trace) throws {
        var sent: [(time: Int64, object: ObjectID, fetch: Fetch)] = []
        for event in trace.events {
            guard case .fetch(let object, var fetch) = event.action, fetch.duration != nil else { continue }
            let time = event.time + (fetch.queued ?? 0)
            if fetch.queued != nil { fetch.queued = 0 }
            sent.append((time, object, fetch))
        }
        // Fetches that leave the queue at one time keep the order of the recording.
        sent = sent.indices.sorted { (sent[$0].time, $0) < (sent[$1].time, $1) }.map { sent[$0] }
        var events: [TraceEvent] = []
        events.reserveCapacity(2 * sent.count)
        var durations: [Int64?] = []
        for (time, object, fetch) in sent {
            events.append(TraceEvent(time: time, .appear(object, .full)))
            events.append(TraceEvent(time: time, .fetch(object, fetch)))
            durations.append(fetch.succeeded && !fetch.isUndecodable ? fetch.duration.map { $0 * 1_000 } : nil)
        }
        let fetched = Trace(header: trace.header, objects: trace.objects, events: events)
        guard durations.contains(where: { $0 != nil }) else { return nil }
        self.durations = durations
        self.trace = try PreparedTrace(fetched, networks: [])
        queuedShare = Self.queuedShare(trace.events)
        hidesQueues = RecordedHosts(fetched, fetched.fetches()).hidesQueues
    }

    private static func queuedShare(_ events: [TraceEvent]) -> Double {
        var (queued, all): (Int64, Int64) = (0, 0)
        for case .fetch(_, let fetch) in events.lazy.map(\.action) where fetch.succeeded {
            queued += fetch.queued ?? 0
            all += fetch.duration ?? 0
        }
        return all > 0 ? Double(queued) / Double(all) : 0
    }
}

extension ReplayJob.Network {
    /// Returns the shared link of a trace: one with which a replay of the recording without a cache takes as long as
    /// the recording took. Returns nil if there are too few transfers, or if no link reproduces the recording.
    ///
    /// If the recording looks like a bottleneck, it is the one nearest to the estimate within the tolerance of
    /// ``ConsistencyCheck``. Otherwise it is the slowest link within 5 % at the median and 10 % at the 90th percentile:
    /// a slower link makes transfers compete that did not compete in the recording.
    ///
    /// Complexity: up to twelve replays of the first 20,000 fetches.
    public static func sharedLink(of trace: Trace) throws -> ReplayJob.Network? {
        var (events, fetches) = ([TraceEvent](), 0)
        for event in trace.events {
            guard case .fetch = event.action else { continue }
            events.append(event)
            fetches += 1
            if fetches == calibrated { break }
        }
        let head = Trace(header: trace.header, objects: trace.objects, events: events)
        let sent = try SentFetches(head)
        if SharedLinkEstimate.isBottleneck(head, sizes: head.resolvedSizes().bytes) {
            for scale in [1, 1.1, 0.9, 1.25] {
                let network = ReplayJob.Network.shared(SharedLinkModel(isBottleneck: true, scale: scale))
                if let sent, try ConsistencyCheck(sent, network: network)?.passes == true { return network }
            }
        }
        for scale in [1, 1.1, 1.25, 1.5, 2, 3, 5, 8] {
            let network = ReplayJob.Network.shared(SharedLinkModel(isBottleneck: false, scale: scale))
            guard let sent, let check = try ConsistencyCheck(sent, network: network) else { return nil }
            if check.isWithin(median: 0.05, p90: 0.1) { return network }
        }
        return nil
    }

    /// The number of fetches that the calibration uses.
    static let calibrated = 20_000
}

/// The consistency checks of one trace: with recorded transfer times, and over the shared link if one can be estimated.
public struct ConsistencyReport: Sendable, Equatable {
    /// Why a check is missing, does not pass, or leaves something out.
    public enum Reason: Sendable, Equatable {
        case noTimes
        /// Recorded times may contain waits for a connection.
        case hiddenQueues
        /// The share of the recorded time that was spent in the client's queue, from 0 to 1. Durations leave it out.
        case queued(share: Double)
        case noSharedLink
    }

    /// Empty if the trace records no successful fetch with times.
    public private(set) var checks: [ConsistencyCheck] = []
    public private(set) var reasons: [Reason] = []
    /// Whether the checks use only the first fetches of the trace.
    public private(set) var isPartial = false

    /// Whether a network model reproduces the recorded durations, or there is nothing to compare.
    public var passes: Bool { checks.isEmpty || checks.contains(where: \.passes) }

    /// Checks a trace.
    ///
    /// Complexity: up to twelve replays of the first 20,000 fetches, and two of all compared fetches.
    ///
    /// - Parameters:
    ///   - trace: A recording with the times of its fetches.
    ///   - limit: The number of fetches that are compared, from the first on; nil for all.
    /// - Throws: `ReplayError` if the trace cannot be replayed (``ReplayJob/check(_:)``).
    public init(_ trace: Trace, first limit: Int? = nil) throws {
        try ReplayJob.check(trace)
        var compared = trace
        if let limit, let head = trace.fetches(first: limit) {
            compared = head
            isPartial = true
        }
        guard let recorded = try ConsistencyCheck(compared, network: .recorded) else {
            reasons.append(.noTimes)
            return
        }
        checks.append(recorded)
        if recorded.hidesQueues { reasons.append(.hiddenQueues) }
        if recorded.queuedShare > 0.02 { reasons.append(.queued(share: recorded.queuedShare)) }
        if let network = try ReplayJob.Network.sharedLink(of: compared) {
            if let shared = try ConsistencyCheck(compared, network: network) { checks.append(shared) }
        } else {
            reasons.append(.noSharedLink)
        }
    }
}

extension Trace {
    /// Returns a trace of the first fetches and of the objects up to the last one of them; nil if there are no more
    /// fetches than `limit`.
    fileprivate func fetches(first limit: Int) -> Trace? {
        var head: [TraceEvent] = []
        var objects = 0
        for event in events {
            guard case .fetch(let object, _) = event.action else { continue }
            guard head.count < limit else {
                return Trace(header: header, objects: Array(self.objects.prefix(objects)), events: head)
            }
            head.append(event)
            objects = max(objects, Int(object) + 1)
        }
        return nil
    }
}
