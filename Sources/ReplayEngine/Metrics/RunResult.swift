/// The result of one run: one trace, one cache, one repeat. Reports show nothing else.
///
/// Times are in nanoseconds of replay time unless the name says otherwise. Sizes are in bytes.
public struct RunResult: Codable, Sendable, Equatable {
    public var identity: RunIdentity
    /// A name that stands for the user of the session; nil if the session is a user of its own.
    public var user: String?
    public var counts = OutcomeCounts()
    /// One per outcome that delivered, in ``LatencyGroup``'s order, those without requests included.
    public var latencies: [LatencySummary] = []
    /// The seconds in which something changes, and the first and the last; see ``TimelineSecond``.
    public var timeline: [TimelineSecond] = []
    /// The marks of the session, in order of time; see ``SessionMark``.
    public var marks: [SessionMark] = []
    /// The number of events of the system that ``marks`` leaves out, because the trace has too many.
    public var omittedMarks = 0
    /// The film of the cells; nil for results without a timeline of every second, and for traces that do not
    /// record when cells vanish.
    public var film: Film?
    /// Where the cells of ``film`` are in their lists; nil without a film, and for traces without `list` events.
    public var places: CellPlaces?
    /// Why requests were no hits, and what cells waited for; nil for measured runs, and for results without a timeline
    /// of every second.
    public var causes: CauseTotals?
    public var tiers = TierFigures()
    /// The use of images that were fetched ahead of need.
    public var prefetch = PrefetchFigures()
    /// The limit in bytes of the memory policy; nil without a limit that bounds ``TimelineSecond/memoryBytes``. See
    /// ``CacheConfiguration/memoryLimit(in:)``.
    public var memoryLimit: Int?
    /// The physical memory in bytes of the device that the cache's preset assumes; nil for a cache without a preset.
    public var deviceMemory: Int?
    /// The most bytes that images take up in the app at once: what memory holds, the bitmaps that cells display
    /// although memory does not hold them, bodies in transfer, and what is being decoded. <doc:ReplaySemantics>
    /// describes it.
    ///
    /// nil for measured runs, whose memory is measured, as ``MachineFigures/residentPeakBytes``. nil also for traces
    /// that do not record when cells vanish.
    public var imageMemoryPeak: Int64?
    public var blank = BlankFigures()
    /// The work of the main lane, and the frames that it delays; nil with instant timing.
    public var mainLane: MainLaneFigures?
    /// How soon the screen is complete when the list has come to rest; nil with instant timing, for a list that never
    /// comes to rest, and for traces in which no cell vanishes.
    public var rests: RestFigures?
    public var revalidation = RevalidationFigures()
    /// The trace's length in nanoseconds.
    public var traceDuration: Int64 = 0
    /// The cost of the run itself; nil in modelled timing, in which every figure is a function of the input.
    public var machine: MachineFigures?
    /// The figures of a cache of the user's own; nil for other caches.
    public var driven: OwnCacheFigures?
    public var notes: [RunNote] = []
    /// The model of Darwin's NSCache; nil if the cache does not rest on that class.
    public var nsCacheModel: NSCacheModelChoice?

    public init(identity: RunIdentity) {
        self.identity = identity
    }

    /// Whether the peak of the memory tier is known: a cache of the user's own may not report it.
    public var knowsMemory: Bool { driven?.reportsMemory ?? true }

    /// Whether images alone take up more than the physical memory of the device, which no app can have.
    public var exceedsDevice: Bool {
        guard let deviceMemory, knowsMemory else { return false }
        return max(tiers.memoryPeakBytes, imageMemoryPeak ?? 0) > deviceMemory
    }
}

