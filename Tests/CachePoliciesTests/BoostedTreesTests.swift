import Basics
import Testing

@testable import CachePolicies

@Suite("Boosted trees")
struct BoostedTreesTests {
    /// One feature.
    private func rows(_ values: [(feature: Double, label: Double, count: Int)]) -> TrainingRows {
        var rows = TrainingRows(features: 1)
        for value in values {
            for _ in 0..<value.count { rows.append(label: value.label).pointee = value.feature }
        }
        return rows
    }

    private func estimates(_ model: BoostedTrees, _ features: [Double]) -> [Double] {
        features.map { feature in withUnsafePointer(to: feature) { model.estimate($0) } }
    }

    private func areNear(_ numbers: [Double], _ others: [Double]) -> Bool {
        numbers.count == others.count && zip(numbers, others).allSatisfy { abs($0 - $1) < 1e-6 }
    }

    @Test("A tree moves the mean by a tenth of what is left of the labels on each side of its limit")
    func oneSplit() {
        // The mean is 4. At 1 there is -2 left, and at 3 there is 2. The limit is midway.
        let twoValues = rows([(1, 2, 20), (3, 6, 20)])
        var random = SplitMix64(seed: 0)
        let one = BoostedTrees(twoValues, .init(trees: 1, features: 1, rows: 1), &random)
        #expect(one.trees == 1)
        #expect(areNear(estimates(one, [0, 1, 2, 2.001, 3, 99]), [3.8, 3.8, 3.8, 4.2, 4.2, 4.2]))
        // Then -1.8 and 1.8 are left.
        let two = BoostedTrees(twoValues, .init(trees: 2, features: 1, rows: 1), &random)
        #expect(areNear(estimates(two, [1, 3]), [3.62, 4.38]))
    }

    @Test("A leaf has 20 rows at least, so 39 rows are not split, and 0 is apart from all other values")
    func fewestRows() {
        var random = SplitMix64(seed: 0)
        let small = BoostedTrees(rows([(1, 2, 20), (3, 6, 19)]), .init(features: 1, rows: 1), &random)
        #expect(small.trees == 0)
        let mean = Double(2 * 20 + 6 * 19) / 39
        #expect(areNear(estimates(small, [1, 3]), [mean, mean]))
        // The limit between 0 and 100 is at 0.
        let zero = BoostedTrees(rows([(0, 2, 20), (100, 6, 20)]), .init(trees: 1, features: 1, rows: 1), &random)
        #expect(areNear(estimates(zero, [0, 1, 100]), [3.8, 4.2, 4.2]))
    }

    @Test("Labels that do not differ have no tree, and without rows every estimate is 0")
    func nothingToLearn() {
        var random = SplitMix64(seed: 0)
        let even = BoostedTrees(rows([(1, 5, 30), (2, 5, 30)]), .init(), &random)
        #expect(even.trees == 0)
        #expect(estimates(even, [1, 2, 3]) == [5, 5, 5])
        let empty = BoostedTrees(TrainingRows(features: 1), .init(), &random)
        #expect(estimates(empty, [1]) == [0])
    }

    @Test("The leaf whose split gains most is split first")
    func leafWise() {
        // The mean is 30 / 4. The limit 3.5 parts means of 4 / 3 and 26: it gains (74 / 3)^2 * 15. On its lower side,
        // 1.5 parts 0 from 2, and 2.5 parts 1 from 2 with a smaller gain.
        let steps = rows([(1, 0, 20), (2, 2, 20), (3, 2, 20), (4, 26, 20)])
        var random = SplitMix64(seed: 0)
        let parameters = { leaves in
            BoostedTrees.Parameters(trees: 1, leaves: leaves, rate: 1, features: 1, rows: 1)
        }
        let two = BoostedTrees(steps, parameters(2), &random)
        let third = 4.0 / 3
        #expect(areNear(estimates(two, [1, 2, 3, 4]), [third, third, third, 26]))
        let three = BoostedTrees(steps, parameters(3), &random)
        #expect(areNear(estimates(three, [1, 2, 3, 4]), [0, 2, 2, 26]))
        // More leaves gain nothing.
        let many = BoostedTrees(steps, parameters(32), &random)
        #expect(areNear(estimates(many, [1, 2, 3, 4]), [0, 2, 2, 26]))
    }

    @Test(
        "The same estimates as trees for which every split is tried on every row, to the last bit",
        arguments: 1...6 as ClosedRange<UInt64>)
    func twin(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var rows = TrainingRows(features: 4)
        var copies: [SlowTrees.Row] = []
        for _ in 0..<[80, 120, 200][Int(seed % 3)] {
            let features = [
                Double(random.next(below: 9)), Double(random.next(below: 40)), 7,
                Double(random.next(below: 60) / 20 * 5),
            ]
            let label = PortableMath.log(1 + features[0] * features[1] + 9 * random.fraction())
            let place = rows.append(label: label)
            for (index, feature) in features.enumerated() { place[index] = feature }
            copies.append(SlowTrees.Row(features: features, label: label))
        }
        for (fraction, leaves, fewest) in [(0.8, 32, 20), (1, 5, 4)] {
            let parameters = BoostedTrees.Parameters(
                leaves: leaves, features: fraction, rows: fraction, fewest: fewest)
            let shape = SlowTrees.Shape(leaves: leaves, features: fraction, rows: fraction, fewest: fewest)
            var (one, other) = (SplitMix64(seed: seed), SplitMix64(seed: seed))
            let model = BoostedTrees(rows, parameters, &one)
            let twin = SlowTrees(copies, shape, &other)
            #expect(model.trees == twin.trees.count && model.trees > 0)
            #expect(one.next() == other.next())
            for row in 0..<rows.count { #expect(model.estimate(rows[row]) == twin.estimate(copies[row].features)) }
        }
    }

    @Test("Values that are few have a bin each, with three rows or more; limits are midway")
    func fewValues() {
        #expect(FeatureBins([]).limits.isEmpty)
        #expect(FeatureBins([0, 0]).limits.isEmpty)
        #expect(FeatureBins([5, 5, 5]).limits == [0])
        #expect(FeatureBins([0, 2, 2, 2, 4, 4, 4, 9]).limits == [0, 3, 6.5])
        // 2 and 4 together have three rows. The last bin may have fewer.
        #expect(FeatureBins([8, 8, 8, 2, 4, 4, 9]).limits == [0, 6, 8.5])
        let bins = FeatureBins([2, 2, 2, 4, 4, 4])
        #expect([0, 1, 3, 3.5, 1e300].map(bins.bin) == [0, 1, 1, 2, 2])
    }

    @Test("Values that are many share 255 bins of about as many rows; one with many rows has its own")
    func manyValues() {
        let even = FeatureBins((1...25_400).map(Double.init))
        #expect(even.count == 255)
        // 254 bins of 100 values, behind the one of 0.
        let limits: [Double] = (1...253).map { Double($0) * 100 + 0.5 }
        #expect(even.limits == [0] + limits)
        // Half of the rows have one value. The others share 253 bins.
        let uneven = FeatureBins((1...25_300).map(Double.init) + [Double](repeating: 10_000, count: 25_300))
        let bin = uneven.bin(of: 10_000)
        #expect(uneven.bin(of: 9_999) == bin - 1 && uneven.bin(of: 10_001) == bin + 1)
        #expect(uneven.count <= 255 && uneven.count >= 250)
        // So few rows that bins of three do not suffice for each value.
        #expect(FeatureBins((1...300).map(Double.init)).count == 101)
    }
}
