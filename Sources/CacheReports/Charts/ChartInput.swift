import Basics
import ReplayEngine
import Runs

/// The results of one trace over one network, for its charts.
struct ChartInput {
    var trace: String
    /// The network, where the trace has results over several ones; otherwise nil.
    var network: String?
    var caches: [Series]
    /// The caches of all traces. They determine the axes, so that the charts of a kind can be compared.
    var all: [Series] = []
    /// The smallest difference that counts.
    var tolerance = Tolerance.standard
    var order = ChartOrder.blank

    var place: String { RepeatedRun.place(trace, network) }

    /// The basis of the figures: network, timing and runs.
    var source: [String] {
        let runs = caches.flatMap(\.runs)
        let networks = runs.map(\.identity.network).unique().filter { $0 != "none" }
        let counts = caches.map(\.runs.count).unique().sorted()
        let number = counts == [1] ? "one run" : "\(counts.map(String.init).joined(separator: " to ")) runs"
        return networks.map { $0 == "shared" ? "one shared link" : BasisWords.network($0) }
            + runs.map(\.identity.timing).unique().map { BasisWords.durations($0) } + ["\(number) each"]
    }

    func findings(judgedBy facts: ReplayFacts?) -> [Finding] {
        ResultSet(caches.flatMap(\.runs), source: "", judgedBy: facts).conclusions
    }

    func has(_ run: RunIdentity) -> Bool { run.trace == trace && (network == nil || run.network == network) }

    /// One cache with its repeats.
    struct Series {
        var name: String
        var runs: [RunResult]

        /// The run whose mean time to image is the median. Curves show this run, because an average of curves would be
        /// a run that was never made.
        var typical: RunResult {
            let sorted = runs.sorted { ($0.delivered(.all)?.mean ?? 0) < ($1.delivered(.all)?.mean ?? 0) }
            return sorted[(sorted.count - 1) / 2]
        }

        /// Returns the median over the repeats that have a figure.
        func median(_ figure: (RunResult) -> Double?) -> Double? {
            let sorted = runs.compactMap(figure).sorted()
            guard !sorted.isEmpty else { return nil }
            let middle = sorted.count / 2
            return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        }

        func median(_ metric: String) -> Double? { median { SummaryColumns[metric]?.value($0).number } }

        var blank: Double? { median("blank_ratio") }
        var blankText: String { blank.map(HumanText.share) ?? "–" }
        var shown: Double? { median("shown_ratio") }

        /// Returns the sum over all repeats, so that the shares of a bar add up to the whole.
        func total(_ count: (RunResult) -> Int) -> Int {
            runs.reduce(0) { $0 + count($1) }
        }
    }

    /// Returns the inputs in the order in which traces and networks first occur. Their caches are in this order too, or
    /// in the order of their names. Every series has at least one run.
    static func byTrace(_ results: [RunResult], _ order: ChartOrder = .blank) -> [ChartInput] {
        let several = results.tracesOverSeveralNetworks { ($0.identity.trace, $0.identity.network) }
        var inputs: [ChartInput] = []
        for result in results {
            let (trace, cache) = (result.identity.trace, result.identity.cache)
            let network = several.contains(trace) ? result.identity.network : nil
            let t = inputs.firstIndex { $0.trace == trace && $0.network == network } ?? inputs.endIndex
            if t == inputs.endIndex { inputs.append(ChartInput(trace: trace, network: network, caches: [])) }
            if let c = inputs[t].caches.firstIndex(where: { $0.name == cache }) {
                inputs[t].caches[c].runs.append(result)
            } else {
                inputs[t].caches.append(Series(name: cache, runs: [result]))
            }
        }
        let all = inputs.flatMap(\.caches)
        for index in inputs.indices {
            inputs[index].caches = order.arranged(inputs[index].caches, by: \.name)
            (inputs[index].all, inputs[index].order) = (all, order)
        }
        return inputs
    }

    /// Caches with the same figures, under one label.
    struct Group {
        /// The places of the caches in ``caches``.
        var members: [Int]
        var label: String
    }

    /// Joins the caches whose figures are equal. Groups are in the order of the tables, by blank time, unless another
    /// order is chosen.
    func groups(equalBy figures: (Series) -> [String]) -> [Group] {
        order.ranked(
            Self.groups(caches.map(\.name), keys: caches.map(figures)),
            by: { group in caches[group.members[0]].name },
            { group in group.members.compactMap { caches[$0].blank }.min() },
            hits: { group in caches[group.members[0]].median("hit_ratio") })
    }

    /// Joins the names whose keys are equal. Groups are in the order of their first members.
    static func groups(_ names: [String], keys: [[String]]) -> [Group] {
        var places: [[String]: Int] = [:]
        var groups: [Group] = []
        for (index, key) in keys.enumerated() {
            if let place = places[key] {
                groups[place].members.append(index)
            } else {
                places[key] = groups.count
                groups.append(Group(members: [index], label: ""))
            }
        }
        for index in groups.indices { groups[index].label = Self.label(groups[index].members.map { names[$0] }) }
        return groups
    }

    /// Returns the label of several caches: `3 caches: a, b, c`.
    static func label(_ names: [String]) -> String {
        names.count == 1 ? names[0] : "\(names.count) caches: \(names.joined(separator: ", "))"
    }
}
