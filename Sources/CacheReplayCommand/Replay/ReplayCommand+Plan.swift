import ArgumentParser
import Basics
import Foundation
import ImageLibraries
import ReplayEngine
import Runs

/// From the options of `replay` to its plan, and to what `run.json` says about it.
extension ReplayCommand {
    /// - Parameter others: Caches besides those that the options name.
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
        settings.clock = replayClock
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

    /// Checks that the timing can have what was stated for each cache.
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
        // Escaped slashes keep the text equal to that of earlier versions, whose shards can be joined.
        let caches = try JSONWriter.encoding(caches, .line).text.replacing("/", with: "\\/")
        return """
            \(settings.repeats) \(settings.seed) \(timing.rawValue) \(clock.rawValue) \(speed) \
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

    /// The most runs of which `--timeline auto` keeps the timelines.
    private static let mostTimelines = 50
    /// The most measured runs of which `--timeline auto` keeps the timelines. Measured runs take more time than a
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

    /// Whether nothing has to be estimated or read: instant timing uses no network, and a wall clock the recorded one.
    private var usesNoLink: Bool { timing == .instant || clock == .wall }

    /// - Throws: ``CommandFailure`` for networks that can be the same, and for a file that describes none.
    private func choices(_ networks: [NetworkName]) throws -> [ReplayPlan.NetworkChoice] {
        let choices = try NetworkName.choices(networks)
        return usesNoLink ? [.recorded] : choices
    }

    /// Returns the sweeps of caches, and the networks: those of `--network`, or those of `--sweep network=…`.
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
        for network in networks where clock == .wall && (network == .shared || network.isProfile) {
            throw ValidationError("--network \(network.rawValue) needs the virtual clock; use --network recorded.")
        }
        for network in networks { try network.check(isInstant: timing == .instant, isOneOfSeveral: networks.count > 1) }
    }

    private var replayClock: ReplayJob.Clock { clock == .wall ? .wall(speed: speed) : .virtual }

    func manifest(
        _ plan: ReplayPlan, _ costs: ReplayFacts.CostsSource?, _ plugins: LoadedPlugins,
        program: String, _ start: Date
    ) throws -> Manifest<ReplayFacts> {
        var manifest = Manifest<ReplayFacts>(
            versions: ["cachereplay": CacheReplay.version], command: CommandLine.arguments, traces: plan.sources,
            inputs: try RunInputs.current(program: program, plugins, bodies: bodies), start: start,
            ReplayFacts(
                caches: try plan.caches.map { cache in
                    let specifications = try plan.entries.map { ($0.file.name, try cache.canonical(for: $0.context)) }
                    return .init(
                        name: cache.name, specifications: Dictionary(uniqueKeysWithValues: specifications),
                        preset: cache.preset)
                }, seed: seed, clock: clock.rawValue, timing: plan.timingName, repeats: plan.settings.repeats,
                costs: costs))
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
