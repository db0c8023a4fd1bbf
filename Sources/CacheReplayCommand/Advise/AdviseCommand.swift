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

    /// Returns the options of the replays, and opens the log of finished replays.
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

extension AdviseCommand {
    /// The libraries of new apps, in their present versions, whose memory has a limit in bytes.
    private static let everyday = ["kingfisher-8", "nuke-13", "sdwebimage-5", "glide", "coil-3", "fresco"]

    /// The libraries of new apps of a platform. For any platform, the libraries of iOS and Android.
    private static func everyday(on platform: AppPlatform) -> [String] {
        switch platform {
        case .flutter: ["flutter-3", "cached-network-image-3"]
        case .compose: ["coil-3-ios", "coil-3"]
        default: everyday
        }
    }

    /// Returns the cache of `--keep`, and the caches of `--for`: specifications, and caches of YAML files.
    func namedCaches() throws -> [CacheConfiguration] {
        let kept = try keep.map { try CacheConfiguration(specification: $0, registry: CacheReplay.policies) }
        guard let caches else { return [kept].compactMap(\.self) }
        let others = try SimulateCommand.list(caches).filter { !$0.isEmpty }.flatMap { item in
            guard item.hasEnding(".yaml") || item.hasEnding(".yml") else {
                return [try CacheConfiguration(specification: item, registry: CacheReplay.policies)]
            }
            let file = try ConfigFile(contentsOf: item)
            let named = file.caches
            let unused = file.keys.filter { $0 != "caches" }
            if let remark = file.remark(on: unused, "in advice, which takes the caches alone", item) {
                printToStandardError(remark)
            }
            guard !named.isEmpty else {
                throw CommandFailure(.badData, "\(item): names no cache; write them under the key caches.")
            }
            return named
        }
        guard !others.isEmpty else { throw CommandFailure(.usage, "--for names no cache; write --for nuke-13.") }
        var names: Set<String> = []
        for cache in others where !names.insert(cache.name).inserted {
            throw CommandFailure(.usage, "--for names \(cache.name) twice; name it once.")
        }
        return [kept].compactMap(\.self) + others.filter { $0.name != kept?.name }
    }

    /// Returns the caches of the options; without `--for`, the cache of `--keep` and the libraries of new apps.
    ///
    /// - Throws: ``CommandFailure`` for a cache that no app of the platform can have.
    func bases(_ named: [CacheConfiguration], on platform: AppPlatform) throws -> [CacheConfiguration] {
        for (place, cache) in named.enumerated() where !cache.isAvailable(on: platform) {
            let option = keep != nil && place == 0 ? "--keep" : "--for"
            let others = Self.everyday(on: platform).filter {
                (try? CachePreset.named($0).platforms.contains(platform)) == true
            }
            let remedy = others.first.map { "name another one, such as \($0)," } ?? "write a policy, such as lru(64MB),"
            throw CommandFailure(
                .usage,
                """
                \(option) \(cache.name): apps for \(platform.title ?? "all systems") cannot have this cache; \
                \(remedy) or give --platform any.
                """)
        }
        var bases = named
        if caches == nil {
            bases += try Self.everyday(on: platform).filter { name in !named.contains { $0.preset == name } }
                .map { try CacheConfiguration(specification: $0) }.filter { $0.isAvailable(on: platform) }
        }
        guard !bases.isEmpty else {
            throw CommandFailure(
                .usage,
                """
                --platform \(platform.rawValue): no preset of such an app is known; name what its cache is like, such \
                as --for "lru(100MB)", or give --platform any.
                """)
        }
        return try appRules.applied(to: nscache.applied(to: bases))
    }
}

/// The settings that are tried.
extension AdviseCommand {
    /// Returns the limits below a limit, each by a factor of √2, and the size of the largest object at the end.
    static func limits(below top: Int, largest: Int) -> [Int] {
        let halfSteps = (1...).lazy.map { Int(Double(top) / pow(2, Double($0) / 2)) }
        return Array(halfSteps.prefix { $0 > largest }) + (largest < top ? [largest] : [])
    }

