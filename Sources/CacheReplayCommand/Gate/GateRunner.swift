import ArgumentParser
import Basics
import CacheReports
import Foundation
import ReplayEngine
import Runs

/// Replays two sets of caches in turn, in random order, as long as their figures are not decided.
final class GateRunner {
    /// One set of caches on all traces.
    struct Side {
        let name: String
        let plan: ReplayPlan
        let manifest: Manifest<ReplayFacts>
        var warnings: [String] = []

        /// - Parameter caches: The caches besides those that the command names.
        init(name: String, _ command: ReplayCommand, caches: [CacheConfiguration] = []) throws {
            self.name = name
            let (plan, costs) = try command.makePlan(adding: caches)
            self.plan = plan
            manifest = try command.manifest(
                plan, costs, LoadedPlugins(paths: []), program: Fingerprint.ofProgram(), Date())
        }
    }

    /// One trace through one cache of a side, over each network.
    private struct Step {
        var side: Int
        var trace: Int
        var cache: Int
    }

    private let sides: [Side]
    private let path: String
    private let force: Bool
    private var folders: [ReplayStore]
    private var random: SplitMix64
    /// In nanoseconds of the monotonic clock; nil for none.
    private let deadline: Int64?
    private let report: (String) -> Void
    /// The sums of the machine's load at the start of each run, by side, and their number.
    private var loads = [(sum: Double, count: Double)](repeating: (0, 0), count: 2)

    /// - Parameter sides: The baseline is nil in a first run, which replays the candidate alone.
    init(
        _ sides: (baseline: Side?, candidate: Side), folder: String, force: Bool, seed: UInt64, deadline: Int64?,
        report: @escaping (String) -> Void
    ) throws {
        self.sides = [sides.baseline, sides.candidate].compactMap { $0 }
        (path, self.force, self.deadline, self.report) = (folder, force, deadline, report)
        random = SplitMix64(seed: seed)
        try Self.removeOthers(in: folder, isFirst: sides.baseline == nil, force)
        folders = try Self.folders(folder, self.sides, force)
    }

    private static func folders(_ path: String, _ sides: [Side], _ force: Bool) throws -> [ReplayStore] {
        try zip(sides, VerdictFiles.sides.suffix(sides.count)).map { side, name in
            let folder = "\(path)/\(name)"
            if !force, ReplayStore.holdsResults(folder) {
                throw ResultsError.existingResults(in: folder, resumes: false)
            }
            return try ReplayStore.begin(at: folder, side.manifest, resume: false, replaces: force)
        }
    }

    /// Removes the results of an earlier gate that this gate does not replace: the baseline's results in a first run,
    /// and the repeats that confirmed alarms.
    private static func removeOthers(in path: String, isFirst: Bool, _ force: Bool) throws {
        var others = VerdictFiles.sides.map { "\(path)/confirmation/\($0)" }
        if isFirst { others.append("\(path)/\(VerdictFiles.sides[0])") }
        for folder in others where ReplayStore.holdsResults(folder) {
            guard force else { throw ResultsError.existingResults(in: folder, resumes: false) }
            try ReplayStore.remove(at: folder)
        }
    }

    func end() { for side in sides { side.plan.removeCompiledTraces() } }

    var candidateResults: ResultSet { get throws { try ResultSet(folders[folders.count - 1]) } }

    /// Reasons to doubt the figures: differences between the sides other than their caches.
    var warnings: [String] {
        var warnings = sides.flatMap(\.warnings)
        let isMeasured = sides[0].plan.settings.timing == .measured
        guard isMeasured, loads.allSatisfy({ $0.count > 0 }) else { return warnings }
        let means = loads.map { $0.sum / $0.count }
        let processors = Double(ProcessInfo.processInfo.activeProcessorCount)
        if abs(means[0] - means[1]) > processors / 4 {
            warnings.append(
                """
                the load of this machine was \(means[0].fixed(2)) for the baseline, and \(means[1].fixed(2)) for the \
                candidate
                """
            )
        } else if means.reduce(0, +) / 2 > processors {
            warnings.append("this machine had a load of \(means[0].fixed(2)) on \(Int(processors)) processors")
        }
        return warnings
    }

    /// Replays the candidate of a first run, which has no baseline.
    ///
    /// - Throws: The error of a replay.
    func replayCandidate(repeats: Int) throws -> Comparison {
        for repetition in 1...repeats where repetition == 1 || !isLate { try makeRepeat(repetition, of: allSteps) }
        try finish(folders)
        return Comparison(firstRun: try candidateResults)
    }

