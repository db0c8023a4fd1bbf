import Basics
import ReplayEngine
import Runs

/// For each cache of a sweep of one parameter, the smallest value that is enough, and what less would cost.
struct SweepConclusion {
    /// A value of a sweep.
    private struct Step {
        /// Such as `memory=8MB`.
        var value: String
        var number: Double
        /// By place.
        var groups: [RunGroup]
    }

    /// One cache with all values that have figures everywhere, the smallest first; no limit is the last.
    private struct Series {
        var cache: String
        var steps: [Step]
    }

    private let caches: ComparedCaches
    private let series: [Series]
    private static let mostCaches = 3

    init(_ caches: ComparedCaches) {
        self.caches = caches
        series = caches.variants.map(\.cache).unique().map { cache in
            let steps = caches.variants.filter { $0.cache == cache && $0.values.count == 1 }
                .compactMap { Self.step($0, caches) }.stableSorted { $0.number < $1.number }
            return Series(cache: cache, steps: steps)
        }.filter { $0.steps.count > 1 }
    }

    private static func step(_ variant: ComparedCaches.Variant, _ caches: ComparedCaches) -> Step? {
        let text = variant.values[0]
        let parameter = ComparedCaches.parameter(text)
        let value = SweptValue(parameter: parameter, value: String(text.dropFirst(parameter.count + 1)))
        let groups = caches.places.indices.compactMap { caches.worst(variant, $0) }
        guard groups.count == caches.places.count,
            let number = value.value == SweptValue.unlimited ? Double.infinity : value.number
        else { return nil }
        return Step(value: text, number: number, groups: groups)
    }

    /// nil if no parameter is swept alone.
    var finding: Finding? {
        guard !series.isEmpty else { return nil }
        let shown = series.prefix(Self.mostCaches)
        let parts = shown.map(part)
        let more = series.count > shown.count ? " The tables have \(series.count - shown.count) more caches." : ""
        return Finding(
            subject: .memory, text: parts.map(\.text).joined(separator: " ") + more,
            evidence: caches.evidence(shown.flatMap { $0.steps.flatMap(\.groups) }), caches: parts.map(\.cache))
    }

    /// Returns the sentence about a cache, and the name of the cache with the value that is enough.
    private func part(_ series: Series) -> (text: String, cache: String) {
        let steps = series.steps
        let best = caches.places.indices.compactMap { place in
            steps.map { $0.groups[place] }.min(by: caches.isBetter)
        }
        let gaps = steps.map { zip($0.groups, best).map { caches.gap($0, behind: $1) }.max() ?? 0 }
        let least = gaps.min() ?? 0
        let index = gaps.firstIndex { $0 == least || caches.relevanceThreshold.ties($0, least, .ratio) } ?? 0
        let enough = steps[index]
        let share = caches.places.count == 1 ? " (\(HumanText.share(caches.figure(enough.groups[0]))))" : ""
        let (cache, value) = (NameList.name(series.cache), "\(enough.value)\(share)")
        let gain = steps.dropFirst(index + 1).map { cost(of: enough, against: $0).difference }.max() ?? 0
        let more = "more gains \(gain > 0 ? "at most \(AmountText.points(gain))" : "nothing")"
        let name = enough.groups[0].key.cache
        guard index > 0 else {
            return ("\(value) is enough for \(cache), and the smallest tried: \(more).", name)
        }
        let smaller = steps[index - 1]
        let less = "\(smaller.value) costs \(loss(of: smaller, against: enough, steps, best))"
        return index == steps.count - 1
            ? ("Nothing below \(value) is enough for \(cache): \(less).", name)
            : ("\(value) is enough for \(cache): \(less), and \(more).", name)
    }

    /// Returns by how much a value is worse than the value that is enough: `0.5 points of blank time on feed`. If that
    /// difference does not count, returns the difference from the best value, and names it.
    ///
    /// - Parameter best: By place, the best runs of the steps. The value does not tie with all of them.
    private func loss(of step: Step, against enough: Step, _ steps: [Step], _ best: [RunGroup]) -> String {
        var (difference, place) = cost(of: step, against: enough)
        var name = ""
        if caches.ties(step.groups[place], enough.groups[place]) {
            let gaps = zip(step.groups, best).map { caches.gap($0, behind: $1) }
            place = gaps.indices.max { gaps[$0] < gaps[$1] } ?? 0
            difference = gaps[place]
            name = steps.first { $0.groups[place].key == best[place].key }.map { " against \($0.value)" } ?? ""
        }
        let on = caches.places.count == 1 ? "" : " on \(NameList.name(caches.places[place]))"
        return "\(AmountText.points(difference)) of \(caches.measure.noun)\(on)\(name)"
    }

    /// Returns by how much a value is worse than another one, at most, and where.
    private func cost(of step: Step, against other: Step) -> (difference: Double, place: Int) {
        let sign: Double = caches.measure.isHigherBetter ? -1 : 1
        let differences = zip(step.groups, other.groups).map { sign * (caches.figure($0) - caches.figure($1)) }
        let place = differences.indices.max { differences[$0] < differences[$1] } ?? 0
        return (differences[place], place)
    }
}
