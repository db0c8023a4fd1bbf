/// The middle value.
package enum Median {
    /// Returns the median of at least one value in ascending order. Of an even number, it is the mean of the middle
    /// two.
    package static func ofSorted(_ values: [Double]) -> Double {
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }
}

extension [Double] {
    /// The median; 0 of an empty array.
    package var median: Double { isEmpty ? 0 : Median.ofSorted(sorted()) }
}
