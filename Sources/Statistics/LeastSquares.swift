/// The fit of durations that are sums of parts, such as a fixed time and a time for each byte.
package enum LeastSquares {
    /// One measurement: the amounts of each part, and the time that all of them took.
    package struct Sample {
        package var amounts: [Double]
        package var time: Double

        package init(amounts: [Double], time: Double) {
            self.amounts = amounts
            self.time = time
        }
    }

    /// Returns the factors, none of them negative, that minimise the sum of squared relative errors of
    /// `factors · amounts`. Relative errors, because small images are as frequent in caches as large ones.
    ///
    /// Every subset of the parts is solved, and the best solution without a negative factor is taken: with three parts,
    /// there are seven subsets. Parts that no subset needs have the factor 0.
    package static func factors(_ samples: [Sample]) -> [Double] {
        let count = samples.first?.amounts.count ?? 0
        let weighted = samples.filter { $0.time > 0 }.map { sample in sample.amounts.map { $0 / sample.time } }
        var best = (error: Double.infinity, factors: [Double](repeating: 0, count: count))
        for subset in 1..<max(1 << count, 1) {
            let parts = (0..<count).filter { subset >> $0 & 1 == 1 }
            guard let solution = solve(parts, weighted), solution.allSatisfy({ $0 >= 0 }) else { continue }
            var factors = [Double](repeating: 0, count: count)
            for (part, factor) in zip(parts, solution) { factors[part] = factor }
            let error = weighted.reduce(0) { sum, row in
                let residual = zip(row, factors).reduce(-1) { $0 + $1.0 * $1.1 }
                return sum + residual * residual
            }
            if error < best.error { best = (error, factors) }
        }
        return best.factors
    }

    /// Solves the normal equations of the parts for targets of 1 by elimination; nil if they are singular.
    private static func solve(_ parts: [Int], _ rows: [[Double]]) -> [Double]? {
        // Amounts differ by a factor of a million. Columns are scaled, so that the pivots are comparable.
        let scales = parts.map { part in rows.map { abs($0[part]) }.max() ?? 0 }
        guard scales.allSatisfy({ $0 > 0 }) else { return nil }
        let size = parts.count
        var matrix = [[Double]](repeating: [Double](repeating: 0, count: size + 1), count: size)
        for row in rows {
            let values = zip(parts, scales).map { row[$0] / $1 }
            for line in 0..<size {
                for column in 0..<size { matrix[line][column] += values[line] * values[column] }
                matrix[line][size] += values[line]
            }
        }
        for pivot in 0..<size {
            guard let line = (pivot..<size).max(by: { abs(matrix[$0][pivot]) < abs(matrix[$1][pivot]) }),
                abs(matrix[line][pivot]) > 1e-9
            else { return nil }
            matrix.swapAt(pivot, line)
            for other in 0..<size where other != pivot {
                let factor = matrix[other][pivot] / matrix[pivot][pivot]
                for column in pivot...size { matrix[other][column] -= factor * matrix[pivot][column] }
            }
        }
        return (0..<size).map { matrix[$0][size] / matrix[$0][$0] / scales[$0] }
    }
}
