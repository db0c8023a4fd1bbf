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
            at that share of the capacity: fast, and accurate on traces of many objects. --bounds proves how few \
            misses any policy must have. The folder of --output gets miss_ratio.csv, miss_ratio_over_time.csv, \
            curve.csv, least_misses.csv, hits, run.json, charts and report.html.

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

    @Option(
        help: """
            Simulate this number of samples, whose objects different salts of the hash choose. The figures are their \
            means, with intervals of 95 %.
            """)
    var salts: Int?

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
        if ignoreSize, let sizes {
            throw ValidationError("--ignore-size counts every object as 1; leave --sizes \(sizes.rawValue) out.")
        }
        if shard != nil, results.output == nil { throw ValidationError("--shard needs --output, a folder to join.") }
        try validateSalts()
    }

    private func validateBounds() throws {
        guard bounds else { return }
        if capacity == nil {
            throw ValidationError(
                "--bounds needs capacities; give --capacity, for example --capacity 20MB or --capacity auto.")
        }
        if sample != nil {
            throw ValidationError("--bounds needs all objects, because a sample proves nothing; leave --sample out.")
        }
        if stream {
            throw ValidationError(
                "--bounds compares all requests with each other, which needs the whole trace; leave --stream out.")
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
            runner.results, isPlain: !curve && !bounds, printing, pictures: drawn?.count ?? 0,
            in: results.output)
    }

    /// Reads a trace, as a whole or in windows, and simulates it. The items of a shard follow from the trace's number.
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
            curve: curve && isOwn(0), samples: try objectSamples(of: trace, file.name))
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
            guard policy.hasOwnSize, policy.hasParameters, sample != nil else { continue }
            throw CommandFailure(
                .usage,
                """
                \(policy.text): a sample is simulated at a share of --capacity, so the size cannot be part of the \
                policy; give it with --capacity.
                """
            )
        }
    }

    /// Prints results, and where their charts are. If `isPlain`, JSON is a list of rows.
    static func show(
        _ results: SimulationRunner.Results, isPlain: Bool, _ printing: PrintOptions, pictures: Int, in folder: String?
    ) throws {
        if printing.json { return try printJSON(SimulationJSON(results, isPlain: isPlain)) }
        CommandOutput.print(
            Document(results.rows, results.curves, results.bounds, onlyTables: printing.quiet))
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

extension SimulateCommand {
    /// The size of a file from which reading it takes long: 16 MB. A compressed file counts four times.
    private static var longFile: Int { 16_000_000 }

    /// Returns whether the only policy runs while the trace is read, in windows, which takes less time than one after
    /// the other. The figures are the same. With several policies or capacities, all processors are busy after reading.
    ///
    /// A window has neither the end of the trace nor its size, so options that need them exclude it, and so do formats
    /// in which a later request can state the size of an earlier one.
    ///
    /// - Throws: `TraceError` if the file cannot be opened.
    func overlaps(_ file: TraceFile, _ policies: [PolicyChoice], _ capacities: CapacityList) throws -> Bool {
        let needsWhole = curve || bounds || sample != nil
        let needsParts = parts.cuts || parts.every != nil || parts.warmup != nil || parts.hits
        guard !needsWhole, !needsParts, streamAbove == nil, jobsOption.threads > 1, policies.count == 1,
            let policy = policies.first, !policy.usesFuture, !policy.text.contains("%"),
            let fixed = try? capacities.fixed(), policy.hasOwnSize || fixed.count == 1
        else { return false }
        // A file of a folder that turns out to be damaged is skipped before any of its rows is planned.
        guard file.isNamed, let size = file.regularSize, size * 4 >= Self.longFile else { return false }
        let isCompressed = try TraceStream(path: file.place).compression != nil
        guard size * (isCompressed ? 4 : 1) >= Self.longFile else { return false }
        return try TraceFormat.statesEverySize(path: file.place, format: input.chosenFormat())
    }
}

/// The facts in `run.json`.
extension SimulateCommand {
    /// Returns the facts of a simulation that begins.
    ///
    /// - Throws: `TraceError` for a named file that cannot be read.
    func manifest(
        _ policies: [PolicyChoice], _ files: [TraceFile], _ plugins: LoadedPlugins, _ start: Date
    ) throws -> Manifest<SimulationFacts> {
        var settings = [
            "ignore_size": "\(ignoreSize)", "format": input.format?.name ?? "recognised",
            "reading": "\(input.recording.options)",
            "columns": "\(input.csv.options)",
        ]
        settings["sizes"] = varying.rawValue
        settings["cost"] = cost?.rawValue ?? "default"
        settings["sample"] = sample.map { "\($0)" } ?? "all"
        // Only with the option, so that results without it do not change.
        settings["salts"] = salts.map { "\($0)" }
        settings.merge(parts.settings) { _, part in part }
        var manifest = Manifest<SimulationFacts>(
            versions: ["cachereplay": CacheReplay.version], command: CommandOutput.arguments,
            traces: try files.map { .init(name: $0.name, path: $0.path, sha256: try fingerprint($0)) },
            inputs: try RunInputs.current(program: Fingerprint.ofProgram(), plugins), start: start,
            SimulationFacts(
                policies: policies.map { .init(name: $0.text, specification: $0.canonical) },
                capacities: capacity.map(Self.list) ?? [], settings: settings, jobs: jobsOption.threads))
        manifest.csvSafe = csv.csvSafe ? true : nil
        let what = "\(curve) \(stream)\(bounds ? " bounds" : "")"
        manifest.shard = try shard.map { try .init($0, of: manifest, what: what) }
        return manifest
    }

    /// Returns the SHA-256 of a file. It is empty for a pipe, whose bytes can be read only once, and for a file of a
    /// folder that cannot be read, which is skipped when its turn comes.
    /// - Throws: `TraceError` for a named file that cannot be read.
    private func fingerprint(_ file: TraceFile) throws -> String {
        guard file.regularSize != nil else { return "" }
        return file.isNamed ? try file.sha256() : (try? file.sha256()) ?? ""
    }
}

/// Samples of objects, and traces in windows.
extension SimulateCommand {
    /// The most samples of a trace.
    private static let mostSalts = 1_000

    func validateSalts() throws {
        guard let salts else { return }
        if sample == nil { throw ValidationError("--salts needs --sample.") }
        guard (2...Self.mostSalts).contains(salts) else {
            throw ValidationError(
                """
                --salts is \(salts), but must be from 2 to \(Self.mostSalts): the interval of a mean needs several \
                samples.
                """)
        }
        if sample == 1 {
            throw ValidationError(
                "--salts needs samples that differ; give a --sample below 100%, or leave --salts out.")
        }
    }

    /// Draws the samples of a trace while it is read in windows, and simulates them. They are in memory as a whole, so
    /// that policies can know the future, and capacities can be shares.
    func simulateSamples(
        _ file: TraceFile, _ isOwn: @escaping @Sendable (Int) -> Bool, _ policies: [PolicyChoice],
        _ capacities: CapacityList, _ runner: SimulationRunner
    ) throws {
        var notes = ReadingNotes()
        let options = try columnOptions()
        let seeds = (0..<(salts ?? 1)).map { ObjectSample.seed(ofSalt: $0) }
        let (samples, read) = try StreamedSweep.samples(
            file.place, options, of: parts.streamed(warmup: nil), rate: sample ?? 1, seeds: seeds, &notes)
        try report(notes, file.path)
        if let skip = parts.skip, samples.requests == 0 { throw Self.allSkipped(file.path, skip, of: read) }
        let whole = SimulationWork.Whole(samples)
        let drawn = samples.finish()
        guard drawn.allSatisfy({ $0.trace.objectCount > 0 }) || whole.objects == 0 else {
            throw noSample(file.name, objects: whole.objects)
        }
        let trace = drawn[0].trace
        if trace.lacksSizes { try checkUnsized(file.path, policies, capacities) }
        let ignoresSizes = ignoreSize || trace.lacksSizes
        var work = SimulationWork(
            name: file.name, trace: trace, whole: whole, policies: policies,
            capacities: capacities.resolved(for: whole, ignoresSizes: ignoresSizes), ignoresSizes: ignoresSizes,
            curve: curve && isOwn(0), samples: drawn.map(\.sample), drawn: drawn)
        work.isOwn = isOwn
        try checkCurve(work, samples.hasRequestSizes, samples.hasFailedFetches, file.path)
        warnOfSmallCapacities(work, file.path)
        try runner.run(work)
    }

    /// Computes LRU's curve of all objects of a file that is read in windows. The first time counts its objects and
    /// their bytes, and each curve needs another time.
    func readCurve(
        _ file: TraceFile, _ policies: [PolicyChoice], _ capacities: CapacityList, _ runner: SimulationRunner
    ) throws {
        try file.checkRereadable()
        var notes = ReadingNotes()
        let (options, cut) = (try columnOptions(), parts.streamed(warmup: nil))
        // No object is in the sample: its trace is empty.
        let (totals, read) = try StreamedSweep.samples(
            file.place, options, of: cut, rate: 0, seeds: [ObjectSample.defaultSeed], &notes)
        try report(notes, file.path)
        if let skip = parts.skip, totals.requests == 0 { throw Self.allSkipped(file.path, skip, of: read) }
        if totals.lacksSizes { try checkUnsized(file.path, policies, capacities) }
        let ignoresSizes = ignoreSize || totals.lacksSizes
        let whole = SimulationWork.Whole(totals)
        var work = SimulationWork(
            name: file.name, trace: totals.finish()[0].trace, whole: whole, policies: [],
            capacities: capacities.resolved(for: whole, ignoresSizes: ignoresSizes), ignoresSizes: ignoresSizes,
            curve: true, samples: [])
        let path = file.place
        work.readCurve = { unit, capacities in
            try StreamedSweep.curve(path, options, of: cut, totals, unit: unit, exactAt: capacities)
        }
        try checkCurve(work, totals.hasRequestSizes, totals.hasFailedFetches, file.path)
        try runner.drawCurves(work)
    }

    private func noSample(_ name: String, objects: Int) -> CommandFailure {
        CommandFailure(.usage, "\(name): the sample has none of the \(objects) objects; give a larger --sample.")
    }

    /// Returns the sample of each salt; empty without a sample.
    /// - Throws: ``CommandFailure`` if a sample has no object.
    func objectSamples(of trace: DenseTrace, _ name: String) throws -> [ObjectSample] {
        guard let sample else { return [] }
        return try (0..<(salts ?? 1)).map { salt in
            let drawn = ObjectSample(rate: sample, of: trace, seed: ObjectSample.seed(ofSalt: salt))
            guard drawn.objectCount > 0 || trace.objectCount == 0 else {
                throw noSample(name, objects: trace.objectCount)
            }
            return drawn
        }
    }

    /// Warns of estimates in which chance decides, because the cache holds few objects of the sample.
    func warnOfSmallCapacities(_ work: SimulationWork, _ path: String) {
        guard let rate = work.rate else { return }
        let mean = max(1, Double(work.whole.uniqueBytes) / Double(max(1, work.whole.objects)))
        let small = work.capacities.filter { capacity in
            Double(capacity.value) * rate / (capacity.unit == .bytes && !work.ignoresSizes ? mean : 1) < 100
        }
        guard let largest = small.max(by: { $0.value < $1.value }) else { return }
        printWarnings(
            [
                """
                the estimates up to a capacity of \(MissRatioFile.text(largest)) are imprecise, because the cache \
                holds \
                fewer than 100 objects of the sample; give a larger --sample
                """
            ], file: path)
    }
}

/// The way in which traces are read, and the needs of the work.
extension SimulateCommand {
    /// Refuses a file that does not fit in memory before it is read. The amounts are the least that are needed.
    private func checkMemory(_ file: TraceFile) throws {
        guard let size = file.regularSize else { return }
        let isCompressed = try TraceStream(path: file.place).compression != nil
        // A file is mapped, and a compressed one is read from front to back where its format allows that. A record of
        // 24 bytes becomes 4 or 8 bytes of columns.
        let columns = size / 6
        let needed = (addresses: isCompressed ? columns : size + columns, memory: columns)
        let shortage: (needed: Int, available: Int)? =
            if let addresses = Memory.availableAddresses(), needed.addresses > addresses {
                (needed.addresses, addresses)
            } else if needed.memory > Memory.available() {
                (needed.memory, Memory.available())
            } else {
                nil
            }
        guard let shortage else { return }
        throw CommandFailure(
            .ioError,
            """
            \(file.path): reading the whole trace takes \(HumanText.bytes(Double(shortage.needed))) of memory or more, \
            and \
            \(HumanText.bytes(Double(shortage.available))) are available; use --stream, which reads a file of requests \
            in \
            windows, or allow more memory
            """)
    }

    /// Returns the options for reading a file into columns.
    func columnOptions() throws -> DenseTrace.Options {
        var options = DenseTrace.Options(
            format: try input.chosenFormat(), usesSizes: !ignoreSize, varying: varying, bitmaps: bitmaps)
        options.reading = input.recording.options
        return options
    }

    func load(_ file: TraceFile, _ policies: [PolicyChoice]) throws -> DenseTrace {
        try checkMemory(file)
        var notes = ReadingNotes()
        var options = try columnOptions()
        options.columns = policies.reduce(into: []) { $0.formUnion($1.columns) }
        if parts.needsTimes { options.columns.insert(.times) }
        let trace = try DenseTrace(contentsOf: file.place, options, &notes)
        try report(notes, file.path)
        return trace
    }

    var varying: VaryingSizes { sizes ?? .insertion }

    func report(_ notes: ReadingNotes, _ path: String) throws {
        if let sizes, sizes != .first, !notes.hasSizesByRequest {
            throw CommandFailure(
                .usage,
                """
                \(path): --sizes \(sizes.rawValue) needs a size for each request, and the file has one for each \
                object, as sessions and access logs have; leave --sizes out
                """)
        }
        guard !printing.quiet else { return }
        printWarnings(notes.warnings, file: path)
        if notes.countsBitmaps {
            printToStandardError(
                """
                \(path): objects count with the size of their bitmaps, as in a replay; --cost encoded counts \
                encoded bytes
                """
            )
        }
    }

    private var bitmaps: DenseTrace.Bitmaps {
        switch cost {
        case .encoded: .never
        case .decoded: .required
        case nil: ignoreSize ? .never : .ofImages
        }
    }

    /// Refuses sizes in bytes for a trace without sizes, in which they would count 1 byte for each object.
    func checkUnsized(_ path: String, _ policies: [PolicyChoice], _ capacities: CapacityList) throws {
        let usesCapacities = curve || bounds || policies.contains { !$0.hasOwnSize }
        let capacity = usesCapacities ? capacities.sizeInBytes : nil
        if let size = policies.lazy.compactMap(\.sizeInBytes).first ?? capacity?.description {
            throw CommandFailure(
                .usage,
                """
                \(path): the trace has no sizes, so \(size) would count each object as 1 byte. Give sizes as numbers \
                of \
                objects, such as 1000 objects, as shares, such as 5%, or as auto; or give the trace a column of sizes.
                """)
        }
        guard !printing.quiet else { return }
        printWarnings(
            ["the trace has no sizes: each object counts as 1, and shares are shares of the number of objects"],
            file: path)
    }

    /// Returns whether a trace is read in windows: on request, or because it is large and nothing excludes it.
    func streams(_ file: TraceFile, _ policies: [PolicyChoice], _ capacities: CapacityList) throws -> Bool {
        if stream { return true }
        let limit = streamAbove ?? min(Memory.available(), Memory.availableAddresses() ?? .max) / 2
        guard let size = file.regularSize, size * 4 >= limit else { return false }
        let isCompressed = try TraceStream(path: file.place).compression != nil
        guard size * (isCompressed ? 4 : 1) >= limit,
            try TraceFormat.canReadInWindows(path: file.place, format: input.chosenFormat())
        else { return false }
        var reasons: [String] = []
        if bounds { reasons.append("--bounds") }
        // A sample is in memory as a whole.
        let isWhole = sample != nil
        if !isWhole, !policies.isEmpty, (try? capacities.fixed()) == nil {
            reasons.append("a capacity that is a share of the trace")
        }
        if !isWhole { reasons += policies.filter { $0.usesFuture && !$0.isOfAll }.map(\.text) }
        if !reasons.isEmpty {
            let list = reasons.joined(separator: ", ")
            if !printing.quiet {
                printWarnings(["the trace is large, and is read as a whole because of \(list)"], file: file.path)
            }
            return false
        }
        if !printing.quiet {
            printToStandardError("\(file.path): the trace is large, so it is read in windows, as with --stream")
        }
        return true
    }

    /// Refuses or warns of features that a curve cannot have: sizes that vary between requests, and failed fetches.
    func checkCurve(_ work: SimulationWork, _ varies: Bool, _ fails: Bool, _ path: String) throws {
        guard work.curve else { return }
        if varies, work.curveUnits.contains(.bytes) {
            throw CommandFailure(
                .usage,
                """
                \(path): the curve needs one size for each object, and the file has objects with several; give \
                --sizes first, or capacities in objects
                """)
        }
        if fails, !printing.quiet {
            printToStandardError(
                "\(path): warning: some fetches failed in the recording; the curve counts them as successful")
        }
    }
}

extension ResultDisplayOptions {
    /// Draws the charts, and prints the rows of a folder of a simulation.
    func show(_ folder: SimulationStore) throws {
        let drawn = try chartsOption.draw(quiet: quiet) { try folder.drawCharts() }
        try SimulateCommand.show(
            (folder.rows, [], folder.bounds, folder.parts), isPlain: folder.bounds.isEmpty, printing,
            pictures: drawn.count,
            in: folder.path)
    }
}
