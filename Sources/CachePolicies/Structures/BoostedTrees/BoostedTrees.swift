import Basics

/// A model that estimates a number from features: a sum of regression trees, each of which corrects the ones before.
///
/// G. Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NIPS 2017. The first estimate of every
/// row is the mean of the labels. Each tree learns what is left of the labels, and adds `rate` of it. Trees grow by the
/// leaf whose split explains most, see ``TreeGrower``. Each tree learns from some of the features, and from some of the
/// rows, which are drawn anew every `redraw` trees. Defaults come from 3L-Cache, and for the rest from the
/// library LightGBM. On six sets of 3,000 to 65,536 rows, with few and with many values, estimates were within 2e-8
/// of LightGBM 4.6.0 when all features and rows were used. Draws differ from LightGBM's.
///
/// The rest of a label is rounded to a multiple of 2^-24; LightGBM has 32-bit numbers there. Sums are whole numbers
/// of that unit, so they do not depend on the order of rows. A model depends on its rows and on the random numbers
/// alone, on every machine.
struct BoostedTrees {
    struct Parameters: Sendable {
        var trees = 16
        var leaves = 32
        var rate = 0.1
        /// The fraction of the features that a tree learns from.
        var features = 0.8
        /// The probability that a tree learns from a row.
        var rows = 0.8
        /// The rows are drawn once for as many trees.
        var redraw = 5
        /// The fewest rows of a leaf.
        var fewest = 20
    }

    /// A question to a feature. 24 bytes.
    struct Node: BitwiseCopyable {
        /// Rows with at most this go to `lower`, others to `upper`.
        var limit = 0.0
        var feature: UInt32 = 0
        /// A node, or a leaf in ones' complement.
        var lower: Int32 = 0
        var upper: Int32 = 0
    }

    /// The mean of the labels.
    let base: Double
    /// Of all trees, one after the other.
    private let nodes: UncheckedArray<Node>
    private let values: UncheckedArray<Double>
    /// By tree: its first node.
    private let roots: [Int]

    /// The number of trees: fewer than asked for if the rows allow no further split.
    var trees: Int { roots.count }

    /// Learns. Labels are from -100 to 100, and rows at most 2^22. Without rows, every estimate is 0.
    init(_ rows: TrainingRows, _ parameters: Parameters = Parameters(), _ random: inout SplitMix64) {
        var sum = 0.0
        for row in 0..<rows.count { sum += rows.labels[row] }
        let base = rows.count == 0 ? 0 : sum / Double(rows.count)
        var grower = TreeGrower(rows, parameters, base: base)
        var nodes: [Node] = []
        var values: [Double] = []
        var roots: [Int] = []
        for tree in 0..<parameters.trees {
            if tree % max(1, parameters.redraw) == 0 { grower.drawRows(&random) }
            grower.drawFeatures(&random)
            guard let grown = grower.grow() else { break }
            roots.append(nodes.count)
            let (firstNode, firstLeaf) = (Int32(nodes.count), Int32(values.count))
            nodes += grown.nodes.map { node in
                var node = node
                node.lower = node.lower < 0 ? node.lower - firstLeaf : node.lower + firstNode
                node.upper = node.upper < 0 ? node.upper - firstLeaf : node.upper + firstNode
                return node
            }
            values += grown.values
        }
        self.base = base
        self.roots = roots
        self.nodes = UncheckedArray(repeating: Node(), count: nodes.count)
        self.values = UncheckedArray(repeating: 0, count: values.count)
        for (index, node) in nodes.enumerated() { self.nodes[index] = node }
        for (index, value) in values.enumerated() { self.values[index] = value }
    }

    /// Returns the estimate for a row of features. O(trees · depth)
    func estimate(_ row: UnsafePointer<Double>) -> Double {
        var sum = base
        for root in roots {
            var next = Int32(truncatingIfNeeded: root)
            repeat {
                let node = nodes[Int(next)]
                next = row[Int(node.feature)] <= node.limit ? node.lower : node.upper
            } while next >= 0
            sum += values[Int(~next)]
        }
        return sum
    }
}

/// A tree of ``BoostedTrees``, whose first node is its root.
struct GrownTree {
    var nodes: [BoostedTrees.Node] = []
    var values: [Double] = []
}
