import ArgumentParser
import Basics
import CachePolicies
import CacheReports
import CacheSimulation
import CacheTraces
import Foundation
import Runs

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Count the hits and misses of policies on traces, without tiers and without time.",
        usage: "cachereplay simulate <trace> ... [<options>]",
        discussion: """
            Runs every policy at every capacity on every trace, on all processors. A fetch takes no time, so a request \
            that would wait for a fetch in flight in a replay counts as a hit.

            --curve computes LRU's miss ratio at every capacity in one pass. --sample simulates a share of the objects \
            at that share of the capacity: fast, and accurate on traces of many objects. --check-sample reports the \
            error. --bounds proves how few misses any policy must have. The folder of --output gets miss_ratio.csv, \
            miss_ratio_over_time.csv, curve.csv, least_misses.csv, hits, run.json, charts and report.html.

            Example: cachereplay simulate Traces/photo-feed.jsonl --policy lru,fifo --capacity auto --output \
            Results/sizes
            """)

    @OptionGroup var arguments: TraceArguments

    @Option(
        help: """
            Policies, separated by commas, in any case; see `cachereplay list policies`. all stands for every policy \
            that needs only a capacity.
            """)
    var policy: String?

    @Option(
        help: """
            Capacities, separated by commas, for policies without a size in their own text: 20MB, 100 objects, 5%, a \
            range 1MB..64MB (1MB, its doubles, and 64MB), or auto, which stands for 0.1% to 50% of the trace's bytes. \
            In a trace without sizes every object counts as \
            1, \
            and capacities in bytes are errors.
            """)
    var capacity: String?

    @Flag(help: "Count every object as 1, so that capacities are numbers of objects.")
    var ignoreSize = false

    enum CostName: String, ExpressibleByArgument, CaseIterable {
        case encoded, decoded
    }

    @Option(
        help: """
            The size of an object: decoded for its bitmap, encoded for the bytes of the response. By default decoded \
            for \
            sessions of images, as in a replay, and encoded for other traces.
            """)
    var cost: CostName?

    @Option(
        help: """
            The size of an object whose requests have different sizes: first, of its first request; latest, of its \
            latest one, which stores it anew; insertion, of the request that inserted it. By default insertion. Only \
            files of requests have sizes by request.
            """)
    var sizes: VaryingSizes?

    @Flag(help: "Compute LRU's miss ratio at every capacity in one pass; with --sample, an estimate (SHARDS).")
    var curve = false

    @Option(
        help: "Estimate: simulate only this share of the objects, 0.01 or 1%, at this share of the capacity.",
        transform: { try Self.share($0, isAboveZero: true) })
    var sample: Double?

    @Option(help: "Estimate: simulate this number of objects, at their share of the capacity.")
    var sampleSize: Int?

    @Option(
        help: """
            Simulate this number of samples, whose objects different salts of the hash choose. The figures are their \
            means, with intervals of 95 %.
            """)
    var salts: Int?

    @Flag(help: "Also simulate all objects, and report the error of the estimates.")
    var checkSample = false

    @Flag(
        help: """
            Also find the fewest misses that any policy can have at each capacity, and the fewest missed bytes: a \
            bound that no policy is below, and the best schedule of what to keep that is known. This needs a thread \
            for each capacity, for up to 1 s for a session, and up to half a minute for a million requests.
            """)
    var bounds = false

    @OptionGroup var parts: TracePartOptions

    @Flag(
        help:
            """
            Read traces of requests and logs in windows, for files larger than memory; all policies run in one pass. \
            Sessions cannot be read so. Without --sample, policies that know the future cannot run, and capacities \
            cannot be shares.
            """
    )
    var stream = false

    @Option(
        help: ArgumentHelp(
            """
            Read traces of at least this size in windows, as --stream does, where that is possible; by default half of \
            the memory that is available. A compressed file counts four times.
            """,
            valueName: "size"),
        transform: Self.bytes)
    var streamAbove: Int?

    @OptionGroup var results: ResumableOutputOptions

    @OptionGroup var jobsOption: JobsOption

    @Option(
        help: ArgumentHelp(
            """
            Simulate one of N parts, on one of several machines: 1/N to N/N. Each part has about the same number of \
            policies and capacities of each trace. `cachereplay merge` joins the results.
            """,
            valueName: "i/n"))
    var shard: Shard?

    @OptionGroup var csv: CSVOutputOptions

    @OptionGroup var printing: PrintOptions

    @OptionGroup var charts: ChartsOption

    @OptionGroup var strictOption: StrictOption

    @OptionGroup var plugins: PluginOptions

    @OptionGroup(title: "Reading") var input: InputFormatOptions

    func validate() throws {
        try arguments.require()
        if policy == nil, !curve, !bounds {
            throw ValidationError(
                """
                No policy is given. Give --policy lru,fifo; or --curve for LRU at every capacity; or --bounds for the \
                fewest misses of any policy.
                """)
        }
        try validateBounds()
        try validateParts()
        try csv.require(results.output)
        if sample != nil, sampleSize != nil { throw ValidationError("--sample and --sample-size exclude each other.") }
        if let sampleSize, sampleSize < 1 {
            throw ValidationError("--sample-size is \(sampleSize), but must be at least 1.")
        }
        if ignoreSize, let sizes {
            throw ValidationError("--ignore-size counts every object as 1; leave --sizes \(sizes.rawValue) out.")
        }
        try validateStream()
        if shard != nil, results.output == nil { throw ValidationError("--shard needs --output, a folder to join.") }
        if shard != nil, checkSample {
            throw ValidationError("--check-sample needs all capacities of a policy; leave --shard out.")
        }
        if checkSample, sample == nil, sampleSize == nil {
            throw ValidationError("--check-sample needs --sample or --sample-size.")
        }
        try validateSalts()
    }

    private func validateBounds() throws {
        guard bounds else { return }
        if capacity == nil {
            throw ValidationError(
                "--bounds needs capacities; give --capacity, for example --capacity 20MB or --capacity auto.")
        }
        if sample != nil || sampleSize != nil {
            throw ValidationError("--bounds needs all objects, because a sample proves nothing; leave --sample out.")
        }
    }

    func run() throws {
        let start = Date()
        let plugins = try plugins.load()
        let policies = try policy.map(PolicyChoice.list) ?? []
        let capacities = try CapacityList(capacity)
        try check(policies, capacities)
        let sources = try TraceSources(arguments.traces, format: nil)
        try sources.checkNames()
        let folder = try results.output.map {
            try SimulationStore.begin(
                at: $0, manifest(policies, sources.files, plugins, start), resume: results.resume,
                replaces: results.force)
        }
        if !printing.quiet { printRepeated(folder?.repeated ?? [], noun: "row") }
        let progress = ProgressBar(
            total: sources.files.count
                * policies.reduce(bounds ? capacities.count : 0) {
                    $0 + ($1.hasOwnSize ? 1 : max(1, capacities.count))
                },
            unit: "rows", quiet: printing.quiet)
        let runner = SimulationRunner(
            folder: folder, plugins: plugins, progress: progress, jobs: jobsOption.threads)
        let watch = InterruptWatch { runner.interrupt() }
        defer { watch.cancel() }
        let skipped = try sources.forEach(isStrict: strictOption.strict) { number, file in
            try simulate(file, number, policies, capacities, runner)
        }
        progress.finish()
        let leftOut = runner.leftOut.all
        folder?.describe { manifest in
            manifest.skipped = skipped.isEmpty ? nil : skipped
            manifest.leftOut = leftOut.isEmpty ? nil : leftOut
        }
        try folder?.finish(at: Date())
        try TraceSources.report(
            skipped, of: sources.files.count, work: "simulated", list: folder.map { _ in "run.json" })
        let drawn = try folder.map { folder in
            try charts.draw(quiet: printing.quiet) { try folder.drawCharts() }
        }
        try Self.show(
            runner.results, isPlain: !curve && !checkSample && !bounds, printing, pictures: drawn?.count ?? 0,
            in: results.output)
    }

    /// Reads a trace, as a whole or in windows, and simulates it.
    ///
    /// - Parameter number: The number of the trace, from which the items of a shard follow.
    private func simulate(
        _ file: TraceFile, _ number: Int, _ policies: [PolicyChoice], _ capacities: CapacityList,
        _ runner: SimulationRunner
    ) throws {
        let isOwn: @Sendable (Int) -> Bool = { [shard] place in shard?.has(place: place + number) ?? true }
        let isStreamed = try streams(file, policies, capacities)
        if isStreamed, sample != nil { return try simulateSamples(file, isOwn, policies, capacities, runner) }
        if try isStreamed || overlaps(file, policies, capacities) {
            if curve, isOwn(0) { try readCurve(file, policies, capacities, runner) }
            guard !policies.isEmpty else { return }
            var notes = ReadingNotes()
            let suited = try runner.leaveOutFuture(policies, file.name, capacities: capacities.count)
            let items = SimulationWork.items(file.name, suited, try capacities.fixed())
            try runner.stream(
                file, try columnOptions(), items, isOwn, (parts, try streamedWarmUp(file)), &notes)
            // A curve has reported them.
            if !curve || !isOwn(0) { try report(notes, file.path) }
            return
        }
        let trace = try part(of: load(file, policies), file.path)
        if trace.lacksSizes { try checkUnsized(file.path, policies, capacities) }
        let ignoresSizes = ignoreSize || trace.lacksSizes
        let whole = SimulationWork.Whole(trace)
        var work = SimulationWork(
            name: file.name, trace: trace, whole: whole, policies: policies,
            capacities: capacities.resolved(for: whole, ignoresSizes: ignoresSizes), ignoresSizes: ignoresSizes,
            curve: curve && isOwn(0), samples: try objectSamples(of: trace, file.name),
            checksSample: checkSample)
        work.isOwn = isOwn
        work.bounds = bounds
        work.notesHits = parts.hits
        work.warmup = try warmUp(of: trace, file.path)
        work.partMarks = try partMarks(of: trace, behind: work.warmup, file.path)
        if parts.every != nil { work.parts = trace.requestParts(at: work.marks) }
        if bounds, trace.objects.count > LeastMisses.mostAccesses {
            throw CommandFailure(
                .usage,
                """
                \(file.path): --bounds numbers up to \(LeastMisses.mostAccesses) requests, and the trace has \
                \(trace.objects.count); leave --bounds out
                """)
        }
        try checkCurve(work, trace.requestSizes != nil, trace.hasFailedFetches, file.path)
        warnOfSmallCapacities(work, file.path)
        try runner.run(work)
    }

    /// Checks the sizes of policies before a long trace is read.
    func check(_ policies: [PolicyChoice], _ capacities: CapacityList) throws {
        for policy in policies {
            if !policy.hasOwnSize, capacities.isEmpty {
                throw CommandFailure(
                    .usage,
                    "\(try policy.sizeError())\nor give --capacity, for example --capacity 20MB or --capacity auto")
            }
            guard policy.hasOwnSize, policy.hasParameters, sample != nil || sampleSize != nil else { continue }
            throw CommandFailure(
                .usage,
                """
                \(policy.text): a sample is simulated at a share of --capacity, so the size cannot be part of the \
                policy; give it with --capacity.
                """
            )
        }
    }

    /// Prints results, and where their charts are.
    ///
    /// - Parameter isPlain: Whether JSON is a list of rows.
    static func show(
        _ results: SimulationRunner.Results, isPlain: Bool, _ printing: PrintOptions, pictures: Int, in folder: String?
    ) throws {
        if printing.json { return try printJSON(SimulationJSON(results, isPlain: isPlain)) }
        CommandOutput.print(
            Document(results.rows, results.curves, results.errors, results.bounds, onlyTables: printing.quiet))
        guard let folder, !printing.quiet, pictures > 0 else { return }
        CommandOutput.print("\nCharts: \(pictures) pictures in \(folder)/charts, and all in \(folder)/report.html")
    }

    /// Returns the parts between commas, except commas within parentheses.
    static func list(_ text: String) -> [String] {
        var parts = [""]
        var depth = 0
        for character in text {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    static func bytes(_ text: String) throws -> Int {
        guard case .bytes(let bytes)? = try? Size(text) else {
            throw ValidationError("expected a size in bytes, such as 64MB")
        }
        return bytes
    }

    static func share(_ text: String, isAboveZero: Bool) throws -> Double {
        let isPercentage = text.hasSuffix("%")
        guard let number = Double(isPercentage ? text.dropLast() : text[...]),
            isAboveZero ? number > 0 : number >= 0, number <= (isPercentage ? 100 : 1)
        else {
            throw ValidationError("expected a share, for example 0.01 or 1%")
        }
        return isPercentage ? number / 100 : number
    }
}

extension VaryingSizes: ExpressibleByArgument {}
