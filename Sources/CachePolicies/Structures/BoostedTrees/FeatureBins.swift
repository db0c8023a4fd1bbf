/// The bins of one feature: a tree is split between bins, and not between single values.
///
/// G. Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NIPS 2017. The limits are placed as in
/// the authors' library (github.com/microsoft/LightGBM, `bin.cpp`):
/// - 0 has a bin of its own, because it stands for an absent value.
/// - If the other bins suffice, each value has one, except that values are joined until a bin has `fewest` rows.
/// - Otherwise a value with as many rows as a bin has on average has one of its own, and the other values are divided
///   into bins of about equally many rows.
/// - Limits are midway between the greatest value of a bin and the least one of the next.
struct FeatureBins {
    /// The most bins, so that the number of one is a byte.
    static let most = 255
    /// The fewest rows of a bin.
    static let fewest = 3

    /// Rising. Bin `n` has the values up to `limits[n]` that are above the limit before it; the last bin has no limit.
    private(set) var limits: [Double] = []

    var count: Int { limits.count + 1 }

    /// Divides values, which are finite and not negative. Takes the time to sort them.
    init(_ values: [Double]) {
        var runs: [(value: Double, rows: Int)] = []
        for value in values.sorted() where value > 0 {
            if runs.last?.value == value { runs[runs.count - 1].rows += 1 } else { runs.append((value, 1)) }
        }
        guard !runs.isEmpty else { return }
        limits = [0]
        if runs.count < Self.most { joinFew(runs) } else { divide(runs) }
    }

    /// Returns the bin of a value. O(log n)
    func bin(of value: Double) -> Int {
        var (low, high) = (0, limits.count)
        while low < high {
            let middle = (low + high) / 2
            if limits[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func joinFew(_ runs: [(value: Double, rows: Int)]) {
        var rows = 0
        for index in 0..<runs.count - 1 {
            rows += runs[index].rows
            guard rows >= Self.fewest else { continue }
            limits.append((runs[index].value + runs[index + 1].value) / 2)
            rows = 0
        }
    }

    /// The rest is divided evenly among the bins to come again after each of them.
    private mutating func divide(_ runs: [(value: Double, rows: Int)]) {
        var rows = runs.reduce(0) { $0 + $1.rows }
        let most = max(1, min(Self.most - 1, rows / Self.fewest))
        let evenly = Double(rows) / Double(most)
        let large = runs.map { Double($0.rows) >= evenly }
        var bins = most
        for index in runs.indices where large[index] {
            bins -= 1
            rows -= runs[index].rows
        }
        var mean = Double(rows) / Double(bins)
        var held = 0
        for index in 0..<runs.count - 1 where limits.count < most {
            if !large[index] { rows -= runs[index].rows }
            held += runs[index].rows
            let isFull = large[index] || Double(held) >= mean
            guard isFull || large[index + 1] && Double(held) >= max(1, mean / 2) else { continue }
            limits.append((runs[index].value + runs[index + 1].value) / 2)
            held = 0
            if !large[index] {
                bins -= 1
                mean = Double(rows) / Double(bins)
            }
        }
    }
}
