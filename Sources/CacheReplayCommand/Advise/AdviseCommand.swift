import ArgumentParser
import CachePolicies
import CacheReports
import Dispatch
import Foundation
import ReplayEngine
import Synchronization

/// `advise`: replays sessions through caches with several limits, and recommends a cache and a limit.
struct AdviseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Recommend a cache and the limit of its memory.",
        discussion: """
            Replays all sessions in modelled timing through each cache, with the given limit of
            memory and with smaller ones, and compares the blank time of users. Without a
            limit, it finds for each cache the smallest limit whose blank time is within 1 %
            of that without a limit.

            Example: cachereplay advise "Traces/gallery-*.jsonl" --memory 64MB
            --for kingfisher-8,nuke-13,sdwebimage-5
            """)

    @Argument(
        help: ArgumentHelp(
            "Traces: files, folders, archives (tar, zip), patterns in quotes, and lists (@FILE).", valueName: "trace"),
        completion: .file())
    var traces: [String] = []

    @Option(help: "The most memory that the cache may have, such as 64MB.", transform: Self.bytes)
    var memory: Int?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Caches, separated by commas: presets with a limit of memory in bytes.", valueName: "caches"))
    var caches = Self.everyday

    @Option(
        help: "The share by which the blank time at a smaller limit may be larger, such as 1% or 0.01.",
        transform: SimulateCommand.share)
    var within = 0.01

    @Option(
        help: ArgumentHelp(
            "The device whose limit ends the app: says how many sessions come near it. 'list' lists all.",
            valueName: "name"))
    var device: String?

    @Option(help: "The memory at which the system ends the app, such as 1.4GB.", transform: Self.bytes)
    var appLimit: Int?

    @Option(help: "The memory of the app beside the cache, such as 300MB.", transform: Self.bytes)
    var appBaseline: Int?

    @Option(
        help: ArgumentHelp(
            "Take the user of each session from the name of its trace, as 'cachereplay replay' does.",
            valueName: "pattern"))
    var userFrom: String?

    @Option(help: "As for 'cachereplay replay': recorded, shared, or auto.")
    var network = ReplayCommand.NetworkName.auto

    @Option(help: "The seed of intervals, and of latencies that a recording does not have.")
    var seed: UInt64 = 1

    @Option(help: "Threads; by default one per processor.")
    var jobs: Int?

    @Option(help: "The format of the traces; by default it is recognised. See 'cachereplay formats'.")
    var format: String?

    @Option(name: .shortAndLong, help: "A folder for advice.csv, advice.json and a chart.")
    var output: String?

    @Flag(help: "Replace the advice that the output folder holds.")
    var force = false

    @Flag(inversion: .prefixedNo, help: "Draw the chart.")
    var charts = true

    @OptionGroup var csv: CSVOutputOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only the results: no progress, no notes.")
    var quiet = false

    /// The libraries of new apps, in their present versions, whose memory has a limit in bytes.
    private static let everyday = "kingfisher-8,nuke-13,sdwebimage-5,glide,coil-3,fresco"

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1.") }
        if let memory, memory < 1 { throw ValidationError("--memory is at least 1 byte.") }
        if listsDevices { return }
        if traces.isEmpty {
            throw ValidationError("Which sessions? Name traces, such as \"Traces/gallery-*.jsonl\".")
        }
        if device != nil, appLimit != nil {
            throw ValidationError("--device has a limit of its own: leave out --app-limit, or leave out --device.")
        }
        if appBaseline != nil, device == nil, appLimit == nil {
            throw ValidationError("--app-baseline needs the limit of the app: give --app-limit 1.4GB, or --device.")
        }
        if force, output == nil { throw ValidationError("--force needs --output, the folder to replace.") }
        if csv.csvSafe, output == nil {
            throw ValidationError("--csv-safe needs --output, the folder of the CSV files.")
        }
        if let appLimit, appLimit < 1 { throw ValidationError("--app-limit is at least 1 byte.") }
    }

    private var listsDevices: Bool { device == "list" }

    /// Returns the memory of the app that the options name; nil if they name none.
    private func appMemory() throws -> AppMemory? {
        let app: AppMemory
        if let device {
            do { app = AppMemory(try KnownDevice.named(device), baseline: appBaseline) } catch {
                let end = error.nearest == nil ? "; " : " `cachereplay advise --device list` lists all; "
                throw CommandFailure(.usage, "--device: \(error)\(end)--app-limit 1.4GB gives another limit.")
            }
        } else if let appLimit {
            app = AppMemory(limit: appLimit, baseline: appBaseline)
        } else {
            return nil
        }
        if let appBaseline, appBaseline >= app.limit {
            throw CommandFailure(
                .usage,
                """
                --app-baseline \(HumanText.bytes(Double(appBaseline))) leaves nothing of the app's limit, \
                \(HumanText.bytes(Double(app.limit))); give what the app holds without the cache.
                """)
        }
        return app
    }

    func run() throws {
        if listsDevices { return CommandOutput.print(KnownDevice.table, terminator: "") }
        var question = Advice.Question(budget: memory)
        question.within = within
        question.app = try appMemory()
        let bases = try caches.split(separator: ",").map {
            try CacheConfiguration($0.trimmingCharacters(in: .whitespaces), registry: CacheReplay.policies)
        }
        guard !bases.isEmpty else { throw CommandFailure(.usage, "--for names no cache; write --for nuke-13.") }
        let sources = try TraceSources(traces, format: format)
        let folder = try output.map { path in
            try CommandFailure.translating { try AdviceFolder(at: path, csvSafe: csv.csvSafe, replaces: force) }
        }
        let pattern = try userFrom.map { try UserPattern($0) }
        let largest = try largestObject(sources)
        let plan: [Planned] = try bases.flatMap { try settings(of: $0, largest: largest) }
        let progress = ProgressBar(total: sources.files.count, unit: "sessions", quiet: quiet)
        let (table, evictions) = try replayAll(sources, plan, pattern, progress)
        progress.finish()
        var candidates = plan.map(\.candidate)
        for index in candidates.indices { candidates[index].evictions = evictions[index] }
        let advice = Advice(
            table, candidates, question, seed: seed,
            threads: jobs ?? ProcessInfo.processInfo.activeProcessorCount)
        var drawn: [String] = []
        if let folder {
            try CommandFailure.translating { try folder.write(advice) }
            drawn = try drawChart(advice, folder)
        }
        if json { return try printJSON(advice) }
        let parts =
            [advice.sentences.joined(separator: "\n") + "\n", advice.table, advice.front].filter { !$0.isEmpty }
            + advice.settings.map(\.text)
        CommandOutput.print(parts.joined(separator: "\n"), terminator: "")
        guard !quiet else { return }
        CommandOutput.print(
            "\n\(advice.replays) replays of \(advice.sessions) sessions, \(plan.count) settings, seed \(seed).")
        if let output {
            CommandOutput.print(
                "Written to \(output)\(drawn.isEmpty ? "" : ", with \(drawn.count) pictures in charts")")
        }
    }

    /// Draws the chart, and returns the paths of the pictures. Without gnuplot there are none, and a message names the
    /// remedy.
    private func drawChart(_ advice: Advice, _ folder: AdviceFolder) throws -> [String] {
        guard charts else { return [] }
        return try CommandFailure.translating {
            do { return try folder.drawChart(advice).reported() } catch let error as ResultsError
                where error.kind == .missingTool
            {
                printToStandardError("cachereplay: \(error.message)")
                return []
            }
        }
    }

    private struct Planned: Sendable {
        var candidate: Advice.Candidate
        var cache: CacheConfiguration
    }

    /// The limits below the asked one, each by a factor of √2, down to a 64th, or to the largest image.
    private func settings(of base: CacheConfiguration, largest: Int) throws -> [Planned] {
        let top = memory ?? 1 << 30
        let smaller = (1...12).map { Int(Double(top) / pow(2, Double($0) / 2)) }.filter { $0 >= largest }
        let limits: [Int?] = [memory] + (memory == nil ? [top] : []) + smaller
        return try limits.map { limit in
            let value = limit.map { Size.bytes($0).description } ?? SweptValue.unlimited
            do {
                let cache = try base.sweeping(
                    SweptValue(parameter: "memory", value: value), registry: CacheReplay.policies)
                return Planned(
                    candidate: .init(cache: base.name, limit: limit, name: cache.name, configuration: cache),
                    cache: cache)
            } catch let error as SpecError {
                throw CommandFailure(.usage, "--for \(base.name): \(error.message).")
            }
        }
    }

    /// Returns the bytes of the largest image of the first sessions: a smaller limit cannot hold it.
    private func largestObject(_ sources: TraceSources) throws -> Int {
        var largest = 1
        for file in sources.files.prefix(8) {
            let trace = try file.read().trace
            guard trace.events.contains(where: { if case .appear = $0.action { true } else { false } }) else {
                throw CommandFailure(.badData, "\(file.path): no cell ever appears, so the session cannot tell.")
            }
            guard trace.objects.contains(where: { $0.bytes != nil }) else {
                throw CommandFailure(
                    .badData,
                    "\(file.path): the trace has no sizes, so a limit of memory means nothing; record sizes, or name "
                        + "other traces.")
            }
            largest = max(largest, try PreparedTrace(trace, registry: CacheReplay.policies).largestImage)
        }
        if let memory, memory < largest {
            throw CommandFailure(
                .usage,
                """
                --memory \(HumanText.bytes(Double(memory))) is less than the largest image takes in memory, \
                \(HumanText.bytes(Double(largest))); give at least that.
                """)
        }
        return largest
    }

    /// Replays all sessions through all candidates. The order in which sessions end has no effect on the figures of the
    /// table.
    private func replayAll(
        _ sources: TraceSources, _ plan: [Planned], _ pattern: UserPattern?, _ progress: ProgressBar
    ) throws -> (FleetTable, evictions: [Int]) {
        struct State: Sendable {
            var table: FleetTable
            var evictions: [Int]
            var failure: (any Error)?
            var next = 0
        }
        let state = Mutex(
            State(
                table: FleetTable(caches: plan.map(\.cache.name)), evictions: [Int](repeating: 0, count: plan.count)))
        let files = sources.files
        let threads = max(1, min(jobs ?? ProcessInfo.processInfo.activeProcessorCount, files.count))
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while true {
                let index = state.withLock { state -> Int? in
                    guard state.failure == nil, state.next < files.count else { return nil }
                    defer { state.next += 1 }
                    return state.next
                }
                guard let index else { return }
                do {
                    let trace = try files[index].read().trace
                    let network = try ReplayPlan.network(of: trace, files[index], self.network.choice)
                    let prepared = try PreparedTrace(trace, network: network, registry: CacheReplay.policies)
                    let results = try plan.map { planned in
                        var job = ReplayJob(trace: files[index].name, cache: planned.cache)
                        job.timing = .modelled(.standard)
                        job.decode = true
                        job.seed = seed
                        job.network = network
                        job.timeline = .none
                        return try job.run(prepared, registry: CacheReplay.policies)
                    }
                    let user = try pattern.map { try $0.user(in: files[index].name) } ?? trace.header.user
                    state.withLock { state in
                        for (place, result) in results.enumerated() {
                            state.table.add(result, user: user.map(UserPattern.alias))
                            state.evictions[place] += result.tiers.memoryEvictions
                        }
                    }
                    progress.advance(by: 1)
                } catch {
                    state.withLock { if $0.failure == nil { $0.failure = error } }
                }
            }
        }
        let done = state.withLock { $0 }
        if let failure = done.failure { throw failure }
        return (done.table, done.evictions)
    }

    private static func bytes(_ text: String) throws -> Int {
        guard case .bytes(let bytes)? = try? Size(text) else {
            throw ValidationError("expected a size in bytes, such as 64MB")
        }
        return bytes
    }
}
