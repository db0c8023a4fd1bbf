/// Doubly linked queues over object numbers, in one array of 8-byte nodes: no allocation, no hashing.
///
/// One array serves several queues if an object is in at most one of them at a time, such as the segments of an SLRU.
/// Each queue is a ring through a sentinel of its own, so that linking never branches. Nodes 0 ..< `queues` are the
/// sentinels, object `i` is node `i + queues`, and a node that is in no queue has `next == absent`.
public struct LinkedQueue {
    @usableFromInline struct Node: BitwiseCopyable {
        @usableFromInline var previous: UInt32
        @usableFromInline var next: UInt32

        @usableFromInline static let absent = UInt32.max

        @inlinable init(previous: UInt32, next: UInt32) {
            self.previous = previous
            self.next = next
        }
    }

    @usableFromInline var nodes: UncheckedArray<Node>
    @usableFromInline let queues: Int

    @inlinable public init(queues: Int = 1) {
        self.queues = queues
        nodes = UncheckedArray(repeating: Node(previous: Node.absent, next: Node.absent), count: queues)
        removeAll()
    }

    @inlinable public mutating func reserve(_ count: Int) {
        nodes.reserve(count + queues)
    }

    @inlinable public func removeAll() {
        nodes.reset()
        for queue in 0..<queues { nodes[queue] = Node(previous: UInt32(queue), next: UInt32(queue)) }
    }

    @inlinable public func contains(_ object: Int) -> Bool {
        nodes[object &+ queues].next != Node.absent
    }

    /// See ``CompiledPolicy/prefetch(_:)``.
    @inlinable public func prefetch(_ object: Int) { nodes.prefetch(object &+ queues) }

    /// The object at the front, where objects enter; nil if the queue is empty.
    @inlinable public func front(_ queue: Int = 0) -> Int? {
        let node = Int(nodes[queue].next)
        return node == queue ? nil : node &- queues
    }

    /// The object at the back, the one that has been there longest; nil if the queue is empty.
    @inlinable public func back(_ queue: Int = 0) -> Int? {
        let node = Int(nodes[queue].previous)
        return node == queue ? nil : node &- queues
    }

    /// The next object towards the front of its queue; nil at the front. The object must be in a queue.
    @inlinable public func ahead(of object: Int) -> Int? {
        let node = Int(nodes[object &+ queues].previous)
        return node < queues ? nil : node &- queues
    }

    /// The next object towards the back of its queue; nil at the back. The object must be in a queue.
    @inlinable public func behind(_ object: Int) -> Int? {
        let node = Int(nodes[object &+ queues].next)
        return node < queues ? nil : node &- queues
    }

    /// The object must be in no queue, `other` in one.
    @inlinable public func push(_ object: Int, behind other: Int) {
        link(object &+ queues, after: other &+ queues)
    }

    /// The object must be in no queue.
    @inlinable public func pushFront(_ object: Int, _ queue: Int = 0) {
        link(object &+ queues, after: queue)
    }

    /// The object must be in a queue.
    @inlinable public func remove(_ object: Int) {
        let node = object &+ queues
        unlink(node)
        nodes[node] = Node(previous: Node.absent, next: Node.absent)
    }

    /// The object must be in a queue.
    @inlinable public func moveToFront(_ object: Int, _ queue: Int = 0) {
        let node = object &+ queues
        unlink(node)
        link(node, after: queue)
    }

    @inlinable func link(_ node: Int, after previous: Int) {
        let next = nodes[previous].next
        nodes[node] = Node(previous: UInt32(truncatingIfNeeded: previous), next: next)
        nodes.base[previous].next = UInt32(truncatingIfNeeded: node)
        nodes.base[Int(next)].previous = UInt32(truncatingIfNeeded: node)
    }

    @inlinable func unlink(_ node: Int) {
        let links = nodes[node]
        nodes.base[Int(links.previous)].next = links.next
        nodes.base[Int(links.next)].previous = links.previous
    }
}
