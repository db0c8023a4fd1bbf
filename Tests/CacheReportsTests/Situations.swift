import ReplayEngine
import Runs
import Testing

@testable import CacheReports

/// Results that a line of text describes, for sentences that were worked out by hand.
///
/// `feed: a 30 3, b 20 idle; grid: c 9` has sessions, each with its caches. A cache has its blank time in thousandths
/// of the visible time, and its peak of memory in MB, which is otherwise 1. The repeats of a cache have `/` between
/// them. `-` is a session without visible time, `!7` are wrong pictures, and a cache that is `idle` evicts nothing.
/// `a[fifo]` is a model of an NSCache, `a+memory=8MB` a swept value, and `feed@lte` a network. The first word can be
/// `measured` or `instant`; with instant timing, the number is the hits of 100 requests.
struct Situation: Sendable {
    var name: String
    var runs: [RunResult]
    var facts = Samples.describe().facts
    /// The first sentences, without those on limits and on what the figures rest on.
    var says: [String]

    init(_ name: String, _ text: String, threshold: String? = nil, budgets: [String] = [], _ says: String...) {
        self.name = name
        self.says = says
        runs = Self.runs(text)
        facts.relevanceThreshold = threshold.flatMap { Tolerance($0) }
        facts.limits = budgets.compactMap { try? FigureBudget($0) }
    }

    static func runs(_ text: String) -> [RunResult] {
        let timing = ["measured", "instant"].first { text.hasPrefix("\($0) ") } ?? "modelled"
        let body = timing == "modelled" ? text : String(text.dropFirst(timing.count + 1))
        return body.split(separator: ";").flatMap { part -> [RunResult] in
            let sides = part.split(separator: ":").map(String.init)
            let place = sides[0].split(separator: "@").map { String($0.filter { $0 != " " }) }
            return sides[1].split(separator: ",").flatMap { entry -> [RunResult] in
                let words = entry.split(separator: " ").map(String.init)
                return words[1].split(separator: "/").enumerated().map { index, figure in
                    var run = Self.run(words[0], Double(figure), Array(words.dropFirst(2)), timing)
                    run.identity.trace = place[0]
                    run.identity.repetition = index + 1
                    if place.count > 1 { run.identity.network = place[1] }
                    return run
                }
            }
        }
    }

    private static func run(_ cache: String, _ figure: Double?, _ words: [String], _ timing: String) -> RunResult {
        let sides = cache.split(separator: "[").map(String.init)
        let parts = sides[0].split(separator: "+").map(String.init)
        let model = sides.count > 1 ? " [\(sides[1])" : ""
        var run = RunResult(identity: Samples.identity(cache: parts.joined(separator: " ") + model, timing: timing))
        if parts.count > 1 {
            run.identity.base = parts[0]
            run.identity.swept = parts.dropFirst().map { part in
                let sides = part.split(separator: "=").map(String.init)
                return SweptValue(parameter: sides[0], value: sides[1])
            }
        }
        let wrong = words.compactMap { $0.hasPrefix("!") ? Int($0.dropFirst()) : nil }.first ?? 0
        let hits = timing == "instant" ? Int(figure ?? 0) : 50
        run.counts.memoryHits = hits
        run.counts.originFetches = 100 - hits - wrong
        run.counts.wrong = wrong
        run.blank.visibleTime = figure == nil ? 0 : 1_000_000
        run.blank.blankTime = timing == "instant" ? 0 : (figure ?? 0) * 1_000
        run.tiers.memoryPeakBytes = Int64((words.compactMap(Double.init).first ?? 1) * 1e6)
        run.tiers.memoryEvictions = words.contains("idle") ? 0 : 5
        return run
    }

    var conclusions: [Finding] { ResultSet(runs, source: "x", judgedBy: facts).conclusions }
}

extension Situation: CustomTestStringConvertible {
    var testDescription: String { name }
}
