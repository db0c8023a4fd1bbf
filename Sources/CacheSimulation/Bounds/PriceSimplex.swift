import CachePolicies

/// The best prices of a session, by the network simplex algorithm.
///
/// The linear program of ``PriceCertificate`` is a flow of least cost. Its nodes are the places between slots. An edge
/// from each place to the next one carries the room of the slot that is not used; it costs nothing. An edge from the
/// begin of an interval to its end carries what is kept of its object, up to its size s, and costs −w / s a unit. All
/// edges over a slot carry its capacity together. The price of a slot is the fall of the potential from its first place
/// to the next.
///
/// The first spanning tree are the edges of unused room. The rules that choose the leaving edge keep the tree strongly
/// feasible, so the algorithm ends (W. Cunningham, "A network simplex method", Mathematical Programming 11, 1976). A
/// block of edges is searched for the entering one, as in LEMON (P. Kovács, "Minimum-cost flow algorithms: an
/// experimental evaluation", Optimization Methods and Software 30, 2015). Costs are rounded to whole numbers, so there
/// is no tolerance.
///
/// - Complexity: O(n) a pivot in the number of slots. The number of pivots is usually a few times the number of
///   candidates.
struct PriceSimplex {
    private struct Edge: BitwiseCopyable {
        var source, target: Int32
        /// 1: no flow; 0: in the tree; -1: full.
        var state: Int32
        var cost: Int
        /// `Int.max` for unused room.
        var capacity: Int
        var flow: Int
    }

    /// A node of the network, and its place in the tree.
    private struct Node: BitwiseCopyable {
        var parent: Int32
        var edge: Int32
        /// 1: the edge leads to the parent; -1: from it.
        var direction: Int32
        var depth: Int32
        /// Children are a list. -1 marks its ends.
        var firstChild, nextSibling, previousSibling: Int32
        var potential: Int
    }

    // Invariant: edges and nodes name each other by numbers below the counts of the two arrays.
    private let edges: UncheckedArray<Edge>
    private let nodes: UncheckedArray<Node>
    private let edgeCount: Int
    private let slotCount: Int
    /// The cost of an interval with the largest weight for each unit of its size.
    private let scale: Double
    private var nextEdge = 0
    /// How many edges were looked at, and how many nodes were visited.
    private(set) var work = 0

    init(_ gaps: CrowdedGaps) {
        slotCount = gaps.capacities.count
        edgeCount = slotCount + gaps.candidates.count
        edges = UncheckedArray(
            repeating: Edge(source: 0, target: 0, state: 0, cost: 0, capacity: .max, flow: 0), count: edgeCount)
        nodes = UncheckedArray(
            repeating: Node(
                parent: -1, edge: -1, direction: 1, depth: 0, firstChild: -1, nextSibling: -1, previousSibling: -1,
                potential: 0), count: slotCount + 1)
        let densest = gaps.candidates.reduce(0) { max($0, Double($1.weight) / Double($1.size)) }
        // A potential is a sum of at most `slotCount` costs, and stays below 2^61.
        let bits = 60 - (Int.bitWidth - slotCount.leadingZeroBitCount)
        scale = densest > 0 ? Double(sign: .plus, exponent: bits, significand: 1) / densest : 1
        for slot in 0..<slotCount {
            edges[slot].source = Int32(slot)
            edges[slot].target = Int32(slot + 1)
            edges[slot].flow = gaps.capacities[slot]
            nodes[slot].parent = Int32(slot + 1)
            nodes[slot].edge = Int32(slot)
            nodes[slot].depth = Int32(slotCount - slot)
            nodes[slot + 1].firstChild = Int32(slot)
        }
        for (index, candidate) in gaps.candidates.enumerated() {
            edges[slotCount + index] = Edge(
                source: Int32(candidate.first), target: Int32(candidate.end), state: 1,
                cost: -Int(Double(candidate.weight) / Double(candidate.size) * scale), capacity: candidate.size,
                flow: 0)
        }
    }

    /// Improves the tree until it is the best one, or until ``work`` reaches a limit.
    mutating func run(mostWork: Int) {
        defer { withExtendedLifetime((edges, nodes)) {} }
        while work < mostWork, let entering = enteringEdge() { pivot(entering) }
    }

    /// The prices of the tree, by slot.
    var prices: [Double] {
        defer { withExtendedLifetime(nodes) {} }
        return (0..<slotCount).map { Double(max(0, nodes[$0].potential - nodes[$0 + 1].potential)) / scale }
    }

    /// Returns the edge of the next block whose flow lowers the costs most; nil if none lowers them.
    private mutating func enteringEdge() -> Int? {
        let block = max(10, Int(Double(edgeCount).squareRoot()))
        var (best, found, left) = (0, -1, block)
        for _ in 0..<edgeCount {
            work += 1
            let edge = edges[nextEdge]
            let reduced = edge.cost + nodes[Int(edge.source)].potential - nodes[Int(edge.target)].potential
            let cost = Int(edge.state) * reduced
            if cost < best { (best, found) = (cost, nextEdge) }
            nextEdge = nextEdge + 1 == edgeCount ? 0 : nextEdge + 1
            left -= 1
            if left == 0 {
                if found >= 0 { return found }
                left = block
            }
        }
        return found >= 0 ? found : nil
    }

