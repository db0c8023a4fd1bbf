import CachePolicies
import CacheTiers
import CacheTraces
import Foundation

/// The real tiers: payloads in memory, files on disk, transfers over a socket. Each operation is timed by the monotonic
/// clock; whether the bytes are the right ones is checked outside of that time.
struct MeasuredTiers: ReplayTiers {
    typealias Body = Payload

    private let keys: [String]
    private let patterns: [PayloadPattern]
    private let memory: MemoryTier
    private let disk: DiskTier?
    private let curl: CurlOrigin
    private let origin: String
    private var resident = ResidentMemory()

    /// `folder`: empty, for the disk tier. `origin`: the address under which the loopback origin serves objects by number.
    init(keys: [String], memory: sending any CachePolicy, disk: sending (any CachePolicy)?, folder: String, origin: String) throws {
        self.keys = keys
        self.origin = origin
        patterns = keys.map(PayloadPattern.init)
        self.memory = MemoryTier(memory)
        if let disk { self.disk = try DiskTier(disk, at: folder, epoch: Date()) } else { self.disk = nil }
        curl = try CurlOrigin()
    }

    var hasDisk: Bool { disk != nil }
    var memoryOccupancy: Occupancy { memory.occupancy }
    var diskOccupancy: Occupancy { disk?.occupancy ?? Occupancy() }

    mutating func begin() {
        // The first transfer allocates what libcurl keeps for all that follow. There is no such object: nothing is counted.
        _ = curl.fetch("\(origin)/warm-up")
        resident.reset()
    }

    var machine: MachineFigures? { MachineFigures(residentPeakBytes: resident.peak, wallTime: 0) }

    mutating func lookUpInMemory(_ cell: Cell, at time: Int64) -> Answer<Payload> {
        let (hit, duration) = MonotonicClock.timing {
            memory.payload(for: keys[cell.object], variant: cell.variant, at: time / 1_000)
        }
        guard let hit else { return Answer(found: .miss, body: nil, duration: duration) }
        return answer(cell, hit.payload, isStale: hit.isStale, duration)
    }

    mutating func storeInMemory(_ body: Payload, _ cell: Cell, at time: Int64) -> Int64 {
        MonotonicClock.timing {
            memory.store(body, for: keys[cell.object], variant: cell.variant, at: time / 1_000)
        }.duration
    }

    mutating func readFromDisk(_ cell: Cell, at time: Int64) throws -> Answer<Payload> {
        let (read, duration) = try MonotonicClock.timing {
            try disk?.read(keys[cell.object], variant: cell.variant, at: time / 1_000)
        }
        guard let read else { return Answer(found: .miss, body: nil, duration: duration) }
        return answer(cell, read.payload, isStale: read.isStale, duration)
    }

    mutating func storeOnDisk(_ body: Payload, _ cell: Cell, at time: Int64) throws -> Int64 {
        try MonotonicClock.timing {
            try disk?.store(keys[cell.object], body, variant: cell.variant, at: time / 1_000)
        }.duration
    }

    mutating func fetch(_ cell: Cell, status: Int) throws -> Answer<Payload> {
        let url = "\(origin)/\(cell.object)?status=\(status)"
        let (response, duration) = MonotonicClock.timing { curl.fetch(url) }
        if let failure = response.failure, failure.kind == .refused || failure.kind == .badURL {
            throw ReplayError("the loopback origin at \(origin) cannot be reached: \(failure)")
        }
        guard let payload = response.payload else {
            return Answer(found: .miss, body: nil, duration: duration, bytes: response.receivedBytes)
        }
        var answer = answer(cell, payload, isStale: false, duration)
        answer.bytes = response.receivedBytes
        return answer
    }

    mutating func advance(to time: Int64) throws {
        memory.advance(to: time / 1_000)
        try disk?.advance(to: time / 1_000)
    }

    mutating func memoryWarning() { memory.memoryWarning() }

    mutating func removeExpiredFromDisk(at time: Int64) throws -> Int64 {
        try MonotonicClock.timing { try disk?.removeExpired(at: time / 1_000) }.duration
    }

    mutating func relaunch(at time: Int64) throws {
        memory.removeAll()
        try disk?.relaunch(at: time / 1_000)
    }

    func figures() -> TierFigures {
        var figures = TierFigures()
        figures.count(memory: memory.counts, disk: disk?.figures.counts ?? TierCounts())
        figures.diskReadBytes = Int64(disk?.figures.readBytes ?? 0)
        figures.diskWrittenBytes = Int64(disk?.figures.writtenBytes ?? 0)
        return figures
    }

    private func answer(_ cell: Cell, _ payload: Payload, isStale: Bool, _ duration: Int64) -> Answer<Payload> {
        Answer(
            found: isStale ? .staleHit : .hit, body: payload, duration: duration,
            isWrong: !patterns[cell.object].matches(payload.bytes))
    }
}
