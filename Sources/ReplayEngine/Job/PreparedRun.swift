import CachePolicies
import CacheTiers
import HTTPCaching
import SessionModel

/// The observers of a replay, and the parts that are replaced in it.
package struct ReplaySetup {
    /// The parts for measured timing and for caches that are programs; nil for neither.
    package var parts: MeasuredParts?
    /// The run's ``ReplayJob/identity(in:)``, if it is known already.
    package var identity: RunIdentity?
    /// An app's own cache in place of the memory tier, the disk tier, or both.
    package var driver: Driver?
    /// In modelled timing, the times from which on the files of objects are damaged, in nanoseconds.
    package var damaged: [ObjectID: Int64] = [:]
    /// Whether a 304 keeps its recorded transfer; see ``NetworkModel``.
    package var isLiteral = false
    /// Records why tiers miss, and what requests wait for; nil if that is not asked for.
    package var recorder: ReplayRecorder?
    /// In modelled timing, collects what the lanes do; nil if that is not asked for.
    package var log: ReplayEventLog?

    package init() {}
}

/// A run that is about to begin: all that follows from its job and its trace before the first event.
package struct PreparedRun {
    package let job: ReplayJob
    /// The job's cache, with bytes in place of shares of its limits.
    package let cache: CacheConfiguration
    package let prepared: PreparedTrace
    package let setup: ReplaySetup
    package let objects: ReplayObjects
    package let identity: RunIdentity
    package let network: NetworkModel
    /// The calls ahead of need; nil if the replay plans none.
    let plan: PrefetchPlan?
    /// Whether the cache tells apart sizes of views, which the session records, and this replay cannot.
    let ignoresViewSizes: Bool

    package var trace: Trace { prepared.trace }
    package var recorder: ReplayRecorder? { setup.recorder }
    /// Counts the frames that the main lane delays; nil with instant timing.
    package var frames: FrameTally? { takesTime ? FrameTally(prepared.motion) : nil }
    var takesTime: Bool { job.timing != .modelled(.instant) }

    /// - Throws: `SpecError` for a cache that cannot be created, ``ReplayError`` for one that states a rule on the
    ///   sizes of views, in a replay that cannot have them.
    init(_ job: ReplayJob, _ prepared: PreparedTrace, _ setup: ReplaySetup) throws {
        self.job = job
        cache = try job.cache.resolvingShares(in: prepared.context)
        self.prepared = prepared
        self.setup = setup
        let tellsSizes = job.tellsViewSizes(setup)
        objects = try setup.recorder?.objects ?? ReplayObjects(prepared, cache, tellsSizes: tellsSizes)
        ignoresViewSizes = !tellsSizes && prepared.renditions(for: job.cache) != nil
        if ignoresViewSizes { try Self.checkSizes(job) }
        identity = try setup.identity ?? job.identity(in: prepared.context)
        network =
            setup.isLiteral
            ? NetworkModel(
                prepared.trace, sizes: prepared.sizes.bytes, seed: job.seed, network: job.network, isLiteral: true)
            : prepared.network(job.network, seed: job.seed)
        plan = job.prefetchPlan(for: prepared)
    }

    /// Checks that a rule which a replay ignores follows from a preset, and was not stated for the cache.
    private static func checkSizes(_ job: ReplayJob) throws {
        guard let rule = Rule.named("memorySizes"), job.cache.states(rule) else { return }
        let cache = """
            cache '\(job.cache.name)': memorySizes: \(job.cache.memoryRules.sizes.rawValue) tells the sizes of views \
            apart, which this session records
            """
        guard job.timing == .measured else {
            throw ReplayError("\(cache), and a cache of your own gets keys without sizes; write memorySizes: one")
        }
        throw ReplayError(
            """
            \(cache), and measured timing decodes whole images alone; use --timing modelled, or write memorySizes: one
            """)
    }

    /// - Throws: `SpecError` for a policy that cannot be created.
    package func memoryPolicy() throws -> sending any CachePolicy { try prepared.context.memoryPolicy(of: cache) }

    /// Creates the policy of the disk; nil without a disk tier.
    ///
    /// - Throws: `SpecError` for a policy that cannot be created.
    package func diskPolicy() throws -> sending (any CachePolicy)? { try prepared.context.diskPolicy(of: cache) }
}

