import Basics
import Foundation

/// Enters by chance: who is asked for often gets many chances. With a size `c`, large objects get fewer: e^(-size/c)
/// times the probability.
///
/// Source of the latter: Berger, Sitaraman, Harchol-Balter, AdaptSize, NSDI 2017, where c adapts, see ``AdaptSize``.
struct ProbabilisticAdmission: AdmissionRule {
    let probability: Double
    /// Bytes; infinite where size does not matter.
    let scale: Double
    var random: SplitMix64

    mutating func admits(_ access: Access, to policy: inout some CachePolicy) -> Bool {
        random.fraction() < probability * exp(-Double(access.size) / scale)
    }

    mutating func removeAll() { random.reset() }
}

extension ProbabilisticAdmission {
    static let entry = PolicyEntry(
        "probability", "Before another policy: enters with probability p, times e^(-size/c) unless c is 0.",
        parameters: [
            .policy(nil), .fraction("p", default: 0.5), .size("c", default: "0B"), .integer("seed", default: 1),
        ]
    ) { arguments in
        let scale = try arguments.size("c")
        return try ProbabilisticAdmission(
            probability: try arguments.fraction("p"), scale: scale == 0 ? .infinity : Double(scale),
            random: SplitMix64(seed: try arguments.seed())
        ).before(arguments)
    }
}
