import Basics

/// Grows the trees of ``BoostedTrees``.
///
/// A tree begins as one leaf with all rows, and the split with the greatest gain of all leaves is made until there are
/// enough leaves (leaf-wise growth). The gain of a split is by how much it lowers the sum of squared errors: with `n`
/// rows on a side and their mean `m`,
///
///     gain = (m of one side - m of the other)^2 * n * n' / (n + n')
///
/// The sums of rows by bin, a histogram, are made for the smaller one of two sibling leaves; the sums of the other are
/// the parent's less these. Of equal gains the first leaf, the first feature and the highest limit are chosen.
struct TreeGrower {
    /// The rows of a leaf that are in one bin.
    struct Cell: BitwiseCopyable {
        /// The sum of the rest of their labels, in ``unit``.
        var sum: Int64 = 0
        var rows: Int64 = 0
    }

    struct Split {
        var gain: Double
        var feature: Int
        /// The last bin of the lower side.
        var bin: Int
        var lower: Cell
    }

    struct Leaf {
        /// Its rows in `order`.
        var range: Range<Int>
        var total: Cell
        var split: Split?
        /// The node above it, and on which side; nil for the root.
        var parent: (node: Int, isLower: Bool)?
    }

    /// The unit of the rest of a label.
    static let unit = 0x1p-24
    /// The cells of one feature in a histogram.
    static let width = FeatureBins.most

    let rows: TrainingRows
    let parameters: BoostedTrees.Parameters
    let bins: [FeatureBins]
    /// Features that could split all rows.
    let useful: [Int]
    /// The bins of a row's features side by side.
    let numbers: UncheckedArray<UInt8>
    /// By row: the sum of the trees so far, and the rest of the label.
    let estimates: UncheckedArray<Double>
    let rests: UncheckedArray<Int32>
    /// Rows. The rows of a leaf are side by side; behind all are rows that no tree learns from for now.
    let order: UncheckedArray<UInt32>
    let scratch: UncheckedArray<UInt32>
    /// By leaf, feature and bin.
    let cells: UncheckedArray<Cell>
    /// The number of rows that trees learn from for now.
    var drawnRows = 0
    var drawnFeatures: [Int] = []

    init(_ rows: TrainingRows, _ parameters: BoostedTrees.Parameters, base: Double) {
        self.rows = rows
        self.parameters = parameters
        bins = (0..<rows.features).map { feature in
            FeatureBins((0..<rows.count).map { rows[$0][feature] })
        }
        numbers = UncheckedArray(repeating: 0, count: rows.count * rows.features)
        estimates = UncheckedArray(repeating: base, count: rows.count)
        rests = UncheckedArray(repeating: 0, count: rows.count)
        order = UncheckedArray(repeating: 0, count: rows.count)
        scratch = UncheckedArray(repeating: 0, count: rows.count)
        cells = UncheckedArray(repeating: Cell(), count: max(1, parameters.leaves) * rows.features * Self.width)
        for row in 0..<rows.count {
            for feature in 0..<rows.features {
                numbers[row &* rows.features &+ feature] = UInt8(
                    truncatingIfNeeded: bins[feature].bin(of: rows[row][feature]))
            }
            rests[row] = Self.rest(rows.labels[row] - base)
        }
        useful = Self.useful(numbers, rows, bins, parameters.fewest)
    }

    /// Rounds to a multiple of ``unit``.
    static func rest(_ difference: Double) -> Int32 { Int32(clamping: Int64((difference / unit).rounded())) }

    /// Returns the features with a limit that leaves `fewest` rows on both sides.
    private static func useful(
        _ numbers: UncheckedArray<UInt8>, _ rows: TrainingRows, _ bins: [FeatureBins], _ fewest: Int
    ) -> [Int] {
        (0..<rows.features).filter { feature in
            var counts = [Int](repeating: 0, count: bins[feature].count)
            for row in 0..<rows.count { counts[Int(numbers[row * rows.features + feature])] += 1 }
            var below = 0
            return counts.dropLast().contains { count in
                below += count
                return below >= fewest && rows.count - below >= fewest
            }
        }
    }

    // MARK: Draws

