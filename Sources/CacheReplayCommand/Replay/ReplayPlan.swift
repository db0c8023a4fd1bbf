import Basics
import CachePolicies
import CacheTraces
import Foundation
import ReplayEngine
import Runs
import SessionModel
import Synchronization

/// The traces, caches and settings of one `replay` command, and the runs that follow from them.
///
/// Up to ``mostRead`` traces that are named one by one are read and checked before anything runs. Other traces, such as
/// the traces of a folder, are read when their turn comes (``read(_:isCompiled:)``), which bounds memory.
struct ReplayPlan: Sendable {
    /// The settings that all runs have in common.
    struct Settings: Sendable {
        var repeats = 1
        var firstRepeat = 1
        var seed: UInt64 = 1
        var timing = ReplayJob.Timing.measured
        var costsFile: String?
        /// Each run is made over each network.
        var networks = [NetworkChoice.recorded]
        var bodies: String?
        var decode = false
        var timeline = ReplayJob.Timeline.everySecond
        /// The format of the file of requests; nil for none.
        var requests: RequestsFormat?
        /// Whether the course of each run is written as a Chrome trace.
        var writesEvents = false
        /// The pattern that finds a session's user; nil to take users from the headers of traces.
        var users: UserPattern?
        var injected = InjectedEvents()

        var runs: Int { networks.count * repeats }
    }

    /// A trace that was read and checked.
    struct TraceEntry: Sendable {
        var file: TraceFile
        var header: TraceHeader
        var context: CacheContext
        var sha256: String
        /// The name of the format in which the file is read.
        var format: String
        var warnings: [String]
        /// A name that stands for the user of the session; nil if the session is a user of its own.
        var user: String?
        /// The path of the compiled trace; nil if no other process needs it.
        var compiled: String?
        var networks: [ReplayJob.Network]

        /// The entry of `run.json`.
        var source: TraceSource {
            .init(
                name: file.name, path: file.path, sha256: sha256, format: format,
                session: .init(
                    title: header.title, recorder: header.recorder, started: header.started,
                    synthetic: header.synthetic, scripted: header.scripted))
        }
    }

    typealias NetworkChoice = Runs.NetworkChoice

    /// One run: one trace, one network, one cache, one repeat.
    struct Run: Sendable {
        var trace: TraceEntry
        var job: ReplayJob
        var identity: RunIdentity

        /// - Parameter rules: The `canonicalRules` of the job's cache.
        init(trace: TraceEntry, job: ReplayJob, rules: String) throws {
            self.trace = trace
            self.job = job
            identity = try job.identity(in: trace.context, rules: rules)
        }

        /// The run as messages name it.
        var name: String {
            let network = trace.networks.count > 1 ? " over \(identity.network)" : ""
            return "\(identity.trace)\(network), \(identity.cache), repeat \(identity.repetition)"
        }

        /// The runs with the other plausible models of Darwin's NSCache, if the cache rests on that class and has
        /// evicted objects: the figures of one model alone would look like facts.
        func otherModels(after result: RunResult) throws -> [Run] {
            result.tiers.memoryEvictions > 0 ? try otherModels() : []
        }

        /// The runs with the other plausible models of Darwin's NSCache, if the cache rests on that class.
        func otherModels() throws -> [Run] {
            guard job.cache.model != nil else { return [] }
            return try NSCacheModelChoice.allCases.dropFirst().map { model in
                var job = job
                job.cache = job.cache.with(model)
                return try Run(trace: trace, job: job, rules: job.cache.canonicalRules)
            }
        }
    }

    /// The most caches of a replay. A replay keeps some 100 kB for each, until its tables are printed.
    static let mostCaches = 5_000

    static func tooMany(_ count: Int) -> String {
        "\(count) caches; a replay has at most \(mostCaches), so divide them among several replays"
    }

    /// The most traces that are read before the first run.
    static let mostRead = 50

    private(set) var files: [TraceFile]
    private(set) var caches: [CacheConfiguration]
    /// The `canonicalRules` of each cache.
    private var rules: [String]
    private(set) var settings: Settings
    /// The SHA-256 of each file; nil for a file that cannot be read.
    private(set) var hashes: [String?]
    /// The traces that were read, by the number of their file; empty if traces are read when their turn comes.
    private(set) var entries: [TraceEntry]
    /// Whether a trace that cannot be read stops the replay, also if it is not named by itself.
    private(set) var isStrict: Bool
    /// The places of these traces in the whole replay, and the facts about it; nil for a whole replay.
    let part: (places: [Int], source: ShardSource)?
    let kept: BodyIndex?
    /// Holds compiled traces until ``removeCompiledTraces()``.
    private let scratch: ScratchFolder

