import ArgumentParser
import CacheReports
import Foundation
import ReplayEngine
import Runs

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replay traces through caches, and write CSVs and charts.",
        discussion: """
            A cache is one of these:
              a preset, such as kingfisher-8 (see `cachereplay list caches`)
              a policy of the memory tier, such as "lru(20MB)"
              tiers and rules: "memory: POLICY; disk: POLICY; RULE: VALUE"
              a preset with another limit: "nuke-13; memory: 64MB"
              a name in a YAML file (--config)
              a program of your own: own=./my-cache, with --timing modelled or instant
            `cachereplay list policies` lists the policies, `cachereplay list rules` the rules.
            Without --output, results are written to Results/<trace>-<date>.

            Example:
              cachereplay replay Traces/photo-feed.jsonl \\
                --cache "memory: lru(20MB); disk: ttl(lru(200MB), lifetime: 7d)" \\
                --cache "fifo(20MB)"
              cachereplay replay Traces/stress-feed.jsonl --timing modelled \\
                --cache kingfisher-8 --cache nuke-13 --sweep memory=16MB..512MB
            """)

    enum TimingName: String, ExpressibleByArgument, CaseIterable {
        case measured, modelled, instant

        func timing(_ costs: CostModel) -> ReplayJob.Timing {
            switch self {
            case .measured: .measured
            case .modelled: .modelled(costs)
            case .instant: .modelled(.instant)
            }
        }
    }

    enum ClockName: String, ExpressibleByArgument, CaseIterable {
        case virtual, wall
    }

    enum Isolation: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }

    @OptionGroup var input: TraceOptions

    @Option(
        help: ArgumentHelp(
            "A cache to replay through; repeat for each. With NAME=, its name in the results.",
            valueName: "[name=]spec"))
    var cache: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Replay each cache with several values of a parameter: memory or disk for the limit of that tier, \
            thumbnails for their share of a split memory (25%), lifetime for each ttl, policy for the policy in \
            memory (sieve), network for those of --network, or a rule. A..B stands for A, its doubles, and B; \
            between whole numbers, for each. unlimited: no limit. Repeat for combinations.
            """,
            valueName: "parameter=values"))
    var sweep: [String] = []

    @Option(help: "A YAML file with traces and caches.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @OptionGroup var results: ResumableOutputOptions

    @Option(
        help: """
            virtual: time advances from event to event. wall: real time, with threads and injected latency.
            """)
    var clock = ClockName.virtual

    @Option(help: "With --clock wall: the seconds of the trace that pass in a second.")
    var speed = 1.0

    @Flag(
        help: """
            With --clock wall: fail with exit code 75 if more than 1 percent of the events of a run were handled more \
            than 16 ms late.
            """)
    var strictClock = false

    @Option(
        help: """
            measured: operations on real tiers are measured. modelled: a cost model gives every duration. instant: \
            nothing takes time.
            """)
    var timing = TimingName.measured

    @Option(
        help: ArgumentHelp(
            """
            With --timing modelled: a YAML file with the durations of operations, as `cachereplay calibrate` writes \
            it. \
            Constants that it does not name have their standard values.
            """,
            valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var costs: String?

    @OptionGroup var injection: InjectionOptions

    @OptionGroup var networkOption: NetworkOptionGroup

    @Option(help: "The number of runs of each trace with each cache.")
    var `repeat`: Int?

    @Option(
        help: ArgumentHelp(
            """
            Fetch the bodies that `record proxy --keep-bodies` kept in this folder. Other bodies are generated.
            """,
            valueName: "folder"))
    var bodies: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Deliver an image when its bitmap is ready. With measured timing, kept bodies (--bodies) are decoded, and \
            generated images of the recorded size and format in place of the others. By default on, except with \
            instant timing and on a wall clock without --bodies.
            """)
    var decode: Bool?

    @Option(help: "The seed of latencies that the recording does not have.")
    var seed: UInt64 = 1

    @OptionGroup var jobsOption: JobsOption

    @Option(
        help: """
            Whether each run has a process of its own. auto: measured runs, whose memory is measured, and runs with \
            plugins have one; other runs are made by threads of one process, with the same results.
            """)
    var isolate = Isolation.auto

    @Option(
        help: ArgumentHelp(
            """
            none, or the number of seconds for each row of timeline.csv. auto: 1 for up to 50 runs, or 500 measured \
            ones; of more runs, only the report has timelines, of the caches that the conclusions name.
            """,
            valueName: "auto|none|seconds"))
    var timeline: String = "auto"

    @Option(
        help: ArgumentHelp(
            """
            Take the user of each session from the name of its trace, by a regular expression whose first group is the \
            user, such as '^([^-]+)-'. By default, the header of the trace states the user.
            """,
            valueName: "pattern"))
    var userFrom: String?

    @Option(help: "Write one row per request to requests.csv or requests.json.")
    var requests: RequestsFormat?

    @Flag(
        help: """
            Write the course of each run, and that of all caches of a trace together, to events/ as Chrome traces, \
            which Perfetto, chrome://tracing and speedscope open. Needs --timing modelled or instant.
            """)
    var events = false

    @OptionGroup var csv: CSVOutputOptions

    @OptionGroup var display: ResultDisplayOptions

    @Option(
        help: ArgumentHelp(
            """
            Make one of N parts of the replay, on one of several machines: 1/N to N/N. `cachereplay merge` joins the \
            results.
            """,
            valueName: "i/n"))
    var shard: Shard?

    @OptionGroup var nscache: NSCacheOption

    @OptionGroup var appRules: AppRulesOption

    @OptionGroup var budgets: BudgetOptions

    @OptionGroup var plugins: PluginOptions

    func validate() throws {
        if let `repeat`, `repeat` < 1 { throw ValidationError("--repeat is at least 1.") }
        if clock == .wall, timing != .measured {
            throw ValidationError("--clock wall is always measured; leave --timing out.")
        }
        try check(networkOption.networks)
        if clock == .virtual, speed != 1 { throw ValidationError("--speed needs --clock wall: virtual time jumps.") }
        if strictClock, clock == .virtual {
            throw ValidationError("--strict-clock needs --clock wall: the virtual clock never lags.")
        }
        guard (0.001...1_000).contains(speed) else { throw ValidationError("--speed is from 0.001 to 1000.") }
        if bodies != nil, timing != .measured {
            throw ValidationError("--bodies needs --timing measured: a model fetches no bytes.")
        }
        if costs != nil, timing != .modelled {
            throw ValidationError(
                """
                --costs needs --timing modelled: with --timing \(timing.rawValue), \
                \(timing == .measured ? "durations are measured" : "nothing takes time").
                """)
        }
        if decode == true, clock == .wall, bodies == nil {
            throw ValidationError("--decode on a wall clock needs images: name a folder of kept bodies with --bodies.")
        }
        if isolate == .never, timing == .measured {
            throw ValidationError(
                "--isolate never needs --timing modelled or instant: measured memory needs a process for each run.")
        }
        if events, timing == .measured {
            throw ValidationError("--events needs --timing modelled or instant: a measured run cannot be repeated.")
        }
        if events, isolate == .always || !plugins.paths.isEmpty {
            throw ValidationError("--events needs runs in this process: leave --isolate always and --plugin out.")
        }
        if isolate == .never, !plugins.paths.isEmpty {
            throw ValidationError(
                "--isolate never cannot be used with --plugin: a plugin that fails would end the whole replay.")
        }
        guard timeline == "auto" || timeline == "none" || Int(timeline).map({ (1...86_400).contains($0) }) == true
        else {
            throw ValidationError(
                "--timeline is auto, none, or a number of seconds from 1 to 86400, not '\(timeline)'.")
        }
    }

    func run() throws {
        let start = Date()
        let program = ProgramFingerprint()
        defer { program.end() }
        let plugins = try plugins.load()
        let limits = try budgets.all() + (config.map { try ConfigFile(contentsOf: $0).budgets } ?? [])
        let (plan, costs) = try makePlan()
        defer { plan.removeCompiledTraces() }
        let path = results.output ?? Self.defaultFolder(of: plan.files, start)
        var facts = try manifest(plan, costs, plugins, program: program.sha256, start)
        facts.limits = limits
        let folder = try ReplayStore.begin(at: path, facts, resume: results.resume, replaces: results.force)
        if !display.quiet { printRepeated(folder.repeated, noun: "run") }
        let progress = ProgressBar(total: plan.count, unit: "runs", quiet: display.quiet)
        let runner = ReplayRunner(
            plan, into: folder, isIsolated: isIsolated, plugins: self.plugins.paths, progress: progress)
        runner.run(jobs: timing == .measured ? jobsOption.jobs ?? 1 : jobsOption.threads)
        progress.finish()
        let isComplete = try !runner.interrupted && keepDetails(folder, plan)
        if isComplete { try keepThumbnails(folder, plan) }
        guard isComplete else {
            try folder.orderRows()
            report(
                """
                Interrupted: \(folder.count) of at least \(plan.count) runs are finished, and are in \(path). \
                `--resume --output \(path)` makes the others.
                """
            )
            throw ExitCode(EndSignals.status)
        }
        plan.removeCompiledTraces()
        // Failures come before the charts, whose own failure would hide them.
        for failure in runner.failures + runner.endedCaches { report("cachereplay: \(failure)") }
        try complete(folder, plan, runner)
        if let requests {
            let (file, missing) = try folder.finishRequests(as: requests)
            if missing > 0 {
                report(
                    "\(file) lacks \(missing) runs, which an earlier replay made without it. Replay without --resume.")
            }
        }
        if events {
            let missing = try folder.finishEvents(ChromeTrace.join)
            if missing > 0 {
                report(
                    "events/ lacks \(missing) runs, which an earlier replay made without it. Replay without --resume.")
            }
        }
        if folder.count > 0 { try display.show(folder, requests: requests.map { "requests.\($0.rawValue)" }) }
        if let first = runner.failures.first ?? runner.endedCaches.first { throw ExitCode(first.status.rawValue) }
        if strictClock { try checkClock(folder) }
        try check(limits, folder)
    }

    /// Prints the figures that exceed their limits, and fails if there are any.
    private func check(_ limits: [FigureBudget], _ folder: ReplayStore) throws {
        guard !limits.isEmpty else { return }
        let comparison = try Comparison(budgets: limits, of: try ResultSet(folder))
        if display.quiet {
            comparison.failureLines().forEach(report)
        } else {
            report(comparison.rendered(as: .table).trimmingCharacters(in: .newlines))
        }
        if comparison.hasWorsened { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    /// Keeps the timelines that the report shows, if the runs have none because they are many.
    ///
    /// - Returns: false if the command was interrupted.
    private func keepDetails(_ folder: ReplayStore, _ plan: ReplayPlan) throws -> Bool {
        // A measured run cannot be repeated, and a plugin or a program has no place in this process.
        guard timeline == "auto", plan.settings.timeline == .none, !isIsolated, display.charts, folder.count > 0 else {
            return true
        }
        let details = ReplayDetails(plan, try folder.runsInDetail)
        let results = details.run(threads: jobsOption.threads)
        guard !details.interrupted else { return false }
        try folder.keepDetails(results)
        return true
    }

    /// Keeps small pictures of the kept bodies, which the phones of the report show.
    private func keepThumbnails(_ folder: ReplayStore, _ plan: ReplayPlan) throws {
        guard let bodies = plan.kept, display.charts, folder.count > 0 else { return try folder.keepThumbnails([]) }
        var pictures = KeptPictures(bodies, bytes: ReplayStore.mostThumbnailBytes)
        var sessions: [SessionThumbnails] = []
        for index in plan.files.indices {
            // A trace that cannot be read was reported when its runs were made.
            guard let trace = try? plan.read(index, isCompiled: false).prepared?.trace else { continue }
            sessions.append(try pictures.of(trace, name: plan.files[index].name))
        }
        try folder.keepThumbnails(sessions)
    }

    private var isIsolated: Bool {
        switch isolate {
        case .always: true
        case .never: false
        case .auto: timing == .measured || !plugins.paths.isEmpty
        }
    }

    /// Writes what is known at the end, and reports the traces that were skipped.
    private func complete(_ folder: ReplayStore, _ plan: ReplayPlan, _ runner: ReplayRunner) throws {
        let (sources, skipped) = (runner.sources, runner.skipped)
        if plan.entries.isEmpty {
            let names = plan.files.map(\.name)
            let places = Dictionary(uniqueKeysWithValues: zip(names, plan.part?.places ?? []))
            let known = Dictionary(uniqueKeysWithValues: sources.map { (names[$0.key], $0.value) })
            folder.describe { manifest in
                manifest.traces = manifest.traces.map { known[$0.name] ?? $0 }
                for index in manifest.traces.indices {
                    guard let place = places[manifest.traces[index].name] else { continue }
                    manifest.traces[index].position = place
                }
                manifest.skipped = skipped.isEmpty ? nil : skipped
            }
        }
        let (runs, failed) = (folder.count, runner.failures.count)
        folder.describe { manifest in
            manifest.runs = runs
            manifest.failed = failed
        }
        try folder.finish(at: Date())
        // Other shards, and an earlier command, can have traces that are not broken.
        try TraceSources.report(
            skipped, of: plan.files.count, list: "run.json", hasOthers: folder.count > 0 || plan.part != nil)
    }

    /// Fails if a run could not keep up with the wall clock.
    private func checkClock(_ folder: ReplayStore) throws {
        let late = try folder.results.filter { $0.machine?.lag?.isExcessive == true }
        guard !late.isEmpty else { return }
        let names = late.prefix(3).map { "\($0.identity.cache) on \($0.identity.trace)" }.joined(separator: ", ")
        report(
            """
            cachereplay: \(late.count) of \(folder.count) runs could not keep up with the wall clock \
            (\(names)\(late.count > 3 ? " …" : "")), so --strict-clock fails. Use a lower --speed or fewer --jobs.
            """)
        throw ExitCode(ExitStatus.clockLagged.rawValue)
    }

    private func report(_ text: String) { printToStandardError(text) }
}

extension RequestsFormat: ExpressibleByArgument {}
