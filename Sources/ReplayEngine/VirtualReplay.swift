import CachePolicies
import CacheTraces
import DequeModule

/// A trace through one cache as a discrete-event replay: virtual time jumps from event to event, the tiers' operations take
/// what they take, and every duration is charged to the lane it ran on (REPLAY.md, "Clocks").
///
/// The work happens in the extensions, one stage each: requests, disk, origin, system events.
struct VirtualReplay<Tiers: ReplayTiers> {
    let rules: PipelineRules
    let countsNetwork: Bool
    var tiers: Tiers
    var weather: NetworkWeather
    var tally: ReplayTally
    var agenda = ReplayAgenda<Step>()

    /// Nanoseconds since the start of the trace.
    var now: Int64 = 0
    /// When the main lane has worked off what was given to it.
    var mainLaneFree: Int64 = 0
    var diskJobs = Deque<DiskJob>()
    var diskJobsRunning = 0
    var scrolling = false

    /// By the order of appearance; room for all is made before the first event, so that it does not count as the cache's memory.
    var requests: [ReplayRequest]
    var requestCount = 0
    /// By ``Cell/number``: the first and last cell that shows it, or -1.
    var firstOpen: [Int32]
    var lastOpen: [Int32]

    var fetches: [ReplayFetch] = []
    /// By object: the fetch that is under way, or -1.
    var inFlight: [Int]
    /// By object: how often it was fetched.
    var fetchCounts: [Int]
    var queuedFetches = Deque<Int>()
    var runningFetches = 0
    var heldBack: [Int] = []

    /// Something that virtual time will come to.
    enum Step {
        case diskAnswered(DiskJob, Answer<Tiers.Body>)
        case diskWritten
        case fetched(Int, Answer<Tiers.Body>)
    }

    enum DiskJob {
        case read(request: Int)
        case readAhead(Cell)
        case store(Tiers.Body, Cell)
        case removeExpired
    }

    init(_ trace: Trace, sizes: [Int], rules: PipelineRules, countsNetwork: Bool, tiers: Tiers, weather: NetworkWeather) {
        self.rules = rules
        self.countsNetwork = countsNetwork
        self.tiers = tiers
        self.weather = weather
        let appearances = trace.events.count { if case .appear = $0.action { true } else { false } }
        requests = Array(repeating: ReplayRequest(), count: appearances)
        firstOpen = Array(repeating: -1, count: trace.objects.count * 2)
        lastOpen = firstOpen
        inFlight = Array(repeating: -1, count: trace.objects.count)
        fetchCounts = Array(repeating: 0, count: trace.objects.count)
        fetches.reserveCapacity(appearances)
        tally = ReplayTally(sizes: sizes, duration: trace.duration * 1_000)
    }

    /// Replays everything. `progress` is told how many events are done, every thousand.
    mutating func run(_ events: [TraceEvent], progress: (Int) -> Void = { _ in }) throws {
        for (index, event) in events.enumerated() {
            try work(until: event.time * 1_000)
            try handle(event.action)
            if index % 1_000 == 999 { progress(index + 1) }
        }
        let end = now
        try work(until: .max)
        finish(at: end)
    }

    /// Does what is planned up to and including `time`, then moves the clock there.
    private mutating func work(until time: Int64) throws {
        while let next = agenda.nextTime, next <= time {
            try advance(to: next)
            guard let (_, step) = agenda.takeNext() else { break }
            switch step {
            case .diskAnswered(let job, let answer): try diskAnswered(job, answer)
            case .diskWritten: try diskJobEnded()
            case .fetched(let fetch, let answer): try fetched(fetch, answer)
            }
        }
        if time != .max { try advance(to: time) }
    }

    private mutating func advance(to time: Int64) throws {
        guard time > now else { return }
        tally.advance(from: now, to: time, memory: tiers.memoryOccupancy, disk: tiers.diskOccupancy, fetches: runningFetches)
        now = time
        try tiers.advance(to: time)
    }

    private mutating func handle(_ action: TraceEvent.Action) throws {
        switch action {
        case .appear(let object, let variant): try appear(Cell(object: Int(object), variant: variant.rawValue))
        case .disappear(let object, let variant): try disappear(Cell(object: Int(object), variant: variant.rawValue))
        case .prefetch(let object, let variant): try prefetch(Cell(object: Int(object), variant: variant.rawValue))
        case .scroll(let phase, _, _): try scroll(phase)
        case .fetch: break  // The network's weather, which a cache meets only when it fetches.
        case .memoryWarning: if rules.clearOnMemoryWarning { tiers.memoryWarning() }
        case .background: try background()
        case .foreground: break
        case .terminate: try terminate()
        }
    }

    /// Charges `duration` to the main lane; returns when it is worked off.
    mutating func onMainLane(_ duration: Int64) -> Int64 {
        mainLaneFree = max(now, mainLaneFree) + duration
        return mainLaneFree
    }

    /// The trace is over: what was never fetched was deferred, and cells still on screen close with it.
    private mutating func finish(at end: Int64) {
        for request in 0..<requestCount {
            if !requests[request].isDone { settle(request, .deferred) }
            if requests[request].isVisible { close(request, at: end) }
        }
        tally.finish(memory: tiers.memoryOccupancy, disk: tiers.diskOccupancy)
    }
}