/// The identity of a run. Two runs with equal identities and inputs have the same result.
public struct RunIdentity: Codable, Sendable, Hashable {
    /// The trace's name: its file name without endings.
    public var trace: String
    /// The cache's name as the user gave it.
    public var cache: String
    /// The cache in full, with every default.
    public var specification: String
    /// Counted from 1.
    public var repetition: Int
    public var seed: UInt64
    /// `measured`, `modelled` or `instant`, followed by `+decode` if images were decoded.
    public var timing: String
    /// `recorded`, `shared` or the name of a profile; `none` if the network takes no time.
    public var network = "recorded"
    /// The form that the memory tier holds: `decoded` for bitmaps, `encoded` for the bytes of responses.
    public var holds = "decoded"
    /// The text of the events that were injected into the trace (`InjectedEvents`); nil for none.
    public var injected: String?
    /// The name of the cache without swept values; nil if nothing is swept.
    public var base: String?
    /// The values that a sweep has set; nil if nothing is swept.
    public var swept: [SweptValue]?

    public init(trace: String, cache: String, specification: String, repetition: Int, seed: UInt64, timing: String) {
        self.trace = trace
        self.cache = cache
        self.specification = specification
        self.repetition = repetition
        self.seed = seed
        self.timing = timing
    }
}

/// The number of requests with each outcome. Each request has exactly one source, and is shown, late or never shown.
public struct OutcomeCounts: Codable, Sendable, Equatable {
    public var memoryHits = 0
    public var diskHits = 0
    public var originFetches = 0
    public var coalesced = 0
    public var deferred = 0
    public var cancelled = 0
    public var failed = 0
    /// Requests that were delivered the picture of another key. They are no hits, and their cells stay blank.
    public var wrong = 0

    /// Requests whose image was ready while their cell was visible. ``shownWithin16ms`` and the following counts are
    /// the part that took at most so long.
    public var shown = 0
    public var shownWithin16ms = 0
    public var shownWithin100ms = 0
    public var shownWithin1s = 0
    /// Requests whose image was ready after their cell had disappeared.
    public var late = 0

    /// Prefetches are counted apart from requests.
    public var prefetches = 0
    /// Requests, of any outcome, that were delivered an object past its lifetime.
    public var staleHits = 0

    public init() {}

    public var requests: Int {
        // Results are read from files, whose numbers can be any.
        memoryHits &+ diskHits &+ originFetches &+ coalesced &+ deferred &+ cancelled &+ failed &+ wrong
    }

    /// Requests whose image was never ready.
    public var neverShown: Int { requests &- shown &- late }
}

public struct TierFigures: Codable, Sendable, Equatable {
    /// The bytes of all requests, and of those that were memory or disk hits.
    public var requestBytes: Int64 = 0
    public var hitBytes: Int64 = 0
    /// The bytes of bodies that crossed the network. A transfer that is cancelled counts what had crossed by then.
    public var originBytes: Int64 = 0
    public var diskReadBytes: Int64 = 0
    public var diskWrittenBytes: Int64 = 0
    public var memoryEvictions = 0
    public var diskEvictions = 0
    public var memoryExpirations = 0
    public var diskExpirations = 0
    /// Files that were read and found damaged or missing.
    public var damagedFiles = 0
    /// By the tier's own accounting.
    public var memoryPeakBytes: Int64 = 0
    public var diskPeakBytes: Int64 = 0

    public init() {}
}

public struct BlankFigures: Codable, Sendable, Equatable {
    // Not Int64, which overflows: a month of cells that never disappear, as in traces of requests alone, is centuries
    // of cell time.
    /// The time that visible cells had no image, summed over cells, in nanoseconds.
    public var blankTime = 0.0
    /// The time that cells were visible, summed over cells, in nanoseconds.
    public var visibleTime = 0.0
    /// The share of the area of the visible cells that had no image, summed over time, in nanoseconds: the time for
    /// which a whole screen would have been blank. `BlankArea` defines it. nil with instant timing, and for traces in
    /// which no cell vanishes.
    public var screenTime: Double?
    /// The largest share of the area of the visible cells that had no image, as the mean over one second of the trace.
    public var worstSecond: Double?

    public init() {}
}

/// The work of the main lane, and the frames that it delays while the list moves. `FrameTally` defines the figures.
///
/// Times are nanoseconds.
public struct MainLaneFigures: Codable, Sendable, Equatable {
    /// The time that the work takes, over the whole session.
    public var workTime: Int64 = 0
    /// The time in which the list moves; 0 for a trace without scroll events.
    public var scrollTime: Int64 = 0
    public var at60Hz = FrameDelays()
    public var at120Hz = FrameDelays()