    /// - Parameters:
    ///   - isStrict: Whether a trace that cannot be read stops the replay, also if it is not named by itself.
    ///   - threads: The number of threads that compute checksums.
    init(
        _ sources: TraceSources, part: (places: [Int], source: ShardSource)? = nil,
        caches: [CacheConfiguration], settings: Settings, isStrict: Bool = false,
        threads: Int = 1
    ) throws {
        self.part = part
        files = part.map { part in part.places.map { sources.files[$0] } } ?? sources.files
        guard !files.isEmpty else {
            throw CommandFailure(
                .usage, "--shard: there are fewer traces than shards, so this one is empty; use fewer shards.")
        }
        guard caches.count <= Self.mostCaches else { throw CommandFailure(.usage, "\(Self.tooMany(caches.count)).") }
        self.caches = caches
        rules = caches.map(\.canonicalRules)
        self.settings = settings
        self.isStrict = isStrict
        try Self.checkNames(caches.map(\.name), "caches", remedy: "give them different names")
        if let users = settings.users { for file in files { _ = try users.user(in: file.name) } }
        let prefix = "cachereplay-traces"
        ScratchFolder.removeAbandoned(in: FileManager.default.temporaryDirectory.path, prefix: prefix)
        scratch = try ScratchFolder(in: FileManager.default.temporaryDirectory.path, prefix: prefix)
        kept = try settings.bodies.map { try BodyIndex(folder: $0) }
        if sources.areNamed, part == nil, files.count <= Self.mostRead {
            let (settings, kept, scratch) = (settings, kept, scratch)
            entries = try files.enumerated().map { index, file in
                let compiled = "\(scratch.path)/\(index).crtrace"
                return try Self.read(file, sha256: nil, settings, kept, compiled: compiled).entry
            }
            hashes = entries.map(\.sha256)
        } else {
            entries = []
            hashes = Self.hashes(of: files, threads: threads)
        }
    }

    /// The number of runs, without those with other models of NSCache.
    var count: Int { files.count * runsOfTrace }

    var runsOfTrace: Int { caches.count * settings.runs }

    /// Returns a plan of one repeat of one trace through one cache, over each network, which needs this plan to stay.
    func single(trace: Int, cache: Int, repetition: Int) -> ReplayPlan {
        var plan = self
        plan.files = [files[trace]]
        plan.hashes = [hashes[trace]]
        plan.entries = entries.isEmpty ? [] : [entries[trace]]
        plan.caches = [caches[cache]]
        plan.rules = [rules[cache]]
        plan.settings.repeats = 1
        plan.settings.firstRepeat = repetition
        // The only trace must be readable.
        plan.isStrict = true
        return plan
    }

    /// Ends the plan: its runs can no longer be made.
    func removeCompiledTraces() {
        scratch.remove()
        for file in files { file.extracted?.folder.remove() }
    }

    /// Removes the compiled trace of an entry that is no longer needed.
    func removeCompiled(_ entry: TraceEntry) {
        guard entries.isEmpty, let path = entry.compiled else { return }
        unlink(path)
        unlink(Self.standInsFile(path))
    }

    /// Returns the file in which the runs of a compiled trace share the images that they decode.
    static func standInsFile(_ compiled: String) -> String { "\(compiled).images" }

    /// The facts of each trace in `run.json` before it is read.
    var sources: [TraceSource] {
        guard entries.isEmpty else { return entries.map(\.source) }
        return zip(files, hashes).map { .init(name: $0.name, path: $0.path, sha256: $1 ?? "") }
    }

    /// Reads and checks a trace.
    ///
    /// - Parameter isCompiled: Whether another process needs the trace. Without it, the trace is made ready for replays
    ///   in this process.
    /// - Throws: ``CommandFailure``, or the error of the reader.
    func read(_ index: Int, isCompiled: Bool) throws -> (entry: TraceEntry, prepared: PreparedTrace?) {
        guard entries.isEmpty else {
            let entry = entries[index]
            guard !isCompiled, let path = entry.compiled else { return (entry, nil) }
            let trace = try Trace(contentsOf: path, format: .compiled)
            return (entry, try PreparedTrace(trace, networks: entry.networks, registry: CacheReplay.policies))
        }
        let compiled = isCompiled ? "\(scratch.path)/\(index).crtrace" : nil
        return try Self.read(files[index], sha256: hashes[index], settings, kept, compiled: compiled)
    }

