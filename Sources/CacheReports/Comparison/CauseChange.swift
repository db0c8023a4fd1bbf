import Basics
import Foundation
import ReplayEngine
import Runs

/// How the causes of misses and blank time of one trace and cache changed between two results.
public struct CauseChange: Sendable, Equatable {
    public var trace: String
    /// The network, where there are several; otherwise nil.
    public var network: String?
    public var cache: String
    /// The causes with more misses than before, the largest change first.
    public var misses: [Misses]
    /// The waits with more blank time than before, the largest change first.
    public var waits: [BlankTime]

    /// The misses of a tier with one cause, per repeat.
    public struct Misses: Sendable, Equatable {
        public var tier: RunExplanation.Tier
        public var cause: MissCause
        public var baseline: Double
        public var candidate: Double

        var change: Double { candidate - baseline }
    }

    /// The blank time that one wait takes, in seconds, per repeat.
    public struct BlankTime: Sendable, Equatable {
        public var wait: Wait
        public var baseline: Double
        public var candidate: Double

        var change: Double { candidate - baseline }
    }

    /// - Returns: nil if no cause and no wait grew.
    init?(_ key: RunGroup.Key, _ baseline: CauseSums, _ candidate: CauseSums) {
        (trace, network, cache) = (key.trace, key.network, key.cache)
        misses = RunExplanation.Tier.allCases.flatMap { tier in
            MissCause.allCases.map {
                Misses(
                    tier: tier, cause: $0, baseline: baseline.misses(tier, $0), candidate: candidate.misses(tier, $0))
            }
        }
        waits = Wait.allCases.map {
            BlankTime(wait: $0, baseline: baseline.seconds($0), candidate: candidate.seconds($0))
        }
        misses = misses.filter { $0.change > 0 }.sorted { $0.change > $1.change }
        // Less would read as 0.0 ms.
        waits = waits.filter { $0.change >= 5e-5 }.sorted { $0.change > $1.change }
        if misses.isEmpty, waits.isEmpty { return nil }
    }

    /// The changes in a sentence for each tier and one for the blank time, with the three largest parts of each.
    var text: String {
        var parts = RunExplanation.Tier.allCases.compactMap { tier -> String? in
            let grown = misses.filter { $0.tier == tier }
            guard !grown.isEmpty else { return nil }
            return "more misses of \(tier.rawValue): "
                + Self.list(grown.map { "+\(Self.count($0.change)) \($0.cause.title)" })
        }
        if !waits.isEmpty {
            parts.append(
                "more blank time: "
                    + Self.list(waits.map { "+\(HumanText.milliseconds($0.change * 1_000, 1)) \($0.wait.title)" }))
        }
        return parts.joined(separator: "; ")
    }

    /// The changes in a sentence that uses no terms of replays, for comments on pull requests and pages.
    var plainText: String {
        var parts: [String] = []
        for tier in RunExplanation.Tier.allCases {
            let grown = misses.filter { $0.tier == tier }
            guard !grown.isEmpty else { continue }
            let place = tier == .memory ? "in memory" : "on disk"
            let causes = grown.map { "\(Self.count($0.change)) \($0.cause.title)" }
            parts.append("more requests do not find their image \(place): \(Self.list(causes))")
        }
        if !waits.isEmpty {
            let times = waits.map { "\(HumanText.milliseconds($0.change * 1_000, 1)) for \($0.wait.title)" }
            parts.append("cells stay blank longer: \(Self.list(times))")
        }
        return parts.joined(separator: "; ")
    }

    private static func list(_ parts: [String]) -> String {
        parts.prefix(3).joined(separator: ", ") + (parts.count > 3 ? " and \(parts.count - 3) more" : "")
    }

    /// The mean over repeats can be a fraction.
    private static func count(_ value: Double) -> String { value.fixed(value == value.rounded() ? 0 : 1) }
}

extension ResultSet {
    /// Returns the causes of groups, from the runs themselves or, for groups whose runs have none, from `requests.csv`.
    ///
    /// - Throws: `ResultsError`: `ioError`, or `badData` with the line.
    func causes(of groups: [RunGroup.Key]) throws -> [RunGroup.Key: CauseSums] {
        let missing = Set(groups).subtracting(causes.keys)
        guard !missing.isEmpty, let folder else { return causes }
        return causes.merging(try CauseSums.read(folder, missing)) { $1 }
    }
}
