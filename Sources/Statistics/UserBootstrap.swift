import Basics
import Foundation
import Synchronization

/// The studentised bootstrap of means, which draws users with replacement (B. Efron and R. Tibshirani, "An Introduction
/// to the Bootstrap", 1993, 12.5). The sessions of a user are drawn together (cluster bootstrap).
///
/// Each resample has a stream of random numbers of its own, so the number of threads has no effect on the figures. All
/// means have the same draws.
package struct UserBootstrap: Sendable {
    package let userCount: Int
    package let resamples: Int
    private let seeds: [UInt64]
    private let threads: Int

    /// The least number of resamples with defined 2.5 % and 97.5 % points.
    package static let leastResamples = 39
    /// The resamples that are drawn before the means are computed, so that their draws fit in a processor's cache.
    private static let block = 32

    package init(userCount: Int, resamples: Int, seed: UInt64, threads: Int) {
        self.userCount = userCount
        self.resamples = max(0, resamples)
        self.threads = max(1, threads)
        var seeds = SplitMix64(seed: seed)
        self.seeds = (0..<self.resamples).map { _ in seeds.next() }
    }

    /// Returns the interval of each mean: the mean minus quantiles of the studentised resamples times the standard
    /// error. It is nil if so many resamples have no variance that an end would be infinite, and with fewer than
    /// ``leastResamples``.
    package func intervals(_ means: [UserMean]) -> [ConfidenceInterval?] {
        guard resamples >= Self.leastResamples, userCount > 0 else { return means.map { _ in nil } }
        var studentised = studentised(means)
        let rank = Int(Double(resamples + 1) * ConfidenceInterval.tail)
        return means.indices.map { index in
            let own = index * resamples..<(index + 1) * resamples
            studentised[own].sort()
            let low = studentised[own.lowerBound + rank - 1]
            let high = studentised[own.upperBound - rank]
            guard low.isFinite, high.isFinite else { return nil }
            let mean = means[index]
            return ConfidenceInterval(
                low: mean.mean - high * mean.standardError, high: mean.mean - low * mean.standardError)
        }
    }

    /// Returns, by mean and then by resample, how many of its own standard errors a resample's mean is above the mean.
    private func studentised(_ means: [UserMean]) -> [Double] {
        let blocks = (resamples + Self.block - 1) / Self.block
        let next = Mutex(0)
        let results = Mutex([Double](repeating: 0, count: means.count * resamples))
        @Sendable func work() {
            var draws = UserDraws(userCount: userCount, capacity: Self.block)
            while true {
                let block = next.withLock { next -> Int in
                    defer { next += 1 }
                    return next
                }
                guard block < blocks else { return }
                let range = block * Self.block..<min((block + 1) * Self.block, resamples)
                draws.draw(seeds[range])
                let own = means.map { draws.studentised($0) }
                results.withLock { results in
                    for (mean, values) in own.enumerated() {
                        for (place, value) in values.enumerated() {
                            results[mean * resamples + range.lowerBound + place] = value
                        }
                    }
                }
            }
        }
        DetachedThread.share(threads: min(threads, blocks)) { work() }
        return results.withLock { $0 }
    }
}

/// Resamples of users: how often each user is drawn.
private struct UserDraws {
    private typealias Four = SIMD4<Double>

    private let userCount: Int
    /// The number of groups of four users. What the last one has beyond the last user stays 0.
    private let groups: Int
    /// By resample and then by user: `capacity` times 4 · `groups` numbers.
    private var counts: [Double]
    private var used = 0
    /// By user: 4 · `groups` numbers.
    private var rests: [Double]
    private var weights: [Double]

    init(userCount: Int, capacity: Int) {
        self.userCount = userCount
        groups = (userCount + 3) / 4
        counts = Array(repeating: 0, count: groups * 4 * capacity)
        rests = Array(repeating: 0, count: groups * 4)
        weights = rests
    }

    /// Draws one resample for each seed, as many users as there are. There are at most `capacity` seeds.
    mutating func draw(_ seeds: ArraySlice<UInt64>) {
        used = seeds.count
        counts.withUnsafeMutableBufferPointer { counts in
            counts.update(repeating: 0)
            for (resample, seed) in seeds.enumerated() {
                // In bounds: resample < capacity, and the number of a user is below userCount ≤ 4 · groups.
                let first = resample * groups * 4
                var random = SplitMix64(seed: seed)
                for _ in 0..<userCount { counts[first + random.next(below: userCount)] += 1 }
            }
        }
    }

    /// Returns, for each resample, how many of its standard errors its mean is above the mean of all users. The number
    /// is infinite if the values of a resample do not vary, or if it has none.
    mutating func studentised(_ mean: UserMean) -> [Double] {
        mean.residuals(into: &rests, counts: &weights)
        // A resample whose variance is smaller than rounding does not vary.
        let least = mean.standardError * mean.standardError * 1e-12
        return (0..<used).map { resample in
            let sums = mean.isPlain ? plainSums(resample) : weightedSums(resample)
            guard sums.count > 0 else { return .infinity }
            let change = sums.rest / sums.count
            let spread = sums.restSquare - 2 * change * sums.restCount + change * change * sums.countSquare
            let variance = spread / (sums.count * sums.count)
            if variance > least { return change / variance.squareRoot() }
            return change == 0 ? 0 : change > 0 ? .infinity : -.infinity
        }
    }

    /// Sums over the users of a resample, each as often as it was drawn.
    private struct Sums {
        var rest: Double
        var restSquare: Double
        var restCount: Double
        var count: Double
        var countSquare: Double
    }

    /// Four numbers of a buffer. In bounds: `group` is below `groups` times the number of resamples in the buffer.
    @inline(__always)
    private static func four(_ buffer: UnsafeRawBufferPointer, _ group: Int) -> Four {
        buffer.loadUnaligned(fromByteOffset: group * MemoryLayout<Four>.size, as: Four.self)
    }

    /// Returns the sums of a mean whose users have one value each.
    private func plainSums(_ resample: Int) -> Sums {
        counts.withUnsafeBytes { counts in
            rests.withUnsafeBytes { rests in
                var (sum, squares) = (Four.zero, Four.zero)
                for group in 0..<groups {
                    let rest = Self.four(rests, group)
                    let drawn = Self.four(counts, resample * groups + group) * rest
                    sum += drawn
                    squares += drawn * rest
                }
                let count = Double(userCount)
                return Sums(
                    rest: sum.sum(), restSquare: squares.sum(), restCount: sum.sum(), count: count, countSquare: count)
            }
        }
    }

    private func weightedSums(_ resample: Int) -> Sums {
        counts.withUnsafeBytes { counts in
            rests.withUnsafeBytes { rests in
                weights.withUnsafeBytes { weights in
                    var (sum, squares) = (Four.zero, Four.zero)
                    var (products, number, numberSquares) = (sum, sum, sum)
                    for group in 0..<groups {
                        let (rest, weight) = (Self.four(rests, group), Self.four(weights, group))
                        let count = Self.four(counts, resample * groups + group)
                        let drawn = count * rest
                        let drawnWeight = count * weight
                        sum += drawn
                        squares += drawn * rest
                        products += drawn * weight
                        number += drawnWeight
                        numberSquares += drawnWeight * weight
                    }
                    return Sums(
                        rest: sum.sum(), restSquare: squares.sum(), restCount: products.sum(), count: number.sum(),
                        countSquare: numberSquares.sum())
                }
            }
        }
    }
}
