import CachePolicies
import HeapModule
import SessionModel

/// Lanes in virtual time: an operation runs, or is computed, when it starts. Its duration is charged to its lane, and
/// the clock jumps from the end of one operation to the end of the next.
package struct VirtualLanes<Tiers: ReplayTiers, Network: ReplayNetwork>: ReplayLanes where Tiers.Body == Network.Body {
    package typealias Body = Tiers.Body

    package private(set) var now: Int64 = 0
    private var mainLane: Int64 = 0
    private var tiers: Tiers
    private var network: Network
    private var resident = ResidentMemory()
    package var alarm: Int64?
    private let countsNetwork: Bool
    private var agenda = Heap<Planned>()
    private var planned: UInt64 = 0
    /// What the agenda refers to, by ``Planned/work``; nil where free.
    private var work: [Work?] = []
    private var freeWork: [Int] = []
    /// This includes transfers that were cancelled: they have been made.
    private var received: Int64 = 0
    /// The link that transfers share; nil if each takes its recorded time.
    private var link: SharedLink<Answer<Body>>?
    /// Whether there is a link. Reading this is cheaper than reading the link, which is done for each step.
    private let hasLink: Bool
    /// The fetches that were cancelled before their first byte, and would use the link.
    private var cancelled: Set<Int> = []
    /// Collects what the lanes do; nil if it is not asked for.
    private let log: ReplayEventLog?
    /// Counts the frames that the main lane delays; nil if nothing takes time.
    private var frames: FrameTally?

    /// Ordered by time. Steps that end at the same time are in the order in which they were started.
    private struct Planned: Comparable {
        var time: Int64
        var sequence: UInt64
        /// A place in the list of work. The work itself stays there while the agenda is sorted.
        var work: Int

        static func == (one: Planned, other: Planned) -> Bool { one.sequence == other.sequence }

        static func < (one: Planned, other: Planned) -> Bool {
            one.time != other.time ? one.time < other.time : one.sequence < other.sequence
        }
    }

    private enum Work {
        case step(ReplayStep<Body>)
        /// The first byte of a fetch arrives, and its transfer over the shared link begins.
        case firstByte(Int, Answer<Body>, LinkLoad)
    }

    /// - Parameters:
    ///   - countsNetwork: Whether the recorded latency is added to a transfer's own time.
    ///   - link: The rate of the link that transfers share; nil if each takes its recorded time.
    ///   - log: Collects what the lanes do.
    ///   - frames: Counts the frames that the main lane delays; nil if nothing takes time.
    package init(
        _ tiers: Tiers, _ network: Network, countsNetwork: Bool, link: LinkRate? = nil, log: ReplayEventLog? = nil,
        frames: FrameTally? = nil
    ) {
        self.log = log
        self.frames = frames
        hasLink = countsNetwork && link != nil
        if hasLink { self.link = link.map(SharedLink.init) }
        self.tiers = tiers
        self.network = network
        self.countsNetwork = countsNetwork
    }

    package var hasDisk: Bool { tiers.hasDisk }
    package var hasEncodedMemory: Bool { tiers.hasEncodedMemory }
    package var memoryOccupancy: Occupancy { tiers.memoryOccupancy }
    package var diskOccupancy: Occupancy { tiers.diskOccupancy }
    package var mainLaneFree: Int64 { max(now, mainLane) }
    package var machine: MachineFigures? {
        Tiers.areMeasured ? MachineFigures(residentPeakBytes: resident.peak, wallTime: 0) : nil
    }

    package var mainLaneFigures: MainLaneFigures? { frames?.figures }

    package mutating func begin() throws {
        try tiers.warmUp()
        network.begin()
        if Tiers.areMeasured { resident.reset() }
    }

    package func end() {}

    package func figures() -> TierFigures {
        var figures = tiers.figures()
        figures.originBytes = received
        return figures
    }

    package mutating func lookUpInMemory(_ imageKey: ImageKey) -> (answer: Answer<Body>, done: Int64) {
        let answer = tiers.lookUpInMemory(imageKey, at: now)
        return (answer, charge(answer.duration, .memoryLookup, imageKey, isHit: answer.found.isHit))
    }

    package mutating func lookUpEncoded(_ imageKey: ImageKey) -> (answer: Answer<Body>, done: Int64) {
        let answer = tiers.lookUpEncoded(imageKey, at: now)
        return (answer, charge(answer.duration, .memoryLookup, imageKey, isHit: answer.found.isHit))
    }

    package mutating func show(_ imageKey: ImageKey) { tiers.show(imageKey) }

    package mutating func hide(_ imageKey: ImageKey) { tiers.hide(imageKey, at: now) }

    package mutating func display(_ imageKey: ImageKey) { tiers.display(imageKey) }

    package mutating func stopDisplaying(_ imageKey: ImageKey) { tiers.stopDisplaying(imageKey) }

    package var imageBytes: Int { tiers.imageBytes }

    package mutating func storeInMemory(_ body: Body, _ imageKey: ImageKey, expiration: Int64?) throws -> Int64 {
        charge(try tiers.storeInMemory(body, imageKey, at: now, expiration: expiration), .memoryStore, imageKey)
    }

    package mutating func readFromDiskOnMainLane(_ imageKey: ImageKey) throws -> (answer: Answer<Body>, done: Int64) {
        let answer = try tiers.readFromDisk(imageKey, at: now)
        return (answer, charge(answer.duration, .diskRead, imageKey, isHit: answer.found.isHit))
    }

    package mutating func start(decode number: Int, _ body: Body, _ imageKey: ImageKey) throws {
        let answer = tiers.decode(body, imageKey)
        log?.worked(.decode, on: imageKey.object, from: now, for: answer.duration)
        plan(.decoded(number, answer), in: answer.duration)
    }

    package mutating func decodeOnMainLane(_ body: Body, _ imageKey: ImageKey) -> Answer<Body> {
        let answer = tiers.decode(body, imageKey)
        _ = charge(answer.duration, .decode, imageKey)
        return answer
    }

    package mutating func start(_ job: DiskJob<Body>) throws {
        switch job {
        case .read(let imageKey, _):
            let answer = try tiers.readFromDisk(imageKey, at: now)
            log?.worked(
                .diskRead, on: imageKey.object, from: now, for: answer.duration, isHit: answer.found.isHit)
            plan(.diskEnded(job, answer), in: answer.duration)
        case .store(let body, let imageKey, let expiration):
            plan(
                job, in: try tiers.storeOnDisk(body, imageKey, at: now, expiration: expiration), .diskStore,
                imageKey.object)
        case .storeFailure(let imageKey, let bytes):
            plan(job, in: try tiers.storeFailureOnDisk(imageKey, bytes: bytes, at: now), .diskStore, imageKey.object)
        case .touch(let imageKey): plan(job, in: try tiers.touchOnDisk(imageKey, at: now), .diskTouch, imageKey.object)
        case .remove(let imageKey):
            plan(job, in: try tiers.removeFromDisk(imageKey, at: now), .diskRemoval, imageKey.object)
        case .removeExpired: plan(job, in: try tiers.removeExpiredFromDisk(at: now), .diskSweep, -1)
        }
    }

    private mutating func plan(
        _ job: DiskJob<Body>, in duration: Int64, _ work: ReplayEvents.Work, _ object: Int
    ) {
        log?.worked(work, on: object, from: now, for: duration)
        plan(.diskEnded(job, nil), in: duration)
    }

    package mutating func start(
        fetch: Int, _ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField]
    ) throws {
        let answer = try network.fetch(imageKey, sample, conditions: conditions)
        received += Int64(answer.bytes)
        log?.fetches(fetch, imageKey.object, sample, at: now)
        guard countsNetwork else { return plan(.fetched(fetch, answer), in: answer.duration) }
        if answer.isNotModified {
            let wait = sample.connect + sample.timeToFirstByte
            return plan(.fetched(fetch, answer), in: answer.duration + wait)
        }
        if hasLink, let load = sample.load, answer.body != nil {
            if !cancelled.isEmpty { cancelled.remove(fetch) }
            let wait = answer.duration + sample.connect + sample.timeToFirstByte
            return plan(.firstByte(fetch, answer, load), in: wait)
        }
        plan(.fetched(fetch, answer), in: answer.duration + sample.latency)
    }

    /// Frees the fetch's share of the link. The body has already been fetched, and the pipeline ignores the end of a
    /// fetch without a link.
    package mutating func cancel(fetch: Int) {
        log?.ended(fetch: fetch, at: now, isCancelled: true)
        guard hasLink else { return }
        if link?.cancel(fetch, at: now) == false { cancelled.insert(fetch) }
    }

    package mutating func nextStep(until time: Int64?) throws -> ReplayStep<Body>? {
        let end = time ?? .max
        while true {
            let planned = agenda.min?.time ?? .max
            let change = hasLink ? link?.nextChange ?? .max : .max
            if let alarm, alarm <= end, alarm < min(planned, change) {
                self.alarm = nil
                try advance(to: alarm)
                return .woke
            }
            guard min(planned, change) <= end, min(planned, change) < .max else {
                if let time { try advance(to: time) }
                return nil
            }
            if change < planned {
                try advance(to: change)
                if let (fetch, answer) = link?.change() {
                    log?.ended(fetch: fetch, at: now)
                    return .fetched(fetch, answer)
                }
                continue
            }
            try advance(to: planned)
            switch takeWork() {
            case .step(let step):
                if let log, case .fetched(let fetch, _) = step { log.ended(fetch: fetch, at: now) }
                return step
            case .firstByte(let fetch, let answer, let load):
                if !cancelled.isEmpty, cancelled.remove(fetch) != nil { continue }
                link?.begin(fetch, bytes: load.bytes, limit: load.limit, answer, at: now)
            case nil: return nil
            }
        }
    }

    package mutating func notice(_ event: SystemEvent) { tiers.notice(event) }

    package mutating func removeFromMemory(_ imageKey: ImageKey) { tiers.removeFromMemory(imageKey, at: now) }

    package mutating func clearMemory() { tiers.clearMemory() }

    package mutating func trimMemory(to cost: Int) throws { try tiers.trimMemory(to: cost) }

    package mutating func trimMemory(toShare share: Double) throws { try tiers.trimMemory(toShare: share) }

    package mutating func relaunch(sweepingFirst sweeping: Bool) throws {
        if sweeping { _ = try tiers.removeExpiredFromDisk(at: now) }
        agenda = Heap()
        work = []
        freeWork = []
        link?.removeAll()
        cancelled = []
        alarm = nil
        mainLane = now
        frames?.relaunch()
        log?.endAll(at: now)
        try tiers.relaunch(at: now)
    }

    private mutating func advance(to time: Int64) throws {
        guard time > now else { return }
        now = time
        try tiers.advance(to: time)
    }

    private mutating func charge(
        _ duration: Int64, _ work: ReplayEvents.Work, _ imageKey: ImageKey, isHit: Bool? = nil
    ) -> Int64 {
        let start = mainLaneFree
        log?.worked(work, on: imageKey.object, from: start, for: duration, isOnMainLane: true, isHit: isHit)
        frames?.worked(work, from: start, for: duration)
        mainLane = start + duration
        return mainLane
    }

    private mutating func plan(_ step: ReplayStep<Body>, in duration: Int64) { plan(.step(step), in: duration) }

    private mutating func plan(_ next: Work, in duration: Int64) {
        planned += 1
        var place = work.count
        if let free = freeWork.popLast() {
            place = free
            work[place] = next
        } else {
            work.append(next)
        }
        agenda.insert(Planned(time: now + duration, sequence: planned, work: place))
    }

    private mutating func takeWork() -> Work? {
        guard let next = agenda.popMin() else { return nil }
        freeWork.append(next.work)
        return work[next.work].take()
    }
}
