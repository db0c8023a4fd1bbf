import Advising
import ArgumentParser
import Basics
import CachePolicies
import CacheReports
import Dispatch
import Foundation
import ImageLibraries
import MeasuredTiers
import ReplayEngine
import Runs

/// `advise`: replays sessions through caches with several limits, and recommends a cache and a limit.
struct AdviseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Say which cache to use or keep, what to change, and which limit is enough.",
        usage: "cachereplay advise <trace> ... [<options>]",
        discussion: """
            Replays all sessions in modelled timing through each cache, with the given limit of memory and with \
            smaller ones, and compares the blank time of users. For the best caches, it also tries each change of the \
            app and of the cache by itself, such as prefetching or more connections, and shows what it gains and \
            costs. Without a limit, it finds for each cache the smallest limit whose blank time is that without a \
            limit, up to 0.1 points. That limit is exact to 2 %. At the end, a bound says how much blank time no \
            cache can avoid. --keep begins with a cache that you have. --details adds the code that sets the limit, \
            and all settings. --device adds the sessions near the memory at which the system ends the app. The \
            folder of --output gets advice.csv, advice.json, a chart and advice.html.

            Example: cachereplay advise "Traces/stress-*.jsonl" --memory 64MB
            --keep kingfisher-8 --platform ios
            """)

    @OptionGroup var input: TraceOptions

    @Option(help: "The most memory that the cache may have, such as 64MB.", transform: SimulateCommand.bytes)
    var memory: Int?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Caches, separated by commas: presets with a limit of memory in bytes.", valueName: "caches"))
    var caches: String?

    @Option(
        help: ArgumentHelp(
            "The cache that you have: the answer says whether to keep it, and what to change in it.",
            valueName: "cache"))
    var keep: String?

    @Option(
        help: ArgumentHelp(
            """
            The platform of the app: ios, android, flutter, compose, react-native, or any. Without it, that of \
            the recorder that the traces name, or any. Libraries of other platforms are left out.
            """))
    var platform: AppPlatform?

    @Option(
        help: ArgumentHelp(
            """
            What to minimise: blank, the time that visible cells have no image; bytes, what a session fetches; or \
            memory, what a blank time near the least one needs.
            """, valueName: "figure"))
    var objective = Advice.Objective.blank

    @Option(
        help: "The largest limit of the disk of the cache, such as 200MB; smaller limits are replayed too.",
        transform: SimulateCommand.bytes)
    var disk: Int?

    @Option(
        help: "What a user fetches in a day at most, such as 50MB, for sessions of days or with --sessions-per-day.",
        transform: SimulateCommand.bytes)
    var dataPerDay: Int?

    @Option(help: "The sessions of a user in a day, where sessions do not last for days.")
    var sessionsPerDay: Double?

    @OptionGroup var relevance: RelevanceOption

    @Option(
        help: ArgumentHelp(
            "The device whose limit ends the app: says how many sessions come near it. 'list' lists all.",
            valueName: "name"))
    var device: String?

    @Option(help: "The memory at which the system ends the app, such as 1.4GB.", transform: SimulateCommand.bytes)
    var appLimit: Int?

    @Option(help: "The memory of the app beside the cache, such as 300MB.", transform: SimulateCommand.bytes)
    var appBaseline: Int?

    @Option(
        help: ArgumentHelp(
            "Take the user of each session from the name of its trace, as 'cachereplay replay' does.",
            valueName: "pattern"))
    var userFrom: String?

    @OptionGroup var injection: InjectionOptions

    @OptionGroup var networkOption: NetworkOptionGroup

    @Option(help: "The seed of intervals, and of latencies that a recording does not have.")
    var seed: UInt64 = 1

    @OptionGroup var jobsOption: JobsOption

    /// With a limit, sessions are taken in an order that the seed determines.
    @OptionGroup var limit: TimeLimitOption

    @Option(
        help: ArgumentHelp(
            """
            Rules to search beside the limits, separated by commas: connections, order, lifetime, policy, prefetch, or \
            all. \
            Without it, each cache has its own rules.
            """, valueName: "rules"),
        transform: Self.rules)
    var vary: [String] = []

    @Option(
        help: "The sessions on which settings are searched. What could be the answer is replayed on all sessions.")
    var sampleSessions = 64

    @OptionGroup var results: ResumableOutputOptions

    @OptionGroup var charts: ChartsOption

    @OptionGroup var nscache: NSCacheOption

    @OptionGroup var appRules: AppRulesOption

    @OptionGroup var csv: CSVOutputOptions

    @Flag(help: "Also print the code of the settings, all levers, caches and settings, and what was replayed.")
    var details = false

    @OptionGroup var printing: PrintOptions

    func validate() throws {
        _ = try networkOption.network()
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
        try input.require()
        if device != nil, appLimit != nil {
            throw ValidationError("--device has a limit of its own: leave out --app-limit, or leave out --device.")
        }
        if appBaseline != nil, device == nil, appLimit == nil {
            throw ValidationError("--app-baseline needs the limit of the app: give --app-limit 1.4GB, or --device.")
        }
        if sampleSessions < 1 { throw ValidationError("--sample-sessions is at least 1.") }
        try csv.require(results.output)
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
        let named = try namedCaches()
        var question = try question()
        let sources = try input.sources()
        let files = ordered(sources.files)
        let sessions = try sessions(files)
        let known = try known(sessions, files)
        question.platform = platform ?? known.platform
        let bases = try bases(named, on: question.platform)
        if keep != nil {
            question.keep = bases[0].name
            let own = memory == nil ? bases[0].limitOfMemory(CacheReplay.policies) : nil
            try Self.require(
                own, of: "--keep \(bases[0].name):", known.largestDecoded, "in memory",
                "give at least that with --memory")
            question.budget = memory ?? own
        }
        let spaces = try spaces(of: bases, known, &question)
        let folder = try results.output.map { path in
            try AdviceStore(at: path, csvSafe: csv.csvSafe, replaces: results.force, resumes: results.resume)
        }
        let options = try options(files)
        // The number of replays of a search is not known before.
        let progress = ProgressBar(
            total: expectedReplays(spaces, sessions.count), unit: "replays", quiet: printing.quiet)
        let replays = AdviceReplays(spaces, sessions, options) { progress.advance(by: Double($0)) }
        let advice = try Advice.search(replays, question, searchOptions)
        progress.finish()
        var pictures = 0
        if let folder {
            try folder.write(advice)
            pictures = try charts.draw(quiet: printing.quiet) { try folder.drawChart(advice) }.count
            if advice.search?.isComplete == true { try options.log?.remove() }
        }
        try TraceSources.report(
            replays.skipped.map { SkippedSource(path: $0.session, reason: $0.reason) }, of: files.count)
        try show(advice, pictures: pictures)
    }

    /// The widest lines for a terminal of unknown width.
    private static let width = 80

    private func show(_ advice: Advice, pictures: Int) throws {
        if printing.json { return try printJSON(AdviceRecord(advice)) }
        CommandOutput.print(advice.document(details: details), width: CommandOutput.terminalWidth ?? Self.width)
        guard !printing.quiet else { return }
        if details, let search = advice.search {
            CommandOutput.print("\n\(search.text) Seed \(seed).")
        } else {
            CommandOutput.print("\n--details prints the code of the settings, and all levers, caches and limits.")
        }
        if let output = results.output { printWritten(to: output, pictures: pictures) }
    }

    private func question() throws -> Advice.Question {
        var question = Advice.Question(budget: memory)
        question.relevanceThreshold = relevance.relevanceThreshold
        question.app = try appMemory()
        question.objective = objective
        question.disk = disk
        question.dataPerDay = dataPerDay
        question.injected = try injection.events().text
        return question
    }

    /// Returns how sessions are replayed, and opens the log of finished replays.
    private func options(_ files: [TraceFile]) throws -> AdviceReplays.Options {
        var options = AdviceReplays.Options()
        options.seed = seed
        options.threads = jobsOption.threads
        options.deadline = limit.timeLimit.map { ContinuousClock.now + .microseconds($0) }
        options.reasonToSkip = { [isStrict = input.strict] number, error in
            try files[number].skipped(after: error, isStrict: isStrict).reason
        }
        options.measured = .real
        options.log = try log()
        return options
    }

    private var searchOptions: Advice.SearchOptions {
        var search = Advice.SearchOptions()
        search.sample = sampleSessions
        search.sessionsPerDay = sessionsPerDay
        search.seed = seed
        search.threads = jobsOption.threads
        return search
    }

    /// Opens the log of finished replays; nil without an output folder.
    private func log() throws -> AdviceLog? {
        guard let output = results.output else { return nil }
        let log = try AdviceLog(
            in: output,
            .init(
                program: try Fingerprint.sha256(ChildProcess.executable.path), seed: seed,
                network: "\(try networkOption.network().choice().name) \(input.format ?? "")",
                injected: try injection.events().text),
            resumes: results.resume)
        if log.hasOtherInputs {
            printToStandardError(
                "cachereplay: all replays are repeated, because the program, the seed, the network, the format or the "
                    + "injected events changed."
            )
        }
        return log
    }

    /// Returns about as many replays as a search takes, for the progress.
    private func expectedReplays(_ spaces: [AdviceSpace], _ sessions: Int) -> Int {
        let onSample = spaces.reduce(0) { sum, space in
            sum + space.memory.count + 2 * space.disk.count + space.levers.count
                + space.rules.reduce(0) { $0 + ($1.values.count + 1) / 2 }
        }
        return onSample * min(sampleSessions, sessions) + (sessions > sampleSessions ? 6 * spaces.count * sessions : 0)
    }

    private static func rules(_ text: String) throws -> [String] {
        let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard !words.isEmpty, words.allSatisfy({ $0 == "all" || allRules.contains($0) }) else {
            throw ValidationError("expected \(allRules.joined(separator: ", ")), or all")
        }
        return words
    }
}

extension Advice.Objective: ExpressibleByArgument {}
extension AppPlatform: ExpressibleByArgument {}
