import Basics
import ReplayEngine
import Runs
import Statistics

/// The repeats of one trace over one network through one cache: the unit of the table and of the comparison.
struct RunGroup: Sendable {
    typealias Key = RepeatedRun

    var key: Key
    var runs: [ResultSet.Run]

    /// Returns the median over the repeats that have a figure. Of an even number, it is the mean of the middle two.
    func median(_ metric: String) -> Double? {
        let values = values(metric)
        return values.isEmpty ? nil : Median.ofSorted(values.sorted())
    }

    /// Returns the figures of the repeats that have one.
    func values(_ metric: String) -> [Double] { runs.compactMap { $0.metrics[metric] } }

    /// The events that were injected into the trace; nil for none.
    var injected: String? {
        let texts = settings("injected").filter { !$0.isEmpty }.map(VisibleText.printable)
        return texts.isEmpty ? nil : texts.sorted().joined(separator: "/")
    }

    /// The seed of the first repeat.
    var firstSeed: String? { runs.min { $0.repetition < $1.repetition }?.settings["seed"] }

    /// Whether the figures of every run are a function of the input alone: with `modelled` and `instant` timing, with
    /// or without `+decode`, and in simulations.
    var isExact: Bool {
        runs.allSatisfy { run in
            ["modelled", "instant", "simulated"].contains { run.settings["timing"]?.hasPrefix($0) == true }
        }
    }

    func settings(_ name: String) -> Set<String> { Set(runs.compactMap { $0.settings[name] }) }
}
