import Basics
import CachePolicies
import Runs

extension Document {
    /// Creates what a terminal shows of a simulation: the policies that miss least, then the tables.
    ///
    /// - Parameter onlyTables: Whether sentences are left out.
    package init(
        _ rows: [MissRatioRow], _ curves: [CurvePoint], _ errors: [SampleError], _ bounds: [LeastMissesRow],
        onlyTables: Bool
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
        if !curves.isEmpty { blocks.append(.table(CurveFile.grid(curves))) }
        if let samples = MissRatioFile.meaningOfSamples(rows, curves), !onlyTables {
            blocks.append(.sentences([samples], as: .remark))
        }
        let hasBounds = curves.contains { !$0.isExact && $0.sampleRate == nil }
        if hasBounds, !onlyTables { blocks.append(.sentences([CurveFile.meaningOfBounds], as: .remark)) }
        if !errors.isEmpty {
            let dispensable = ["mean error, bytes", "exact", "sampled"]
            blocks.append(.table(SampleErrorFile.grid(errors), dispensable: dispensable))
        }
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
        let wins = wins(rows)
        let capacities = Set(rows.map(\.capacity)).count
        let everywhere = capacities == 1 ? "" : " at each of \(capacities) capacities"
        let leaders = policies.filter { wins[$0] == capacities }
        func own(_ policies: [String]) -> [MissRatioRow] { rows.filter { policies.contains($0.policy) } }
        if leaders.count == policies.count {
            let shares = Measure.range(rows.map(\.missRatio))
            let all = NameList.all(policies.count, begins: true)
            return "\(all) policies tie on \(trace)\(everywhere): they miss \(shares) of the requests."
        }
        guard !leaders.isEmpty else {
            let counts = policies.filter { wins[$0] != nil }.stableSorted { wins[$0] ?? 0 > wins[$1] ?? 0 }
                .prefix(3).map { "\(NameList.name($0)) at \(wins[$0] ?? 0)" }
            return """
                No policy misses least on \(trace) at each of \(capacities) capacities: \
                \(counts.joined(separator: ", ")).
                """
        }
        let others = policies.filter { !leaders.contains($0) }
        let next = others.min { misses(of: $0, rows) < misses(of: $1, rows) } ?? others[0]
        let amount = Measure.range(own(leaders).map(\.missRatio))
        return """
            \(NameList.text(leaders)) \(leaders.count == 1 ? "misses" : "miss") least on \(trace)\(everywhere): \
            \(amount) of the requests. Next, \(misses(own([next]))).
            """
    }

    /// Returns at how many capacities each policy misses least, or as few as the one that does.
    private static func wins(_ rows: [MissRatioRow]) -> [String: Int] {
        var wins: [String: Int] = [:]
        for own in Dictionary(grouping: rows, by: \.capacity).values {
            let least = own.map(\.missRatio).min() ?? 0
            let best = own.filter { Tolerance.standard.ties($0.missRatio, least, .ratio) }
            for row in best { wins[row.policy, default: 0] += 1 }
        }
        return wins
    }

    /// Returns the misses of a policy over all capacities.
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
