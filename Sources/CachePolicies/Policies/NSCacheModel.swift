/// Foundation's NSCache. Apple documents neither its order of eviction nor how strict its limits are, so the order is a
/// parameter. `lru`, `fifo` and `frequency` (`FrequencyNSCache`) are plausible models of Darwin's class; `corelibs`
/// is the open-source class of swift-corelibs-foundation, and `gnustep` (`GNUstepNSCache`) the class of GNUstep. To
/// estimate an app's results on Darwin, run the three plausible models and report how far apart their results are.
///
/// `platform` is no model: it is the class of the machine itself (`PlatformNSCache`).
///
/// All models but `gnustep` store first and trim then, so an object above the limit evicts all others; under `lru`,
/// `fifo` and `corelibs` it then leaves itself. A limit of 0 is no limit.
public struct NSCacheQueue: QueuePolicy {
    public var queue: BoundedQueue
    @usableFromInline let movesOnHit: Bool

    @inlinable public init(_ limits: Limits, movesOnHit: Bool) {
        queue = BoundedQueue(limits: limits)
        self.movesOnHit = movesOnHit
    }

    @inlinable public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard queue.contains(access.object) else { return .miss }
        if movesOnHit { queue.moveToFront(access.object) }
        return .hit
    }

    @inlinable public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        queue.pushThenTrim(access, &sink)
    }
}

/// NSCache of swift-corelibs-foundation (read at 2024-10, executed with Swift 6.3 on Linux): one list in rising order
/// of cost, in which a new object stands before others of its cost. Victims leave from the front, first until the cost
/// limit holds, then until the count limit does. Reads change nothing. With equal costs that is last in, first out: the
/// first objects stay forever.
///
/// The list is a heap here, ranked by cost, then newest first: the same order without the linear search.
public struct CorelibsNSCache: VictimOrdered {
    @usableFromInline var byCost = IndexedHeap(filler: RankAndTie(0, tie: 0))
    @usableFromInline var costs = UncheckedArray<Int>(repeating: 0)
    @usableFromInline var placements = 0
    @usableFromInline let limits: Limits
    public var occupancy = Occupancy()

    @inlinable public init(_ limits: Limits) { self.limits = limits }

    @inlinable public func contains(_ object: Int) -> Bool { byCost.contains(object) }

    @inlinable public mutating func reserve(_ count: Int) {
        byCost.reserve(count)
        costs.reserve(count)
    }

    @inlinable public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        byCost.contains(access.object) ? .hit : .miss
    }

    @inlinable public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        // An object stored again at the same cost keeps its place in the list.
        if !byCost.contains(access.object) || costs[access.object] != access.size {
            remove(access.object)
            insert(access)
        }
        while occupancy.bytes > limits.bytes, evictNext(&sink) {}
        while occupancy.objects > limits.objects, evictNext(&sink) {}
        return byCost.contains(access.object)
    }

    @inlinable public mutating func remove(_ object: Int) {
        guard byCost.contains(object) else { return }
        byCost.remove(object)
        occupancy.objects -= 1
        occupancy.bytes -= costs[object]
    }

    @inlinable public mutating func clear() {
        byCost.removeAll()
        occupancy = Occupancy()
        placements = 0
    }

    @inlinable mutating func insert(_ access: Access) {
        placements += 1
        byCost.insert(access.object, RankAndTie(access.size, tie: -placements))
        costs[access.object] = access.size
        occupancy.objects += 1
        occupancy.bytes += access.size
    }

    /// Returns the cheapest object. A new object that costs no more leaves before it.
    @inlinable public mutating func nextVictim() -> Int? { byCost.lowest }

    @inlinable public mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }
}

enum NSCachePolicy {
    static let entry = PolicyEntry(
        "nscache",
        """
        Foundation's NSCache, in one of several models, or the class of this machine (`platform`); a limit of 0 is no \
        limit. `discardable` is for \
        gnustep.
        """,
        parameters: [
            .size("cost", default: "0B"), .integer("count", default: 0),
            .choice("model", ["lru", "fifo", "frequency", "corelibs", "gnustep", "platform"], default: "lru"),
            .flag("discardable", default: false),
        ],
        byteLimit: { arguments in
            let cost = try arguments.size("cost")
            let holdsAll = try arguments.choice("model") == "gnustep" && !arguments.flag("discardable")
            return cost == 0 || holdsAll ? nil : cost
        }, zeroIsNoLimit: true
    ) { arguments in
        let (cost, count) = (try arguments.size("cost"), try arguments.integer("count"))
        let discardable = try arguments.flag("discardable")
        let limits = Limits(bytes: cost == 0 ? .max : cost, objects: count == 0 ? .max : count)
        return switch try arguments.choice("model") {
        case "corelibs": CorelibsNSCache(limits)
        case "platform": try platform(costLimit: cost, countLimit: count, arguments)
        case "frequency": FrequencyNSCache(limits)
        case "gnustep" where discardable: GNUstepNSCache(costLimit: cost, countLimit: count)
        // Objects without discardable content never leave.
        case "gnustep": FIFO(Limits())
        case let model: NSCacheQueue(limits, movesOnHit: model == "lru")
        }
    }

    private static func platform(
        costLimit: Int, countLimit: Int, _ arguments: PolicyArguments
    ) throws -> any CachePolicy {
        #if canImport(Foundation)
        return PlatformPolicy(PlatformNSCache(costLimit: costLimit, countLimit: countLimit))
        #else
        throw arguments.error("this platform has no NSCache; choose another model", at: "model")
        #endif
    }
}
