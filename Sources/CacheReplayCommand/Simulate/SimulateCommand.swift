import ArgumentParser
import CachePolicies
import CacheReports
import CacheSimulation
import CacheTraces
import Foundation

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run traces through policies alone: no tiers, no waiting, only hits and misses.",
        discussion: """
            Every policy is run at every capacity, on every trace, on all processors. A fetch takes no time here, so a \
            request that a
            replay would let wait for one under way counts as a hit.

            --curve gives LRU's miss ratio at every capacity in one pass. --sample simulates a share of the objects at
            that share of the capacity: fast, and nearly right on traces of many objects; --check-sample says how \
            nearly.

            Example: cachereplay simulate Traces/photo-feed.jsonl --policy lru,fifo --capacity auto --output \
            Results/sizes
            """)

    @Argument(help: "Traces in any known format.", completion: .file())
    var traces: [String]

    @Option(help: "Policies, separated by commas; see `cachereplay policies`.")
    var policy: String?

    @Option(
        help: """
            Capacities, separated by commas, for policies without a size of their own: 20MB, 100 objects, 5%; auto: \
            from 0.1% to 50% of the \
            trace's objects or bytes.
            """)
    var capacity: String?

    @Flag(help: "Count every object as 1: capacities are numbers of objects.")
    var ignoreSize = false

    @Flag(help: "LRU's miss ratio at every capacity, in one pass; with --sample an estimate (SHARDS).")
    var curve = false

    @Option(
        help: "Simulate this share of the objects only, 0.01 or 1%, at this share of the capacity: an estimate.",
        transform: Self.share)
    var sample: Double?

    @Option(help: "The same with so many objects in place of a share.")
    var sampleSize: Int?

    @Flag(help: "Simulate all objects too, and say how far the estimates are off.")
    var checkSample = false

    @Flag(
        help:
            """
            Read the trace through a window, for files that outgrow memory: oracleGeneral only, and all policies in \
            one pass.
            """
    )
    var stream = false

    @Option(help: ArgumentHelp("A folder for miss_ratio.csv, curve.csv, run.json and charts.", valueName: "folder"))
    var output: String?

    @Option(help: "Threads; by default one per processor.")
    var jobs: Int?

    @Flag(help: "Keep what is finished in the output folder, and do the rest.")
    var resume = false

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    @Flag(name: .shortAndLong, help: "Show no progress, and nothing but the results.")
    var quiet = false

    @Flag(inversion: .prefixedNo, help: "Draw the charts.")
    var charts = true

    @OptionGroup var plugins: PluginOptions

    @OptionGroup(title: "Reading") var input: InputFormatOptions

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1.") }
        if policy == nil, !curve {
            throw ValidationError("Which policies? Give --policy lru,fifo, or --curve for LRU at every capacity.")
        }
        if resume, output == nil { throw ValidationError("--resume needs --output, the folder to go on with.") }
        if sample != nil, sampleSize != nil { throw ValidationError("--sample and --sample-size exclude each other.") }
        if let sampleSize, sampleSize < 1 { throw ValidationError("--sample-size is at least 1.") }
        if stream, curve || sample != nil || sampleSize != nil {
            throw ValidationError("--stream does without --curve and --sample, which need the whole trace.")
        }
        if checkSample, sample == nil, sampleSize == nil {
            throw ValidationError("--check-sample needs --sample or --sample-size.")
        }
    }

    func run() throws {
        let start = Date()
        let plugins = try plugins.load()
        let policies = try policy.map(Self.list)?.map { try PolicyOrder($0) } ?? []
        let capacities = try CapacityList(capacity)
        try check(policies, capacities)
        let names = traces.map { TraceFile(path: $0).name }
        for (index, name) in names.enumerated() where names[..<index].contains(name) {
            throw CommandFailure(
                .usage,
                "Two traces are called '\(name)'; rename one of the files, so that the results can tell them apart.")
        }
        let folder = try output.map {
            try SimulationFolder.begin(at: $0, description(policies, names, start), resume: resume)
        }
        let progress = ProgressBar(
            total: traces.count * policies.reduce(0) { $0 + ($1.hasOwnSize ? 1 : max(1, capacities.count)) },
            unit: "cells", quiet: quiet)
        let runner = SimulationRunner(
            folder: folder, plugins: plugins, progress: progress,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount)
        let watch = InterruptWatch { runner.interrupt() }
        defer { watch.cancel() }
        for (path, name) in zip(traces, names) {
            if stream {
                var notes = ReadingNotes()
                try runner.stream(
                    path, name, input.chosenFormat(), policies, capacities.fixed(), ignoresSizes: ignoreSize, &notes)
                printWarnings(notes.warnings, file: path)
                continue
            }
            let trace = try load(path)
            let work = SimulationWork(
                name: name, trace: trace, policies: policies,
                capacities: capacities.resolved(for: trace, ignoresSizes: ignoreSize),
                ignoresSizes: ignoreSize, curve: curve, sample: try objectSample(of: trace, name),
                checksSample: checkSample)
            if curve, trace.hasFailedFetches {
                printToStandardError(
                    "\(path): warning: some fetches failed in the recording; the curve takes them to have succeeded")
            }
            try runner.run(work)
        }
        progress.finish()
        try folder?.finish(at: Date())
        try show(runner, drawn: folder.map(drawCharts) ?? [])
    }

    /// A mistake in a policy shows before a long trace is read.
    private func check(_ policies: [PolicyOrder], _ capacities: CapacityList) throws {
        for policy in policies {
            if !policy.hasOwnSize, capacities.isEmpty {
                throw CommandFailure(
                    .usage, "\(try policy.sizeError())\nor give --capacity, such as --capacity 20MB or --capacity auto")
            }
            guard policy.hasOwnSize, policy.hasParameters, sample != nil || sampleSize != nil else { continue }
            throw CommandFailure(
                .usage,
                """
                \(policy.text): a sample is simulated at a share of --capacity, so the size cannot be part of the \
                policy.
                """
            )
        }
    }

    private func load(_ path: String) throws -> DenseTrace {
        var notes = ReadingNotes()
        let trace = try DenseTrace(
            contentsOf: path, format: input.chosenFormat(), options: input.recording.options, usesSizes: !ignoreSize,
            &notes)
        printWarnings(notes.warnings, file: path)
        return trace
    }

    private func objectSample(of trace: DenseTrace, _ name: String) throws -> ObjectSample? {
        let drawn =
            sample.map { ObjectSample(rate: $0, of: trace) } ?? sampleSize.map { ObjectSample(size: $0, of: trace) }
        if let drawn, drawn.objectCount == 0, trace.objectCount > 0 {
            throw CommandFailure(
                .usage, "\(name): of \(trace.objectCount) objects the sample has none; give a larger --sample.")
        }
        return drawn
    }

    /// The pictures' paths. Without gnuplot there are none, and a sentence says how to get it: the CSVs are written all
    /// the same.
    private func drawCharts(_ folder: SimulationFolder) throws -> [String] {
        guard charts else { return [] }
        do { return try folder.drawCharts() } catch let error as ResultsError where error.kind == .missingTool {
            printToStandardError("cachereplay: \(error.message)")
            return []
        }
    }

    private func show(_ runner: SimulationRunner, drawn: [String]) throws {
        let (rows, curves, errors) = runner.results
        if json { return try printJSON(SimulationJSON(rows, curves, errors, isPlain: !curve && !checkSample)) }
        var tables: [String] = []
        if !rows.isEmpty { tables.append(MissRatioFile.table(rows)) }
        if !curves.isEmpty { tables.append(CurveFile.table(curves)) }
        if !errors.isEmpty { tables.append(SampleErrorFile.table(errors)) }
        print(tables.joined(separator: "\n"), terminator: "")
        guard let output, !quiet, !drawn.isEmpty else { return }
        print("\nCharts: \(drawn.count) pictures in \(output)/charts, and all in \(output)/report.html")
    }

    private func description(_ policies: [PolicyOrder], _ names: [String], _ start: Date) throws
        -> SimulationDescription
    {
        var settings = [
            "ignore_size": "\(ignoreSize)", "format": input.format?.name ?? "recognised",
            "reading": "\(input.recording.options)",
            "columns": "\(input.csv.options)",
        ]
        settings["sample"] = sample.map { "\($0)" } ?? sampleSize.map { "\($0) objects" } ?? "all"
        return SimulationDescription(
            versions: ["cachereplay": CacheReplay.version], command: CommandLine.arguments,
            traces: try zip(traces, names).map { .init(name: $1, path: $0, sha256: try fingerprint($0)) },
            policies: policies.map { .init(name: $0.text, specification: $0.canonical) },
            capacities: capacity.map(Self.list) ?? [],
            settings: settings, jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, start: start)
    }

    /// Empty for a pipe, which gives its bytes once.
    private func fingerprint(_ path: String) throws -> String {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return "" }
        return try Fingerprint.sha256(path)
    }

    /// The parts between commas, except commas within parentheses.
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

    static func share(_ text: String) throws -> Double {
        let isPercentage = text.hasSuffix("%")
        guard let number = Double(isPercentage ? text.dropLast() : text[...]), number > 0,
            number <= (isPercentage ? 100 : 1)
        else {
            throw ValidationError("expected a share of the objects such as 0.01 or 1%")
        }
        return isPercentage ? number / 100 : number
    }
}
