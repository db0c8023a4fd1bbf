import Foundation

/// Zipf's law fitted to how often objects are requested: the object of rank r gets a share of r^-s / (1^-s + … + N^-s).
///
/// The exponent is the maximum-likelihood estimate over the N ranks that occur: the s at which the law's mean of ln r
/// is the requests' own (an exponential family; see S. K. Seal, "The maximum likelihood fitting of the discrete Pareto
/// law", J. Institute of Actuaries 78, 1952, here with N finite). Its standard error is that of Fisher's information,
/// 1/√(n · variance of ln r), which takes requests for independent. How well the law describes the trace at all is
/// another question, which the Kolmogorov-Smirnov distance answers (A. Clauset, C. Shalizi, M. Newman, "Power-law
/// distributions in empirical data", SIAM Review 51, 2009).
///
/// Ranks are not known but counted from the same requests. Where objects have few requests each, chance orders them
/// too, and the exponent comes out too high (S. Piantadosi, "Zipf's word frequency law in natural language", 2014):
/// ``isThin``.
public struct ZipfFit: Sendable, Equatable {
    public var exponent: Double
    public var standardError: Double
    /// The largest difference between the law's and the trace's share of requests that go to the first r objects, over
    /// all r.
    public var distance: Double
    public var ranks: Int
    public var requests: Int

    /// Fewer than ten requests per object: the exponent is biased upwards by more than its standard error tells.
    public var isThin: Bool { requests < 10 * ranks }

    /// Above this distance the trace is hardly Zipf's: an exponent says little of it.
    public static let poorDistance = 0.1

    public var isPoor: Bool { distance > Self.poorDistance }

    /// `counts`: requests by rank, falling. Nil with fewer than three objects: there is no law to fit.
    public init?(counts: [UInt32]) {
        guard counts.count >= 3 else { return nil }
        let logarithms = (1...counts.count).map { log(Double($0)) }
        var total = 0.0
        var weighted = 0.0
        for (count, logarithm) in zip(counts, logarithms) {
            total += Double(count)
            weighted += Double(count) * logarithm
        }
        guard total > 0 else { return nil }
        let fit = Self.solve(meanLogarithm: weighted / total, logarithms)
        exponent = fit.exponent
        standardError = fit.variance > 0 ? 1 / (total * fit.variance).squareRoot() : .infinity
        distance = Self.distance(counts, total, exponent: fit.exponent, logarithms)
        ranks = counts.count
        requests = Int(total)
    }

    /// Newton's method on the log-likelihood, which is concave; where a step leaves the bracket, the bracket is halved.
    private static func solve(meanLogarithm mean: Double, _ logarithms: [Double]) -> (
        exponent: Double, variance: Double
    ) {
        var (low, high) = (0.0, 64.0)
        var exponent = 0.8
        var variance = 0.0
        for _ in 0..<100 {
            let law = moments(exponent, logarithms)
            variance = law.variance
            if law.mean > mean { low = exponent } else { high = exponent }
            let step = variance > 0 ? (law.mean - mean) / variance : .infinity
            var next = exponent + step
            if !(low...high).contains(next) { next = (low + high) / 2 }
            let moved = abs(next - exponent)
            exponent = next
            if moved < 1e-10 { break }
        }
        return (exponent, variance)
    }

    /// Mean and variance of ln r under the law.
    private static func moments(_ exponent: Double, _ logarithms: [Double]) -> (mean: Double, variance: Double) {
        var (sum, first, second) = (0.0, 0.0, 0.0)
        for logarithm in logarithms {
            let weight = exp(-exponent * logarithm)
            sum += weight
            first += weight * logarithm
            second += weight * logarithm * logarithm
        }
        let mean = first / sum
        return (mean, second / sum - mean * mean)
    }

    private static func distance(_ counts: [UInt32], _ total: Double, exponent: Double, _ logarithms: [Double])
        -> Double
    {
        let norm = logarithms.reduce(0) { $0 + exp(-exponent * $1) }
        var (law, seen, largest) = (0.0, 0.0, 0.0)
        for (count, logarithm) in zip(counts, logarithms) {
            law += exp(-exponent * logarithm) / norm
            seen += Double(count) / total
            largest = max(largest, abs(law - seen))
        }
        return largest
    }

    /// How many requests the law gives to the object of a rank, from 1.
    public func expectedRequests(rank: Int) -> Double { expectedRequests(atRanks: [rank])[0] }

    /// The same for many ranks.
    public func expectedRequests(atRanks places: [Int]) -> [Double] {
        let norm = (1...max(1, ranks)).reduce(0) { $0 + exp(-exponent * log(Double($1))) }
        return places.map { Double(requests) * exp(-exponent * log(Double($0))) / norm }
    }
}
