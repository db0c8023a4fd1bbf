/// Queues of objects with their sizes: ``QueueSet``, or ``FIFOSet`` where objects leave from the back.
protocol ObjectQueues {
    func place(of object: Int) -> Int
    func uses(of object: Int) -> Int
    func size(of object: Int) -> Int
    func occupancy(of queue: Int) -> Occupancy
    func back(_ queue: Int) -> Int?
    func setUses(_ object: Int, _ uses: Int)
    func moveToFront(_ object: Int, _ queue: Int)
    func remove(_ object: Int)
    func removeAll()
    mutating func reserve(_ count: Int)
}

extension QueueSet: ObjectQueues {}

/// A policy that is one set of queues: the first queues hold objects, those behind them remember ghosts. What remains to be written is
/// what a hit and an admission do, and who leaves.
protocol SegmentedPolicy: CachePolicy {
    associatedtype Queues: ObjectQueues
    var queues: Queues { get set }
    /// How many of the queues hold objects.
    var residentQueues: Int { get }
}

extension SegmentedPolicy {
    var occupancy: Occupancy {
        var sum = Occupancy()
        for queue in 0..<residentQueues { sum = sum + queues.occupancy(of: queue) }
        return sum
    }

    func contains(_ object: Int) -> Bool { queues.place(of: object) < residentQueues }

    mutating func reserve(_ count: Int) { queues.reserve(count) }

    mutating func remove(_ object: Int) {
        if queues.place(of: object) != QueueSet.nowhere { queues.remove(object) }
    }

    mutating func removeAll() { queues.removeAll() }

    /// The object that has been in the queue longest without a use. Objects that were used go on to the front, each with a use less.
    func oldestUnused(_ queue: Int) -> Int? {
        while let oldest = queues.back(queue) {
            let uses = queues.uses(of: oldest)
            guard uses > 0 else { return oldest }
            queues.setUses(oldest, uses &- 1)
            queues.moveToFront(oldest, queue)
        }
        return nil
    }

    /// Makes a ghost of an object that leaves. The ghosts' queue holds at most `share`, in the measure; its oldest are forgotten.
    func remember(_ victim: Int, _ ghosts: Int, atMost share: Int, _ budget: Budget) {
        let room = share &- budget.measure(queues.size(of: victim))
        guard room >= 0 else { return queues.remove(victim) }
        while budget.measure(queues.occupancy(of: ghosts)) > room, let oldest = queues.back(ghosts) { queues.remove(oldest) }
        queues.moveToFront(victim, ghosts)
    }
}
