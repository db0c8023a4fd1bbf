import ArgumentParser
import CacheReports
import Foundation
import ReplayEngine

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replay traces through caches, and write CSVs and charts.",
        discussion: """
            A cache is one of these:
              a preset, such as kingfisher-8 (see `cachereplay caches`)
              a policy of the memory tier, such as "lru(20MB)"
              tiers and rules: "memory: POLICY; disk: POLICY; RULE: VALUE"
              a preset with another limit: "nuke-13; memory: 64MB"
              a name in a YAML file (--config)
            `cachereplay policies` lists the policies, `cachereplay rules` the rules.

            Example:
              cachereplay replay Traces/photo-feed.jsonl \\
                --cache "memory: lru(20MB); disk: ttl(lru(200MB), lifetime: 7d)" \\
                --cache "fifo(20MB)"
              cachereplay replay Traces/gallery-feed.jsonl --timing modelled \\
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

    enum NetworkName: String, ExpressibleByArgument, CaseIterable {
        case auto, recorded, shared
    }

    @Argument(help: "Traces in any known format.", completion: .file())
    var traces: [String] = []

    @Option(
        help: ArgumentHelp(
            "A cache to replay through; repeat for each. With NAME=, its name in the results.",
            valueName: "[name=]spec"))
    var cache: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Replay each cache with several values of a parameter: memory or disk for the limit of that tier, or a \
            rule. A..B stands for A, its doubles, and B; between whole numbers, for each. unlimited: no limit. Repeat \
            for combinations.
            """,
            valueName: "parameter=values"))
    var sweep: [String] = []

    @Option(help: "A YAML file with traces and caches.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(name: .shortAndLong, help: "The folder for the results; by default Results/<trace>-<date>.")
    var output: String?

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

    @Option(
        help: """
            recorded: each transfer takes its recorded time. shared: transfers share a link whose rate is estimated \
            from the recording. auto: shared where the estimate reproduces the recording (see 'cachereplay validate') \
            and the clock is virtual, otherwise recorded.
            """)
    var network = NetworkName.auto

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
            Deliver an image when its bitmap is ready. Kept bodies (--bodies) are really decoded; the cost model gives \
            the duration for the others. By default on, except with instant timing and on a wall clock without --bodies.
            """)
    var decode: Bool?

    @Option(help: "The seed of latencies that the recording does not have.")
    var seed: UInt64 = 1

    @Option(help: "The number of processes; by default 1 if runs are measured, otherwise one per processor.")
    var jobs: Int?

    @Flag(help: "Keep the finished runs of the output folder, and make the others.")
    var resume = false

    @Flag(help: "Replace the results that the output folder holds.")
    var force = false

    @Option(help: "The format of the traces; by default it is recognised. See 'cachereplay formats'.")
    var format: String?

    @Option(help: "Write one row per request to requests.csv or requests.json.")
    var requests: RequestsFormat?

    @OptionGroup var csv: CSVOutputOptions

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    @Option(help: "Print the table of this trace only; conclusions are about all traces.")
    var table: String?

    @Option(help: "The widest line of a table; by default that of the terminal. Columns that do not fit are left out.")
    var width: Int?

    @Flag(inversion: .prefixedNo, help: "Print the notes below the tables.")
    var notes = true

    @Flag(name: .shortAndLong, help: "Print only the tables: no conclusions, no notes, no progress.")
    var quiet = false

    @Flag(inversion: .prefixedNo, help: "Draw the charts.")
    var charts = true

    @OptionGroup var plugins: PluginOptions

    func validate() throws {
        if let width, width < 40 { throw ValidationError("--width is at least 40.") }
        if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1.") }
        if let `repeat`, `repeat` < 1 { throw ValidationError("--repeat is at least 1.") }
        if clock == .wall, timing != .measured {
            throw ValidationError("--clock wall is always measured; leave --timing out.")
        }
        if network == .shared, clock == .wall {
            throw ValidationError("--network shared needs the virtual clock; use --network recorded.")
        }
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
        if resume, force { throw ValidationError("--resume keeps earlier results, and --force replaces them.") }
        if resume, output == nil {
            throw ValidationError("--resume needs --output, the folder of the earlier results.")
        }
    }

    func run() throws {
        let start = Date()
        let plugins = try plugins.load()
        let (plan, repeats, costs) = try makePlan()
        defer { plan.removeCompiledTraces() }
        let path = output ?? Self.defaultFolder(plan, start)
        let folder = try ResultsFolder.begin(
            at: path, description(plan, repeats, costs, plugins, start), resume: resume, replaces: force)
        if !quiet { printRepeated(folder.repeated, noun: "run") }
        var failures: [CommandFailure] = []
        // The second pass makes the runs with the other models of Darwin's NSCache, which follow from the first
        // results.
        for isSecond in [false, true] {
            let planned = try isSecond ? plan.otherModels { folder.finished($0) } : plan.runs
            let runs = planned.filter { folder.finished($0.identity) == nil }
            if isSecond, runs.isEmpty { break }
            let runner = try replay(runs, of: plan, into: folder)
            failures += runner.failures
            guard !runner.interrupted else {
                try folder.orderRows()
                report(
                    """
                    Interrupted: \(runner.finished) of \(runs.count) runs are finished, and are in \(path). `--resume \
                    --output \(path)` makes the others.
                    """
                )
                throw ExitCode(EndSignals.status)
            }
        }
        plan.removeCompiledTraces()
        // Failures come before the charts, whose own failure would hide them.
        for failure in failures { report("cachereplay: \(failure)") }
        try folder.finish(at: Date())
        if let requests {
            let (file, missing) = try folder.finishRequests(as: requests)
            if missing > 0 {
                report(
                    "\(file) lacks \(missing) runs, which an earlier replay made without it. Replay without --resume.")
            }
        }
        if !folder.results.isEmpty { try show(folder, drawn: drawCharts(folder)) }
        if let first = failures.first { throw ExitCode(first.status.rawValue) }
        if strictClock { try checkClock(folder) }
    }

    /// Fails if a run could not keep up with the wall clock.
    private func checkClock(_ folder: ResultsFolder) throws {
        let late = folder.results.filter { $0.machine?.lag?.isExcessive == true }
        guard !late.isEmpty else { return }
        let names = late.prefix(3).map { "\($0.identity.cache) on \($0.identity.trace)" }.joined(separator: ", ")
        report(
            """
            cachereplay: \(late.count) of \(folder.results.count) runs could not keep up with the wall clock \
            (\(names)\(late.count > 3 ? " …" : "")), so --strict-clock fails. Use a lower --speed or fewer --jobs.
            """)
        throw ExitCode(ExitStatus.clockLagged.rawValue)
    }

    private func makePlan() throws -> (ReplayPlan, repeats: Int, RunDescription.CostsSource?) {
        let file = try config.map { try ConfigFile(contentsOf: $0) }
        let paths = traces + (file?.traces ?? [])
        let sweeps = try sweep.map { try SweepOption($0) }
        let unswept = try (file?.caches ?? []) + cache.map { try Self.cache($0) }
        let caches = try SweepOption.caches(unswept, sweeping: sweeps, registry: CacheReplay.policies)
        guard !paths.isEmpty else {
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
        let files = paths.map { TraceFile(path: $0, format: format) }
        if let table, !files.contains(where: { $0.name == table }) {
            throw CommandFailure(
                .usage, "--table \(table): the traces are \(files.map(\.name).joined(separator: ", ")).")
        }
        let repeats = self.repeat ?? file?.repeats ?? 1
        guard repeats <= 10_000 else { throw CommandFailure(.usage, "--repeat is at most 10000, not \(repeats).") }
        let (timing, costsPath) = try timing(file)
        let plan = try ReplayPlan(
            traces: files, caches: caches, repeats: repeats, seed: seed, timing: timing,
            costsFile: costsPath.map { URL(fileURLWithPath: $0).lastPathComponent }, clock: replayClock,
            network: networkChoice, bodies: bodies, decode: decodes)
        return (plan, repeats, timing.ownCosts.map { .init(path: costsPath, $0) })
    }

    /// Reads `SPEC` or `NAME=SPEC`. The name ends at the first `=`, which no specification contains.
    private static func cache(_ text: String) throws -> CacheConfiguration {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { return try CacheConfiguration(text, registry: CacheReplay.policies) }
        let name = sides[0].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty else {
            throw CommandFailure(.usage, "--cache \(text): the name before '=' is empty; write NAME=SPEC.")
        }
        return try CacheConfiguration(String(sides[1]), name: name, registry: CacheReplay.policies)
    }

    /// Returns the timing, and the file that its costs come from: that of `--costs`, or `--config`.
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

    private var decodes: Bool { decode ?? (timing != .instant && (clock == .virtual || bodies != nil)) }

    /// Instant timing uses no network, so nothing is estimated.
    private var networkChoice: ReplayPlan.NetworkChoice {
        switch network {
        case .recorded: .recorded
        case .shared: timing == .instant ? .recorded : .shared
        case .auto: timing == .instant || clock == .wall ? .recorded : .auto
        }
    }

    private var replayClock: ReplayJob.Clock { clock == .wall ? .wall(speed: speed) : .virtual }

    private func replay(
        _ runs: [ReplayPlan.Run], of plan: ReplayPlan, into folder: ResultsFolder
    ) throws -> ReplayRunner {
        var origins: [TraceFile: OriginProcess] = [:]
        defer { for origin in origins.values { origin.end() } }
        if timing == .measured {
            for run in runs where origins[run.trace.file] == nil {
                origins[run.trace.file] = try OriginProcess(run.trace.compiled, bodies: bodies)
            }
        }
        let progress = ProgressBar(total: runs.count, unit: "runs", quiet: quiet)
        let runner = ReplayRunner(
            runs, into: folder, origins: origins, plugins: plugins.paths, requests: requests, progress: progress)
        runner.run(jobs: jobs ?? (timing == .measured ? 1 : ProcessInfo.processInfo.activeProcessorCount))
        progress.finish()
        return runner
    }

    /// Draws the charts, and returns their paths. Without gnuplot, a message names the remedy, and there are no charts.
    private func drawCharts(_ folder: ResultsFolder) throws -> [String] {
        guard charts else { return [] }
        do { return try folder.drawCharts { report("cachereplay: \($0)") } } catch let error as ResultsError
            where error.kind == .missingTool
        {
            report("cachereplay: \(error.message)")
            return []
        }
    }

    private func show(_ folder: ResultsFolder, drawn: [String]) throws {
        let results = ResultSet(folder.results, source: folder.path)
        if json { return CommandOutput.printJSON(ResultsTable.json(results), terminator: "") }
        let text = ResultsTable.text(
            results, onlyTables: quiet, notes: notes, of: table, width: width ?? CommandOutput.terminalWidth)
        CommandOutput.print(text, terminator: "")
        guard !quiet else { return }
        guard notes else { return }
        let requests = requests.map { ", requests.\($0.rawValue)" } ?? ""
        CommandOutput.print("\nCSVs: \(folder.path)/summary.csv, latency.csv, timeline.csv\(requests)")
        if !drawn.isEmpty {
            CommandOutput.print(
                "Charts: \(drawn.count) pictures in \(folder.path)/charts, and all in \(folder.path)/report.html")
        }
    }

    private func description(
        _ plan: ReplayPlan, _ repeats: Int, _ costs: RunDescription.CostsSource?, _ plugins: LoadedPlugins,
        _ start: Date
    ) throws -> RunDescription {
        RunDescription(
            versions: ["cachereplay": CacheReplay.version], command: CommandLine.arguments,
            traces: plan.traces.map {
                .init(
                    name: $0.file.name, path: $0.file.path, sha256: $0.sha256, format: $0.format,
                    session: .init(
                        title: $0.header.title, recorder: $0.header.recorder, started: $0.header.started,
                        synthetic: $0.header.synthetic, scripted: $0.header.scripted))
            },
            caches: try plan.caches.map { cache in
                let specifications = try plan.traces.map { ($0.file.name, try cache.canonical(for: $0.context)) }
                return .init(
                    name: cache.name, specifications: Dictionary(uniqueKeysWithValues: specifications),
                    preset: cache.preset)
            },
            seed: seed, clock: clock.rawValue, timing: plan.runs.first?.job.timingName ?? timing.rawValue, costs: costs,
            repeats: repeats, csvSafe: csv.csvSafe ? true : nil,
            inputs: try RunInputs.current(plugins, bodies: bodies), start: start)
    }

    private static func defaultFolder(_ plan: ReplayPlan, _ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd-HHmmss"
        let name = plan.traces.count == 1 ? plan.traces[0].file.name : "\(plan.traces.count)-traces"
        return "Results/\(name)-\(formatter.string(from: date))"
    }

    private func report(_ text: String) { printToStandardError(text) }
}

extension RequestsFormat: ExpressibleByArgument {}
