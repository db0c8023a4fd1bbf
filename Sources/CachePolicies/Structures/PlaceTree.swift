import Basics

/// Objects in an order, in which an object's place is found, and the object at a place: a treap over object numbers, in
/// one array of 16-byte nodes. Each call takes a number of steps that grows with the logarithm of the count. No
/// allocation.
///
/// Raimund Seidel and Cecilia R. Aragon, "Randomized Search Trees", Algorithmica 16, 1996. A hash of the object's number
/// is its priority, so that one sequence of calls always builds one tree.
///
/// Invariants: `left` comes before a node and `right` behind it. No child has a higher priority than its parent. `count`
/// is the number of objects in a node's subtree, and 0 for an object that is not in the order.
struct PlaceTree {
    private struct Node: BitwiseCopyable {
        var parent = PlaceTree.none
        var left = PlaceTree.none
        var right = PlaceTree.none
        var count: UInt32 = 0
    }

    private static var none: UInt32 { .max }

    private var nodes = UncheckedArray(repeating: Node())
    private var root = none

    var count: Int { Int(size(root)) }

    mutating func reserve(_ count: Int) { nodes.reserve(count) }

    /// See ``CompiledPolicy/prefetch(_:)``.
    @inline(__always) func prefetch(_ object: Int) { nodes.prefetch(object) }

    @inline(__always) func contains(_ object: Int) -> Bool { nodes[object].count != 0 }

    /// The last object; nil where there is none.
    var last: Int? {
        guard root != Self.none else { return nil }
        var node = root
        while nodes[Int(node)].right != Self.none { node = nodes[Int(node)].right }
        return Int(node)
    }

    /// Returns the number of objects before this one, which must be in the order.
    func place(of object: Int) -> Int {
        var node = UInt32(truncatingIfNeeded: object)
        var place = size(nodes[object].left)
        while true {
            let parent = nodes[Int(node)].parent
            guard parent != Self.none else { return Int(place) }
            if nodes[Int(parent)].right == node { place &+= size(nodes[Int(parent)].left) &+ 1 }
            node = parent
        }
    }

    /// Puts the object, which must not be in the order, behind as many objects; `place` is at most the count.
    mutating func insert(_ object: Int, at place: Int) {
        let new = UInt32(truncatingIfNeeded: object)
        var (parent, next, before, isLeft) = (Self.none, root, UInt32(truncatingIfNeeded: place), false)
        while next != Self.none {
            parent = next
            nodes.base[Int(next)].count &+= 1
            let left = size(nodes[Int(next)].left)
            isLeft = before <= left
            if isLeft {
                next = nodes[Int(next)].left
            } else {
                before &-= left &+ 1
                next = nodes[Int(next)].right
            }
        }
        nodes[object] = Node(parent: parent, count: 1)
        guard parent != Self.none else { return root = new }
        if isLeft { nodes.base[Int(parent)].left = new } else { nodes.base[Int(parent)].right = new }
        let priority = Self.priority(new)
        while parent != Self.none, Self.priority(parent) < priority {
            lift(new)
            parent = nodes[object].parent
        }
    }

    /// The object must be in the order.
    mutating func remove(_ object: Int) {
        let old = UInt32(truncatingIfNeeded: object)
        while true {
            let (left, right) = (nodes[object].left, nodes[object].right)
            guard left != Self.none, right != Self.none else { break }
            lift(Self.priority(left) > Self.priority(right) ? left : right)
        }
        let node = nodes[object]
        let child = node.left == Self.none ? node.right : node.left
        if child != Self.none { nodes.base[Int(child)].parent = node.parent }
        replaceChild(old, of: node.parent, by: child)
        var ancestor = node.parent
        while ancestor != Self.none {
            nodes.base[Int(ancestor)].count &-= 1
            ancestor = nodes[Int(ancestor)].parent
        }
        nodes[object] = Node()
    }

    mutating func removeAll() {
        nodes.reset()
        root = Self.none
    }

    @inline(__always) private func size(_ node: UInt32) -> UInt32 { node == Self.none ? 0 : nodes[Int(node)].count }

    @inline(__always) private static func priority(_ node: UInt32) -> UInt64 { SplitMix64.hash(UInt64(node)) }

    private mutating func replaceChild(_ old: UInt32, of parent: UInt32, by new: UInt32) {
        if parent == Self.none {
            root = new
        } else if nodes[Int(parent)].left == old {
            nodes.base[Int(parent)].left = new
        } else {
            nodes.base[Int(parent)].right = new
        }
    }

    /// Swaps the node with its parent, which it must have. The order stays.
    private mutating func lift(_ node: UInt32) {
        let parent = nodes[Int(node)].parent
        let grandparent = nodes[Int(parent)].parent
        let between: UInt32
        if nodes[Int(parent)].left == node {
            between = nodes[Int(node)].right
            nodes.base[Int(parent)].left = between
            nodes.base[Int(node)].right = parent
        } else {
            between = nodes[Int(node)].left
            nodes.base[Int(parent)].right = between
            nodes.base[Int(node)].left = parent
        }
        if between != Self.none { nodes.base[Int(between)].parent = parent }
        let whole = nodes[Int(parent)].count
        nodes.base[Int(parent)].count = whole &- nodes[Int(node)].count &+ size(between)
        nodes.base[Int(node)].count = whole
        nodes.base[Int(parent)].parent = node
        nodes.base[Int(node)].parent = grandparent
        replaceChild(parent, of: grandparent, by: node)
    }
}