extension ReplayObjects {
    /// The objects of a trace as a cache sees them.
    ///
    /// - Parameter tellsSizes: Whether a memory that tells the sizes of views apart can do so.
    /// - Throws: `SpecError` for a cache that cannot be created.
    init(_ prepared: PreparedTrace, _ cache: CacheConfiguration, tellsSizes: Bool = true) throws {
        let cache = try cache.resolvingShares(in: prepared.context)
        self.init(
            keys: prepared.keys, images: prepared.images, memory: cache.memoryRules, disk: cache.diskRules,
            hasDisk: cache.disk != nil,
            sharing: Shared(
                objectsWithSameKey: prepared.objectsWithSameKey,
                renditions: tellsSizes ? prepared.renditions(for: cache) : nil, columns: prepared.columns))
    }
}

/// The outcome of a replay: its figures, its requests in order of appearance, and the facts behind its notes.
package struct FinishedReplay {
    package var result: RunResult
    package let requests: [ReplayRequest]
    /// The objects whose responses state no lifetime, and got the lifetime of the cache's policy.
    let assumedLifetimes: Int
    /// The fetches whose latencies were drawn from others of the trace, and those whose latencies were assumed.
    let latencies: (drawn: Int, assumed: Int)
    package var delivered = DeliveredBodies()
}

/// The numbers of objects that had kept bodies, and that were decoded.
package struct DeliveredBodies {
    /// nil if no bodies were kept.
    package var kept: Int?
    /// nil if images were not decoded.
    package var decoded: Int?
    /// The objects in whose place generated images were decoded.
    package var generated = 0
    /// The objects whose decoding times were modelled.
    package var modelled = 0
    /// The objects that were written with the assumed size of an image that is encoded again; nil if nothing was
    /// written.
    package var assumedFiles: Int?

    package init() {}
}

extension PreparedRun {
    /// Returns the notes of a result, in the order in which reports show them.
    func notes(on replayed: FinishedReplay) -> [RunNote] {
        let (result, delivered, sizes, images) = (replayed.result, replayed.delivered, prepared.sizes, prepared.images)
        let (objects, headers) = (images.objectCount, trace.objects.count)
        var notes: [RunNote] = []

        // What the input is.
        notes.add(.sessionSynthetic, if: trace.header.synthetic)
        notes.add(.sessionScripted, if: trace.header.scripted)
        if let injected = job.injected { notes.append(.eventsInjected(injected)) }
        notes.add(.cellsStay, if: prepared.cellsStay)
        notes.add(
            .sizesAssumed(objects: sizes.assumedCount, of: objects, bytes: sizes.assumed), if: sizes.assumedCount > 0)
        if let costs = job.timing.ownCosts {
            notes.append(.costs(file: job.costsFile, checksum: costs.checksum, changes: costs.changes))
        }
        if let chosen = cache.chosenNSCache, cache.memory.first(named: "nscache") != nil {
            notes.append(.nsCacheChosen(chosen))
        }
        if let kept = delivered.kept { notes.append(.bodiesKept(objects: kept, of: objects)) }

        // What the replay assumed.
        notes.add(.viewSizesIgnored(cache.memoryRules.sizes), if: ignoresViewSizes)
        if job.timing != .modelled(.instant) {
            let (drawn, assumed) = replayed.latencies
            notes.add(.latenciesDrawn(fetches: drawn), if: drawn > 0)
            notes.add(.latenciesAssumed(fetches: assumed), if: assumed > 0)
            notes.add(.queuesHidden, if: network.hosts.hidesQueues)
        }
        notes += plan?.notes ?? []
        notes.add(.prefetchOffOnMetered, if: plan == nil && cache.pipeline.prefetch != .none && !job.mayPrefetch)
        let lifetimes = replayed.assumedLifetimes
        notes.add(.lifetimesAssumed(objects: lifetimes, of: headers), if: lifetimes > 0)
        if cache.revalidates {
            let defects = prepared.columns.headerDefects(trace)
            notes.add(.headerDefects(defects, of: headers), if: !defects.isEmpty)
        }

        // What went wrong.
        notes.add(.filesDamaged(reads: result.tiers.damagedFiles), if: result.tiers.damagedFiles > 0)
        if let own = result.driven {
            notes.add(.memoryUnreported, if: !own.reportsMemory)
            notes.add(.warningsUnheeded(own.unheededWarnings, of: own.warnings), if: own.unheededWarnings > 0)
            notes.add(.cacheFaults(own.faults), if: !own.faults.isEmpty)
        }

        // What was decoded.
        let (generated, modelled) = (delivered.generated, delivered.modelled)
        if delivered.kept != nil, let decoded = delivered.decoded {
            notes.append(.imagesDecoded(objects: decoded, of: objects))
        }
        notes.add(.generatedImagesDecoded(objects: generated, of: objects), if: generated > 0)
        notes.add(.decodingModelled(objects: modelled, of: objects), if: modelled > 0)
        notes.add(
            .pixelSizesAssumed(objects: images.assumedCount, of: objects),
            if: (delivered.decoded == nil || generated > 0) && images.assumedCount > 0 && cache.needsPixels)
        let files = delivered.assumedFiles ?? modelledFiles
        notes.add(.fileSizesAssumed(objects: files, of: objects), if: files > 0)
        return notes
    }

