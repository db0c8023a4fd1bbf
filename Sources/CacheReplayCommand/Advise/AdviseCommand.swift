import ArgumentParser
import Basics
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
            of that without a limit. Prints the front of blank time, memory and bytes, and
            the code that sets the limit. --device adds the sessions near the memory at
            which the system ends the app.

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
    var caches: String?

    @Option(
        help: ArgumentHelp(
            "What to have least of: blank (time), bytes (fetched), or memory (at a blank time near the least).",
            valueName: "figure"))
    var objective = Advice.Objective.blank

    @Option(
        help: "The most that the disk of the cache may have, such as 200MB; smaller limits are replayed too.",
        transform: Self.bytes)
    var disk: Int?

    @Option(
        help: "The most that a user may fetch in a day, such as 50MB, for sessions of days or with --sessions-per-day.",
        transform: Self.bytes)
    var dataPerDay: Int?

    @Option(help: "The sessions of a user in a day, where sessions do not last for days.")
    var sessionsPerDay: Double?

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

    @Option(
        help: ArgumentHelp(
            "Begin no session after so many seconds. Sessions are then taken in an order that the seed determines.",
            valueName: "seconds"))
    var timeLimit: Double?

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
        if let timeLimit, !(timeLimit > 0 && timeLimit <= 1e6) {
            throw ValidationError("--time-limit is above 0 and at most 1000000 seconds.")
        }
        if let memory, memory < 1 { throw ValidationError("--memory is at least 1 byte.") }
        if let disk, disk < 1 { throw ValidationError("--disk is at least 1 byte.") }
        if let dataPerDay, dataPerDay < 1 { throw ValidationError("--data-per-day is at least 1 byte.") }
        if sessionsPerDay != nil, dataPerDay == nil {
            throw ValidationError("--sessions-per-day needs --data-per-day, such as 50MB.")
        }
        if let sessionsPerDay, !(sessionsPerDay > 0 && sessionsPerDay <= 10_000) {
            throw ValidationError("--sessions-per-day is above 0 and at most 10000.")
        }
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
        question.objective = objective
        question.disk = disk
        question.dataPerDay = dataPerDay
        let bases = try Self.list(caches ?? Self.everyday).map {
            try CacheConfiguration($0, registry: CacheReplay.policies)
        }
        guard !bases.isEmpty else { throw CommandFailure(.usage, "--for names no cache; write --for nuke-13.") }
        let sources = try TraceSources(traces, format: format)
        let pattern = try userFrom.map { try UserPattern($0) }
        let largest = try largestObject(sources)
        var plan: [Planned] = []
        for base in bases {
            let settings = try settings(of: base, largest)
            if settings.isEmpty { question.leftOut.append(base.name) }
            plan += settings
        }
        guard disk == nil || plan.contains(where: { $0.candidate.disk != nil }) else {
            throw CommandFailure(
                .usage, "--disk: none of the caches has a disk; name one that has, such as --for nuke-13.")
        }
        let folder = try output.map { path in
            try CommandFailure.translating { try AdviceFolder(at: path, csvSafe: csv.csvSafe, replaces: force) }
        }
        let progress = ProgressBar(total: sources.files.count, unit: "sessions", quiet: quiet)
        let replayed = try replayAll(sources, plan, pattern, progress)
        progress.finish()
        question.sessionsLeftOut = sources.files.count - replayed.sessions
        let table = replayed.table
        var candidates = plan.map(\.candidate)
        for index in candidates.indices {
            candidates[index].evictions = replayed.evictions[index]
            if dataPerDay != nil {
                candidates[index].bytesPerDay = Double(replayed.originBytes[index]) / days(of: replayed)
            }
        }
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
        let candidate: Advice.Candidate
        let cache: CacheConfiguration

        /// - Parameter sized: The cache with its limit of the disk.
        init(_ base: CacheConfiguration, _ sized: CacheConfiguration, memory: Int?, disk: Int?) throws {
            cache = try AdviseCommand.setting(sized, "memory", memory)
            candidate = .init(cache: base.name, limit: memory, disk: disk, name: cache.name, configuration: cache)
        }
    }

    /// Returns the items of a list with commas, without regard to commas in parentheses.
    private static func list(_ text: String) -> [String] {
        var items = [""]
        var depth = 0
        for character in text {
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            if character == ",", depth <= 0 { items.append("") } else { items[items.count - 1].append(character) }
        }
        return items.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Returns the limits below a limit, each by a factor of √2, down to a 64th, or to the largest object.
    private static func limits(below top: Int, largest: Int) -> [Int] {
        (1...12).map { Int(Double(top) / pow(2, Double($0) / 2)) }.filter { $0 >= largest }
    }

    /// Returns a cache with the given limit of memory and smaller ones, and with smaller limits of the disk.
    ///
    /// - Returns: Nothing for a cache that `--for` does not name, whose disk has no limit that could be set.
    private func settings(of base: CacheConfiguration, _ largest: LargestObject) throws -> [Planned] {
        let top = memory ?? 1 << 30
        let smaller = Self.limits(below: top, largest: largest.decoded)
        let limits: [Int?] = [memory] + (memory == nil ? [top] : []) + smaller
        let disk = base.disk == nil ? nil : disk
        let smallerDisks = disk.map { Self.limits(below: $0, largest: largest.encoded) } ?? []
        var sized = base
        if let disk {
            do { sized = try Self.setting(base, "disk", disk) } catch let error as SpecError {
                guard caches != nil else { return [] }
                throw CommandFailure(
                    .usage,
                    """
                    --disk for \(base.name): \(error.message), as in --for "\(base.name); disk: lru(200MB)"; or leave \
                    \(base.name) out of --for.
                    """)
            }
        }
        do {
            return try limits.map { try Planned(base, sized, memory: $0, disk: disk) }
                + smallerDisks.map { smaller in
                    try Planned(base, Self.setting(base, "disk", smaller), memory: memory, disk: smaller)
                }
        } catch let error as SpecError {
            throw CommandFailure(.usage, "--for \(base.name): \(error.message).")
        }
    }

    private static func setting(
        _ cache: CacheConfiguration, _ parameter: String, _ limit: Int?
    ) throws -> CacheConfiguration {
        let value = limit.map { Size.bytes($0).description } ?? SweptValue.unlimited
        return try cache.sweeping(SweptValue(parameter: parameter, value: value), registry: CacheReplay.policies)
    }

    private struct LargestObject {
        var decoded = 1
        var encoded = 1
    }

    /// Returns the sizes of the largest image of the first sessions: a smaller limit cannot hold it.
    private func largestObject(_ sources: TraceSources) throws -> LargestObject {
        var largest = LargestObject()
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
            let prepared = try PreparedTrace(trace, registry: CacheReplay.policies)
            largest.decoded = max(largest.decoded, prepared.largestImage)
            largest.encoded = max(largest.encoded, trace.objects.compactMap { $0.bytes.map { Int($0) } }.max() ?? 1)
        }
        for (option, limit, least, place) in [
            ("--memory", memory, largest.decoded, "in memory"), ("--disk", disk, largest.encoded, "on disk"),
        ] {
            guard let limit, limit < least else { continue }
            throw CommandFailure(
                .usage,
                """
                \(option) \(HumanText.bytes(Double(limit))) is less than the largest image takes \(place), \
                \(HumanText.bytes(Double(least))); give at least that.
                """)
        }
        return largest
    }

    /// The nanoseconds of a day.
    private static let day = 86_400 * 1_000_000_000.0

    /// Checks that a session is long enough for a rate per day.
    private func checkLength(_ nanoseconds: Int64, _ file: TraceFile) throws {
        guard dataPerDay != nil, sessionsPerDay == nil, Double(nanoseconds) < Self.day else { return }
        throw CommandFailure(
            .usage,
            """
            --data-per-day: \(file.path) lasts \(HumanText.microseconds(Double(nanoseconds) / 1_000)), and a rate per \
            day \
            needs sessions of a day or more. Give the sessions of a user in a day, such as --sessions-per-day 5, or \
            record sessions that last for days.
            """)
    }

    /// Replays all sessions through all candidates. The order in which sessions end has no effect on the figures of the
    /// table.
    private func replayAll(
        _ sources: TraceSources, _ plan: [Planned], _ pattern: UserPattern?, _ progress: ProgressBar
    ) throws -> Replayed {
        struct State: Sendable {
            var replayed: Replayed
            var failure: (any Error)?
            var next = 0
        }
        let state = Mutex(
            State(
                replayed: Replayed(
                    table: FleetTable(caches: plan.map(\.cache.name)),
                    evictions: [Int](repeating: 0, count: plan.count),
                    originBytes: [Int64](repeating: 0, count: plan.count))))
        var files = sources.files
        if timeLimit != nil {
            // The first sessions of a folder are often those of one user.
            var generator = SplitMix64(seed: seed)
            files.shuffle(using: &generator)
        }
        let (taken, deadline) = (files, timeLimit.map { ContinuousClock.now + .seconds($0) })
        let threads = max(1, min(jobs ?? ProcessInfo.processInfo.activeProcessorCount, files.count))
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while true {
                let index = state.withLock { state -> Int? in
                    guard state.failure == nil, state.next < taken.count else { return nil }
                    // The first session is replayed in any case.
                    if let deadline, state.next > 0, ContinuousClock.now >= deadline { return nil }
                    defer { state.next += 1 }
                    return state.next
                }
                guard let index else { return }
                let file = taken[index]
                do {
                    let trace = try file.read().trace
                    let network = try ReplayPlan.network(of: trace, file, self.network.choice)
                    let prepared = try PreparedTrace(trace, network: network, registry: CacheReplay.policies)
                    let results = try plan.map { planned in
                        var job = ReplayJob(trace: file.name, cache: planned.cache)
                        job.timing = .modelled(.standard)
                        job.decode = true
                        job.seed = seed
                        job.network = network
                        job.timeline = .none
                        return try job.run(prepared, registry: CacheReplay.policies)
                    }
                    let duration = results.first?.traceDuration ?? 0
                    try checkLength(duration, file)
                    let user = try pattern.map { try $0.user(in: file.name) } ?? trace.header.user
                    state.withLock { state in
                        state.replayed.duration += duration
                        state.replayed.sessions += 1
                        for (place, result) in results.enumerated() {
                            state.replayed.table.add(result, user: user.map(UserPattern.alias))
                            state.replayed.evictions[place] += result.tiers.memoryEvictions
                            state.replayed.originBytes[place] += result.tiers.originBytes
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
        return done.replayed
    }

    /// The sums over all sessions, by the place in the plan. They are whole numbers, so that the order in which sessions
    /// end has no effect.
    private struct Replayed: Sendable {
        var table: FleetTable
        var evictions: [Int]
        var originBytes: [Int64]
        var sessions = 0
        /// The length of all sessions in nanoseconds.
        var duration: Int64 = 0
    }

    /// Returns the days of use that the sessions stand for.
    private func days(of replayed: Replayed) -> Double {
        sessionsPerDay.map { Double(replayed.sessions) / $0 } ?? Double(replayed.duration) / Self.day
    }

    private static func bytes(_ text: String) throws -> Int {
        guard case .bytes(let bytes)? = try? Size(text) else {
            throw ValidationError("expected a size in bytes, such as 64MB")
        }
        return bytes
    }
}

extension Advice.Objective: ExpressibleByArgument {}
