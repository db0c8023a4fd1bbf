import CachePolicies
import CacheTiers
import SessionModel

/// Tiers without bytes: the same policies and the same book-keeping as the real ones, and durations by the cost model.
/// Every figure is a function of trace, cache and seed.
struct ModelledTiers: ReplayTiers {
    /// Nothing is delivered but the word whose bytes it would be: an object's number.
    typealias Body = Int

    private let objects: ReplayObjects
    private let costs: CostModel
    private let decodes: Bool
    private var memory: TierLedger
    /// What the memory tier calls each cell: numbered by first access, as the real tier and the simulation do, because
    /// policies that hash numbers depend on them. By the number of the cell that gives a name its number, like the next
    /// two; -1 where there is nothing yet.
    private var numbers: [Int]
    private var numbered = 0
    /// Whose bytes lie under that name.
    private var heldInMemory: [Int]
    private var heldOnDisk: [Int]
    /// By such a number: since when the file is damaged, in nanoseconds. For stories: nothing in a trace damages files.
    private var damaged: [Int: Int64]
    private var disk: DiskIndex?
    private var read: Int64 = 0
    private var written: Int64 = 0

    /// `damaged`: since when an object's file is, in nanoseconds.
    init(
        _ objects: ReplayObjects, memory: any CachePolicy, disk: (any CachePolicy)?, costs: CostModel,
        decodes: Bool = false,
        damaged: [ObjectID: Int64] = [:]
    ) {
        self.damaged = Dictionary(
            uniqueKeysWithValues: damaged.map { (objects.diskNumber(Cell(object: Int($0.key), variant: 1)), $0.value) })
        self.objects = objects
        self.costs = costs
        numbers = Array(repeating: -1, count: objects.keys.count * 2)
        (heldInMemory, heldOnDisk) = (numbers, numbers)
        self.decodes = decodes
        self.memory = TierLedger(memory, entryRule: objects.memoryRules.entryRule)
        self.disk = disk.map { DiskIndex($0, format: objects.diskRules.format, entryRule: objects.diskRules.entryRule) }
    }

    var hasDisk: Bool { disk != nil }
    var memoryOccupancy: Occupancy { memory.occupancy }
    var diskOccupancy: Occupancy { disk?.occupancy ?? Occupancy() }

    func begin() {}

    var machine: MachineFigures? { nil }

    mutating func lookUpInMemory(_ cell: Cell, at time: Int64) -> Answer<Int> {
        let found = memory.lookup(access(cell, time))
        memory.drainVictims { _ in }
        let body = Self.body(heldInMemory[objects.memoryNumber(cell)], of: cell)
        return Answer(found: found, body: body, duration: costs.memoryLookup, isWrong: body != cell.object)
    }

    mutating func storeInMemory(_ body: Int, _ cell: Cell, at time: Int64, expiration: Int64?) -> Int64 {
        let access = access(cell, time)
        if !memory.ignores(cost: access.size) {
            _ = memory.admit(access, expiration: expiration, taking: objects.held(body))
            heldInMemory[objects.memoryNumber(cell)] = body
        }
        memory.drainVictims { _ in }
        return costs.memoryStore
    }

    mutating func readFromDisk(_ cell: Cell, at time: Int64) -> Answer<Int> {
        let key = objects.keys[cell.object]
        let found = disk?.lookup(key, variant: cell.variant, at: time / 1_000) ?? .miss
        guard found.isHit else { return Answer(found: .miss, body: nil, duration: costs.diskLookup) }
        let name = objects.diskNumber(cell)
        if isDamaged(name, at: time) {
            if objects.diskRules.format.keepsDamaged {
                return Answer(found: .hit, body: nil, duration: costs.diskLookup)
            }
            damaged[name] = nil
            disk?.lose(key, variant: cell.variant)
            return Answer(found: .miss, body: nil, duration: costs.diskLookup)
        }
        let body = Self.body(heldOnDisk[name], of: cell)
        let size = objects.written(body)
        read += Int64(size)
        return Answer(
            found: found, body: body, duration: costs.diskLookup + costs.reading(size), isWrong: body != cell.object)
    }

    func decode(_ body: Int, _ cell: Cell) -> Answer<Int> {
        Answer(
            found: .hit, body: body,
            duration: objects.images.isImage(body) ? costs.decoding(objects.images.decoded[body] / 4) : 0)
    }

    mutating func storeOnDisk(_ body: Int, _ cell: Cell, at time: Int64, expiration: Int64?) -> Int64 {
        let key = objects.keys[cell.object]
        if !objects.diskRules.overwrites, disk?.contains(key, variant: cell.variant) == true { return costs.diskLookup }
        let size = objects.written(body)
        if disk?.ignores(size: size) == true { return costs.diskLookup }
        let kept =
            disk?.admit(key, size: size, variant: cell.variant, at: time / 1_000, expiration: expiration) ?? false
        if kept {
            written += Int64(size)
            let name = objects.diskNumber(cell)
            heldOnDisk[name] = body
            if isDamaged(name, at: time) { damaged[name] = nil }
        }
        return costs.writing(size) + encoding(body)
    }

    mutating func fetch(_ cell: Cell, status: Int) -> Answer<Int> {
        let succeeded = (200..<300).contains(status)
        return Answer(
            found: succeeded ? .hit : .miss, body: succeeded ? cell.object : nil, duration: 0,
            bytes: succeeded ? objects.images.encoded[cell.object] : 0)
    }

    mutating func advance(to time: Int64) {
        memory.advance(to: time / 1_000)
        memory.drainVictims { _ in }
        disk?.advance(to: time / 1_000)
    }

    mutating func clearMemory() { memory.clear() }

    mutating func trimMemory(to cost: Int) throws {
        try memory.trim(to: cost)
        memory.drainVictims { _ in }
    }

    mutating func removeExpiredFromDisk(at time: Int64) -> Int64 {
        disk?.removeExpired(at: time / 1_000)
        return costs.diskLookup
    }

    mutating func relaunch(at time: Int64) {
        memory.relaunch(at: time / 1_000)
        disk?.relaunch(at: time / 1_000)
    }

    func figures() -> TierFigures {
        var figures = TierFigures()
        figures.diskReadBytes = read
        figures.diskWrittenBytes = written
        figures.count(memory: memory.counts, disk: disk?.counts ?? TierCounts())
        return figures
    }

    /// What it takes to encode an image again before it is written, where images are decoded.
    private func encoding(_ body: Int) -> Int64 {
        guard decodes, objects.diskRules.content != .original, objects.images.isImage(body) else { return 0 }
        return costs.encoding(objects.images.decoded[body] / 4)
    }

    private func isDamaged(_ name: Int, at time: Int64) -> Bool { damaged[name].map { $0 <= time } ?? false }

    private static func body(_ held: Int, of cell: Cell) -> Int { held < 0 ? cell.object : held }

    private mutating func access(_ cell: Cell, _ time: Int64) -> Access {
        let name = objects.memoryNumber(cell)
        if numbers[name] < 0 {
            numbers[name] = numbered
            numbered += 1
        }
        return Access(object: numbers[name], size: objects.cost(cell.object), time: time / 1_000, variant: cell.variant)
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
