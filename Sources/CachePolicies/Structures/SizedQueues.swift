/// As ``QueueSet``, for policies that move objects from queue to queue at each miss: a queue's two sums lie apart, so that each is read as it
/// was written: a pair written half by half and read as one makes the processor wait.
///
/// Invariant: an object whose place is a queue is linked into that queue's ring, through the sentinel with the queue's number, and counted
/// in its sums.
struct SizedQueues {
    struct Node: BitwiseCopyable {
        var previous: UInt32
        var next: UInt32
    }

    let queues: Int
    /// Nodes 0 ..< `queues` are the sentinels, object `i` is node `i + queues`.
    var nodes: Column<Node>
    var places = Column<UInt8>(repeating: 255)
    var sizes = ObjectSizes()
    let objects: Column<Int>
    let bytes: Column<Int>

    /// The place of an object that is in none of the queues.
    static var nowhere: Int { 255 }

    init(queues: Int) {
        self.queues = queues
        nodes = Column(repeating: Node(previous: 0, next: 0), count: queues)
        objects = Column(repeating: 0, count: queues)
        bytes = Column(repeating: 0, count: queues)
        removeAll()
    }

    mutating func reserve(_ count: Int) {
        nodes.reserve(count + queues)
        places.reserve(count)
        sizes.reserve(count)
    }

    /// See ``CachePolicy/prefetch(_:)``.
    func prefetch(_ object: Int) {
        places.prefetch(object)
        nodes.prefetch(object &+ queues)
    }

    @inline(__always) func place(of object: Int) -> Int { Int(places[object]) }

    @inline(__always) func occupancy(of queue: Int) -> Occupancy { Occupancy(objects: objects[queue], bytes: bytes[queue]) }

    /// The object that has been in the queue longest; nil where it is empty.
    @inline(__always) func back(_ queue: Int) -> Int? {
        let node = Int(nodes.base[queue].previous)
        return node == queue ? nil : node &- queues
    }

    /// The object must be in no queue.
    @inline(__always) mutating func pushFront(_ object: Int, size: Int, _ queue: Int) {
        let node = object &+ queues
        sizes[object] = size
        link(node, queue)
        places[object] = UInt8(truncatingIfNeeded: queue)
        count(size, 1, queue)
    }

    /// The object must be in `queue`.
    @inline(__always) func moveToFront(_ object: Int, _ queue: Int) {
        let node = object &+ queues
        unlink(node)
        link(node, queue)
    }

    /// The object must be in the queue `old`.
    @inline(__always) func move(_ object: Int, from old: Int, to queue: Int) {
        let node = object &+ queues
        let size = sizes[object]
        unlink(node)
        link(node, queue)
        places[object] = UInt8(truncatingIfNeeded: queue)
        count(-size, -1, old)
        count(size, 1, queue)
    }

    /// The object must be in `queue`.
    @inline(__always) func remove(_ object: Int, from queue: Int) {
        let node = object &+ queues
        unlink(node)
        places[object] = UInt8(truncatingIfNeeded: Self.nowhere)
        count(-sizes[object], -1, queue)
    }

    func removeAll() {
        places.reset()
        objects.reset()
        bytes.reset()
        for queue in 0..<queues { nodes[queue] = Node(previous: UInt32(queue), next: UInt32(queue)) }
    }

    @inline(__always) func link(_ node: Int, _ queue: Int) {
        let next = nodes.base[queue].next
        nodes.base[node].previous = UInt32(truncatingIfNeeded: queue)
        nodes.base[node].next = next
        nodes.base[queue].next = UInt32(truncatingIfNeeded: node)
        nodes.base[Int(next)].previous = UInt32(truncatingIfNeeded: node)
    }

    @inline(__always) func unlink(_ node: Int) {
        let previous = nodes.base[node].previous
        let next = nodes.base[node].next
        nodes.base[Int(previous)].next = next
        nodes.base[Int(next)].previous = previous
    }

    @inline(__always) func count(_ size: Int, _ one: Int, _ queue: Int) {
        objects.base[queue] &+= one
        bytes.base[queue] &+= size
    }
}
