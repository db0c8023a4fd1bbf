import Basics

/// Objects in an order, in which an object climbs by a number of places, or enters at a place. A call takes as many
/// steps as places are climbed, up to 32, and otherwise a number that grows with the logarithm of the count. No
/// allocation.
///
/// The places are the nodes of a treap, a search tree by place that hashes of the nodes' numbers keep flat: Raimund
/// Seidel and Cecilia R. Aragon, "Randomized Search Trees", Algorithmica 16, 1996. Objects that climb a few places
/// change nodes with those that they pass, and the tree stays as it is. The node of the last object stays in the tree
/// when the object leaves, because most often another one follows.
///
/// Invariants: `left` comes before a node, and `right` behind it. No child has a higher priority than its parent.
/// `count` is the number of nodes of a subtree. `names[slots[object]]` is the object for each object of the order. The
/// spare node, if there is one, is behind all others and has no object.
struct PlaceTree {
    private struct Node: BitwiseCopyable {
        var parent = PlaceTree.none
        var left = PlaceTree.none
        var right = PlaceTree.none
        var count: UInt32 = 1
    }

    private static var none: UInt32 { .max }
    /// The longest way that objects change nodes for.
    private static var shortWay: Int { 32 }

    /// By node.
    private var nodes = UncheckedArray(repeating: Node())
    private var names = UncheckedArray<UInt32>(repeating: none)
    /// By object: its node, or `none`.
    private var slots = UncheckedArray<UInt32>(repeating: none)
    private var root = none
    /// The node of the last object.
    private var tail = none
    private var spare = none
    /// The first of the nodes that are not in the tree; their parents are the next ones.
    private var free = none
    /// The nodes that were ever in the tree.
    private var used: UInt32 = 0
    private(set) var count = 0
    private let mostObjects: Int

    /// `mostObjects` is how many objects may ever be in the order at once.
    init(mostObjects: Int) { self.mostObjects = mostObjects }

    mutating func reserve(_ count: Int) {
        slots.reserve(count)
        nodes.reserve(min(count, mostObjects))
        names.reserve(min(count, mostObjects))
    }

    @inline(__always) func prefetch(_ object: Int) { slots.prefetch(object) }

    @inline(__always) func contains(_ object: Int) -> Bool { slots[object] != Self.none }

    /// The last object; nil where there is none.
    @inline(__always) var last: Int? { tail == Self.none ? nil : Int(names[Int(tail)]) }

    /// Moves the object, which must be in the order, before as many others, or before all.
    @inline(__always) mutating func climb(_ object: Int, by places: Int) {
        let slot = slots[object]
        if places <= Self.shortWay { exchange(slot, by: places) } else { move(slot, by: places) }
    }

    /// Puts the object, which must not be in the order, behind as many others; `place` is at most the count.
    @inline(__always) mutating func insert(_ object: Int, at place: Int) {
        let way = count &- place
        count &+= 1
        if way <= Self.shortWay {
            if spare == Self.none {
                tail = takeFree()
                attach(tail, at: count &- 1)
            } else {
                tail = spare
                spare = Self.none
            }
            put(UInt32(truncatingIfNeeded: object), at: tail)
            exchange(tail, by: way)
        } else {
            removeSpare()
            let slot = takeFree()
            attach(slot, at: place)
            put(UInt32(truncatingIfNeeded: object), at: slot)
        }
    }

    /// The object must be in the order.
    @inline(__always) mutating func remove(_ object: Int) {
        let slot = slots[object]
        slots[object] = Self.none
        count &-= 1
        if slot == tail {
            removeSpare()
            tail = before(slot)
            spare = slot
        } else {
            detach(slot)
            release(slot)
        }
    }

    mutating func removeAll() {
        slots.reset()
        (root, tail, spare, free, used, count) = (Self.none, Self.none, Self.none, Self.none, 0, 0)
    }

    @inline(__always) private func put(_ object: UInt32, at slot: UInt32) {
        names[Int(slot)] = object
        slots[Int(object)] = slot
    }

    /// Moves the node's object up, and each object on its way down by one node.
    @inline(__always) private func exchange(_ slot: UInt32, by places: Int) {
        let object = names[Int(slot)]
        var (slot, left) = (slot, places)
        while left > 0 {
            let upper = before(slot)
            guard upper != Self.none else { break }
            put(names[Int(upper)], at: slot)
            slot = upper
            left &-= 1
        }
        put(object, at: slot)
    }

