import ArgumentParser
import Basics
import CacheReports
import Foundation
import ImageLibraries
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
            Fetch the bodies that the addon for mitmproxy kept in this folder. Other bodies are generated.
            """,
            valueName: "folder"))
    var bodies: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Deliver an image when its bitmap is ready. With measured timing, kept bodies (--bodies) are decoded, and \
            generated images of the recorded size and format in place of the others; a disk that encodes images \
            again does so. By default on, except with instant timing.
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
        try check(networkOption.networks)
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
        let (allLimits, remarks) = try budgets.all(
            with: config.map { ($0, try ConfigFile(contentsOf: $0)) }, compares: false)
        let limits = allLimits.budgets
        if !display.quiet { remarks.forEach(report) }
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

    /// Writes the facts that are known at the end, and reports the traces that were skipped.
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

    private func report(_ text: String) { printToStandardError(text) }
}

extension RequestsFormat: ExpressibleByArgument {}

/// The plan of the options of `replay`, and its facts in `run.json`.
extension ReplayCommand {
    func makePlan(adding others: [CacheConfiguration] = []) throws -> (ReplayPlan, ReplayFacts.CostsSource?) {
        let file = try config.map { try ConfigFile(contentsOf: $0) }
        let (sweeps, networks) = try sweepsAndNetworks()
        let written = try (file?.caches ?? []) + cache.map { try Self.cache($0) } + others
        let unswept = written.isEmpty ? [] : try appRules.applied(to: nscache.applied(to: written))
        let caches = try SweepOption.caches(unswept, sweeping: sweeps, registry: CacheReplay.policies)
        guard !input.traces.isEmpty || file?.traces.isEmpty == false else {
            throw CommandFailure(
                .usage,
                "Which trace? Name one or more, such as Traces/photo-feed.jsonl, or list them in --config under traces."
            )
        }
        guard !caches.isEmpty else {
            throw CommandFailure(
                .usage,
                """
                Which cache? Give --cache "memory: lru(20MB); disk: lru(200MB)", or list them in --config under caches.
                """
            )
        }
        try checkTiming(of: caches)
        // Also of shards: merge cannot tell traces of one name apart.
        let sources = try input.sources(adding: file?.traces ?? [])
        try display.check(sources)
        var settings = ReplayPlan.Settings()
        settings.repeats = self.repeat ?? file?.repeats ?? 1
        guard settings.repeats <= 10_000 else {
            throw CommandFailure(.usage, "--repeat is at most 10000, not \(settings.repeats).")
        }
        let (timing, costsPath) = try timing(file)
        settings.seed = seed
        settings.timing = timing
        settings.costsFile = costsPath.map { URL(fileURLWithPath: $0).lastPathComponent }
        settings.networks = try choices(networks)
        settings.bodies = bodies
        settings.decode = decodes
        settings.users = try userFrom.map { try UserPattern($0) }
        settings.injected = try injection.events(adding: file?.injected)
        settings.timeline = timelineRows(of: sources.files.count * caches.count * settings.runs)
        settings.requests = requests
        settings.writesEvents = events
        var part: (places: [Int], source: ShardSource)?
        if let shard {
            let sizes = sources.files.map(\.size)
            let text = try planText(settings, caches)
            part = (shard.places(sizes: sizes), .init(shard, of: sources.files, sizes: sizes, settings: text))
        }
        let plan = try ReplayPlan(
            sources, part: part, caches: caches, settings: settings, isStrict: input.strict,
            threads: jobsOption.threads)
        return (plan, timing.ownCosts.map { .init(path: costsPath, $0) })
    }

    /// Checks that the timing can have the rules that each cache states.
    private func checkTiming(of caches: [CacheConfiguration]) throws {
        guard timing == .measured else { return }
        if let own = caches.first(where: { $0.own != nil }) {
            throw CommandFailure(
                .usage, "cache '\(own.name)': a cache of your own (own=PROGRAM) needs --timing modelled or instant.")
        }
        guard let rule = Rule.named("memorySizes") else { return }
        if let sized = caches.first(where: { $0.memoryRules.sizes != .one && $0.states(rule) }) {
            throw CommandFailure(
                .usage,
                """
                cache '\(sized.name)': memorySizes: \(sized.memoryRules.sizes.rawValue) needs --timing modelled or \
                instant: measured timing decodes whole images.
                """)
        }
    }

    /// Returns a text that differs between replays whose results cannot be joined.
    private func planText(_ settings: ReplayPlan.Settings, _ caches: [CacheConfiguration]) throws -> String {
        let caches = try JSONWriter.encoding(caches, .line).text
        return """
            \(settings.repeats) \(settings.seed) \(timing.rawValue) \
            \(settings.networks.map(\.name).joined(separator: ",")) \
            \(decodes) \(settings.timeline) \(csv.csvSafe) \(userFrom ?? "-")
            \(caches)\(settings.injected.text.map { "\n\($0)" } ?? "")
            """
    }

    private func timelineRows(of runs: Int) -> ReplayJob.Timeline {
        switch timeline {
        case "auto":
            runs > (timing == .measured ? Self.mostMeasuredTimelines : Self.mostTimelines) ? .none : .everySecond
        case "none": .none
        default: .every(seconds: Int(timeline) ?? 1)
        }
    }

    /// The most runs for which `--timeline auto` keeps timelines.
    private static let mostTimelines = 50
    /// The most measured runs for which `--timeline auto` keeps timelines. Measured runs take more time than a
    /// timeline, and cannot be made again for the report.
    private static let mostMeasuredTimelines = 500

    /// Reads `SPEC` or `NAME=SPEC`. The name ends at the first `=`, which no specification contains.
    static func cache(_ text: String) throws -> CacheConfiguration {
        let option = CacheOption(text)
        guard option.name?.isEmpty != true else {
            throw CommandFailure(.usage, "--cache \(text): the name before '=' is empty; write NAME=SPEC.")
        }
        return try option.configuration(registry: CacheReplay.policies)
    }

    /// Returns the timing, and the file that its costs come from: the file of `--costs` or of `--config`.
    private func timing(_ file: ConfigFile?) throws -> (ReplayJob.Timing, costs: String?) {
        if let costs { return (timing.timing(try CostsFile(contentsOf: costs).costs), costs) }
        guard let config, let costs = file?.costs else { return (timing.timing(.standard), nil) }
        guard timing == .modelled else {
            throw CommandFailure(
                .usage,
                "\(config): 'costs:' needs --timing modelled, not \(timing.rawValue); add it, or remove the key.")
        }
        return (timing.timing(costs), config)
    }

    private var decodes: Bool { decode ?? (timing != .instant) }

    /// Whether nothing has to be estimated or read: instant timing uses no network.
    private var usesNoLink: Bool { timing == .instant }

    /// - Throws: ``CommandFailure`` for networks that can be the same, and for a file that describes none.
    private func choices(_ networks: [NetworkName]) throws -> [ReplayPlan.NetworkChoice] {
        let choices = try NetworkName.choices(networks)
        return usesNoLink ? [.recorded] : choices
    }

    /// Returns the sweeps of caches, and the networks, of `--network` or of `--sweep network=…`.
    /// - Throws: ``CommandFailure`` for a wrong sweep, and for networks that this replay cannot have.
    private func sweepsAndNetworks() throws -> ([SweepOption], [NetworkName]) {
        let all = try sweep.map { try SweepOption($0) }
        let ofNetworks = all.filter { $0.parameter == SweepOption.network }
        guard !ofNetworks.isEmpty else { return (all, networkOption.networks) }
        guard networkOption.networks == [.auto] else {
            throw CommandFailure(.usage, "--sweep network and --network exclude each other; name all networks in one.")
        }
        let networks = try ofNetworks.flatMap(\.values).map { value in
            guard let network = NetworkName(argument: value) else {
                let known = NetworkName.allValueStrings.joined(separator: ", ")
                throw CommandFailure(.usage, "--sweep network=\(value): expected one of \(known).")
            }
            return network
        }
        do { try check(networks) } catch let error as ValidationError { throw CommandFailure(.usage, error.message) }
        return (all.filter { $0.parameter != SweepOption.network }, networks)
    }

    /// - Throws: `ValidationError` for networks that this replay cannot have.
    func check(_ networks: [NetworkName]) throws {
        for network in networks { try network.check(isInstant: timing == .instant, isOneOfSeveral: networks.count > 1) }
    }

    func manifest(
        _ plan: ReplayPlan, _ costs: ReplayFacts.CostsSource?, _ plugins: LoadedPlugins,
        program: String, _ start: Date
    ) throws -> Manifest<ReplayFacts> {
        var manifest = Manifest<ReplayFacts>(
            versions: ["cachereplay": CacheReplay.version], command: CommandOutput.arguments, traces: plan.sources,
            inputs: try RunInputs.current(program: program, plugins, bodies: bodies), start: start,
            ReplayFacts(
                caches: try plan.caches.map { cache in
                    let specifications = try plan.entries.map { ($0.file.name, try cache.canonical(for: $0.context)) }
                    return .init(
                        name: cache.name, specifications: Dictionary(uniqueKeysWithValues: specifications),
                        preset: cache.preset)
                }, seed: seed, timing: plan.timingName, repeats: plan.settings.repeats, costs: costs))
        manifest.csvSafe = csv.csvSafe ? true : nil
        manifest.timeline = plan.settings.timeline.seconds ?? 0
        manifest.userFrom = userFrom
        manifest.injected = plan.settings.injected.text
        manifest.relevanceThreshold = display.relevanceThreshold
        let networks = plan.settings.networks.map(\.name)
        manifest.networks = usesNoLink || networks == [ReplayFacts.auto] ? nil : networks
        manifest.shard = plan.part?.source
        return manifest
    }

    /// Returns the folder of results without `--output`.
    static func defaultFolder(of files: [TraceFile], _ date: Date) -> String {
        "Results/\(files.count == 1 ? files[0].name : "\(files.count)-traces")-\(date.stamp())"
    }
}
