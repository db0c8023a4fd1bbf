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

    /// The time of the current event, in nanoseconds.
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
    /// Objects whose file was no image when it was last read, if a cache fetches again without replacing the file.
    var brokenFiles: Set<Int> = []
    /// Whether such files stay.
    let keepsBrokenFiles: Bool
    /// The calls that ask for images ahead of need.
    let plan: [PrefetchPlan.Step]
    var nextPlanned = 0
    /// The objects that were asked for ahead of need; nil without prefetches.
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
        keepsBrokenFiles = rules.undecodable == .storedAndFetched && !cache.diskRules.overwrites
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

    /// Notes the content of the tiers, and the objects that have left them since the last call.
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
    var recordsPrefetches: Bool { events.contains { if case .prefetch = $0.action { true } else { false } } }
}

/// The bytes of images beside the stages of a request. Nothing here decides.
extension ReplayPipeline {
    /// Notes that memory or work has grown.
    mutating func noteImageMemory() {
        guard imageMemory != nil else { return }
        imageMemory?.note(lanes.imageBytes)
    }

    /// Notes that the visible cell of a request displays its image.
    mutating func display(_ request: Int) {
        guard imageMemory != nil else { return }
        let imageKey = requests[request].imageKey
        guard imageMemory?.displays(imageKey) == true else { return }
        lanes.display(imageKey)
        noteImageMemory()
    }

    /// Notes that the cell of a request leaves the screen.
    mutating func endDisplay(_ request: Int) {
        guard imageMemory != nil else { return }
        imageMemory?.vanished()
        guard requests[request].delivered >= 0 else { return }
        let imageKey = requests[request].imageKey
        if imageMemory?.stopsDisplaying(imageKey) == true { lanes.stopDisplaying(imageKey) }
    }

    /// Adds the body of a fetch that starts.
    mutating func beginTransfer(_ fetch: Int, _ sample: NetworkModel.Sample) {
        guard let bytes = imageMemory?.transfer(fetches[fetch].imageKey, sample) else { return }
        fetches[fetch].transferBytes = bytes
        imageMemory?.begin(bytes)
        noteImageMemory()
    }

    mutating func endTransfer(_ fetch: Int) { imageMemory?.end(fetches[fetch].transferBytes) }

    /// Adds the encoded bytes that wait to be decoded. Those from memory are there already.
    mutating func beginQueue(_ job: inout DecodeJob) {
        let bytes: Int? =
            switch job.client {
            case .memoryHit, .encodedHit: nil
            case .read: imageMemory?.file(job.imageKey)
            case .fetch: imageMemory?.body(job.imageKey)
            }
        guard let bytes else { return }
        job.bytes = bytes
        imageMemory?.begin(bytes)
        noteImageMemory()
    }

    /// Adds the bitmap that a decoder writes.
    mutating func beginDecoding(_ job: inout DecodeJob) {
        guard let bytes = imageMemory?.bitmap(job.imageKey) else { return }
        job.bytes += bytes
        imageMemory?.begin(bytes)
        noteImageMemory()
    }

    mutating func endDecoding(_ job: DecodeJob) { imageMemory?.end(job.bytes) }
}

extension ReplayPipeline {
    mutating func scroll(_ phase: ScrollPhase) throws {
        scrolling = phase != .atRest
        guard !scrolling else { return }
        let waiting = heldBack
        heldBack = []
        // Requests of cells that have disappeared already have an outcome.
        for request in waiting where requests[request].state == .heldBack { try passGate(request) }
    }

    mutating func background() throws {
        lanes.notice(.background)
        try relieve(memoryRules.onBackground, .background)
        if rules.sweepOnBackground, lanes.hasDisk { try enqueue(.removeExpired) }
    }

    /// Removes an object from memory at once, and from disk on the disk lane. Fetches in progress go on, and store what
    /// they bring.
    package mutating func remove(_ object: Int) throws {
        for variant in Variant.allCases {
            let imageKey = ImageKey(object: object, variant: variant.rawValue)
            recorder?.begin(.removal)
            for image in renditions?.all(imageKey) ?? [imageKey] {
                lanes.removeFromMemory(image)
                recorder?.removedFromMemory(image)
            }
            recorder?.removedFromDisk(imageKey)
            recorder?.endOccasion()
            if lanes.hasDisk { try enqueue(.remove(imageKey)) }
        }
    }

