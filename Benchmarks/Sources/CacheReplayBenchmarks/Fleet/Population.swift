import Basics
import Foundation
import ReplayEngine
import Runs

/// A population of users with known habits, from which fleets are drawn.
struct Population: Sendable {
    /// The distribution of what users fetch, and of their memory peaks.
    enum Tail: Sendable {
        /// Log-normal with this standard deviation of the logarithm.
        case logNormal(Double)
        /// Pareto's with this exponent.
        case pareto(Double)
    }

    /// The number of sessions of a user.
    enum Sessions: Sendable {
        case one
        /// Geometric with a mean of 3.
        case geometric
        /// Log-normal with a median of 3: a few users have most of the sessions.
        case uneven
    }

    var name: String
    var tail: Tail
    var sessions: Sessions
    /// Whether many users have equal values: half of them have no blank time, no user has more memory than a limit, and
    /// shares are multiples of 1/20.
    var hasTies = false

    static let caches = ["first", "second"]

    static let all = [
        Population(name: "one session", tail: .logNormal(1), sessions: .one),
        Population(name: "geometric", tail: .logNormal(1), sessions: .geometric),
        Population(name: "uneven", tail: .logNormal(0.7), sessions: .uneven),
        Population(name: "ties", tail: .logNormal(0.7), sessions: .geometric, hasTies: true),
        Population(name: "heavy tail", tail: .pareto(3), sessions: .one),
    ]

    /// Draws a fleet of users.
    func fleet(users: Int, _ random: inout SplitMix64) -> FleetTable {
        var table = FleetTable(caches: Self.caches)
        for user in 0..<users {
            let name = "user-\(user)"
            let level = random.normal()
            let amount = amount(&random)
            let hasBlank = !hasTies || random.fraction() < 0.5
            for session in 0..<sessionCount(&random) {
                let mood = 0.8 * level + 0.6 * random.normal()
                let own = amount * exp(0.3 * random.normal())
                for (number, cache) in Self.caches.enumerated() {
                    // The second cache helps users by different amounts, and harms some.
                    let gain = number == 0 ? 0 : 0.2 + 0.3 * random.normal()
                    table.add(
                        result(
                            "session-\(session)", cache, mood: mood + gain, amount: own * exp(-0.3 * gain), hasBlank),
                        user: name)
                }
            }
        }
        return table
    }

    /// Returns a session of a population without ties.
    static func run(_ session: String, _ cache: String, _ random: inout SplitMix64) -> RunResult {
        all[0].result(session, cache, mood: random.normal(), amount: exp(random.normal()), true)
    }

    private func result(
        _ session: String, _ cache: String, mood: Double, amount: Double, _ hasBlank: Bool
    ) -> RunResult {
        var result = RunResult(
            identity: RunIdentity(
                trace: session, cache: cache, specification: cache, repetition: 1, seed: 1, timing: "modelled"))
        let requests = 1_000_000
        func hits(_ value: Double) -> Int {
            let share = 1 / (1 + exp(-value))
            return Int((hasTies ? (share * 20).rounded() / 20 : share) * Double(requests))
        }
        result.counts.memoryHits = hits(mood - 0.5)
        result.counts.diskHits = min(requests - result.counts.memoryHits, hits(-1.5 - 0.7 * mood))
        result.counts.originFetches = requests - result.counts.memoryHits - result.counts.diskHits
        result.counts.shown = hits(1.5 + mood)
        result.blank.visibleTime = 1e12
        result.blank.blankTime = hasBlank ? 1e12 / (1 + exp(2 + mood)) : 0
        result.tiers.originBytes = Int64(amount * 1e8)
        result.tiers.memoryPeakBytes = Int64(hasTies ? min(amount * 1e7, 2e7) : amount * 1e7)
        return result
    }

    private func amount(_ random: inout SplitMix64) -> Double {
        switch tail {
        case .logNormal(let deviation): exp(deviation * random.normal())
        case .pareto(let exponent): pow(1 - random.fraction(), -1 / exponent)
        }
    }

    private func sessionCount(_ random: inout SplitMix64) -> Int {
        switch sessions {
        case .one: 1
        case .geometric: 1 + Int(log(1 - random.fraction()) / log(2 / 3.0))
        case .uneven: max(1, Int((3 * exp(0.8 * random.normal())).rounded()))
        }
    }
}

extension SplitMix64 {
    /// Returns a number with the standard normal distribution (G. Box and M. Muller, 1958).
    fileprivate mutating func normal() -> Double {
        let radius = (-2 * log(1 - fraction())).squareRoot()
        return radius * cos(2 * Double.pi * fraction())
    }
}