    mutating func drawRows(_ random: inout SplitMix64) {
        drawnRows = 0
        var others = 0
        for row in 0..<rows.count {
            if parameters.rows >= 1 || random.fraction() < parameters.rows {
                order[drawnRows] = UInt32(row)
                drawnRows += 1
            } else {
                scratch[others] = UInt32(row)
                others += 1
            }
        }
        for index in 0..<others { order[drawnRows + index] = scratch[index] }
    }

    mutating func drawFeatures(_ random: inout SplitMix64) {
        drawnFeatures = useful
        let count = max(1, Int((Double(useful.count) * parameters.features).rounded()))
        guard count < useful.count else { return }
        for index in 0..<count { drawnFeatures.swapAt(index, index + random.next(below: useful.count - index)) }
        drawnFeatures = drawnFeatures[..<count].sorted()
    }

    // MARK: Growth

    /// Returns the next tree, and adds it to the estimates. Returns nil if not even the first leaf can be split.
    mutating func grow() -> GrownTree? {
        var leaves = [rootLeaf()]
        var tree = GrownTree()
        while leaves.count < max(1, parameters.leaves), let index = Self.best(leaves), let split = leaves[index].split {
            let node = Int32(tree.nodes.count)
            if let parent = leaves[index].parent {
                let side = parent.isLower ? \BoostedTrees.Node.lower : \BoostedTrees.Node.upper
                tree.nodes[parent.node][keyPath: side] = node
            }
            tree.nodes.append(
                BoostedTrees.Node(
                    limit: bins[split.feature].limits[split.bin], feature: UInt32(split.feature),
                    lower: ~Int32(index), upper: ~Int32(leaves.count)))
            divide(&leaves, index, split)
        }
        guard !tree.nodes.isEmpty else { return nil }
        for leaf in leaves {
            let value = parameters.rate * Self.mean(leaf.total) * Self.unit
            tree.values.append(value)
            for place in leaf.range { add(value, to: Int(order[place])) }
        }
        for place in drawnRows..<rows.count { add(tree.estimate(rows[Int(order[place])]), to: Int(order[place])) }
        return tree
    }

    private func add(_ value: Double, to row: Int) {
        estimates[row] += value
        rests[row] = Self.rest(rows.labels[row] - estimates[row])
    }

    private static func mean(_ cell: Cell) -> Double { Double(cell.sum) / Double(cell.rows) }

    /// Returns the leaf whose split gains most, the first of several.
    private static func best(_ leaves: [Leaf]) -> Int? {
        var best: (index: Int, gain: Double)?
        for (index, leaf) in leaves.enumerated() {
            guard let gain = leaf.split?.gain, gain > best?.gain ?? 0 else { continue }
            best = (index, gain)
        }
        return best?.index
    }

    private func rootLeaf() -> Leaf {
        var leaf = Leaf(range: 0..<drawnRows, total: Cell(rows: Int64(drawnRows)))
        for place in leaf.range { leaf.total.sum += Int64(rests[Int(order[place])]) }
        count(leaf, 0)
        leaf.split = split(leaf, 0)
        return leaf
    }

    /// Splits a leaf: the lower side keeps its index, and the upper one is added.
    private func divide(_ leaves: inout [Leaf], _ index: Int, _ split: Split) {
        let leaf = leaves[index]
        let node = leaves.count - 1
        let middle = separate(leaf.range, split)
        let upperTotal = Cell(sum: leaf.total.sum - split.lower.sum, rows: leaf.total.rows - split.lower.rows)
        var lower = Leaf(range: leaf.range.lowerBound..<middle, total: split.lower, parent: (node, true))
        var upper = Leaf(range: middle..<leaf.range.upperBound, total: upperTotal, parent: (node, false))
        let new = leaves.count
        let size = rows.features * Self.width
        let (old, added) = (cells.base + index * size, cells.base + new * size)
        if lower.total.rows < upper.total.rows {
            added.update(from: old, count: size)
            count(lower, index)
            subtract(old, from: added)
        } else {
            count(upper, new)
            subtract(added, from: old)
        }
        lower.split = self.split(lower, index)
        upper.split = self.split(upper, new)
        leaves[index] = lower
        leaves.append(upper)
    }

