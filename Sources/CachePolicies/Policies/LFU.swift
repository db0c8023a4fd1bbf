/// The least frequently used object leaves first; of equals, the least recently used.
///
/// Constant time by queues of equal frequency: K. Shah, A. Mitra, D. Matani, An O(1) algorithm for implementing the LFU
/// cache eviction scheme, 2010. The paper leaves ties open. An evicted object is forgotten: if it returns, it starts at
/// 1.
struct LFU: VictimOrdered {
    var byFrequency = FrequencyQueues()
    var sizes = SizeTable()
    let limits: Limits
    var occupancy = Occupancy()

    init(_ limits: Limits) { self.limits = limits }

    func contains(_ object: Int) -> Bool { byFrequency.contains(object) }

    mutating func reserve(_ count: Int) {
        byFrequency.reserve(count)
        sizes.reserve(count)
    }

    func prefetch(_ object: Int) { byFrequency.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard byFrequency.contains(access.object) else { return .miss }
        byFrequency.raise(access.object)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy), evictNext(&sink) {}
        byFrequency.insert(access.object)
        sizes[access.object] = access.size
        occupancy.objects &+= 1
        occupancy.bytes &+= access.size
        return true
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }

    mutating func nextVictim() -> Int? { byFrequency.lowest }

    mutating func remove(_ object: Int) {
        guard byFrequency.contains(object) else { return }
        byFrequency.remove(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
    }

    mutating func clear() {
        byFrequency.removeAll()
        occupancy = Occupancy()
    }
}

extension LFU {
    static let entry = PolicyEntry(
        "lfu", "The least frequently used object leaves first; of equals, the least recently used.",
        parameters: [.limits]
    ) { LFU(try $0.limits()) }
}