    public init(workTime: Int64, scrollTime: Int64, at60Hz: FrameDelays, at120Hz: FrameDelays) {
        self.workTime = workTime
        self.scrollTime = scrollTime
        self.at60Hz = at60Hz
        self.at120Hz = at120Hz
    }

    /// Returns the hitches in milliseconds for each second in which the list moves; nil if it never moves.
    public func hitchRate(_ delays: FrameDelays) -> Double? {
        scrollTime > 0 ? Double(delays.hitchTime) * 1_000 / Double(scrollTime) : nil
    }
}

/// How late the frames of a display with one rate are. `FrameTally` defines the figures.
///
/// Times are nanoseconds.
public struct FrameDelays: Codable, Sendable, Equatable {
    /// The time by which frames are shown later than they are due, summed over frames.
    public var hitchTime: Int64 = 0
    /// The frames for which the main lane is ready after they are due.
    public var overrunFrames = 0
    /// The time from when a frame is due until the main lane is ready, which 95 % of these frames do not exceed; nil
    /// without such frames.
    public var overrunP95: Int64?
    /// ``hitchTime`` by the raw value of the ``ReplayEvents/Work`` that takes longest among the work that delays a
    /// frame. Work without hitches is left out.
    public var hitchTimes: [String: Int64] = [:]

    public init() {}
}

/// The use of images that were fetched ahead of need.
public struct PrefetchFigures: Codable, Sendable, Equatable {
    /// Transfers that began while no request waited for the image.
    public var fetches = 0
    /// The number of ``fetches`` whose image a request used: it was found in memory or on disk, or the request joined
    /// the transfer.
    public var used = 0
    /// Fetches that were cancelled because the list changed its direction, also those that had not begun.
    public var cancelled = 0
    /// The bytes of ``fetches``. A cancelled transfer counts with the bytes that had crossed the network.
    public var bytes: Int64 = 0
    /// The part of ``bytes`` for images that no request used.
    public var unusedBytes: Int64 = 0
    /// The blank time, in nanoseconds, of the same replay without prefetches, minus the blank time of this one. Nil for
    /// measured runs, for caches of the user's own, and unless the rule `prefetch` plans prefetches.
    public var blankAvoided: Double?

    public init() {}

    /// Seconds of blank time avoided for each megabyte that was transferred ahead of need; nil if nothing was, or if
    /// the time is unknown.
    public var blankAvoidedPerMegabyte: Double? {
        guard let blankAvoided, bytes > 0 else { return nil }
        return blankAvoided / 1e9 / (Double(bytes) / 1e6)
    }
}

/// The costs and savings of the validation of stored objects; all 0 for a cache that validates none.
public struct RevalidationFigures: Codable, Sendable, Equatable {
    /// Conditional requests that were sent, with repeated attempts and those that were cancelled.
    public var revalidations = 0
    /// The number of ``revalidations`` that the origin answered with 304: the stored object is current.
    public var notModified = 0
    /// The bytes of the bodies that the 304 answers did not transfer.
    public var savedBytes: Int64 = 0
    /// The time that visible blank cells waited for validations, summed over cells, in nanoseconds: from the moment at
    /// which a request begins or joins a conditional request to its last answer, or to the end of the cell.
    public var waitTime = 0.0
    /// The time for which shown objects were past the lifetime that HTTP headers state, at the moment at which they
    /// were shown, summed over the requests that showed them, in nanoseconds.
    public var stalenessShown = 0.0

    public init() {}
}

/// Figures of measured runs.
public struct MachineFigures: Codable, Sendable, Equatable {
    /// The peak of resident memory above the level just before the first event.
    public var residentPeakBytes: Int64
    /// The duration of the replay, in nanoseconds.
    public var wallTime: Int64
    /// The bytes that the loopback origin has served and that had not crossed the network in virtual time when their
    /// transfers were cancelled.
    public var abandonedBytes: Int64

    public init(residentPeakBytes: Int64, wallTime: Int64, abandonedBytes: Int64 = 0) {
        self.residentPeakBytes = residentPeakBytes
        self.wallTime = wallTime
        self.abandonedBytes = abandonedBytes
    }
}