    /// Sends as much flow as possible along the cycle of an edge, which takes the place of an edge that limits it.
    private mutating func pivot(_ entering: Int) {
        let edge = edges[entering]
        let (source, target) = (Int(edge.source), Int(edge.target))
        let join = commonAncestor(source, target)
        let (first, second) = edge.state == 1 ? (source, target) : (target, source)
        var (amount, leaving, isFirst) = (edge.capacity, -1, false)
        // The first limit after the join, against the direction of the flow: it keeps the tree strongly feasible.
        var node = first
        while node != join {
            let room = room(node, flowsUp: false)
            if room < amount { (amount, leaving, isFirst) = (room, node, true) }
            node = Int(nodes[node].parent)
        }
        node = second
        while node != join {
            let room = room(node, flowsUp: true)
            if room <= amount { (amount, leaving, isFirst) = (room, node, false) }
            node = Int(nodes[node].parent)
        }
        if amount > 0 { send(Int(edge.state) * amount, over: entering, join) }
        guard leaving >= 0 else {
            edges[entering].state = -edge.state
            return
        }
        let left = Int(nodes[leaving].edge)
        edges[entering].state = 0
        edges[left].state = edges[left].flow == 0 ? 1 : -1
        rehang(isFirst ? first : second, below: isFirst ? second : first, by: entering, leaving)
    }

    /// Returns how much more the edge from a node to its parent can carry in a direction.
    private func room(_ node: Int, flowsUp: Bool) -> Int {
        let edge = edges[Int(nodes[node].edge)]
        guard flowsUp == (nodes[node].direction == 1) else { return edge.flow }
        return edge.capacity == .max ? .max : edge.capacity - edge.flow
    }

    private mutating func commonAncestor(_ one: Int, _ other: Int) -> Int {
        var (one, other) = (one, other)
        while one != other {
            if nodes[one].depth >= nodes[other].depth {
                one = Int(nodes[one].parent)
            } else {
                other = Int(nodes[other].parent)
            }
            work += 1
        }
        return one
    }

    private func send(_ amount: Int, over entering: Int, _ join: Int) {
        edges[entering].flow += amount
        var node = Int(edges[entering].source)
        while node != join {
            edges[Int(nodes[node].edge)].flow -= Int(nodes[node].direction) * amount
            node = Int(nodes[node].parent)
        }
        node = Int(edges[entering].target)
        while node != join {
            edges[Int(nodes[node].edge)].flow += Int(nodes[node].direction) * amount
            node = Int(nodes[node].parent)
        }
    }

    /// Makes `top` a child of `parent` by an edge. The way from `top` up to `last`, whose edge has left, is reversed.
    private mutating func rehang(_ top: Int, below parent: Int, by entering: Int, _ last: Int) {
        let edge = edges[entering]
        let shift =
            Int(edge.source) == top
            ? nodes[parent].potential - nodes[top].potential - edge.cost
            : nodes[parent].potential - nodes[top].potential + edge.cost
        var (node, newParent, newEdge) = (top, parent, entering)
        while true {
            let (oldParent, oldEdge) = (Int(nodes[node].parent), Int(nodes[node].edge))
            detach(node)
            attach(node, to: newParent, by: newEdge)
            if node == last { break }
            (node, newParent, newEdge) = (oldParent, node, oldEdge)
        }
        update(top, shift)
    }

    private func detach(_ node: Int) {
        let (previous, next) = (nodes[node].previousSibling, nodes[node].nextSibling)
        if previous >= 0 {
            nodes[Int(previous)].nextSibling = next
        } else {
            nodes[Int(nodes[node].parent)].firstChild = next
        }
        if next >= 0 { nodes[Int(next)].previousSibling = previous }
    }

    private func attach(_ node: Int, to parent: Int, by edge: Int) {
        let next = nodes[parent].firstChild
        nodes[node].parent = Int32(parent)
        nodes[node].edge = Int32(edge)
        nodes[node].direction = Int(edges[edge].source) == node ? 1 : -1
        nodes[node].previousSibling = -1
        nodes[node].nextSibling = next
        if next >= 0 { nodes[Int(next)].previousSibling = Int32(node) }
        nodes[parent].firstChild = Int32(node)
    }

    /// Shifts the potentials of a subtree, and computes its depths.
    private mutating func update(_ top: Int, _ shift: Int) {
        var node = top
        while true {
            nodes[node].potential += shift
            nodes[node].depth = nodes[Int(nodes[node].parent)].depth + 1
            work += 1
            if nodes[node].firstChild >= 0 {
                node = Int(nodes[node].firstChild)
                continue
            }
            while node != top, nodes[node].nextSibling < 0 { node = Int(nodes[node].parent) }
            if node == top { return }
            node = Int(nodes[node].nextSibling)
        }
    }
}
