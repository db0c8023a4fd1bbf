import Foundation
import SessionModel

/// The sizes of the objects of one variant.
public struct ObjectSizeStatistics: Sendable, Equatable {
    /// The variant.
    public var variant: Variant
    /// The number of objects.
    public var objects: Int
    /// The number of objects without a recorded size, which the figures exclude.
    public var unknown: Int
    /// The known sizes in rising order.
    public var sorted: [Int]

    /// Returns the sizes of each variant that is requested.
    public static func byVariant(_ log: RequestLog) -> [ObjectSizeStatistics] {
        Variant.allCases.compactMap { variant in
            let sizes = zip(log.sizes, log.variants).filter { $1 == variant }.map { $0.0 }
            guard !sizes.isEmpty else { return nil }
            let known = sizes.filter { $0 != RequestLog.unknownSize }.sorted()
            return ObjectSizeStatistics(
                variant: variant, objects: sizes.count, unknown: sizes.count - known.count, sorted: known)
        }
    }

    /// Returns the size that a share of the objects does not exceed (nearest rank); nil if no size is known.
    public func quantile(_ share: Double) -> Int? {
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
    }

    /// The mean size; nil if no size is known.
    public var mean: Double? { sorted.isEmpty ? nil : Double(sorted.reduce(0, +)) / Double(sorted.count) }

    /// The standard deviation of ln(bytes): the spread of a log-normal distribution, which encoded images resemble.
    /// Excludes objects of 0 bytes; nil for fewer than two objects.
    public var spread: Double? {
        let logarithms = sorted.filter { $0 > 0 }.map { log(Double($0)) }
        guard logarithms.count > 1 else { return nil }
        let mean = logarithms.reduce(0, +) / Double(logarithms.count)
        return (logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(logarithms.count - 1)).squareRoot()
    }
}
