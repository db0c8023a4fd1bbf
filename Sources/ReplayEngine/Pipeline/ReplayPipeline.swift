import DequeModule
import SessionModel

/// The life of every request of a trace in one cache. The pipeline decides, ``ReplayLanes`` run what it decides, and
/// ``ReplayTally`` counts.
///
/// Each extension has one stage: requests, disk, origin, decoding, system events. <doc:ReplaySemantics> describes them.
struct ReplayPipeline<Lanes: ReplayLanes> {
    let rules: PipelineRules
    package let memoryRules: MemoryRules
    let diskFailures: FailureRule
    /// The images in the sizes of their views; nil if sizes have no effect.
    let renditions: Renditions?
    /// Whether the pipeline tells the memory tier which images cells show.
    let keepsShown: Bool
    var lanes: Lanes
    var network: NetworkModel
    var tally: ReplayTally
    /// Records causes and waits; nil if they are not asked for.
    let recorder: ReplayRecorder?
    /// Collects the levels of memory, disk and fetches; nil if they are not asked for.
    let log: ReplayEventLog?
    /// Counts the bytes that images take up; nil in measured timing.
    var imageMemory: ImageMemory?

    /// The scheduled time of the current event, in nanoseconds. On a wall clock, the lanes' `now` may be later: a stall
    /// delays everything behind it.
    var eventTime: Int64 = 0
    /// Whether all events and all work are over.
    private(set) var isEnding = false
    /// The time up to which the tally is complete.
    private var talliedTime: Int64 = 0

    var diskJobs = Deque<DiskJob<Lanes.Body>>()
    var diskJobsRunning = 0
    /// By ``ImageKey/number``, for caches that coalesce disk reads: what has joined a read that is queued or running.
    var sharedReads: [Int: JoinedReaders] = [:]
    /// Whether images are decoded before they are delivered.
    let decodes: Bool
    var decodeJobs = Deque<DecodeJob>()
    /// With the numbers that the lanes know them by. A search is quicker than hashing: they are few.
    var runningDecodes: [(number: Int, job: DecodeJob)] = []
    var decodeCount = 0
    var scrolling = false

    /// In order of appearance. The space for all requests is allocated before the first event, so that it does not
    /// count as the cache's memory.
    var requests: [ReplayRequest]
    var requestCount = 0
    /// By ``ImageKey/number``: the first and last cell that shows it, or -1.
    var firstOpen: [Int32]
    var lastOpen: [Int32]

    var fetches: [ReplayFetch] = []
    /// By ``ImageKey/rendition``: the fetch that is in progress, or -1.
    var inFlight: [Int]
    /// By object: the number of its fetches.
    var fetchCounts: [Int]
    /// By object: the number of its fetches that have entered the queue. Empty unless recorded waits are replayed.
    var queuedCounts: [Int]
    var queue: QueuedFetches
    var runningFetches = 0 { didSet { tally.fetching(runningFetches, at: lanes.now) } }
    var runningPrefetches = 0
    var connections: ConnectionPool
    var bucket: TokenBucket?
    /// When the bucket has a token for the next fetch; nil if no fetch waits for one.
    var bucketAlarm: Int64?
    var heldBack: [Int] = []
    /// Objects whose body was not an image, if the cache does not fetch them again.
    var blocked: Set<Int> = []
    /// The calls that ask for images ahead of need.
    let plan: [PrefetchPlan.Step]
    var nextPlanned = 0
    /// What was asked for ahead of need; nil if nothing is.
    var ahead: AheadObjects?
    /// Whether a tier validates what it has stored.
    let validatesMemory: Bool
    let validatesDisk: Bool
    var validates: Bool { validatesMemory || validatesDisk }
    var validation: ValidationState<Lanes.Body>
    /// The first request and the first fetch since the last relaunch. All earlier ones are over.
    var firstRequest = 0
    var firstFetch = 0

    init(_ run: PreparedRun, lanes: Lanes, imageMemory: ImageMemory?) {
        let (trace, cache) = (run.trace, run.cache)
        log = run.setup.log
        recorder = run.recorder
        self.imageMemory = imageMemory
        decodes = run.job.decode
        var rules = cache.pipeline
        if !run.job.mayPrefetch { rules.prefetch = .none }
        self.rules = rules
        plan = run.plan?.steps ?? []
        let asksAhead = !plan.isEmpty || rules.prefetch == .recorded && run.prepared.recordsPrefetches
        ahead = asksAhead ? AheadObjects(objects: trace.objects.count) : nil
        memoryRules = cache.memoryRules
        diskFailures = cache.diskRules.failures
        renditions = run.objects.renditions
        keepsShown = cache.memoryRules.keepsShown
        validation = ValidationState(run.prepared, cache)
        validatesMemory = validation.memory.rule != .never
        validatesDisk = validation.disk.rule != .never
        queue = QueuedFetches(rules.order)
        connections = ConnectionPool(run.network.hosts, limit: rules.connectionsPerHost)
        bucket = cache.pipeline.fetchesPerSecond.map { TokenBucket(rate: $0, burst: cache.pipeline.burst) }
        self.lanes = lanes
        network = run.network
        requests = Array(repeating: ReplayRequest(), count: run.prepared.requestCount)
        firstOpen = Array(repeating: -1, count: run.objects.imageCount * 2)
        lastOpen = firstOpen
        inFlight = Array(repeating: -1, count: run.objects.imageCount)
        fetchCounts = Array(repeating: 0, count: trace.objects.count)
        queuedCounts = rules.queue == .recorded ? fetchCounts : []
        fetches.reserveCapacity(requests.count)
        tally = ReplayTally(
            sizes: run.prepared.sizes.bytes, end: (trace.events.last?.time ?? 0) * 1_000,
            foreground: run.prepared.foreground, run.job.timeline)
    }