    /// Frees memory as a rule says.
    mutating func relieve(_ action: PressureAction, _ trigger: ReplayRecorder.Trigger) throws {
        recorder?.begin(trigger)
        defer { recorder?.endOccasion() }
        switch action {
        case .keep: break
        case .clear:
            lanes.clearMemory()
            recorder?.clearedMemory()
        case .trim(let cost): try lanes.trimMemory(to: cost)
        case .trimToShare(let share): try lanes.trimMemory(toShare: share)
        // No user reaches this: `PreparedRun` resolves the shares of every cache that it gets.
        case .trimToLimit: preconditionFailure("shares of a limit are resolved before a replay")
        }
    }

    /// Relaunches the app: cells, fetches and disk jobs are lost, and so is memory. Files stay.
    mutating func terminate() throws {
        diskJobs.removeAll()
        diskJobsRunning = 0
        sharedReads = [:]
        decodeJobs.removeAll()
        runningDecodes = []
        queue.removeAll()
        runningFetches = 0
        runningPrefetches = 0
        imageMemory?.endAll()
        connections.reset()
        bucket = rules.fetchesPerSecond.map { TokenBucket(rate: $0, burst: rules.burst, at: eventTime) }
        bucketAlarm = nil
        heldBack = []
        blocked = []
        if validates { validation.endAll() }
        scrolling = false
        for fetch in firstFetch..<fetches.count {
            // This includes fetches that are over: a cache that keeps its waiters loses them now.
            inFlight[Int(fetches[fetch].imageKey.rendition)] = -1
            recorder?.lost(fetches[fetch].imageKey.object)
            if fetches[fetch].state.isRunning { noteTransferEnd(fetch, bytes: lanes.cancel(fetch: fetch)) }
            fetches[fetch].state = .over
        }
        for request in firstRequest..<requestCount {
            if !requests[request].isDone { settle(request, .cancelled) }
            if requests[request].isVisible { close(request, at: eventTime) }
            firstOpen[requests[request].imageKey.number] = -1
            lastOpen[requests[request].imageKey.number] = -1
        }
        firstFetch = fetches.count
        firstRequest = requestCount
        recorder?.begin(.relaunch)
        defer { recorder?.endOccasion() }
        try lanes.relaunch(sweepingFirst: rules.sweepOnTerminate)
    }
}

/// The stage between the arrival of a body and its delivery, if images are decoded: `decodeLanes` at a time, or on the
/// main lane. A cache that holds encoded bytes in memory decodes them for each delivery.
extension ReplayPipeline {
    struct DecodeJob {
        var body: Lanes.Body
        var imageKey: ImageKey
        var client: Client
        /// The bytes that it adds to the memory of images now.
        package var bytes = 0

        /// The recipient of the image when it is decoded.
        enum Client {
            case memoryHit(request: Int, Answer<Lanes.Body>)
            /// The bytes were in the memory of encoded bytes; the image is promoted.
            case encodedHit(request: Int, Answer<Lanes.Body>)
            case read(DiskReaders, Answer<Lanes.Body>)
            case fetch(Int, isWrong: Bool)
        }
    }

    mutating func decode(_ job: DecodeJob) throws {
        var job = job
        if rules.decodeOnMainLane {
            guard isWanted(job) else { return }
            beginQueue(&job)
            beginDecoding(&job)
            let answer = try lanes.decodeOnMainLane(job.body, job.imageKey, isFile: isFile(job))
            endDecoding(job)
            return try decoded(job, answer)
        }
        beginQueue(&job)
        // With a free lane, the job starts at once.
        if runningDecodes.count >= rules.decodeLanes { wait(job, for: .decodeQueue) }
        decodeJobs.append(job)
        try startDecodeJobs()
    }

    mutating func decodeEnded(_ number: Int, _ answer: Answer<Lanes.Body>) throws {
        guard let index = runningDecodes.firstIndex(where: { $0.number == number }) else { return }
        let job = runningDecodes.remove(at: index).job
        endDecoding(job)
        try startDecodeJobs()
        try decoded(job, answer)
    }