    /// Returns the settings of all caches, and notes in the question those that are left out.
    func spaces(
        of bases: [CacheConfiguration], _ known: Known, _ question: inout Advice.Question
    ) throws -> [AdviceSpace] {
        var spaces: [AdviceSpace] = []
        for base in bases {
            guard let space = try space(of: base, known, question) else {
                question.leftOut.append(base.name)
                continue
            }
            spaces.append(space)
        }
        guard disk == nil || spaces.contains(where: { $0.disk.count > 1 || $0.disk[0] != nil }) else {
            throw CommandFailure(
                .usage, "--disk: none of the caches has a disk; name one that has, such as --for nuke-13.")
        }
        return spaces
    }

    /// Returns the settings of a cache: the given limits and smaller ones, the values of the varied rules, and the
    /// levers.
    ///
    /// - Returns: nil for a cache that no option names and whose disk has no limit that could be set.
    func space(
        of base: CacheConfiguration, _ known: Known, _ question: Advice.Question
    ) throws -> AdviceSpace? {
        let budget = question.budget
        let top = budget ?? 1 << 30
        let smaller = Self.limits(below: top, largest: known.largestDecoded)
        let limits: [Int?] = [budget] + (budget == nil ? [top] : []) + smaller
        let disk = base.disk == nil ? nil : disk
        var disks: [Int?] = [disk]
        if let disk {
            let limit = SweptValue(parameter: "disk", value: Size.bytes(disk).description)
            do { _ = try base.sweeping([limit], registry: CacheReplay.policies) } catch let error as SpecError {
                guard caches != nil || base.name == question.keep else { return nil }
                throw CommandFailure(
                    .usage,
                    """
                    --disk for \(base.name): \(error.message), as in --for "\(base.name); disk: lru(200MB)"; or leave \
                    \(base.name) out of --for.
                    """)
            }
            disks += Self.limits(below: disk, largest: known.largestEncoded)
        }
        let varied = vary.contains("all") ? Self.allRules : vary
        var space = AdviceSpace(
            base, memory: limits, disk: disks,
            rules: base.tunableRules(registry: CacheReplay.policies).filter { rule in
                rule.parameter == "thumbnails" || varied.contains(Self.word(rule.parameter))
            }, registry: CacheReplay.policies)
        do {
            let cache = try space.cache(space.start(0))
            space.levers = cache.levers(for: known.sessions, registry: CacheReplay.policies)
        } catch let error as SpecError {
            let option = base.name == question.keep ? "--keep" : "--for"
            throw CommandFailure(.usage, "\(option) \(base.name): \(error.message).")
        }
        return space
    }

    private static func word(_ parameter: String) -> String {
        parameter == "connectionsPerHost" ? "connections" : parameter
    }

    /// The words of `--vary`.
    static let allRules = ["connections", "order", "lifetime", "policy", "prefetch"]
}

/// The sessions that are replayed, and the facts that the first of them give.
extension AdviseCommand {
    /// Returns traces in the order of their replays.
    func ordered(_ files: [TraceFile]) -> [TraceFile] {
        guard files.count > sampleSessions || limit.timeLimit != nil else { return files }
        // The first sessions of a folder often belong to one user.
        var generator = SplitMix64(seed: seed)
        return files.shuffled(using: &generator)
    }

    func sessions(_ files: [TraceFile]) throws -> [AdviceSession] {
        let pattern = try userFrom.map { try UserPattern($0) }
        let choice = try networkOption.network().choice()
        let injected = try injection.events()
        let check = check
        return try files.map { file in
            AdviceSession(
                name: file.name, user: try pattern.map { UserPattern.alias(try $0.user(in: file.name)) },
                size: file.size, fingerprint: { try file.sha256() },
                load: {
                    let (trace, network) = try file.prepared(file.read().trace, choice, injecting: injected)
                    try check(file.name, trace)
                    return AdviceSession.Loaded(trace, network)
                })
        }
    }

