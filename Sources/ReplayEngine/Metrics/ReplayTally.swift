import CachePolicies

package enum RequestOutcome {
    case memoryHit, diskHit, origin, coalesced, deferred, cancelled, failed

    /// The row of `latency.csv`; nil for outcomes without a delivery.
    var latencyGroup: LatencyGroup? {
        switch self {
        case .memoryHit: .memoryHit
        case .diskHit: .diskHit
        case .origin: .origin
        case .coalesced: .coalesced
        case .deferred, .cancelled, .failed: nil
        }
    }

    /// Whether an image that was fetched ahead of need can have been the reason.
    var usesPrefetch: Bool { self == .memoryHit || self == .diskHit || self == .coalesced }
}

/// Counts the outcomes of the pipeline's decisions.
struct ReplayTally {
    var counts = OutcomeCounts()
    var prefetch = PrefetchFigures()
    private var requestBytes: Int64 = 0
    private var hitBytes: Int64 = 0
    private(set) var blank = BlankFigures()
    private var revalidation = RevalidationFigures()
    private let end: Int64
    private let sizes: [Int]
    private let foreground: ForegroundClock
    private var timeline: TimelineRecorder
    private let detail: ReplayJob.Timeline

    init(sizes: [Int], end: Int64, foreground: ForegroundClock, _ detail: ReplayJob.Timeline) {
        self.sizes = sizes
        self.foreground = foreground
        self.detail = detail
        self.end = end
        timeline = TimelineRecorder(end: end, foreground: foreground, detail)
    }

    mutating func appeared(_ imageKey: ImageKey, at time: Int64) {
        timeline.appeared(at: time)
        requestBytes += Int64(sizes[imageKey.object])
    }

    /// - Parameter isWrong: Whether the cache delivered the picture of another key. Such a request is no hit.
    mutating func settled(_ imageKey: ImageKey, _ outcome: RequestOutcome, appeared: Int64, isWrong: Bool) {
        guard !isWrong else { return counts.wrong += 1 }
        switch outcome {
        case .memoryHit: counts.memoryHits += 1
        case .diskHit: counts.diskHits += 1
        case .origin: counts.originFetches += 1
        case .coalesced: counts.coalesced += 1
        case .deferred: counts.deferred += 1
        case .cancelled: counts.cancelled += 1
        case .failed: counts.failed += 1
        }
        guard outcome == .memoryHit || outcome == .diskHit else { return }
        hitBytes += Int64(sizes[imageKey.object])
        timeline.hit(outcome, appeared: appeared)
    }

    /// Notes that a visible cell is to show its image from a time on, which can be later than now.
    mutating func delivered(at time: Int64) { timeline.shown(at: time) }

    /// Counts an image that a cell has shown.
    mutating func shown(latency: Int64) {
        counts.shown += 1
        if latency <= 16_000_000 { counts.shownWithin16ms += 1 }
        if latency <= 100_000_000 { counts.shownWithin100ms += 1 }
        if latency <= 1_000_000_000 { counts.shownWithin1s += 1 }
    }

    /// Counts the time of a cell that leaves the screen, with or without its image. Time in the background does not
    /// count.
    ///
    /// - Parameter delivered: The time from which on the cell shows its image; negative if it never did.
    mutating func closed(appeared: Int64, delivered: Int64, at time: Int64) {
        timeline.closed(delivered: delivered, at: time)
        let start = foreground.time(at: appeared)
        let visible = foreground.time(at: time) - start
        blank.visibleTime += Double(visible)
        blank.blankTime += Double(
            delivered >= 0 && delivered < time ? foreground.time(at: delivered) - start : visible)
    }

    /// Counts an image that is ready after its cell has disappeared.
    mutating func late() { counts.late += 1 }

    mutating func stale() { counts.staleHits += 1 }

    /// Counts a conditional request.
    mutating func asked() { revalidation.revalidations += 1 }

    /// Counts a 304.
    mutating func confirmed(_ object: Int) {
        revalidation.notModified += 1
        revalidation.savedBytes += Int64(sizes[object])
    }

    /// Counts the wait of a visible cell for a validation. What comes after the session does not count.
    mutating func waited(from start: Int64, to stop: Int64) {
        revalidation.waitTime += Double(max(0, foreground.time(from: min(start, end), to: min(stop, end))))
    }

    /// Counts the time for which a shown object was past its lifetime, in nanoseconds.
    mutating func stale(by time: Int64) { revalidation.stalenessShown += Double(time) }

    /// Whether ``advance(to:memory:disk:)`` has an effect.
    func secondEnds(by time: Int64) -> Bool { timeline.secondEnds(by: time) }

    /// Notes how many fetches are in progress from now on.
    mutating func fetching(_ count: Int, at time: Int64) { timeline.fetching(count, at: time) }

    /// Closes the seconds that have ended. Nothing has changed since the last call.
    mutating func advance(to time: Int64, memory: Occupancy, disk: Occupancy) {
        timeline.advance(to: time, memory: memory, disk: disk)
    }

    mutating func finish(memory: Occupancy, disk: Occupancy) { timeline.finish(memory: memory, disk: disk) }

    /// Returns all counts, together with the counts of the tiers, and with the latencies of the requests.
    func result(
        _ identity: RunIdentity, _ requests: ArraySlice<ReplayRequest>, tiers: TierFigures, duration: Int64
    ) -> RunResult {
        var result = RunResult(identity: identity)
        result.counts = counts
        result.prefetch = prefetch
        result.latencies = LatencySummary.all(of: requests, isCoarse: detail == .none)
        result.timeline = timeline.rows
        result.tiers = tiers
        result.tiers.requestBytes = requestBytes
        result.tiers.hitBytes = hitBytes
        result.blank = blank
        result.revalidation = revalidation
        result.traceDuration = duration
        return result
    }
}
