import Basics
import CachePolicies
import Runs

extension Document {
    /// Creates the document of a simulation for a terminal: the policies that miss least, then the tables. With
    /// `onlyTables`, it has no sentences.
    package init(
        _ rows: [MissRatioRow], _ curves: [CurvePoint], _ bounds: [LeastMissesRow], onlyTables: Bool
    ) {
        self.init("simulation", title: "Simulation", headline: "Which policy, and how large?")
        let findings = onlyTables ? [] : MissRatioFile.findings(rows)
        if !findings.isEmpty { blocks.append(.findings(findings)) }
        if !rows.isEmpty {
            let dispensable = ["requests/s", "requests", "byte miss ratio"]
            blocks.append(.table(MissRatioFile.grid(rows), dispensable: dispensable))
        }
        if let warmup = MissRatioFile.meaningOfWarmUp(rows), !onlyTables {
            blocks.append(.sentences([warmup], as: .remark))
        }
        if let models = MissRatioFile.meaningOfModels(rows), !onlyTables {
            blocks.append(.sentences([models], as: .remark))
        }
        if !curves.isEmpty { blocks.append(.table(CurveFile.grid(curves))) }
        if let samples = MissRatioFile.meaningOfSamples(rows, curves), !onlyTables {
            blocks.append(.sentences([samples], as: .remark))
        }
        let hasBounds = curves.contains { !$0.isExact && $0.sampleRate == nil }
        if hasBounds, !onlyTables { blocks.append(.sentences([CurveFile.meaningOfBounds], as: .remark)) }
        guard !bounds.isEmpty else { return }
        blocks.append(.table(LeastMissesFile.grid(bounds), dispensable: ["proven optimum"]))
        if !onlyTables { blocks.append(.sentences(LeastMissesFile.meaning, as: .remark)) }
    }
}

extension MissRatioFile {
    /// The traces that have a sentence each.
    private static let mostTraces = 5

    /// Returns which policies miss least, in a sentence or two for each of the first traces.
    static func findings(_ rows: [MissRatioRow]) -> [Finding] {
        let traces = rows.map(\.trace).unique()
        let rowsByTrace = Dictionary(grouping: rows, by: \.trace)
        var texts = traces.prefix(mostTraces).map { text(NameList.name($0), rowsByTrace[$0] ?? []) }
        let others = traces.count - texts.count
        if others > 0 { texts.append("The tables have \(HumanText.count(others, "more trace")).") }
        return texts.map { Finding(subject: .best, text: $0) }
    }

    /// Returns the sentences about a trace. Policies that know the future are no choice, so they have their own.
    /// Policies with a capacity of their own are left out beside those that share capacities.
    private static func text(_ trace: String, _ rows: [MissRatioRow]) -> String {
        let sharing = rows.filter { $0.capacity != nil }
        let compared = sharing.isEmpty ? rows : sharing
        let seers = compared.filter { SimulationChart.knowsTheFuture($0.policy) }
        let choices = compared.filter { !SimulationChart.knowsTheFuture($0.policy) }
        guard !choices.isEmpty else { return "\(misses(seers)) on \(trace), with knowledge of the future." }
        let text = best(trace, choices)
        return seers.isEmpty ? text : "\(text) With knowledge of the future, \(misses(seers))."
    }

    private static func best(_ trace: String, _ rows: [MissRatioRow]) -> String {
        let policies = rows.map(\.policy).unique()
        guard policies.count > 1 else { return "\(misses(rows)) on \(trace)." }
        let winners = winners(rows)
        let capacities = winners.count
        let everywhere = capacities == 1 ? "" : " at each of \(capacities) capacities"
        let leaders = policies.filter { policy in winners.allSatisfy { $0.contains(policy) } }
        if leaders.count == policies.count {
            let shares = Measure.range(rows.map(\.missRatio))
            let all = NameList.all(policies.count, begins: true)
            return "\(all) policies tie on \(trace)\(everywhere): they miss \(shares) of the requests."
        }
        guard let leader = leaders.first else {
            return
                "No policy misses least on \(trace) at each of \(capacities) capacities: \(counts(winners, policies))."
        }
        let others = policies.filter { !leaders.contains($0) }
        let next = others.min { misses(of: $0, rows) < misses(of: $1, rows) } ?? others[0]
        let (own, amount) = ranges(rows.filter { leaders.contains($0.policy) }, rows.filter { $0.policy == next })
        let wins = winners.count { $0 == [leader] }
        let beginning =
            if leaders.count > 1 {
                "\(NameList.text(leaders)) tie for the fewest misses on \(trace)\(everywhere)"
            } else if wins == capacities {
                "\(NameList.name(leader)) misses least on \(trace)\(everywhere)"
            } else if wins == 0 {
                "\(NameList.name(leader)) ties for the fewest misses on \(trace)\(everywhere)"
            } else {
                """
                \(NameList.name(leader)) misses least on \(trace) at \(wins) of \(capacities) capacities, and ties at \
                the \(capacities - wins == 1 ? "other" : "others")
                """
            }
        return "\(beginning): \(own) of the requests. Next, \(NameList.name(next)) misses \(amount) of the requests."
    }

    /// Returns `s3fifo at 5, w-tinylfu at 1, ties at 4`: at how many capacities each policy alone misses least. The
    /// numbers sum to the number of capacities.
    private static func counts(_ winners: [[String]], _ policies: [String]) -> String {
        let alone = Dictionary(grouping: winners.filter { $0.count == 1 }, by: { $0[0] }).mapValues(\.count)
        let order = policies.filter { alone[$0] != nil }.stableSorted { alone[$0] ?? 0 > alone[$1] ?? 0 }
        var parts = order.map { "\(NameList.name($0)) at \(alone[$0] ?? 0)" }
        let ties = winners.count { $0.count > 1 }
        if ties > 0 { parts.append("ties at \(ties)") }
        return parts.joined(separator: ", ")
    }

    /// Returns, for each capacity, the policy that misses least, and those that tie with it, in order.
    private static func winners(_ rows: [MissRatioRow]) -> [[String]] {
        Dictionary(grouping: rows, by: \.capacity).values.map { own in
            let least = own.map(\.missRatio).min() ?? 0
            return own.filter { Tolerance.standard.ties($0.missRatio, least, .ratio) }.map(\.policy)
        }
    }

    /// Returns the ranges of the miss ratios of two sets of rows as texts. The ends of a range have as many digits as
    /// they need to differ from the ends of the other range.
    private static func ranges(_ rows: [MissRatioRow], _ others: [MissRatioRow]) -> (String, String) {
        func end(_ choose: ([Double]) -> Double?) -> (String, String) {
            HumanText.shares(choose(rows.map(\.missRatio)) ?? 0, choose(others.map(\.missRatio)) ?? 0)
        }
        let (low, high) = (end { $0.min() }, end { $0.max() })
        func range(_ low: String, _ high: String) -> String { low == high ? low : "\(low) to \(high)" }
        return (range(low.0, high.0), range(low.1, high.1))
    }

    private static func misses(of policy: String, _ rows: [MissRatioRow]) -> Int {
        rows.reduce(0) { $0 + ($1.policy == policy ? $1.misses : 0) }
    }

    /// Returns `lru misses 47.3% to 99.3% of the requests`.
    private static func misses(_ rows: [MissRatioRow]) -> String {
        let policies = rows.map(\.policy).unique()
        let verb = policies.count == 1 ? "misses" : "miss"
        return "\(NameList.text(policies)) \(verb) \(Measure.range(rows.map(\.missRatio))) of the requests"
    }
}