    /// Replays all events. `progress` receives the number of finished events, every thousand events, and ends the
    /// replay by an error.
    mutating func run(_ events: [SessionEvent], progress: (Int) throws -> Void = { _ in }) throws {
        try lanes.begin()
        defer { lanes.end() }
        try followPlan(after: -1)
        for (index, event) in events.enumerated() {
            eventTime = event.time
            if stops(at: event.action, number: index) || index == events.count - 1 {
                try work(until: eventTime)
                try handle(event.action, number: index)
                if nextPlanned < plan.count { try followPlan(after: index) }
                if log != nil { noteLevels() }
            }
            if index % 1_000 == 999 { try progress(index + 1) }
        }
        try work(until: nil)
        finish(at: eventTime)
    }

    /// Whether the replay stops at an event. It passes over events without an effect, unless something happens at their
    /// times.
    private func stops(at action: SessionEvent.Action, number: Int) -> Bool {
        switch action {
        case .noEffect: break
        case .scroll where rules.fetchWhileScrolling: break
        default: return true
        }
        let isPlanned = nextPlanned < plan.count && plan[nextPlanned].afterEvent == number
        return isPlanned || tally.secondEnds(by: eventTime) || log != nil
    }

    /// Handles everything that ends up to `time`, or all that is in progress.
    mutating func work(until time: Int64?) throws {
        if log != nil { noteLevels() }
        while let step = try lanes.nextStep(until: time) {
            noteTime()
            switch step {
            case .diskEnded(let job, let answer): try diskEnded(job, answer)
            case .decoded(let number, let answer): try decodeEnded(number, answer)
            case .fetched(let fetch, let answer): try fetched(fetch, answer)
            case .woke: try woke()
            }
            if log != nil { noteLevels() }
        }
        noteTime()
    }

    /// Notes what the tiers hold now, and what has left them since the last call.
    private func noteLevels() {
        for (tier, departures) in recorder?.takeDepartures() ?? [] { log?.note(departures, from: tier, at: lanes.now) }
        log?.note(
            .init(
                time: lanes.now, memoryBytes: lanes.memoryOccupancy.bytes, diskBytes: lanes.diskOccupancy.bytes,
                fetches: runningFetches))
    }

    private mutating func noteTime() {
        guard lanes.now > talliedTime else { return }
        talliedTime = lanes.now
        guard tally.secondEnds(by: talliedTime) else { return }
        tally.advance(to: talliedTime, memory: lanes.memoryOccupancy, disk: lanes.diskOccupancy)
    }

    /// Returns the image that an event is about.
    private func imageKey(_ object: ObjectID, _ variant: Variant, event: Int) -> ImageKey {
        guard let renditions else { return ImageKey(object: Int(object), variant: variant.rawValue) }
        return renditions.imageKey(object, variant, event: event)
    }

    private mutating func handle(_ action: SessionEvent.Action, number: Int) throws {
        switch action {
        case .appear(let object, let variant): try appear(imageKey(object, variant, event: number))
        case .disappear(let object, let variant): try disappear(imageKey(object, variant, event: number))
        case .prefetch(let object, let variant):
            guard rules.prefetch == .recorded else { break }
            try prefetch(imageKey(object, variant, event: number))
        case .scroll(let phase): try scroll(phase)
        case .memoryWarning:
            lanes.notice(.memoryWarning)
            try relieve(memoryRules.onWarning, .memoryWarning)
        case .background: try background()
        case .terminate: try terminate()
        case .remove(let object): try remove(Int(object))
        case .noEffect: break
        }
    }

    /// Ends the replay: requests without a fetch are deferred, requests that a cache has forgotten fail, and visible
    /// cells close.
    private mutating func finish(at end: Int64) {
        isEnding = true
        // Before the cells that are still visible close.
        tally.finish(memory: lanes.memoryOccupancy, disk: lanes.diskOccupancy)
        for request in firstRequest..<requestCount {
            requests[request].isForgotten = requests[request].hasNoPendingFetch(fetches)
            if !requests[request].isDone { settle(request, requests[request].isForgotten ? .failed : .deferred) }
            if requests[request].isVisible { close(request, at: end) }
        }
    }
}

extension Trace {
    /// Whether the app asked for images ahead of need.
    var recordsPrefetches: Bool { events.contains { if case .prefetch = $0.action { true } else { false } } }
}
