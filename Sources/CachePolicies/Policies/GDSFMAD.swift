/// GDSF for delayed hits: small objects whose requests would wait long without a cache stay.
///
/// Of N. Atre, J. Sherry, W. Wang, D. S. Berger, Caching with delayed hits, SIGCOMM 2020, are the windows and the idea:
/// the cost of a miss is its aggregate delay, the sum of the delays of all requests in its window (``FetchWindow``).
/// The paper transforms LRU, LHD and ARC so. Neither the paper nor its authors' simulator
/// (github.com/cmu-snap/Delayed-Hits: `cache_lru_aggdelay.cpp`, `cache_lhd_aggdelay.cpp`, `cache_arc_aggdelay.cpp`) has
/// a form of GDSF. This one is derived here, from the rank of ``GDSF``, Clock + Fr * Cost / Size:
/// - Cost is the mean aggregate delay of the object's windows since its admission, in fetches of `delay`.
/// - Fr is the number of these windows, the misses that the object would have without a cache, instead of all
///   accesses. Delayed hits of a window are in its cost already.
///
/// Together, Fr * Cost is the sum of the delays of the requests since the admission:
///
///     rank = clock + sum of delays / delay / size
///
/// The clock and the order of equal ranks follow GDSF. Costs are in millionths, and an object of 0 bytes is
/// ranked as one of 1, as there. Windows follow ``LRUMAD``: every object is treated as if nothing were held, and
/// requests for objects that are not held count.
///
/// The past of an object before its admission counts if it belongs to the last window. Otherwise it is forgotten, as in
/// GDSF. An object that is admitted after a miss therefore begins with the aggregate delay of that miss so far. The
/// window may be older than the miss: it continues although the object was held in between, and left.
///
/// The forms of LRU, LHD and ARC divide by the number of windows, and keep an object's whole history. Here the number
/// cancels out, and the sum grows with each request until the object leaves: its rank never falls.
///
/// Times come from the trace, in microseconds; a trace without times has a request each millisecond. Every fetch
/// takes `delay`, whatever the tiers of a replay say. An object that is admitted without any request for it counts as
/// requested then.
///
/// If requests for an object are never within `delay` of each other, each of them costs one fetch, and the policy is
/// `gdsf` with `cost: one`, with the same ranks to the last bit. A burst of requests counts less than there.
struct GDSFMAD: RankedPolicy {
    /// Of an object that was requested, held or not. Delays are in whole microseconds, so their sums are exact.
    struct History: BitwiseCopyable {
        var window = FetchWindow()
        /// Of the requests in the last window.
        var windowDelays = 0.0
        /// Of a held object: of the requests since the start of the window in which it was admitted.
        var delays = 0.0
    }

    var ranked: RankedObjects
    var histories = UncheckedArray(repeating: History())
    var clock = 0.0
    /// Microseconds.
    let delay: Int64

    init(_ limits: Limits, delay: Int64 = 100_000) {
        ranked = RankedObjects(limits: limits)
        self.delay = delay
    }

    mutating func reserve(_ count: Int) {
        ranked.reserve(count)
        histories.reserve(count)
    }

    func prefetch(_ object: Int) {
        ranked.prefetch(object)
        histories.prefetch(object)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let fetches = note(access) / Double(delay)
        return ranked.access(access.object) { Self.rank($0, clock, fetches) } ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        ranked.remove(access.object)
        guard ranked.fitsAlone(access.size) else { return false }
        if histories[access.object].window.isUnused { _ = note(access) }
        histories[access.object].delays = histories[access.object].windowDelays
        while !ranked.fits(access.size), evictNext(&sink) {}
        let fetches = histories[access.object].delays / Double(delay)
        ranked.insert(access) { Self.rank($0, clock, fetches) }
        return true
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let rank = ranked.evictLowest(&sink) else { return false }
        clock = rank
        return true
    }

    mutating func resetRule() {
        clock = 0
        histories.reset()
    }

    /// Notes a request. Returns the sum of delays, which has a meaning if the object is held.
    private func note(_ access: Access) -> Double {
        var history = histories[access.object]
        let (wait, begins) = history.window.request(at: access.time, fetch: delay)
        history.windowDelays = Double(wait) + (begins ? 0 : history.windowDelays)
        history.delays += Double(wait)
        histories[access.object] = history
        return history.delays
    }

    /// In the order of operations of ``GDSF``, for equal roundings.
    private static func rank(_ record: RankedObjects.Record, _ clock: Double, _ fetches: Double) -> Double {
        clock + fetches * FetchCost.one.millionths(record.size) / Double(max(record.size, 1))
    }
}

extension GDSFMAD {
    static let entry = PolicyEntry(
        "gdsf-mad",
        "GDSF for delayed hits: a request counts as the part of a fetch for which it would wait without a cache.",
        parameters: [.limits, .duration("delay", default: "100ms")]
    ) { GDSFMAD(try $0.limits(), delay: try $0.fetchDelay()) }
}
