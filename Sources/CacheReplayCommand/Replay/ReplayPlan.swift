import Basics
import CachePolicies
import CacheTraces
import Foundation
import ReplayEngine
import SessionModel
import TraceAnalysis

/// The runs of one `replay` command, checked before anything runs.
struct ReplayPlan {
    /// A trace that was read once, and is compiled for the processes that need it.
    struct TraceEntry {
        var file: TraceFile
        var context: CacheContext
        var sha256: String
        /// The name of the format in which the file is read.
        var format: String
        var warnings: [String]
        /// The path of the compiled trace, in ``ReplayPlan/scratch``.
        var compiled: String
        var network: ReplayJob.Network
    }

    /// The user's choice between the meanings of recorded transfer times.
    enum NetworkChoice {
        case recorded
        /// An error for a trace without an estimate of the link.
        case shared
        /// Shared, or recorded without an estimate.
        case auto
    }

    /// One run: one trace, one cache, one repeat.
    struct Run {
        var trace: TraceEntry
        var job: ReplayJob
        var identity: RunIdentity

        init(trace: TraceEntry, job: ReplayJob) throws {
            self.trace = trace
            self.job = job
            identity = try job.identity(in: trace.context)
        }
    }

    var traces: [TraceEntry]
    var caches: [CacheConfiguration]
    var runs: [Run] = []
    /// Holds the compiled traces until ``removeCompiledTraces()``.
    private let scratch: ScratchFolder
    /// Removes them at a signal. Cancelled before the first run.
    let watch: InterruptWatch

    init(
        traces: [TraceFile], caches: [CacheConfiguration], repeats: Int, seed: UInt64, timing: ReplayJob.Timing,
        costsFile: String? = nil, clock: ReplayJob.Clock, network: NetworkChoice = .recorded, bodies: String? = nil,
        decode: Bool = false
    ) throws {
        try Self.checkNames(traces.map(\.name), "traces", remedy: "rename one of the files")
        try Self.checkNames(caches.map(\.name), "caches", remedy: "give them different names")
        let prefix = "cachereplay-traces"
        ScratchFolder.removeAbandoned(in: FileManager.default.temporaryDirectory.path, prefix: prefix)
        let scratch = try ScratchFolder(in: FileManager.default.temporaryDirectory.path, prefix: prefix)
        self.scratch = scratch
        watch = InterruptWatch(removing: scratch)
        let kept = try bodies.map { try BodyIndex(folder: $0) }
        self.traces = try traces.enumerated().map { index, file in
            try Self.entry(file, compiled: "\(scratch.path)/\(index).crtrace", network, kept)
        }
        self.caches = caches
        for trace in self.traces {
            for cache in caches {
                for repetition in 1...repeats {
                    var job = ReplayJob(trace: trace.file.name, cache: cache)
                    job.repetition = repetition
                    // Latencies that are drawn differ between repeats. The first repeat has the seed as given.
                    job.seed = seed &+ UInt64(repetition - 1)
                    job.timing = timing
                    job.costsFile = costsFile
                    job.clock = clock
                    job.network = trace.network
                    job.bodies = bodies
                    job.decode = decode
                    runs.append(try Run(trace: trace, job: job))
                }
            }
        }
    }

    /// Ends the plan: its runs can no longer be made.
    func removeCompiledTraces() {
        watch.cancel()
        scratch.remove()
    }

    /// Returns the runs with the other plausible models of Darwin's NSCache, for each cache that rests on that class
    /// and has evicted objects: the figures of one model alone would look like facts.
    func otherModels(finished: (RunIdentity) -> RunResult?) throws -> [Run] {
        try runs.flatMap { run -> [Run] in
            guard run.job.cache.model != nil, let result = finished(run.identity), result.tiers.memoryEvictions > 0
            else { return [] }
            return try NSCacheModelChoice.allCases.dropFirst().map { model in
                var job = run.job
                job.cache = run.job.cache.with(model)
                return try Run(trace: run.trace, job: job)
            }
        }
    }

    /// Reads a trace, checks it, and compiles it.
    private static func entry(_ file: TraceFile, compiled: String, _ choice: NetworkChoice, _ bodies: BodyIndex?) throws
        -> TraceEntry
    {
        try checkRereadable(file.path)
        let reading = try file.read()
        let trace = reading.trace
        guard TraceSummary(trace).requests > 0 else {
            throw CommandFailure(
                .badData,
                "\(file.path): nothing to replay, no cell ever appears; `cachereplay trace info` shows its events.")
        }
        do { try ReplayJob.check(trace) } catch let error as ReplayError {
            throw CommandFailure(.badData, "\(file.path): \(error)")
        }
        // Bodies of another recording would leave every object with generated bytes.
        if let bodies, try bodies.bodies(of: trace).allSatisfy({ $0 == nil }) {
            throw CommandFailure(
                .badData,
                """
                \(bodies.folder): holds no body of any object of \(file.path); name the folder that was kept while the \
                trace was recorded.
                """)
        }
        try CompiledTrace(trace).write(to: compiled)
        return TraceEntry(
            file: file, context: CacheContext(trace, registry: CacheReplay.policies),
            sha256: try Fingerprint.sha256(file.path), format: reading.format.name, warnings: reading.warnings,
            compiled: compiled, network: try network(of: trace, file, choice))
    }

    private static func network(of trace: Trace, _ file: TraceFile, _ choice: NetworkChoice) throws -> ReplayJob.Network
    {
        guard choice != .recorded else { return .recorded }
        if let shared = try ReplayJob.Network.sharedLink(of: trace) { return shared }
        guard choice == .auto else {
            throw CommandFailure(
                .badData,
                """
                \(file.path): no shared link can be estimated that reproduces the recorded transfers; use --network \
                recorded. `cachereplay validate` compares the recording with its replay.
                """)
        }
        return .recorded
    }

    /// Checks that the path is a file: its SHA-256 is part of the results, and a pipe can be read only once.
    private static func checkRereadable(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        let type = status.st_mode & S_IFMT
        guard type == S_IFREG || type == S_IFDIR, !path.hasPrefix("/dev/") else {
            throw CommandFailure(
                .usage,
                "\(path): a replay records the checksum of its trace, so it needs a file, not a pipe or a device.")
        }
    }

    private static func checkNames(_ names: [String], _ what: String, remedy: String) throws {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw CommandFailure(
                .usage, "Two \(what) are called '\(name)'; \(remedy), so that the results can tell them apart.")
        }
    }
}
