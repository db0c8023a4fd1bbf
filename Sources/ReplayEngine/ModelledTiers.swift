import CachePolicies
import CacheTiers

/// Tiers without bytes: the same policies and the same book-keeping as the real ones, and durations by the cost model. Every
/// figure is a function of trace, cache and seed.
struct ModelledTiers: ReplayTiers {
    /// Nothing is delivered but the word.
    typealias Body = Void

    private let keys: [String]
    private let sizes: [Int]
    private let costs: CostModel
    private var memory: TierLedger
    /// What the memory tier calls each cell: numbered by first access, as the real tier and the simulation do, because policies that hash numbers
    /// depend on them.
    private var numbers: [Int: Int] = [:]
    private var disk: DiskIndex?
    private var read: Int64 = 0
    private var written: Int64 = 0

    init(keys: [String], sizes: [Int], memory: any CachePolicy, disk: (any CachePolicy)?, costs: CostModel) {
        self.keys = keys
        self.sizes = sizes
        self.costs = costs
        self.memory = TierLedger(memory)
        self.disk = disk.map { DiskIndex($0) }
    }

    var hasDisk: Bool { disk != nil }
    var memoryOccupancy: Occupancy { memory.occupancy }
    var diskOccupancy: Occupancy { disk?.occupancy ?? Occupancy() }

    func begin() {}

    var machine: MachineFigures? { nil }

    mutating func lookUpInMemory(_ cell: Cell, at time: Int64) -> Answer<Void> {
        let found = memory.lookup(access(cell, time))
        memory.drainVictims { _ in }
        return Answer(found: found, body: (), duration: costs.memoryLookup)
    }

    mutating func storeInMemory(_ body: Void, _ cell: Cell, at time: Int64) -> Int64 {
        _ = memory.admit(access(cell, time))
        memory.drainVictims { _ in }
        return costs.memoryStore
    }

    mutating func readFromDisk(_ cell: Cell, at time: Int64) -> Answer<Void> {
        let key = keys[cell.object]
        let found = disk?.lookup(key, variant: cell.variant, at: time / 1_000) ?? .miss
        guard found.isHit else { return Answer(found: .miss, body: nil, duration: costs.diskLookup) }
        read += Int64(sizes[cell.object])
        return Answer(found: found, body: (), duration: costs.diskLookup + costs.reading(sizes[cell.object]))
    }

    mutating func storeOnDisk(_ body: Void, _ cell: Cell, at time: Int64) -> Int64 {
        let (key, size) = (keys[cell.object], sizes[cell.object])
        let kept = disk?.admit(key, size: size, variant: cell.variant, at: time / 1_000) ?? false
        if kept { written += Int64(size) }
        return costs.writing(size)
    }

    mutating func fetch(_ cell: Cell, status: Int) -> Answer<Void> {
        let succeeded = (200..<300).contains(status)
        return Answer(
            found: succeeded ? .hit : .miss, body: succeeded ? () : nil, duration: 0,
            bytes: succeeded ? sizes[cell.object] : 0)
    }

    mutating func advance(to time: Int64) {
        memory.advance(to: time / 1_000)
        memory.drainVictims { _ in }
        disk?.advance(to: time / 1_000)
    }

    mutating func memoryWarning() { memory.removeAll() }

    mutating func removeExpiredFromDisk(at time: Int64) -> Int64 {
        disk?.removeExpired(at: time / 1_000)
        return costs.diskLookup
    }

    mutating func relaunch(at time: Int64) {
        memory.removeAll()
        disk?.relaunch(at: time / 1_000)
    }

    func figures() -> TierFigures {
        var figures = TierFigures()
        figures.diskReadBytes = read
        figures.diskWrittenBytes = written
        figures.count(memory: memory.counts, disk: disk?.counts ?? TierCounts())
        return figures
    }

    private mutating func access(_ cell: Cell, _ time: Int64) -> Access {
        let number = numbers[cell.number] ?? numbers.count
        numbers[cell.number] = number
        return Access(object: number, size: sizes[cell.object], time: time / 1_000, variant: cell.variant)
    }
}

extension TierFigures {
    mutating func count(memory: TierCounts, disk: TierCounts) {
        memoryEvictions = memory.evictions
        memoryExpirations = memory.expirations
        memoryPeakBytes = Int64(memory.peakBytes)
        diskEvictions = disk.evictions
        diskExpirations = disk.expirations
        diskPeakBytes = Int64(disk.peakBytes)
    }
}
