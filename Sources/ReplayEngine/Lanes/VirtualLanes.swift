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
    private let costs: CostModel
    private var agenda = Heap<Planned>()
    private var planned: UInt64 = 0
    /// The work of the agenda, by ``Planned/work``; nil where free, and for a transfer that was cancelled.
    private var work: [Work?] = []
    private var freeWork: [Int] = []
    /// The bytes of bodies that have crossed the network. A transfer adds its bytes when it ends or is cancelled.
    private var received: Int64 = 0
    /// The other bytes of the transfers that were cancelled.
    private var abandoned: Int64 = 0
    /// The link that transfers share; nil if each takes its recorded time.
    private var link: SharedLink<Answer<Body>>?
    /// Whether there is a link. Reading this is cheaper than reading the link, which is done for each step.
    private let hasLink: Bool
    /// Collects the work of the lanes; nil if it is not asked for.
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
        /// A fetch ends whose transfer takes its own time, evenly from its first byte to its end.
        case transfer(Int, Answer<Body>, firstByte: Int64, end: Int64)
        /// The first byte of a fetch arrives, and its transfer over the shared link begins.
        case firstByte(Int, Answer<Body>, LinkLoad)

        var fetch: Int? {
            switch self {
            case .step: nil
            case .transfer(let fetch, _, _, _), .firstByte(let fetch, _, _): fetch
            }
        }
    }

    /// - Parameters:
    ///   - costs: Says whether the recorded latency is added to a transfer's own time, and what a cancelled transfer
    ///     brings besides what has crossed the network.
    ///   - link: The rate of the link that transfers share; nil if each takes its recorded time.
    package init(
        _ tiers: Tiers, _ network: Network, costs: CostModel, link: LinkRate? = nil, log: ReplayEventLog? = nil,
        frames: FrameTally? = nil
    ) {
        self.log = log
        self.frames = frames
        hasLink = costs.countsNetwork && link != nil
        if hasLink { self.link = link.map(SharedLink.init) }
        self.tiers = tiers
        self.network = network
        self.costs = costs
    }

    package var hasDisk: Bool { tiers.hasDisk }
    package var hasEncodedMemory: Bool { tiers.hasEncodedMemory }
    package var memoryOccupancy: Occupancy { tiers.memoryOccupancy }
    package var diskOccupancy: Occupancy { tiers.diskOccupancy }
    package var mainLaneFree: Int64 { max(now, mainLane) }
    package var machine: MachineFigures? {
        guard Tiers.areMeasured else { return nil }
        return MachineFigures(residentPeakBytes: resident.peak, wallTime: 0, abandonedBytes: abandoned)
    }

    package var mainLaneFigures: MainLaneFigures? { frames?.figures }

    package mutating func begin() throws {
        try tiers.warmUp()
        network.begin()
        if Tiers.areMeasured { resident.reset() }
    }

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

    package mutating func storeFailureInMemory(_ failure: StoredFailure, _ imageKey: ImageKey) throws -> Int64 {
        charge(try tiers.storeFailureInMemory(failure, imageKey, at: now), .memoryStore, imageKey)
    }

    package mutating func readFromDiskOnMainLane(_ imageKey: ImageKey) throws -> (answer: Answer<Body>, done: Int64) {
        let answer = try tiers.readFromDisk(imageKey, at: now)
        return (answer, charge(answer.duration, .diskRead, imageKey, isHit: answer.found.isHit))
    }

    package mutating func start(decode number: Int, _ body: Body, _ imageKey: ImageKey, isFile: Bool) throws {
        let answer = tiers.decode(body, imageKey, isFile: isFile)
        log?.worked(.decode, on: imageKey.object, from: now, for: answer.duration)
        plan(.decoded(number, answer), in: answer.duration)
    }

    package mutating func decodeOnMainLane(_ body: Body, _ imageKey: ImageKey, isFile: Bool) -> Answer<Body> {
        let answer = tiers.decode(body, imageKey, isFile: isFile)
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
        case .storeFailure(let imageKey, let failure):
            plan(job, in: try tiers.storeFailureOnDisk(failure, imageKey, at: now), .diskStore, imageKey.object)
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
        log?.fetches(fetch, imageKey.object, sample, at: now)
        let wait = answer.duration + (costs.countsNetwork ? sample.connect + sample.timeToFirstByte : 0)
        if hasLink, let load = sample.load, !answer.isNotModified, answer.body != nil || answer.bytes > 0 {
            return plan(.firstByte(fetch, answer, load), in: wait)
        }
        let transfer = costs.countsNetwork && !answer.isNotModified ? sample.transferTime : 0
        plan(
            .transfer(fetch, answer, firstByte: now + wait, end: now + wait + transfer), in: wait + transfer)
    }

    /// Frees the fetch's share of the link. Real tiers have fetched the whole body already; what has not crossed the
    /// network in virtual time does not count.
    ///
    /// Complexity: O(n) for n operations in progress.
    package mutating func cancel(fetch: Int) -> Int {
        log?.ended(fetch: fetch, at: now, isCancelled: true)
        let (bytes, crossed) = takeTransfer(fetch)
        received += Int64(crossed)
        abandoned += Int64(bytes - crossed)
        return crossed
    }

    /// Removes the transfer of a fetch. Returns the bytes of its body, and how many of them have crossed the network.
    private mutating func takeTransfer(_ fetch: Int) -> (bytes: Int, crossed: Int) {
        if hasLink, let ended = link?.cancel(fetch, at: now) {
            let bytes = ended.payload.bytes
            // The recording can have transferred more or fewer bytes than the object has.
            return (bytes, withInFlight(Self.part(of: bytes, ended.crossed, outOf: ended.bytes), of: bytes))
        }
        // The agenda has the work until its time comes.
        guard let place = work.firstIndex(where: { $0?.fetch == fetch }) else { return (0, 0) }
        switch work[place].take() {
        case .transfer(_, let answer, let firstByte, let end):
            guard now >= firstByte else { return (answer.bytes, 0) }
            let crossed = Self.part(of: answer.bytes, Int(now - firstByte), outOf: Int(end - firstByte))
            return (answer.bytes, withInFlight(crossed, of: answer.bytes))
        case .firstByte(_, let answer, _): return (answer.bytes, 0)
        case .step, nil: return (0, 0)
        }
    }

    private func withInFlight(_ crossed: Int, of bytes: Int) -> Int {
        crossed + min(bytes - crossed, Int(costs.inFlightBytes))
    }

    /// Returns a part of a number of bytes, rounded down; all of them if the part is the whole.
    private static func part(of bytes: Int, _ part: Int, outOf whole: Int) -> Int {
        part < whole ? whole.dividingFullWidth(bytes.multipliedFullWidth(by: part)).quotient : bytes
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
                if let (fetch, answer) = link?.change() { return arrived(fetch, answer) }
                continue
            }
            try advance(to: planned)
            switch takeWork() {
            case .step(let step): return step
            case .transfer(let fetch, let answer, _, _): return arrived(fetch, answer)
            case .firstByte(let fetch, let answer, let load):
                link?.begin(fetch, bytes: load.bytes, limit: load.limit, answer, at: now)
            case nil: continue  // The transfer was cancelled.
            }
        }
    }

    private mutating func arrived(_ fetch: Int, _ answer: Answer<Body>) -> ReplayStep<Body> {
        received += Int64(answer.bytes)
        log?.ended(fetch: fetch, at: now)
        return .fetched(fetch, answer)
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
