import CachePolicies
import HTTPCaching
import SessionModel

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
                tiers, origin, countsNetwork: costs.countsNetwork, link: network.link, log: setup.log, frames: frames)
            // Views that share the bitmap of a larger one would count it several times.
            let countsImages = !objects.servesSmallerViewsAlone
            return try replay(
                on: lanes, imageMemory: countsImages ? ImageMemory(objects.images, disk: cache.diskRules) : nil,
                progress)
        }
        let own = OwnCacheTiers(driver, objects, modelled: tiers, costs: costs, recorder: recorder)
        var replayed = try replay(
            on: VirtualLanes(own, origin, countsNetwork: costs.countsNetwork, link: network.link, frames: frames),
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
            ErasedTiers(tiers), ErasedNetwork(origin), countsNetwork: true, link: network.link, frames: frames)
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
        "a cache of your own is replayed with --timing modelled or instant, on the virtual clock")
}
