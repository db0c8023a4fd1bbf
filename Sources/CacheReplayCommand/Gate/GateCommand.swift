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

            Without a baseline, only budgets are judged. The baseline is then the word none, or an empty file, as \
            `git show` leaves it for a file that the base commit does not have. A cache under a new name has no \
            baseline either.

            With modelled timing, equal inputs give equal figures, and one repeat decides. With --timing measured, \
            both sides are replayed in random order, so that a change of the machine's speed meets both. Figures are \
            compared after 5, 8, 12, 18, 27, ... repeats. Pairs of trace and cache whose gated figures are all \
            decided are not repeated again. Before an alarm is raised, the pairs that caused it are replayed anew, and \
            the new repeats alone have to confirm it. In 100 gates of equal sets, at most one raises an alarm.

            The candidate's file can have the keys budgets (limits), allow (amounts by which figures may get worse, as \
            --allow takes them), and accept (changes that are accepted, each with figure, cache, session, new value \
            and reason). The verdict ends with the entries that would accept what fails. It names outdated entries, \
            which accept nothing. Undecided figures are not accepted, because their values differ from repeat to \
            repeat: more repeats or a greater amount of allow decide them.

            The output folder, by default Results/gate-<date>, has the results of both sides,
            and the verdict as verdict.html, verdict.md, verdict.json, junit.xml and
            annotations.txt (of GitHub Actions), and accept.yaml with the entries that would
            accept what fails.

            EXAMPLE
              git show HEAD^1:caches.yaml > main.yaml
              cachereplay gate main.yaml caches.yaml Traces/stress-feed.jsonl

            EXIT CODES
              0   no figure is worse than allowed
              1   a figure is worse than allowed and not accepted, or over budget
              64  wrong usage
              65  the caches or the traces cannot be read
              70  a cache of your own ended, or did not answer
              74  a replay failed
            """)

    @Argument(help: "The earlier caches: a YAML file, a results folder, or none.", completion: .file())
    var baseline: String

    @Argument(help: "The new caches: a YAML file, or a results folder.", completion: .file())
    var candidate: String

    @OptionGroup var input: TraceArguments

    @OptionGroup var results: OutputOptions

    @Option(help: "measured, modelled or instant; see `cachereplay help replay`.")
    var timing = ReplayCommand.TimingName.modelled

    @OptionGroup var networkOption: NetworkOptionGroup

    @Option(help: "The seed of latencies that the recording does not have, and of the order of the replays.")
    var seed: UInt64 = 1

    @Option(help: "The most repeats of each side with measured timing, besides those that confirm an alarm.")
    var maxRepeats = 30

    @Option(help: ArgumentHelp("The commit of the earlier caches, which the verdict names.", valueName: "commit"))
    var baseCommit: String?

    @Option(
        name: .customLong("report-url"),
        help: ArgumentHelp(
            "The address of the report, or of the run that keeps it, to which the verdict links.", valueName: "url"),
        transform: { text in
            guard let address = ReportAddress(text) else {
                throw ValidationError(
                    "expected an address such as https://example.com/runs/1, without brackets and quotes")
            }
            return address
        })
    var reportURL: ReportAddress?

    @OptionGroup var limit: TimeLimitOption

    @OptionGroup var options: VerdictOptions

    func validate() throws {
        guard (1...1_000).contains(maxRepeats) else {
            throw ValidationError("--max-repeats is from 1 to 1000, not \(maxRepeats).")
        }
    }

    func run() throws {
        let config = ResultFile.isFolder(candidate) ? nil : try ConfigFile(contentsOf: candidate)
        let (limits, _) = try options.budgets.all(with: config.map { (candidate, $0) }, compares: true)
        // The last allowance of a metric counts: the command line overrides the file.
        let allowances = limits.allowances + options.allowances
        try options.checkStrictness(limits.budgets, allowances)
        let place = "in a gate, which repeats as often as needed"
        if !options.quiet, let remark = config?.remark(on: ["repeat"], place, candidate) {
            printToStandardError(remark)
        }
        let rules = Comparison.Rules(
            allowances: allowances, relevanceThreshold: options.relevanceThreshold,
            strictness: options.strictness ?? .practical, acceptsFirstRun: true)
        let folder = results.output ?? "Results/gate-\(Date().stamp())"
        try VerdictFiles.refuseForeign(in: folder)
        let earlier = hasNoBaseline ? nil : try side(baseline)
        let runner = try GateRunner(
            (earlier, try side(candidate)), folder: folder, force: results.force, seed: seed,
            deadline: limit.timeLimit.map { MonotonicClock.now + $0 * 1_000 },
            report: { text in if !options.quiet { printToStandardError(text) } })
        defer { runner.end() }
        var comparison = try compared(runner, rules, isFirst: earlier == nil)
        comparison.warnings += runner.warnings
        let replayed = try runner.candidateResults
        try comparison.check(limits.budgets, of: replayed)
        comparison.context = try context(config, replayed)
        comparison.undecidedFails = options.undecided == .fail
        comparison.accept(limits.acceptances, within: options.relevanceThreshold)
        try VerdictFiles.write(comparison, to: folder)
        try options.finish(comparison)
    }

    private func compared(_ runner: GateRunner, _ rules: Comparison.Rules, isFirst: Bool) throws -> Comparison {
        let isMeasured = timing == .measured
        if isFirst { return try runner.replayCandidate(repeats: isMeasured ? min(5, maxRepeats) : 1) }
        return isMeasured ? try runner.decide(mostRepeats: maxRepeats, rules) : try runner.compareOnce(rules)
    }

    /// Whether there are no earlier caches: the word `none`, or an empty file.
    private var hasNoBaseline: Bool {
        if baseline == "none" { return !ResultFile.exists(baseline) }
        return isFile(baseline) && (size(baseline) ?? 1) == 0
    }

    /// Whether a path names a regular file, which can be read twice.
    private func isFile(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    /// Returns the size of a file in bytes; nil for a path without a file.
    private func size(_ path: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int
    }

    /// Returns the facts that the verdict states besides the figures.
    private func context(_ config: ConfigFile?, _ results: ResultSet) throws -> VerdictContext {
        var context = VerdictContext()
        context.sessions = results.sessionTexts
        context.base = baseCommit
        context.report = reportURL
        guard let config else { return context }
        context.file = candidate
        context.lines = config.cacheLines
        // A pipe cannot be read twice.
        guard !hasNoBaseline, isFile(baseline) else { return context }
        let before = try ConfigFile(contentsOf: baseline).textsByName
        let after = config.textsByName
        let names = (after.map { $0.name } + before.map { $0.name }).unique()
        context.caches = names.map { name in
            VerdictContext.CacheText(
                name: name, baseline: before.first { $0.name == name }?.text,
                candidate: after.first { $0.name == name }?.text)
        }
        return context
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
