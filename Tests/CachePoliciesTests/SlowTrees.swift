import Basics

/// Boosted trees: every split of every leaf is tried on every row.
struct SlowTrees {
    struct Row {
        var features: [Double]
        var label: Double
    }

    indirect enum Tree {
        case leaf([Int])
        case node(feature: Int, limit: Double, lower: Tree, upper: Tree)
    }

    struct Shape {
        var trees = 16
        var leaves = 32
        var rate = 0.1
        var features = 0.8
        var rows = 0.8
        var fewest = 20
    }

    let shape: Shape
    var base: Double
    /// With what it adds for a row.
    private(set) var trees: [@Sendable ([Double]) -> Double] = []

    init(_ rows: [Row], _ shape: Shape, _ random: inout SplitMix64) {
        self.shape = shape
        base = rows.map(\.label).reduce(0, +) / Double(rows.count)
        let limits = (0..<rows[0].features.count).map { feature in Self.limits(rows.map { $0.features[feature] }) }
        let useful = limits.indices.filter { feature in
            limits[feature].contains { limit in
                let below = rows.count { $0.features[feature] <= limit }
                return min(below, rows.count - below) >= shape.fewest
            }
        }
        var drawn: [Int] = []
        for number in 0..<shape.trees {
            if number % 5 == 0 {
                drawn = rows.indices.filter { _ in shape.rows >= 1 || random.fraction() < shape.rows }
            }
            var features = useful
            let count = max(1, Int((Double(useful.count) * shape.features).rounded()))
            if count < useful.count {
                for index in 0..<count { features.swapAt(index, index + random.next(below: useful.count - index)) }
                features = Array(features[..<count])
            }
            // Sums of multiples of 2^-24 have no rounding.
            let rests = rows.map { ((($0.label - estimate($0.features)) * 0x1p24).rounded()) * 0x1p-24 }
            let tree = grow(rows, drawn, rests, limits, features.sorted())
            if case .leaf = tree { break }
            trees.append(
                Self.function(tree) { leaf in
                    shape.rate * (leaf.map { rests[$0] }.reduce(0, +) / Double(leaf.count))
                })
        }
    }

    func estimate(_ features: [Double]) -> Double { trees.reduce(base) { $0 + $1(features) } }

    /// Limits by the rule for few values: below a limit, since the last one, are three rows or more.
    static func limits(_ values: [Double]) -> [Double] {
        let distinct = Set(values).filter { $0 > 0 }.sorted()
        if distinct.isEmpty { return [] }
        var limits = [0.0]
        for (value, next) in zip(distinct, distinct.dropFirst()) {
            let rows = values.count { $0 > limits[limits.count - 1] && $0 <= value }
            if rows >= 3 { limits.append((value + next) / 2) }
        }
        return limits
    }

    private static func function(_ tree: Tree, value: ([Int]) -> Double) -> @Sendable ([Double]) -> Double {
        switch tree {
        case .leaf(let rows):
            let value = value(rows)
            return { _ in value }
        case .node(let feature, let limit, let lower, let upper):
            let (low, high) = (function(lower, value: value), function(upper, value: value))
            return { $0[feature] <= limit ? low($0) : high($0) }
        }
    }

    private func grow(
        _ rows: [Row], _ drawn: [Int], _ rests: [Double], _ limits: [[Double]], _ features: [Int]
    ) -> Tree {
        typealias Split = (gain: Double, feature: Int, limit: Double)
        let columns = limits.indices.map { feature in rows.map { $0.features[feature] } }
        func split(_ leaf: [Int]) -> Split? {
            var best: Split?
            for feature in features {
                for limit in limits[feature].reversed() {
                    var (low, high) = ((sum: 0.0, rows: 0.0), (sum: 0.0, rows: 0.0))
                    for row in leaf {
                        if columns[feature][row] <= limit {
                            low = (low.sum + rests[row], low.rows + 1)
                        } else {
                            high = (high.sum + rests[row], high.rows + 1)
                        }
                    }
                    if min(low.rows, high.rows) < Double(shape.fewest) { continue }
                    let distance = low.sum / low.rows - high.sum / high.rows
                    let gain = distance * distance * (low.rows * high.rows / Double(leaf.count))
                    if gain > best?.gain ?? 0 { best = (gain, feature, limit) }
                }
            }
            return best
        }
        var leaves = [(rows: drawn, split: split(drawn))]
        var splits: [(leaf: Int, split: Split)] = []
        while leaves.count < shape.leaves {
            let gains = leaves.map { $0.split?.gain ?? 0 }
            guard let most = gains.max(), let index = gains.firstIndex(of: most), let chosen = leaves[index].split
            else {
                break
            }
            let low = leaves[index].rows.filter { columns[chosen.feature][$0] <= chosen.limit }
            let high = leaves[index].rows.filter { columns[chosen.feature][$0] > chosen.limit }
            splits.append((index, chosen))
            leaves[index] = (low, split(low))
            leaves.append((high, split(high)))
        }
        // From the last split up, two leaves become the node that they came from.
        var trees = leaves.map { Tree.leaf($0.rows) }
        for (leaf, split) in splits.reversed() {
            let upper = trees.removeLast()
            trees[leaf] = .node(feature: split.feature, limit: split.limit, lower: trees[leaf], upper: upper)
        }
        return trees[0]
    }
}