    private mutating func startDecodeJobs() throws {
        while runningDecodes.count < rules.decodeLanes, var job = decodeJobs.popFirst() {
            guard isWanted(job) else {
                endDecoding(job)
                continue
            }
            decodeCount += 1
            wait(job, for: .decode)
            beginDecoding(&job)
            runningDecodes.append((decodeCount, job))
            try lanes.start(decode: decodeCount, job.body, job.imageKey, isFile: isFile(job))
        }
    }

    /// Whether the body of a job comes from disk.
    private func isFile(_ job: DecodeJob) -> Bool {
        switch job.client {
        case .read: true
        case .fetch(let fetch, _): fetches[fetch].usesStored && validation.stored[fetch]?.tier == .disk
        case .memoryHit, .encodedHit: false
        }
    }

    /// Records the wait of the requests of a job.
    private mutating func wait(_ job: DecodeJob, for wait: Wait) {
        guard let recorder else { return }
        let now = lanes.now
        switch job.client {
        case .memoryHit(let request, _), .encodedHit(let request, _):
            if !requests[request].isDone { recorder.wait(request, for: wait, at: now) }
        case .read(let readers, _):
            for request in all(readers, of: job.imageKey) where !requests[request].isDone {
                recorder.wait(request, for: wait, at: now)
            }
        case .fetch(let fetch, _):
            for request in fetches[fetch].allWaiters() where !requests[request].isDone {
                recorder.wait(request, for: wait, at: now)
            }
        }
    }

    /// Whether a request still waits for the image, or the cache does not check that.
    private mutating func isWanted(_ job: DecodeJob) -> Bool {
        switch job.client {
        case .memoryHit(let request, _), .encodedHit(let request, _): return !requests[request].isDone
        case .read(let readers, _):
            // The read has ended. Most caches then finish what they have begun.
            guard rules.cancelledReads == .dropped, !isNeeded(readers, of: job.imageKey) else { return true }
            forget(readersOf: job.imageKey)
            return false
        case .fetch(let fetch, _): return fetches[fetch].state.isDecoding
        }
    }

    private mutating func decoded(_ job: DecodeJob, _ answer: Answer<Lanes.Body>) throws {
        switch job.client {
        case .memoryHit(let request, let found):
            guard !requests[request].isDone else { return }
            guard answer.body != nil else { return settle(request, .failed) }
            deliver(request, .memoryHit, at: lanes.mainLaneFree, stale: found.found == .staleHit, wrong: found.isWrong)
        case .encodedHit(let request, let found):
            guard !requests[request].isDone else { return }
            guard let body = answer.body else { return settle(request, .failed) }
            deliver(
                request, .memoryHit, at: try storeInMemory(body, job.imageKey), stale: found.found == .staleHit,
                wrong: found.isWrong)
        case .read(let readers, var found):
            found.body = answer.body
            try readAnswered(job.imageKey, readers, found, at: rules.decodeOnMainLane ? lanes.mainLaneFree : nil)
        case .fetch(let fetch, let isWrong):
            guard fetches[fetch].state.isDecoding else { return }  // No request waits for it.
            guard let body = answer.body else {
                return try failUndecodable(fetch, bytes: network.bytes(of: job.imageKey.object))
            }
            if fetches[fetch].usesStored { return try deliverStored(body, of: fetch, wrong: isWrong) }
            end(fetch)
            try deliver(body, of: fetch, wrong: isWrong)
        }
    }
}

/// The work ahead of need: the calls of a prefetch plan, and the use of the images that they brought.
extension ReplayPipeline {
    /// Makes the calls of the plan that come after an event.
    mutating func followPlan(after event: Int) throws {
        while nextPlanned < plan.count, plan[nextPlanned].afterEvent == event {
            let step = plan[nextPlanned]
            nextPlanned += 1
            if step.time * 1_000 > eventTime {
                eventTime = step.time * 1_000
                try work(until: eventTime)
            }
            let imageKey =
                renditions?.imageKeyAhead(step.object, step.variant)
                ?? ImageKey(object: Int(step.object), variant: step.variant.rawValue)
            if step.isCancellation { try cancelPrefetch(imageKey) } else { try prefetch(imageKey) }
        }
    }