    /// Compares one repeat of each side, for timings in which equal inputs give equal figures.
    func compareOnce(_ rules: Comparison.Rules) throws -> Comparison {
        try makeRepeat(1, of: allSteps)
        try finish(folders)
        return try Comparison(
            baseline: try ResultSet(folders[0]), candidate: try ResultSet(folders[1]), rules: rules)
    }

    /// Repeats both sides until every gated figure is decided, and confirms alarms.
    func decide(mostRepeats: Int, _ rules: Comparison.Rules) throws -> Comparison {
        let gate = SequentialGate(mostRepeats: mostRepeats)
        var steps = allSteps
        var repetition = 0
        var comparison: Comparison?
        for look in gate.looks {
            while repetition < look, repetition == 0 || !isLate {
                repetition += 1
                try makeRepeat(repetition, of: steps)
            }
            let now = try gate.look(
                baseline: try ResultSet(folders[0]), candidate: try ResultSet(folders[1]), rules: rules)
            comparison = now
            let open = SequentialGate.open(now)
            report(
                """
                \(repetition) repeats: \(now.judgements.count { $0.verdict == .worse }) alarms, \(now.undecided.count) \
                undecided.
                """)
            if open.isEmpty || isLate { break }
            steps = allSteps.filter { isPart($0, of: open) }
        }
        try finish(folders)
        guard let comparison else { throw CommandFailure(.usage, "--max-repeats is at least 1.") }
        return try confirmed(comparison, repeats: repetition, rules)
    }

    /// Repeats the pairs with alarms, and keeps the alarms that the new repeats confirm.
    private func confirmed(_ comparison: Comparison, repeats: Int, _ rules: Comparison.Rules) throws -> Comparison {
        let alarmed = SequentialGate.alarmed(comparison)
        guard !alarmed.isEmpty else { return comparison }
        guard !isLate else {
            return SequentialGate.unconfirmed(comparison, reason: "the time limit left no time to confirm it")
        }
        report("Confirming the alarms with \(repeats) new repeats.")
        let first = folders
        defer { folders = first }
        folders = try Self.folders("\(path)/confirmation", sides, force)
        let steps = allSteps.filter { isPart($0, of: alarmed) }
        for repetition in 1...repeats where !isLate {
            try makeRepeat(Self.firstConfirmation + repetition, of: steps)
        }
        try finish(folders)
        return try SequentialGate.confirm(
            comparison, baseline: try ResultSet(folders[0]), candidate: try ResultSet(folders[1]), rules: rules)
    }

    private var isLate: Bool { deadline.map { MonotonicClock.now >= $0 } ?? false }

    private var allSteps: [Step] {
        sides.indices.flatMap { side in
            sides[side].plan.files.indices.flatMap { trace in
                sides[side].plan.caches.indices.map { Step(side: side, trace: trace, cache: $0) }
            }
        }
    }

    /// Returns whether a step's runs are among pairs. Runs with another model of NSCache have a longer name.
    private func isPart(_ step: Step, of pairs: [Comparison.Pair]) -> Bool {
        let plan = sides[step.side].plan
        let (trace, cache) = (plan.files[step.trace].name, plan.caches[step.cache].name)
        return pairs.contains { $0.trace == trace && $0.cache.hasPrefix(cache) }
    }

    /// The repeats that confirm alarms have numbers of their own, and so other seeds.
    private static let firstConfirmation = 1_000

    /// Makes one repeat of each step, in random order.
    private func makeRepeat(_ repetition: Int, of steps: [Step]) throws {
        for step in steps.shuffled(using: &random) {
            var load = 0.0
            if getloadavg(&load, 1) == 1 {
                loads[step.side].sum += load
                loads[step.side].count += 1
            }
            let plan = sides[step.side].plan.single(
                trace: step.trace, cache: step.cache, repetition: repetition)
            let runner = ReplayRunner(
                plan, into: folders[step.side], isIsolated: plan.settings.timing == .measured, plugins: [],
                progress: ProgressBar(total: 1, unit: "runs", quiet: true))
            runner.run(jobs: 1)
            if runner.interrupted {
                report("Interrupted. The finished runs are in \(path).")
                throw ExitCode(EndSignals.status)
            }
            if let failure = runner.failures.first ?? runner.endedCaches.first { throw failure }
        }
    }

    private func finish(_ folders: [ReplayStore]) throws {
        for folder in folders { try folder.finish(at: Date()) }
    }
}