    /// The facts that the first sessions give before a search.
    struct Known {
        /// The sizes of the largest images: a smaller limit cannot hold them.
        var largestDecoded = 1
        var largestEncoded = 1
        var sessions = Lever.Sessions()
        private var platforms: Set<AppPlatform> = []

        /// The platform that all sessions have in common.
        var platform: AppPlatform { platforms.count == 1 ? platforms.first ?? .any : .any }

        mutating func add(_ prepared: PreparedTrace) {
            let trace = prepared.trace
            largestDecoded = max(largestDecoded, prepared.largestImage)
            largestEncoded = max(largestEncoded, trace.objects.compactMap { $0.bytes.map { Int($0) } }.max() ?? 1)
            sessions.add(trace)
            platforms.insert(AppPlatform(recorder: trace.header.recorder))
        }
    }

    static let day = 86_400 * 1_000_000_000.0

    /// Returns the check whether a session can decide anything.
    private var check: @Sendable (_ session: String, PreparedTrace) throws -> Void {
        let needsDays = dataPerDay != nil && sessionsPerDay == nil
        let needsDisappearances = objective != .bytes
        return { session, prepared in
            let trace = prepared.trace
            guard trace.events.contains(where: { if case .appear = $0.action { true } else { false } }) else {
                throw CommandFailure(.badData, "\(session): no cell ever appears, so the session cannot tell.")
            }
            guard trace.objects.contains(where: { $0.bytes != nil }) else {
                throw CommandFailure(
                    .badData,
                    "\(session): the trace has no sizes, so a limit of memory means nothing; record sizes, or "
                        + "name other traces.")
            }
            guard !needsDisappearances || !prepared.cellsStay else {
                throw CommandFailure(
                    .badData,
                    """
                    \(session): the trace records no disappearance of a cell, so it does not say how long cells \
                    were blank. Compare bytes with --objective bytes, or record when cells disappear: `record \
                    gallery` does, and so does an app that calls `cellDisappeared` of SessionRecorder.
                    """)
            }
            let nanoseconds = Double(trace.duration) * 1_000
            guard !needsDays || nanoseconds >= Self.day else {
                throw CommandFailure(
                    .badData,
                    """
                    --data-per-day: \(session) lasts \(HumanText.microseconds(nanoseconds / 1_000)), and a rate \
                    per day needs sessions of a day or more. Give the sessions of a user in a day, such as \
                    --sessions-per-day 5, or record sessions that last for days.
                    """)
            }
        }
    }

    /// The number of sessions that are read before a search.
    private static let firstSessions = 8

    /// Returns the facts of the first sessions that can be read.
    ///
    /// - Throws: ``CommandFailure`` for a limit that is smaller than the largest image.
    func known(_ sessions: [AdviceSession], _ files: [TraceFile]) throws -> Known {
        var known = Known()
        for (session, file) in zip(sessions, files).prefix(Self.firstSessions) {
            do { known.add(try session.load().trace) } catch {
                _ = try file.skipped(after: error, isStrict: input.strict)
            }
        }
        for (option, limit, least, place) in [
            ("--memory", memory, known.largestDecoded, "in memory"),
            ("--disk", disk, known.largestEncoded, "on disk"),
        ] {
            try Self.require(limit, of: option, least, place, "give at least that")
        }
        return known
    }

    /// Refuses a limit in bytes that is smaller than the largest image, which takes `least` bytes in `place`. The error
    /// begins with `option` and ends with `remedy`.
    static func require(
        _ limit: Int?, of option: String, _ least: Int, _ place: String, _ remedy: String
    ) throws {
        guard let limit, limit < least else { return }
        throw CommandFailure(
            .usage,
            """
            \(option) \(HumanText.bytes(Double(limit))) is less than the largest image takes \(place), \
            \(HumanText.bytes(Double(least))); \(remedy).
            """)
    }
}
