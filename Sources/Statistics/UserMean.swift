/// A mean over users or their sessions, or of the differences of two figures, prepared for resampling users.
package struct UserMean: Sendable {
    private enum Values: Sendable {
        /// By user: the sum of the values, and the number of values; nil if each user has one.
        case sums([Double], counts: [Double]?)
        /// By user: the second value minus the first one.
        case differences(first: [Double], second: [Double])
    }

    private let values: Values
    package let mean: Double
    /// The number of values.
    package let count: Double
    /// The number of users with values.
    package let userCount: Int
    /// The number of users with equally many values each whose mean would have the same precision.
    package let effectiveUsers: Double
    /// The standard error of the mean, without the factor for small samples, which cancels out.
    package let standardError: Double
    package var isPlain: Bool {
        switch values {
        case .sums(_, let counts): counts == nil
        case .differences: true
        }
    }

    /// - Parameters:
    ///   - sums: The sum of the values of each user.
    ///   - counts: The number of values of each user. At least one is above 0.
    package init(sums: [Double], counts: [Double]) {
        self.init(.sums(sums, counts: counts.allSatisfy { $0 == 1 } ? nil : counts), users: sums.count)
    }

    /// Prepares the mean of the differences of two figures.
    /// - Parameter users: The users who count, which have both values. The mean is nil without any.
    package init?(first: [Double], second: [Double], of users: [Int]) {
        guard !users.isEmpty else { return nil }
        if users.count == first.count {
            self.init(.differences(first: first, second: second), users: first.count)
        } else {
            var (sums, counts) = (first.map { _ in 0.0 }, first.map { _ in 0.0 })
            for user in users { (sums[user], counts[user]) = (second[user] - first[user], 1) }
            self.init(.sums(sums, counts: counts), users: first.count)
        }
    }

    private init(_ values: Values, users: Int) {
        self.values = values
        var (sum, count, squares, userCount) = (0.0, 0.0, 0.0, 0)
        for user in 0..<users {
            let own = Self.sum(values, user)
            sum += own.sum
            count += own.count
            squares += own.count * own.count
            if own.count > 0 { userCount += 1 }
        }
        self.userCount = userCount
        let mean = sum / count
        self.mean = mean
        self.count = count
        effectiveUsers = count * count / squares
        var spread = 0.0
        for user in 0..<users {
            let own = Self.sum(values, user)
            let rest = own.sum - mean * own.count
            spread += rest * rest
        }
        // Equal values can differ by rounding. Such a spread counts as 0.
        let error = spread.squareRoot() / count
        standardError = error > 1e-13 * abs(mean) ? error : 0
    }

    private static func sum(_ values: Values, _ user: Int) -> (sum: Double, count: Double) {
        switch values {
        case .sums(let sums, let counts): (sums[user], counts?[user] ?? 1)
        case .differences(let first, let second): (second[user] - first[user], 1)
        }
    }

    /// Writes what a resample adds up: by user, the sum of the values minus the mean of all times their number, and
    /// this number if it is not 1 everywhere. Both arrays have at least as many elements as there are users.
    func residuals(into rests: inout [Double], counts: inout [Double]) {
        switch values {
        case .sums(let sums, nil):
            for user in sums.indices { rests[user] = sums[user] - mean }
        case .sums(let sums, let numbers?):
            for user in sums.indices {
                rests[user] = sums[user] - mean * numbers[user]
                counts[user] = numbers[user]
            }
        case .differences(let first, let second):
            for user in first.indices { rests[user] = second[user] - first[user] - mean }
        }
    }
}
