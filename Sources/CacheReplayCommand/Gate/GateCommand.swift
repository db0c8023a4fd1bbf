import ArgumentParser
import Basics
import CacheReports
import Foundation
import ReplayEngine
import Runs

/// `cachereplay gate`: replays two sets of caches on this machine until their figures can be told apart.
struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Replay two sets of caches in turn until it is known whether the second one is worse.",
        discussion: """
            A set of caches is a YAML file with the key caches, or a results folder, whose
            caches are replayed again. Caches of one name are compared.

            Both sets are replayed on this machine, in random order, so that a change of its speed meets both. Figures \
            are compared after 5, 8, 12, 18, 27, ... repeats. Pairs of trace and cache whose gated figures are all \
            decided are not repeated again. Before an alarm is raised, the pairs that caused it are replayed anew, and \
            the new repeats alone have to confirm it. In 100 gates of equal sets, at most one raises an alarm. With \
            modelled or instant timing, one repeat decides.

            The output folder, by default Results/gate-<date>, has the results of both sides,
            and the verdict as verdict.html, verdict.md, verdict.json, junit.xml and
            annotations.txt (of GitHub Actions).

            EXAMPLE
              cachereplay gate main.yaml branch.yaml Traces/stress-feed.jsonl \\
                --max-repeats 20

            EXIT CODES
              0   no figure is worse than allowed
              1   a figure is worse than allowed, or over budget
              64  wrong usage
              65  the caches or the traces cannot be read
              70  a cache of your own ended, or did not answer
              74  a replay failed
            """)

    @Argument(help: "The earlier caches: a YAML file, or a results folder.", completion: .file())
    var baseline: String

    @Argument(help: "The new caches: a YAML file, or a results folder.", completion: .file())
    var candidate: String

    @OptionGroup var input: TraceArguments

    @OptionGroup var results: OutputOptions

    @Option(help: "measured, modelled or instant; see `cachereplay help replay`.")
    var timing = ReplayCommand.TimingName.measured

    @OptionGroup var networkOption: NetworkOptionGroup

    @Option(help: "The seed of latencies that the recording does not have, and of the order of the replays.")
    var seed: UInt64 = 1

    @Option(help: "The most repeats of each side, besides those that confirm an alarm.")
    var maxRepeats = 30

    @OptionGroup var limit: TimeLimitOption

    @OptionGroup var options: VerdictOptions

    func validate() throws {
        guard (1...1_000).contains(maxRepeats) else {
            throw ValidationError("--max-repeats is from 1 to 1000, not \(maxRepeats).")
        }
    }

    func run() throws {
        let own = ResultFile.isFolder(candidate) ? [] : try ConfigFile(contentsOf: candidate).budgets
        let limits = try options.budgets.all() + own
        let rules = Comparison.Rules(
            allowances: options.allowances, relevanceThreshold: options.relevanceThreshold)
        let folder = results.output ?? "Results/gate-\(Date().stamp())"
        try VerdictFiles.refuseForeign(in: folder)
        let runner = try GateRunner(
            (try side(baseline), try side(candidate)), folder: folder, force: results.force, seed: seed,
            deadline: limit.timeLimit.map { MonotonicClock.now + $0 * 1_000 },
            report: { text in if !options.quiet { printToStandardError(text) } })
        defer { runner.end() }
        var comparison =
            timing == .measured ? try runner.decide(mostRepeats: maxRepeats, rules) : try runner.compareOnce(rules)
        comparison.warnings += runner.warnings
        try comparison.check(limits, of: try runner.candidateResults)
        try VerdictFiles.write(comparison, to: folder)
        try options.finish(comparison)
    }

    /// Returns the replay of a set of caches.
    private func side(_ path: String) throws -> GateRunner.Side {
        var command = try ReplayCommand.parse(["--"] + input.traces)
        command.timing = timing
        command.networkOption.networks = networkOption.networks
        command.seed = seed
        do { try command.validate() } catch let error as ValidationError {
            throw CommandFailure(.usage, error.message)
        }
        guard ResultFile.isFolder(path) else {
            command.config = path
            return try GateRunner.Side(name: path, command)
        }
        guard let manifest = try ReplayStore.open(path).manifest else {
            throw CommandFailure(.badData, "\(path): has no run.json, which names the caches; name a YAML file.")
        }
        let caches = try manifest.caches.map { cache in
            let texts = Set(cache.specifications.values)
            guard let text = texts.first, texts.count == 1 else {
                throw CommandFailure(
                    .badData,
                    """
                    \(path): the sizes of the cache \(cache.name) depend on the trace, or are not recorded; name the \
                    YAML file with its definition.
                    """)
            }
            return try CacheConfiguration(specification: text, name: cache.name, registry: CacheReplay.policies)
        }
        var side = try GateRunner.Side(name: path, command, caches: caches)
        if timing == .measured, manifest.machine != .current() {
            side.warnings = ["\(path) was made on another machine; its caches are measured anew on this one"]
        }
        return side
    }
}
