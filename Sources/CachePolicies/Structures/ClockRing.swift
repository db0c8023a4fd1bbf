/// Objects in a circle around which hands go: the structure of clock policies with several hands. 8 bytes an object, no
/// allocation.
///
/// A hand is the number of an object, and its owner keeps it. Invariant: following `next` from any member visits every
/// member once.
struct ClockRing {
    struct Node: BitwiseCopyable {
        var previous: UInt32
        var next: UInt32
    }

    var nodes = UncheckedArray<Node>(repeating: Node(previous: 0, next: 0))
    var count = 0

    mutating func reserve(_ count: Int) { nodes.reserve(count) }

    /// The object must be in the ring; it is its own next one where it is alone.
    func next(_ object: Int) -> Int { Int(nodes[object].next) }

    /// The object must not be in the ring, `other` must, unless the ring is empty.
    mutating func insert(_ object: Int, before other: Int) {
        count &+= 1
        let new = UInt32(truncatingIfNeeded: object)
        guard count > 1 else { return nodes[object] = Node(previous: new, next: new) }
        let previous = nodes[other].previous
        nodes[object] = Node(previous: previous, next: UInt32(truncatingIfNeeded: other))
        nodes.base[other].previous = new
        nodes.base[Int(previous)].next = new
    }

    /// The object must be in the ring.
    mutating func remove(_ object: Int) {
        count &-= 1
        let node = nodes[object]
        nodes.base[Int(node.previous)].next = node.next
        nodes.base[Int(node.next)].previous = node.previous
    }

    mutating func removeAll() { count = 0 }
}
