import Foundation

/// The distribution of requests over objects.
public struct Popularity: Sendable, Equatable {
    /// The requests of each object, the most requested object first.
    public private(set) var counts: [UInt32]
    public private(set) var requests: Int
    /// The number of objects that are requested exactly once, which no cache can serve.
    public private(set) var oneHitWonders: Int
    /// The fitted law; nil for fewer than three objects.
    public private(set) var zipf: ZipfFit?

    public init(_ log: RequestLog) {
        counts = log.requestsByObject()
        counts.sort(by: >)
        requests = log.count
        oneHitWonders = counts.count { $0 == 1 }
        zipf = ZipfFit(counts: counts)
    }

    /// Returns the share of requests for the most requested `share` of objects (at least one object); nil without
    /// requests.
    public func requestShare(ofTop share: Double) -> Double? {
        guard requests > 0 else { return nil }
        let top = counts.prefix(max(1, Int((share * Double(counts.count)).rounded())))
        return Double(top.reduce(0) { $0 + Int($1) }) / Double(requests)
    }
}

/// Zipf's law fitted to the popularity of objects: the object of rank r has the share r^-s / (1^-s + … + N^-s) of
/// requests.
///
/// The exponent is the maximum-likelihood estimate over the N ranks that occur: the s at which the law's mean of ln r
/// is the requests' own (an exponential family; see S. K. Seal, "The maximum likelihood fitting of the discrete Pareto
/// law", J. Institute of Actuaries 78, 1952, here with N finite). Its standard error comes from Fisher's information,
/// 1/√(n · variance of ln r), which assumes independent requests. The Kolmogorov-Smirnov distance measures how well the
/// law describes the trace (A. Clauset, C. Shalizi, M. Newman, "Power-law distributions in empirical data", SIAM Review
/// 51, 2009).
///
/// Ranks are derived from the same requests. If objects have few requests each, chance contributes to their order, and
/// the exponent is too high (S. Piantadosi, "Zipf's word frequency law in natural language", 2014); see ``isThin``.
public struct ZipfFit: Sendable, Equatable {
    /// The exponent s.
    public var exponent: Double
    public var standardError: Double
    /// The Kolmogorov-Smirnov distance: the largest difference, over all r, between the law's and the trace's share of
    /// requests for the first r objects.
    public var distance: Double
    /// The number of objects.
    public var ranks: Int
    public var requests: Int

    /// Whether there are fewer than ten requests per object, so that the exponent is biased upwards by more than its
    /// standard error.
    public var isThin: Bool { requests < 10 * ranks }

    /// The distance above which the law does not describe the trace, and the exponent has little meaning.
    public static let poorDistance = 0.1

    public var isPoor: Bool { distance > Self.poorDistance }

    /// Fits the law to the requests of objects, in falling order. Nil for fewer than three objects.
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

    /// Maximises the log-likelihood, which is concave, by Newton's method. If a step leaves the bracket, the bracket is
    /// halved.
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

    /// Returns the mean and variance of ln r under the law.
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

    /// Returns the expected requests of the object with a rank, from 1.
    public func expectedRequests(rank: Int) -> Double { expectedRequests(atRanks: [rank])[0] }

    /// Returns the expected requests of the objects with several ranks.
    public func expectedRequests(atRanks places: [Int]) -> [Double] {
        let norm = (1...max(1, ranks)).reduce(0) { $0 + exp(-exponent * log(Double($1))) }
        return places.map { Double(requests) * exp(-exponent * log(Double($0))) / norm }
    }
}