    /// The objects whose files hold an image encoded again, if nothing is written.
    private var modelledFiles: Int {
        guard cache.disk != nil, cache.pipeline.store.storesOnDisk else { return 0 }
        return prepared.images.encodedCount(cache.diskRules.content)
    }
}

extension [RunNote] {
    fileprivate mutating func add(_ note: @autoclosure () -> RunNote, if condition: Bool) {
        if condition { append(note()) }
    }
}

extension PrefetchPlan {
    /// The facts about the list that the plan follows, which a reader must know.
    fileprivate var notes: [RunNote] {
        var notes: [RunNote] = []
        notes.add(.listOrderInferred, if: isOrderInferred)
        notes.add(.listIncomplete(appearances: unlistedAppearances), if: unlistedAppearances > 0)
        return notes
    }
}

extension PreparedRun {
    /// Replays the trace, and completes the result with what follows from the job and the trace alone.
    func run(
        _ progress: (_ events: Int) throws -> Void
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        let replayed =
            switch job.timing {
            case .modelled(let costs): try replayModelled(costs, progress)
            case .measured: try replayMeasured(progress)
            }
        var result = replayed.result
        result.notes = notes(on: replayed)
        result.nsCacheModel = cache.model
        result.memoryLimit = try cache.memoryLimit(in: prepared.context)
        result.deviceMemory = cache.deviceMemory
        if job.timeline != .none { (result.marks, result.omittedMarks) = prepared.marks }
        if job.timeline == .everySecond {
            result.film = Film.ofScreen(replayed.requests, end: (trace.events.last?.time ?? 0) * 1_000)
            if let film = result.film, !prepared.cellPlaces.isEmpty {
                result.places = CellPlaces(Array(prepared.cellPlaces.prefix(film.cells.count)))
            }
        }
        return (result, replayed.requests)
    }

    private func replayMeasured(_ progress: (_ events: Int) throws -> Void) throws -> FinishedReplay {
        guard cache.own == nil, setup.driver == nil else { throw ReplayError.ownNeedsModelledTiming }
        guard let parts = setup.parts else {
            throw ReplayError("this program has no measured timing: it does not contain the module MeasuredTiers")
        }
        return try parts.measure(self, progress)
    }

