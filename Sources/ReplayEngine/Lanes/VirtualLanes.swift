import CachePolicies
import HeapModule

/// Lanes in virtual time: an operation runs, or is computed, when it starts. Its duration is charged to its lane, and
/// the clock jumps from the end of one operation to the end of the next.
struct VirtualLanes<Tiers: ReplayTiers, Network: ReplayNetwork>: ReplayLanes where Tiers.Body == Network.Body {
    typealias Body = Tiers.Body

    private(set) var now: Int64 = 0
    private var mainLane: Int64 = 0
    private var tiers: Tiers
    private var network: Network
    private var resident = ResidentMemory()
    var alarm: Int64?
    private let countsNetwork: Bool
    private var agenda = Heap<Planned>()
    private var planned: UInt64 = 0
    /// This includes transfers that were cancelled: they have been made.
    private var received: Int64 = 0

    /// Ordered by time. Steps that end at the same time are in the order in which they were started.
    private struct Planned: Comparable {
        var time: Int64
        var sequence: UInt64
        var step: ReplayStep<Body>

        static func == (one: Planned, other: Planned) -> Bool { one.sequence == other.sequence }

        static func < (one: Planned, other: Planned) -> Bool {
            one.time != other.time ? one.time < other.time : one.sequence < other.sequence
        }
    }

    /// - Parameter countsNetwork: Whether the recorded latency is added to a transfer's own time.
    init(_ tiers: Tiers, _ network: Network, countsNetwork: Bool) {
        self.tiers = tiers
        self.network = network
        self.countsNetwork = countsNetwork
    }

    var hasDisk: Bool { tiers.hasDisk }
    var hasEncodedMemory: Bool { tiers.hasEncodedMemory }
    var memoryOccupancy: Occupancy { tiers.memoryOccupancy }
    var diskOccupancy: Occupancy { tiers.diskOccupancy }
    var mainLaneFree: Int64 { max(now, mainLane) }
    var machine: MachineFigures? {
        Tiers.areMeasured ? MachineFigures(residentPeakBytes: resident.peak, wallTime: 0) : nil
    }

    mutating func begin() throws {
        try tiers.warmUp()
        network.begin()
        if Tiers.areMeasured { resident.reset() }
    }

    func end() {}

    func figures() -> TierFigures {
        var figures = tiers.figures()
        figures.originBytes = received
        return figures
    }

    mutating func lookUpInMemory(_ cell: Cell) -> (answer: Answer<Body>, done: Int64) {
        let answer = tiers.lookUpInMemory(cell, at: now)
        return (answer, charge(answer.duration))
    }

    mutating func lookUpEncoded(_ cell: Cell) -> (answer: Answer<Body>, done: Int64) {
        let answer = tiers.lookUpEncoded(cell, at: now)
        return (answer, charge(answer.duration))
    }

    mutating func show(_ cell: Cell) { tiers.show(cell) }

    mutating func hide(_ cell: Cell) { tiers.hide(cell, at: now) }

    mutating func storeInMemory(_ body: Body, _ cell: Cell, expiration: Int64?) throws -> Int64 {
        charge(try tiers.storeInMemory(body, cell, at: now, expiration: expiration))
    }

    mutating func readFromDiskOnMainLane(_ cell: Cell) throws -> (answer: Answer<Body>, done: Int64) {
        let answer = try tiers.readFromDisk(cell, at: now)
        return (answer, charge(answer.duration))
    }

    mutating func start(decode number: Int, _ body: Body, _ cell: Cell) throws {
        let answer = tiers.decode(body, cell)
        plan(.decoded(number, answer), in: answer.duration)
    }

    mutating func decodeOnMainLane(_ body: Body, _ cell: Cell) -> Answer<Body> {
        let answer = tiers.decode(body, cell)
        _ = charge(answer.duration)
        return answer
    }

    mutating func start(_ job: DiskJob<Body>) throws {
        switch job {
        case .read(let cell, _):
            let answer = try tiers.readFromDisk(cell, at: now)
            plan(.diskEnded(job, answer), in: answer.duration)
        case .store(let body, let cell, let expiration):
            plan(.diskEnded(job, nil), in: try tiers.storeOnDisk(body, cell, at: now, expiration: expiration))
        case .touch(let cell): plan(.diskEnded(job, nil), in: try tiers.touchOnDisk(cell, at: now))
        case .remove(let cell): plan(.diskEnded(job, nil), in: try tiers.removeFromDisk(cell, at: now))
        case .removeExpired: plan(.diskEnded(job, nil), in: try tiers.removeExpiredFromDisk(at: now))
        }
    }

    mutating func start(fetch: Int, _ cell: Cell, _ sample: NetworkModel.Sample) throws {
        let answer = try network.fetch(cell, status: sample.status)
        received += Int64(answer.bytes)
        plan(.fetched(fetch, answer), in: answer.duration + (countsNetwork ? sample.latency : 0))
    }

    /// Does nothing: the transfer is already over, and the pipeline ignores its end.
    func cancel(fetch: Int) {}

    mutating func nextStep(until time: Int64?) throws -> ReplayStep<Body>? {
        let end = time ?? .max
        if let alarm, alarm <= end, alarm < agenda.min?.time ?? .max {
            self.alarm = nil
            try advance(to: alarm)
            return .woke
        }
        guard let next = agenda.min, next.time <= end else {
            if let time { try advance(to: time) }
            return nil
        }
        try advance(to: next.time)
        return agenda.popMin()?.step
    }

    mutating func removeFromMemory(_ cell: Cell) { tiers.removeFromMemory(cell, at: now) }

    mutating func clearMemory() { tiers.clearMemory() }

    mutating func trimMemory(to cost: Int) throws { try tiers.trimMemory(to: cost) }

    mutating func trimMemory(toShare share: Double) throws { try tiers.trimMemory(toShare: share) }

    mutating func relaunch(sweepingFirst sweeping: Bool) throws {
        if sweeping { _ = try tiers.removeExpiredFromDisk(at: now) }
        agenda = Heap()
        alarm = nil
        mainLane = now
        try tiers.relaunch(at: now)
    }

    private mutating func advance(to time: Int64) throws {
        guard time > now else { return }
        now = time
        try tiers.advance(to: time)
    }

    private mutating func charge(_ duration: Int64) -> Int64 {
        mainLane = mainLaneFree + duration
        return mainLane
    }

    private mutating func plan(_ step: ReplayStep<Body>, in duration: Int64) {
        planned += 1
        agenda.insert(Planned(time: now + duration, sequence: planned, step: step))
    }
}
