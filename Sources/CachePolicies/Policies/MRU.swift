/// The most recently used object leaves first: for loops over more than the cache holds, where the object that was used
/// last is needed last.
///
/// Hong-Tai Chou, David J. DeWitt, "An Evaluation of Buffer Management Strategies for Relational Database Systems",
/// VLDB 1985, proposes it for such loops. An object that enters is the next to leave.
struct MRU: SegmentedPolicy {
    var queues = QueueSet(queues: 1)
    let limits: Limits
    var residentQueues: Int { 1 }

    init(_ limits: Limits) { self.limits = limits }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard contains(access.object) else { return .miss }
        queues.moveToFront(access.object, 0)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: queues.occupancy(of: 0)), evictNext(&sink) {}
        queues.pushFront(access.object, size: access.size, 0)
        return true
    }

    mutating func nextVictim() -> Int? { queues.front(0) }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }
}

extension MRU {
    static let entry = PolicyEntry("mru", "The most recently used object leaves first.", parameters: [.limits]) {
        MRU(try $0.limits())
    }
}
