/// Rows of numbers, the features, with a label each, from which ``BoostedTrees`` learn. Copies share storage.
struct TrainingRows {
    /// The number of features of a row.
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
