/// A policy that is one set of queues: the first queues hold objects, those behind them remember ghosts. What remains
/// to be written is what a hit and an admission do, and who leaves.
protocol SegmentedPolicy: CachePolicy {
    var queues: QueueSet { get set }
    /// How many of the queues hold objects.
    var residentQueues: Int { get }
}

extension SegmentedPolicy {
    @inline(__always) var occupancy: Occupancy {
        var sum = Occupancy()
        for queue in 0..<residentQueues { sum = sum + queues.occupancy(of: queue) }
        return sum
    }

    @inline(__always) func contains(_ object: Int) -> Bool { queues.place(of: object) < residentQueues }

    mutating func reserve(_ count: Int) { queues.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { queues.prefetch(object) }

    @inline(__always) mutating func remove(_ object: Int) {
        let place = queues.place(of: object)
        if place != QueueSet.nowhere { queues.remove(object, from: place) }
    }

    mutating func removeAll() { queues.removeAll() }
}
