import Basics
import Foundation

/// Seeded noise for simulated measurements.
package struct Noise {
    private var random: SplitMix64

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Draws a log-normal factor with the median 1 and a coefficient of variation.
    package mutating func factor(_ variation: Double) -> Double {
        let (one, other) = (max(random.fraction(), 1e-300), random.fraction())
        let normal = (-2 * log(one)).squareRoot() * cos(2 * .pi * other)
        return exp(log(1 + variation * variation).squareRoot() * normal)
    }
}