    /// Runs the stages without a request.
    mutating func prefetch(_ imageKey: ImageKey) throws {
        tally.counts.prefetches += 1
        recorder?.looks(-1, at: lanes.now)
        let (answer, _) = lanes.lookUpInMemory(imageKey)
        recorder?.lookedInMemory(-1, imageKey, isHit: answer.found.isHit, isTooSmall: answer.isTooSmall)
        guard !answer.found.isHit else {
            if let failure = answer.failure {
                if use(failure, of: imageKey.object, onDisk: false) != .show { try fetchAhead(imageKey) }
            } else if validatesMemory {
                ahead?.begin(imageKey.object)
                try validateAhead(answer, imageKey)
            }
            return try renewFile(imageKey)
        }
        if lanes.hasEncodedMemory, lanes.lookUpEncoded(imageKey).answer.found.isHit { return }
        ahead?.begin(imageKey.object)
        if lanes.hasDisk { try readAhead(imageKey) } else { try fetchAhead(imageKey) }
    }

    /// Cancels the fetch of an image that the app does not want ahead of need any more. A fetch that a request has
    /// joined goes on, and so does a read from disk.
    private mutating func cancelPrefetch(_ imageKey: ImageKey) throws {
        guard rules.prefetchCancels else { return }
        let fetch = inFlight[Int(imageKey.rendition)]
        guard fetch >= 0, isAhead(fetch), !fetches[fetch].state.isOver, !fetches[fetch].state.isDecoding else { return }
        tally.prefetch.cancelled += 1
        try cancel(fetch)
    }

    /// Whether a fetch is ahead of need: no request waits for it.
    func isAhead(_ fetch: Int) -> Bool { fetches[fetch].isPrefetch && fetches[fetch].waiters.isEmpty }

    /// Whether a fetched image is stored on disk alone.
    func endsOnDisk(_ fetch: Int) -> Bool { rules.prefetchInto == .disk && isAhead(fetch) }

    /// The request, or the prefetch as ``AheadObjects`` numbers it, for which a tier works, in its journal.
    func accessor(_ request: Int?, _ object: Int) -> Int { request ?? ahead?.accessor(object) ?? -1 }

    mutating func noteTransferStart(_ fetch: Int) {
        guard ahead != nil else { return }
        let object = fetches[fetch].imageKey.object
        fetches[fetch].transfersAhead = isAhead(fetch)
        guard fetches[fetch].transfersAhead else {
            // What a prefetch brought before is gone, or the prefetch has failed: a request fetches it again.
            ahead?.forget(object)
            return
        }
        tally.prefetch.fetches += 1
        ahead?.beginTransfer(object)
    }

    /// Notes that the transfer of a fetch has ended or was cancelled, and has brought so many bytes.
    mutating func noteTransferEnd(_ fetch: Int, bytes: Int) {
        guard fetches[fetch].transfersAhead else { return }
        tally.prefetch.bytes += Int64(bytes)
        let isUsed = ahead?.endTransfer(fetches[fetch].imageKey.object, bytes) ?? false
        if !isUsed { tally.prefetch.unusedBytes += Int64(bytes) }
    }

    /// Notes that a request got its image.
    mutating func noteUse(of object: Int) {
        guard let use = ahead?.use(object) else { return }
        recorder?.usedPrefetch(use.number)
        guard let bytes = use.bytes else { return }
        tally.prefetch.used += 1
        tally.prefetch.unusedBytes -= Int64(bytes)
    }
}

/// The objects that were asked for ahead of need, and that no request has used yet.
struct AheadObjects {
    /// By object: the number of the prefetch, or -1.
    private var numbers: [Int32]
    /// By object: the bytes that the prefetch has transferred, 0 until its transfer ends; -1 without a transfer.
    private var bytes: [Int]
    private(set) var count: Int32 = 0

    init(objects: Int) {
        numbers = Array(repeating: -1, count: objects)
        bytes = numbers.map(Int.init)
    }