    /// Returns the runs of a trace: over each network, each cache, and each repeat.
    func runs(of trace: TraceEntry) throws -> [Run] {
        try trace.networks.flatMap { network in
            try zip(caches, rules).flatMap { cache, rules in try runs(of: trace, over: network, cache, rules) }
        }
    }

    private func runs(
        of trace: TraceEntry, over network: ReplayJob.Network, _ cache: CacheConfiguration, _ rules: String
    ) throws -> [Run] {
        try (0..<settings.repeats).map { settings.firstRepeat + $0 }.map { repetition in
            var job = ReplayJob(trace: trace.file.name, cache: cache)
            job.repetition = repetition
            // Latencies that are drawn differ between repeats. The first repeat has the seed as given.
            job.seed = settings.seed &+ UInt64(repetition - 1)
            job.timing = settings.timing
            job.costsFile = settings.costsFile
            job.network = network
            job.bodies = settings.bodies
            job.decode = settings.decode
            job.timeline = settings.timeline
            job.injected = settings.injected.text
            return try Run(trace: trace, job: job, rules: rules)
        }
    }

    /// The timing as results name it.
    var timingName: String {
        var job = ReplayJob(trace: "", cache: caches[0])
        job.timing = settings.timing
        job.decode = settings.decode
        return job.timingName
    }

    /// Reads a trace and checks it.
    ///
    /// - Parameter compiled: Where the trace is compiled for other processes; nil to make it ready for replays in this
    ///   process.
    private static func read(
        _ file: TraceFile, sha256: String?, _ settings: Settings, _ bodies: BodyIndex?, compiled: String?
    ) throws -> (entry: TraceEntry, prepared: PreparedTrace?) {
        try file.checkRereadable()
        let reading = try file.read()
        let hasRequest = reading.trace.events.contains { if case .appear = $0.action { true } else { false } }
        guard hasRequest else {
            throw CommandFailure(
                .badData,
                "\(file.path): nothing to replay, no cell ever appears; `cachereplay trace info` shows its events.")
        }
        let trace = try file.injecting(settings.injected, into: reading.trace)
        try file.naming { try ReplayJob.check(trace) }
        // Bodies of another recording would leave every object with generated bytes.
        if let bodies, try bodies.bodies(of: trace).allSatisfy({ $0 == nil }) {
            throw CommandFailure(
                .badData,
                """
                \(bodies.folder): holds no body of any object of \(file.path); name the folder that was kept while the \
                trace was recorded.
                """)
        }
        if let compiled { try CompiledTrace(trace).write(to: compiled) }
        let registry = CacheReplay.policies
        let networks = try settings.networks.map { try network(of: reading.trace, file, $0) }
        let prepared =
            compiled == nil ? try PreparedTrace(trace, networks: networks, registry: registry) : nil
        let entry = TraceEntry(
            file: file, header: trace.header, context: prepared?.context ?? CacheContext(trace, registry: registry),
            sha256: try sha256 ?? file.sha256(), format: reading.format.name,
            warnings: reading.warnings,
            user: try (settings.users.map { try $0.user(in: file.name) } ?? trace.header.user).map(UserPattern.alias),
            compiled: compiled,
            networks: networks)
        return (entry, prepared)
    }

    /// Returns the network of a trace by the user's choice.
    static func network(of trace: Trace, _ file: TraceFile, _ choice: NetworkChoice) throws -> ReplayJob.Network {
        guard let network = try choice.network(of: trace) else {
            throw CommandFailure(.badData, "\(file.path): \(NetworkChoice.noSharedLink)")
        }
        return network
    }

    private static func hashes(of files: [TraceFile], threads: Int) -> [String?] {
        let hashes = Mutex([String?](repeating: nil, count: files.count))
        DetachedThread.forEach(files.count, threads: threads) { index in
            // A file that cannot be read is an error when its turn comes. A pipe would wait for its writer.
            guard (try? files[index].checkRereadable()) != nil else { return }
            let hash = try? files[index].sha256()
            hashes.withLock { $0[index] = hash }
        }
        return hashes.withLock { $0 }
    }

    static func checkNames(_ names: [String], _ what: String, remedy: String) throws {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw CommandFailure(
                .usage, "Two \(what) are called '\(name)'; \(remedy), so that the results can tell them apart.")
        }
    }
}