    private mutating func move(_ slot: UInt32, by places: Int) {
        let place = place(of: slot)
        let way = min(place, places)
        guard way > Self.shortWay else { return exchange(slot, by: way) }
        if slot == tail { tail = before(slot) }
        detach(slot)
        attach(slot, at: place &- way)
    }

    private mutating func removeSpare() {
        guard spare != Self.none else { return }
        detach(spare)
        release(spare)
        spare = Self.none
    }

    private mutating func takeFree() -> UInt32 {
        guard free != Self.none else {
            used &+= 1
            return used &- 1
        }
        defer { free = nodes[Int(free)].parent }
        return free
    }

    private mutating func release(_ slot: UInt32) {
        nodes.base[Int(slot)].parent = free
        free = slot
    }
}

extension PlaceTree {
    @inline(__always) private func size(_ slot: UInt32) -> UInt32 { slot == Self.none ? 0 : nodes[Int(slot)].count }

    @inline(__always) private static func priority(_ slot: UInt32) -> UInt64 { SplitMix64.hash(UInt64(slot)) }

    /// The node before this one, or `none`.
    @inline(__always) private func before(_ slot: UInt32) -> UInt32 {
        var next = nodes[Int(slot)].left
        if next != Self.none {
            while nodes[Int(next)].right != Self.none { next = nodes[Int(next)].right }
            return next
        }
        var slot = slot
        next = nodes[Int(slot)].parent
        while next != Self.none, nodes[Int(next)].left == slot {
            slot = next
            next = nodes[Int(slot)].parent
        }
        return next
    }

    /// The number of nodes before this one.
    private func place(of slot: UInt32) -> Int {
        var slot = slot
        var place = size(nodes[Int(slot)].left)
        while true {
            let parent = nodes[Int(slot)].parent
            guard parent != Self.none else { return Int(place) }
            if nodes[Int(parent)].right == slot { place &+= size(nodes[Int(parent)].left) &+ 1 }
            slot = parent
        }
    }

    private mutating func attach(_ slot: UInt32, at place: Int) {
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
        nodes[Int(slot)] = Node(parent: parent)
        guard parent != Self.none else { return root = slot }
        if isLeft { nodes.base[Int(parent)].left = slot } else { nodes.base[Int(parent)].right = slot }
        let priority = Self.priority(slot)
        while parent != Self.none, Self.priority(parent) < priority {
            lift(slot)
            parent = nodes[Int(slot)].parent
        }
    }

    private mutating func detach(_ slot: UInt32) {
        while true {
            let (left, right) = (nodes[Int(slot)].left, nodes[Int(slot)].right)
            guard left != Self.none, right != Self.none else { break }
            lift(Self.priority(left) > Self.priority(right) ? left : right)
        }
        let node = nodes[Int(slot)]
        let child = node.left == Self.none ? node.right : node.left
        if child != Self.none { nodes.base[Int(child)].parent = node.parent }
        replaceChild(slot, of: node.parent, by: child)
        var ancestor = node.parent
        while ancestor != Self.none {
            nodes.base[Int(ancestor)].count &-= 1
            ancestor = nodes[Int(ancestor)].parent
        }
    }

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
    private mutating func lift(_ slot: UInt32) {
        let parent = nodes[Int(slot)].parent
        let grandparent = nodes[Int(parent)].parent
        let between: UInt32
        if nodes[Int(parent)].left == slot {
            between = nodes[Int(slot)].right
            nodes.base[Int(parent)].left = between
            nodes.base[Int(slot)].right = parent
        } else {
            between = nodes[Int(slot)].left
            nodes.base[Int(parent)].right = between
            nodes.base[Int(slot)].left = parent
        }
        if between != Self.none { nodes.base[Int(between)].parent = parent }
        let whole = nodes[Int(parent)].count
        nodes.base[Int(parent)].count = whole &- nodes[Int(slot)].count &+ size(between)
        nodes.base[Int(slot)].count = whole
        nodes.base[Int(parent)].parent = slot
        nodes.base[Int(slot)].parent = grandparent
        replaceChild(parent, of: grandparent, by: slot)
    }
}
