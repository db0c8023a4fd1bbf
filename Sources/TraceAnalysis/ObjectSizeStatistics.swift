import Foundation
import SessionModel

/// Bytes of the objects of one variant, each object counted once.
public struct ObjectSizeStatistics: Sendable, Equatable {
    public var variant: Variant
    public var objects: Int
    /// Objects whose size the trace does not say; the figures leave them out.
    public var unknown: Int
    /// Rising.
    public var sorted: [Int]

    /// Of each variant that is requested.
    public static func byVariant(_ log: RequestLog) -> [ObjectSizeStatistics] {
        Variant.allCases.compactMap { variant in
            let sizes = zip(log.sizes, log.variants).filter { $1 == variant }.map { $0.0 }
            guard !sizes.isEmpty else { return nil }
            let known = sizes.filter { $0 != RequestLog.unknownSize }.sorted()
            return ObjectSizeStatistics(
                variant: variant, objects: sizes.count, unknown: sizes.count - known.count, sorted: known)
        }
    }

    /// Nearest rank; nil where no size is known.
    public func quantile(_ share: Double) -> Int? {
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
    }

    public var mean: Double? { sorted.isEmpty ? nil : Double(sorted.reduce(0, +)) / Double(sorted.count) }

    /// The standard deviation of ln(bytes): the spread of a log-normal distribution, which encoded images resemble.
    /// Objects of 0 bytes are left out; nil with fewer than two.
    public var spread: Double? {
        let logarithms = sorted.filter { $0 > 0 }.map { log(Double($0)) }
        guard logarithms.count > 1 else { return nil }
        let mean = logarithms.reduce(0, +) / Double(logarithms.count)
        return (logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(logarithms.count - 1)).squareRoot()
    }
}