    mutating func begin(_ object: Int) {
        numbers[object] = count
        bytes[object] = -1
        count += 1
    }

    mutating func beginTransfer(_ object: Int) { bytes[object] = 0 }

    mutating func endTransfer(_ object: Int, _ count: Int) -> Bool {
        let isUsed = numbers[object] < 0 && bytes[object] >= 0
        bytes[object] = count
        return isUsed
    }

    mutating func forget(_ object: Int) { (numbers[object], bytes[object]) = (-1, -1) }

    /// Returns the prefetch that a request uses, and the bytes that it transferred; nil if there is none.
    mutating func use(_ object: Int) -> (number: Int, bytes: Int?)? {
        guard numbers[object] >= 0 else { return nil }
        defer { numbers[object] = -1 }
        return (Int(numbers[object]), bytes[object] < 0 ? nil : bytes[object])
    }

    /// -1 for none, and lower numbers for prefetches.
    func accessor(_ object: Int) -> Int { numbers[object] < 0 ? -1 : -2 - Int(numbers[object]) }

    /// The number of the prefetch that an accessor stands for; nil if it stands for something else.
    package static func number(_ accessor: Int32) -> Int? { accessor <= -2 ? Int(-2 - accessor) : nil }
}

extension ReplayPipeline {
    /// Stage 1 of a request: memory, on the main lane.
    mutating func appear(_ imageKey: ImageKey) throws {
        let request = open(imageKey)
        recorder?.looks(request, at: lanes.now)
        var (answer, answered) = lanes.lookUpInMemory(imageKey)
        recorder?.lookedInMemory(
            request, imageKey, isHit: answer.found.isHit,
            isBeingRead: !answer.found.isHit && rules.coalesceDisk && sharedReads[imageKey.number] != nil,
            isTooSmall: answer.isTooSmall
        )
        if keepsShown, requests[request].nextOpen < 0, Int(firstOpen[imageKey.number]) == request {
            lanes.show(imageKey)
        }
        guard answer.found.isHit else { return try lookFurther(request) }
        try renewFile(imageKey)
        if let failure = answer.failure { return try found(failure, inMemoryBy: request) }
        if validatesMemory, try !mayShow(&answer, for: request, from: .memory) { return }
        if decodes, memoryRules.holds == .encoded, let body = answer.body {
            return try decode(DecodeJob(body: body, imageKey: imageKey, client: .memoryHit(request: request, answer)))
        }
        deliver(request, .memoryHit, at: answered, stale: answer.found == .staleHit, wrong: answer.isWrong)
    }

    /// Continues for a request that has found the answer to a failed fetch in memory.
    private mutating func found(_ failure: StoredFailure, inMemoryBy request: Int) throws {
        let imageKey = requests[request].imageKey
        recorder?.foundFailureInMemory(request)
        switch use(failure, of: imageKey.object, onDisk: false) {
        case .show: settle(request, .failed)
        case .showAndValidate:
            settle(request, .failed)
            try fetchMeanwhile(imageKey)
        case .validateFirst: try passGate(request)
        }
    }

    private mutating func lookFurther(_ request: Int) throws {
        if lanes.hasEncodedMemory, try lookUpEncoded(request) { return }
        if lanes.hasDisk { try lookOnDisk(request) } else { try passGate(request) }
    }

    /// Looks in the memory of encoded bytes; returns whether the object was found. A hit is decoded, and promoted.
    private mutating func lookUpEncoded(_ request: Int) throws -> Bool {
        let imageKey = requests[request].imageKey
        var (answer, _) = lanes.lookUpEncoded(imageKey)
        guard let body = answer.body else { return false }
        if validatesMemory, try !mayShow(&answer, for: request, from: .encodedMemory) { return true }
        if decodes {
            try decode(DecodeJob(body: body, imageKey: imageKey, client: .encodedHit(request: request, answer)))
        } else {
            deliver(
                request, .memoryHit, at: try storeInMemory(body, imageKey), stale: answer.found == .staleHit,
                wrong: answer.isWrong)
        }
        return true
    }

    /// Renews the file of an object that was found in memory, if the cache does.
    mutating func renewFile(_ imageKey: ImageKey) throws {
        if rules.memoryHitsRenewFiles, lanes.hasDisk { try enqueue(.touch(imageKey)) }
    }

