import Basics
import CachePolicies
import CacheTiers

/// The real tiers and a real origin, one operation at a time: what virtual lanes measure.
struct MeasuredTiers: ReplayTiers {
    typealias Body = ReplayBody

    private let tiers: RealTiers
    private let curl: CurlOrigin
    private let origin: String
    private var resident = ResidentMemory()

    /// `origin`: the address under which the loopback origin serves objects by number.
    init(_ tiers: RealTiers, origin: String) throws {
        self.tiers = tiers
        self.origin = origin
        curl = try CurlOrigin()
    }

    var hasDisk: Bool { tiers.disk != nil }
    var memoryOccupancy: Occupancy { tiers.memory.occupancy }
    var diskOccupancy: Occupancy { tiers.disk?.occupancy ?? Occupancy() }
    var machine: MachineFigures? { MachineFigures(residentPeakBytes: resident.peak, wallTime: 0) }

    mutating func begin() throws {
        try tiers.warmUp()
        // The first transfer allocates what libcurl keeps for all that follow. There is no such object: nothing is
        // counted.
        _ = curl.fetch("\(origin)/warm-up")
        resident.reset()
    }

    func lookUpInMemory(_ cell: Cell, at time: Int64) -> Answer<ReplayBody> { tiers.lookUpInMemory(cell, at: time) }

    func storeInMemory(_ body: ReplayBody, _ cell: Cell, at time: Int64, expiration: Int64?) -> Int64 {
        tiers.storeInMemory(body, cell, at: time, expiration: expiration)
    }

    func readFromDisk(_ cell: Cell, at time: Int64) throws -> Answer<ReplayBody> {
        try tiers.readFromDisk(cell, at: time)
    }

    func storeOnDisk(_ body: ReplayBody, _ cell: Cell, at time: Int64, expiration: Int64?) throws -> Int64 {
        try tiers.storeOnDisk(body, cell, at: time, expiration: expiration)
    }

    func decode(_ body: ReplayBody, _ cell: Cell) -> Answer<ReplayBody> { tiers.decode(body, cell) }

    func removeExpiredFromDisk(at time: Int64) throws -> Int64 { try tiers.removeExpiredFromDisk(at: time) }

    func fetch(_ cell: Cell, status: Int) throws -> Answer<ReplayBody> {
        let (response, duration) = MonotonicClock.timing { curl.fetch("\(origin)/\(cell.object)?status=\(status)") }
        return try tiers.answer(cell, response, duration)
    }

    func advance(to time: Int64) throws { try tiers.advance(to: time) }

    func clearMemory() { tiers.memory.clear() }

    func trimMemory(to cost: Int) throws { try tiers.memory.trim(to: cost) }

    func relaunch(at time: Int64) throws { try tiers.relaunch(at: time) }

    func figures() -> TierFigures { tiers.figures() }
}