    private func replayModelled(
        _ costs: CostModel, _ progress: (_ events: Int) throws -> Void
    ) throws -> FinishedReplay {
        var tiers = ModelledTiers(
            objects, memory: try memoryPolicy(), disk: try diskPolicy(), costs: costs,
            decodes: job.decode ? prepared.columns.decodeDurations(prepared.images, costs) : nil,
            names: prepared.diskNames)
        tiers.damage(setup.damaged)
        if let recorder { tiers.keepJournals(for: recorder, setup.log) }
        if let log = setup.log, cache.disk != nil {
            log.nameFiles(prepared.diskNames.names(in: cache.diskRules.format.layout))
        }
        let origin = ModelledNetwork(
            images: prepared.images,
            validators: cache.revalidates ? prepared.columns.validators(trace) : [])
        guard let driver = try setup.driver ?? programDriver() else {
            let lanes = VirtualLanes(
                tiers, origin, costs: costs, link: network.link, log: setup.log, frames: frames)
            // Views that share the bitmap of a larger one would count it several times.
            let countsImages = !objects.servesSmallerViewsAlone
            return try replay(
                on: lanes, imageMemory: countsImages ? ImageMemory(objects.images, disk: cache.diskRules) : nil,
                progress)
        }
        let own = OwnCacheTiers(driver, objects, modelled: tiers, costs: costs, recorder: recorder)
        var replayed = try replay(
            on: VirtualLanes(own, origin, costs: costs, link: network.link, frames: frames),
            progress)
        replayed.result.driven = own.finish(recorder)
        return replayed
    }

    /// Starts the program of the cache; nil if the cache has none.
    private func programDriver() throws -> Driver? {
        guard let own = cache.own else { return nil }
        guard let parts = setup.parts else {
            throw ReplayError("this program starts no other programs: it does not contain the module MeasuredTiers")
        }
        return Driver(memory: try parts.startProgram(own, objects.keys), isTimed: false)
    }

    /// Replays the trace on real tiers, in virtual time.
    package func replay(
        on tiers: any ReplayTiers<MeasuredBody>, _ origin: any ReplayNetwork<MeasuredBody>,
        _ progress: (_ events: Int) throws -> Void
    ) throws -> FinishedReplay {
        let lanes = VirtualLanes(
            ErasedTiers(tiers), ErasedNetwork(origin), costs: .standard, link: network.link, log: setup.log,
            frames: frames)
        return try replay(on: lanes, progress)
    }

    /// Replays the trace on lanes.
    ///
    /// - Parameter imageMemory: Counts the bytes that images take up; nil where they are not known.
    package func replay(
        on lanes: some ReplayLanes, imageMemory: ImageMemory? = nil, _ progress: (_ events: Int) throws -> Void
    ) throws -> FinishedReplay {
        var replay = ReplayPipeline(self, lanes: lanes, imageMemory: imageMemory)
        try replay.run(prepared.events, progress: progress)
        // Read before anything else is allocated: resident memory now is the replay's.
        let machine = replay.lanes.machine
        let requests = replay.requests[..<replay.requestCount]
        var result = replay.tally.result(
            identity, requests, tiers: replay.lanes.figures(), duration: trace.duration * 1_000)
        result.machine = machine
        result.imageMemoryPeak = replay.imageMemory?.peak
        result.mainLane = replay.lanes.mainLaneFigures
        if takesTime, !prepared.cellsStay {
            result.rests = RestFigures(requests, rests: prepared.motion.rests)
            let area = BlankArea(requests, areas: prepared.cellPlaces.map { CellArea($0) }, prepared.foreground)
            (result.blank.screenTime, result.blank.worstSecond) = (area.time, area.worstSecond)
        }
        return FinishedReplay(
            result: result, requests: Array(requests), assumedLifetimes: replay.assumedLifetimes,
            latencies: (replay.network.drawn, replay.network.assumed))
    }
}

extension ReplayError {
    static let ownNeedsModelledTiming = ReplayError(
        "a cache of your own is replayed with --timing modelled or instant")
}
