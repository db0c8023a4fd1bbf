/// Objects by the number of their accesses, and among equals by the time since their last: every operation takes
/// constant time.
///
/// K. Shah, A. Mitra, D. Matani, An O(1) algorithm for implementing the LFU cache eviction scheme, 2010: one queue for
/// each frequency that occurs, and the queues themselves in a list by rising frequency.
///
/// Invariants: a queue in the list is not empty; frequencies rise strictly along the list; within a queue objects stand
/// in the order of their accesses. Queue 0 is the head of the list, which is a ring, and has no objects; its `newest`
/// is the first free queue, from which the others are chained by `higher`, up to 0.
struct FrequencyQueues {
    struct Node: BitwiseCopyable {
        /// Of the same frequency, accessed next before and next after; `none` at the ends.
        var older = FrequencyQueues.none
        var newer = FrequencyQueues.none
        /// `none`: the object is in no queue.
        var queue = FrequencyQueues.none
    }

    struct Queue: BitwiseCopyable {
        var frequency = 0
        var oldest = FrequencyQueues.none
        var newest = FrequencyQueues.none
        var lower: UInt32 = 0
        var higher: UInt32 = 0
    }

    static var none: UInt32 { .max }

    var nodes = UncheckedArray(repeating: Node())
    var queues = UncheckedArray(repeating: Queue(), count: 64)

    init() { removeAll() }

    mutating func reserve(_ count: Int) { nodes.reserve(count) }

    func prefetch(_ object: Int) { nodes.prefetch(object) }

    func contains(_ object: Int) -> Bool { nodes[object].queue != Self.none }

    /// The object accessed least often, and of those least recently.
    var lowest: Int? {
        let oldest = queues[Int(queues[0].higher)].oldest
        return oldest == Self.none ? nil : Int(oldest)
    }

    /// Accessed once. The object must be in no queue.
    mutating func insert(_ object: Int) {
        let queue = queue(of: 1, above: 0)
        append(object, to: queue)
    }

    /// Accessed once more. The object must be in a queue.
    mutating func raise(_ object: Int) {
        let node = nodes[object]
        let queue = queues[Int(node.queue)]
        let frequency = queue.frequency &+ 1
        if queue.oldest == queue.newest, queues[Int(queue.higher)].frequency != frequency {
            // The only object of its queue, and no queue has the next frequency: the queue rises as a whole.
            queues.base[Int(node.queue)].frequency = frequency
            return
        }
        let target = self.queue(of: frequency, above: node.queue)
        unlink(node)
        append(object, to: target)
    }

    /// The object must be in a queue.
    func remove(_ object: Int) {
        unlink(nodes[object])
        nodes[object] = Node()
    }

    func removeAll() {
        nodes.reset()
        queues[0] = Queue(newest: 0)
        chainFreeQueues(from: 1)
    }

    /// The queue of a frequency, which stands above `lower` or belongs there.
    private mutating func queue(of frequency: Int, above lower: UInt32) -> UInt32 {
        let higher = queues[Int(lower)].higher
        if queues[Int(higher)].frequency == frequency { return higher }
        let queue = unusedQueue()
        queues[Int(queue)] = Queue(frequency: frequency, lower: lower, higher: higher)
        queues.base[Int(lower)].higher = queue
        queues.base[Int(higher)].lower = queue
        return queue
    }

    private mutating func unusedQueue() -> UInt32 {
        if queues[0].newest == 0 { addQueues() }
        let queue = queues[0].newest
        queues.base[0].newest = queues[Int(queue)].higher
        return queue
    }

    /// Doubles their number. That is rare: so many different frequencies take half their square in accesses.
    @inline(never) private mutating func addQueues() {
        let old = queues.count
        queues.reserve(2 &* old)
        chainFreeQueues(from: old)
    }

    private func chainFreeQueues(from first: Int) {
        for queue in first..<queues.count { queues.base[queue].higher = UInt32(truncatingIfNeeded: queue &+ 1) }
        queues.base[queues.count &- 1].higher = queues[0].newest
        queues.base[0].newest = UInt32(truncatingIfNeeded: first)
    }

    private func append(_ object: Int, to queue: UInt32) {
        let number = UInt32(truncatingIfNeeded: object)
        let newest = queues[Int(queue)].newest
        nodes[object] = Node(older: newest, newer: Self.none, queue: queue)
        queues.base[Int(queue)].newest = number
        if newest == Self.none {
            queues.base[Int(queue)].oldest = number
        } else {
            nodes.base[Int(newest)].newer = number
        }
    }

    /// Takes the object out of its queue, and the queue out of the list if that leaves it empty.
    private func unlink(_ node: Node) {
        let queue = Int(node.queue)
        if node.older == Self.none {
            queues.base[queue].oldest = node.newer
        } else {
            nodes.base[Int(node.older)].newer = node.newer
        }
        if node.newer == Self.none {
            queues.base[queue].newest = node.older
        } else {
            nodes.base[Int(node.newer)].older = node.older
        }
        guard queues[queue].oldest == Self.none else { return }
        queues.base[Int(queues[queue].lower)].higher = queues[queue].higher
        queues.base[Int(queues[queue].higher)].lower = queues[queue].lower
        queues.base[queue].higher = queues[0].newest
        queues.base[0].newest = node.queue
    }
}
