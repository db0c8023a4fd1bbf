/// Queues of objects with their sizes: ``QueueSet``, or ``FIFOSet`` where objects leave from the back.
protocol ObjectQueues {
    func prefetch(_ object: Int)
    func place(of object: Int) -> Int
    func uses(of object: Int) -> Int
    func occupancy(of queue: Int) -> Occupancy
    func back(_ queue: Int) -> Int?
    func sizeOfBack(_ queue: Int) -> Int
    func moveBack(_ queue: Int, to other: Int, uses: Int)
    func removeBack(_ queue: Int)
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
    @inline(__always) var occupancy: Occupancy {
        var sum = Occupancy()
        for queue in 0..<residentQueues { sum = sum + queues.occupancy(of: queue) }
        return sum
    }

    @inline(__always) func contains(_ object: Int) -> Bool { queues.place(of: object) < residentQueues }

    mutating func reserve(_ count: Int) { queues.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { queues.prefetch(object) }

    @inline(__always) mutating func remove(_ object: Int) {
        if queues.place(of: object) != QueueSet.nowhere { queues.remove(object) }
    }

    mutating func removeAll() { queues.removeAll() }
}

extension ObjectQueues {
    /// The object that has been in the queue longest without a use. Objects that were used go on to the front, each with a use less.
    @inline(__always) func oldestUnused(_ queue: Int) -> Int? {
        while let oldest = back(queue) {
            let count = uses(of: oldest)
            guard count > 0 else { return oldest }
            moveBack(queue, to: queue, uses: count &- 1)
        }
        return nil
    }

    /// Makes a ghost of the object at the back of a queue, which leaves. The ghosts' queue holds at most `share`, in the measure; its oldest
    /// are forgotten.
    @inline(__always) func rememberBack(_ queue: Int, _ ghosts: Int, atMost share: Int, _ budget: Budget) {
        let room = share &- budget.measure(sizeOfBack(queue))
        guard room >= 0 else { return removeBack(queue) }
        while budget.measure(occupancy(of: ghosts)) > room, back(ghosts) != nil { removeBack(ghosts) }
        moveBack(queue, to: ghosts, uses: 0)
    }
}