    /// Puts the rows of the lower side in front, in their order, and returns where the others begin.
    private func separate(_ range: Range<Int>, _ split: Split) -> Int {
        var (lower, upper) = (range.lowerBound, 0)
        let column = numbers.base + split.feature
        for place in range {
            let row = order[place]
            if Int(column[Int(row) &* rows.features]) <= split.bin {
                order[lower] = row
                lower &+= 1
            } else {
                scratch[upper] = row
                upper &+= 1
            }
        }
        (order.base + lower).update(from: scratch.base, count: upper)
        return lower
    }

    // MARK: Histograms

    private func count(_ leaf: Leaf, _ index: Int) {
        let size = rows.features * Self.width
        let histogram = cells.base + index * size
        histogram.update(repeating: Cell(), count: size)
        for place in leaf.range {
            let row = Int(order[place])
            let rest = Int64(rests[row])
            let numbers = numbers.base + row &* rows.features
            for feature in 0..<rows.features {
                let cell = feature &* Self.width &+ Int(numbers[feature])
                histogram[cell].sum &+= rest
                histogram[cell].rows &+= 1
            }
        }
    }

    private func subtract(_ other: UnsafeMutablePointer<Cell>, from histogram: UnsafeMutablePointer<Cell>) {
        for cell in 0..<rows.features * Self.width {
            histogram[cell].sum &-= other[cell].sum
            histogram[cell].rows &-= other[cell].rows
        }
    }

    /// Returns the split of a leaf that gains most, or nil if none gains.
    private func split(_ leaf: Leaf, _ index: Int) -> Split? {
        let fewest = Int64(max(1, parameters.fewest))
        guard leaf.total.rows >= 2 * fewest else { return nil }
        var best: Split?
        for feature in drawnFeatures {
            let histogram = cells.base + (index * rows.features + feature) * Self.width
            var lower = leaf.total
            for bin in stride(from: bins[feature].count - 2, through: 0, by: -1) {
                lower.sum &-= histogram[bin &+ 1].sum
                lower.rows &-= histogram[bin &+ 1].rows
                let upper = Cell(sum: leaf.total.sum &- lower.sum, rows: leaf.total.rows &- lower.rows)
                if upper.rows < fewest { continue }
                if lower.rows < fewest { break }
                let distance = Self.mean(lower) - Self.mean(upper)
                let gain = distance * distance * (Double(lower.rows) * Double(upper.rows) / Double(leaf.total.rows))
                if gain > best?.gain ?? 0 { best = Split(gain: gain, feature: feature, bin: bin, lower: lower) }
            }
        }
        return best
    }
}

extension GrownTree {
    /// Returns the value of the leaf that a row of features reaches.
    func estimate(_ row: UnsafePointer<Double>) -> Double {
        var next: Int32 = 0
        repeat {
            let node = nodes[Int(next)]
            next = row[Int(node.feature)] <= node.limit ? node.lower : node.upper
        } while next >= 0
        return values[Int(~next)]
    }
}

/// Rows of numbers, the features, with a label each, from which ``BoostedTrees`` learn. Copies share storage.
struct TrainingRows {
    let features: Int
    private(set) var count = 0
    private var values: UncheckedArray<Double>
    private(set) var labels: UncheckedArray<Double>

    /// Creates no rows, with room for `capacity`.
    init(features: Int, capacity: Int = 16) {
        self.features = features
        values = UncheckedArray(repeating: 0, count: features * max(1, capacity))
        labels = UncheckedArray(repeating: 0, count: max(1, capacity))
    }

    /// The features of a row, valid until a row is added.
    subscript(row: Int) -> UnsafeMutablePointer<Double> { values.base + row &* features }

    /// Adds a row, and returns the place of its features, which the caller fills. The place is valid until the next
    /// row is added. Takes constant time on average.
    mutating func append(label: Double) -> UnsafeMutablePointer<Double> {
        if count == labels.count {
            values.reserve(2 * values.count)
            labels.reserve(2 * labels.count)
        }
        labels[count] = label
        count &+= 1
        return self[count &- 1]
    }

    mutating func removeAll() { count = 0 }
}