    /// Ends the wait of the cell that has shown the object for the longest time.
    mutating func disappear(_ imageKey: ImageKey) throws {
        let request = Int(firstOpen[imageKey.number])
        guard request >= 0 else { return }  // It appeared before the recording began.
        firstOpen[imageKey.number] = requests[request].nextOpen
        if requests[request].nextOpen < 0 {
            lastOpen[imageKey.number] = -1
            if keepsShown { lanes.hide(imageKey) }
        }
        close(request, at: eventTime)
        switch requests[request].state {
        case .done: break
        case .heldBack: settle(request, .deferred)
        case .looking: if rules.cancelOnDisappear { settle(request, .cancelled) }
        case .waiting(let fetch, _):
            fetches[fetch].visibleWaiters -= 1
            guard rules.cancelOnDisappear else { return classify(fetch) }
            settle(request, .cancelled)
            try leave(fetch, request)
        }
    }

    private mutating func open(_ imageKey: ImageKey) -> Int {
        let request = requestCount
        requestCount += 1
        requests[request].imageKey = imageKey
        requests[request].appeared = eventTime
        let last = Int(lastOpen[imageKey.number])
        if last >= 0 { requests[last].nextOpen = Int32(request) } else { firstOpen[imageKey.number] = Int32(request) }
        lastOpen[imageKey.number] = Int32(request)
        tally.appeared(imageKey, at: eventTime)
        imageMemory?.appeared()
        recorder?.appeared(request, at: eventTime)
        return request
    }

    /// Closes a cell that leaves the screen, with or without its image. What the cell has shown is counted now: a busy
    /// main lane delivers ahead, at the time at which it will be free, and the cell may be gone by then.
    mutating func close(_ request: Int, at time: Int64) {
        if requests[request].validatedSince >= 0 { endValidationWait(request, at: time) }
        requests[request].vanished = time
        recorder?.vanished(request, at: time)
        endDisplay(request)
        let delivered = requests[request].delivered
        tally.closed(appeared: requests[request].appeared, delivered: delivered, at: time)
        guard delivered >= 0 else { return }
        // Work that is in progress at the end of the trace is finished, for the cells that are still visible.
        guard delivered <= time || isEnding else {
            requests[request].delivered = -1
            return tally.late()
        }
        tally.shown(latency: delivered - requests[request].appeared)
        if requests[request].staleness > 0 { tally.stale(by: requests[request].staleness) }
    }

    /// Delivers an image at a time, which may be later than now. A cell that has disappeared by then gets no image and
    /// adds no latency, but its request still ends. The picture of another key leaves the cell without its image.
    mutating func deliver(
        _ request: Int, _ outcome: RequestOutcome, at time: Int64, stale: Bool = false, wrong: Bool = false
    ) {
        settle(request, outcome, wrong: wrong)
        requests[request].isStale = stale
        requests[request].isWrong = wrong
        guard !wrong else { return }
        if stale { tally.stale() }
        guard requests[request].isVisible else { return tally.late() }
        requests[request].delivered = time
        display(request)
        recorder?.delivered(request, now: lanes.now, at: time)
        if stale { noteStaleness(request, outcome, at: time) }
        tally.delivered(at: time)
    }

    /// Gives the request its one outcome.
    mutating func settle(_ request: Int, _ outcome: RequestOutcome, wrong: Bool = false) {
        requests[request].state = .done
        requests[request].outcome = outcome
        if validates {
            if !validation.waiting.isEmpty { validation.waiting[request] = nil }
            endValidationWait(request, at: lanes.now)
        }
        if wrong || outcome.latencyGroup == nil { recorder?.ended(request, outcome, at: lanes.now) }
        tally.settled(requests[request].imageKey, outcome, appeared: requests[request].appeared, isWrong: wrong)
        if let log, outcome == .cancelled {
            log.note(.cancelledRequest, of: requests[request].imageKey.object, by: request, at: lanes.now)
        }
        if ahead != nil, outcome.usesPrefetch, !wrong { noteUse(of: requests[request].imageKey.object) }
    }
}
