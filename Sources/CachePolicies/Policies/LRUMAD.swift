import Basics

/// LRU for delayed hits: of a few objects drawn at random, the one leaves whose absence delays requests least.
///
/// N. Atre, J. Sherry, W. Wang, D. S. Berger, Caching with delayed hits, SIGCOMM 2020: MAD, minimum aggregate delay. A
/// request for an object that is being fetched waits for the rest of the fetch, so a miss delays all requests that come
/// within `delay` of it. The sum is the aggregate delay of the miss. An object is worth its aggregate delay, divided by
/// the time to its next request, which LRU expects to be as long as the time since its last one:
///
///     worth = (sum of delays / windows) / (now - last request + 1)
///
/// The estimate follows the authors' simulator (github.com/cmu-snap/Delayed-Hits, `cache_lru_aggdelay.cpp`). It
/// treats every object as if nothing were held. Requests at least `delay` after the start of the object's last window
/// start another window, and are delayed by `delay`. Other requests are delayed by what is left of the window
/// (``FetchWindow``). All requests count, also for objects that are not held, and an object's history is kept after
/// it has left.
///
/// Times come from the trace, in microseconds; a trace without times has a request each millisecond. Deviations:
/// - There, time is counted in requests, and all objects are compared. Here the victim is exact if no more objects are
///   held than would be drawn.
/// - Every fetch takes `delay`, whatever the tiers of a replay say.
/// - An object that is admitted without a request for it counts as requested then.
///
/// If requests for an object are never within `delay` of each other, all objects have one aggregate delay, and the
/// policy is LRU of the objects drawn. Sizes have no part in it.
struct LRUMAD: SampledPolicy {
    /// Of a held object.
    struct Record: BitwiseCopyable {
        /// Microseconds for each window.
        var delay = 0.0
        var lastRequest: Int64 = 0
    }

    /// Of an object that was requested, held or not.
    struct History: BitwiseCopyable {
        var window = FetchWindow()
        var lastRequest: Int64 = 0
        /// Microseconds.
        var delays = 0.0
        /// 0: never requested.
        var windows = 0.0
    }

    var table = SlotTable(filler: Record())
    var sizes = SizeTable()
    var histories = UncheckedArray(repeating: History())
    var now: Int64 = 0
    var random: SplitMix64
    let limits: Limits
    /// Microseconds.
    let delay: Int64
    let samples: Int
    var occupancy = Occupancy()

    init(_ limits: Limits, delay: Int64 = 100_000, samples: Int = 64, seed: UInt64 = 0) {
        self.limits = limits
        self.delay = delay
        self.samples = samples
        random = SplitMix64(seed: seed)
    }

    mutating func reserve(_ count: Int) {
        table.reserve(count)
        sizes.reserve(count)
        histories.reserve(count)
    }

    func prefetch(_ object: Int) {
        table.prefetch(object)
        histories.prefetch(object)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        now = access.time
        note(access.object)
        guard let slot = table.slot(of: access.object) else { return .miss }
        table.accessed(access.object)
        table.records[slot] = record(of: access.object)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        now = access.time
        if histories[access.object].windows == 0 { note(access.object) }
        insert(access, record(of: access.object), &sink)
        return true
    }

    mutating func nextVictim() -> Int? {
        let now = now
        let victim = table.victim(of: samples, &random) { record in
            record.delay / Double(now &- record.lastRequest &+ 1)
        }
        return victim.map(table.object)
    }

    mutating func clear() {
        removeAll()
        histories.reset()
        now = 0
    }

    /// Notes a request.
    private func note(_ object: Int) {
        var history = histories[object]
        let (wait, begins) = history.window.request(at: now, fetch: delay)
        if begins { history.windows += 1 }
        history.delays += Double(wait)
        history.lastRequest = now
        histories[object] = history
    }

    private func record(of object: Int) -> Record {
        let history = histories[object]
        return Record(delay: history.delays / history.windows, lastRequest: history.lastRequest)
    }
}

extension LRUMAD {
    static let entry = PolicyEntry(
        "lru-mad",
        "Of a few objects drawn at random, the one leaves whose fetch would delay the fewest requests for its recency.",
        parameters: [
            .limits, .duration("delay", default: "100ms"), .integer("samples", default: 64),
            .integer("seed", default: 0),
        ]
    ) {
        LRUMAD(
            try $0.limits(), delay: try $0.fetchDelay(), samples: try $0.integer("samples", in: 1...Int.max),
            seed: try $0.seed())
    }
}

extension PolicyArguments {
    /// Returns the parameter `delay` of a policy for delayed hits, in microseconds.
    func fetchDelay() throws -> Int64 {
        guard let delay = try duration("delay") else {
            throw error("delay is the time of a fetch, such as 100ms", at: "delay")
        }
        return delay
    }
}

/// The last fetch of an object as if no cache held it, for policies that rank by delays.
///
/// A fetch takes a fixed time, its window. A request after the end of the window begins another one, and waits for the
/// whole fetch. Any other request waits for what is left of the window: it is a delayed hit. Times are in microseconds.
///
/// N. Atre, J. Sherry, W. Wang, D. S. Berger, Caching with delayed hits, SIGCOMM 2020. The sum of the delays of a
/// window is the aggregate delay of a miss.
struct FetchWindow: BitwiseCopyable {
    /// `Int64.min`: no request so far.
    private var start = Int64.min

    /// Whether the object was never requested.
    var isUnused: Bool { start == .min }

    /// Notes a request at `now`, which is not before the last one. Returns its delay, and whether it begins a window.
    ///
    /// - Parameter duration: The time of a fetch, above 0, which is the same at each call.
    mutating func request(at now: Int64, fetch duration: Int64) -> (delay: Int64, begins: Bool) {
        let elapsed = now &- start
        guard isUnused || elapsed >= duration else { return (duration &- elapsed, false) }
        start = now
        return (duration, true)
    }
}
