import CachePolicies
import CacheTraces
import Foundation
import ReplayEngine
import SessionModel
import TraceAnalysis

/// Everything that one `replay` is to do, checked before anything runs.
struct ReplayPlan {
    struct TraceEntry {
        var file: TraceFile
        var context: PolicyContext
        var sha256: String
        /// The name of the format in which the file is read.
        var format: String
        var requests: Int
        var warnings: [String]
    }

    struct Cell {
        var trace: TraceEntry
        var job: ReplayJob
        var identity: RunIdentity

        init(trace: TraceEntry, job: ReplayJob) throws {
            self.trace = trace
            self.job = job
            identity = RunIdentity(
                trace: job.trace, cache: job.cache.name, specification: try job.cache.canonical(for: trace.context),
                repetition: job.repetition,
                seed: job.seed, clock: job.clock.name, speed: job.clock.speed, timing: job.timingName)
        }
    }

    var traces: [TraceEntry]
    var caches: [CacheConfiguration]
    var cells: [Cell] = []

    init(
        traces: [TraceFile], caches: [CacheConfiguration], repeats: Int, seed: UInt64, timing: ReplayJob.Timing,
        clock: ReplayJob.Clock,
        bodies: String? = nil, decode: Bool = false
    ) throws {
        try Self.checkNames(traces.map(\.name), "traces", remedy: "rename one of the files")
        try Self.checkNames(caches.map(\.name), "caches", remedy: "give them different names")
        self.traces = try traces.map(Self.entry)
        try Self.check(bodies, self.traces)
        self.caches = caches
        for trace in self.traces {
            for cache in caches {
                for repetition in 1...repeats {
                    var job = ReplayJob(trace: trace.file.name, cache: cache)
                    job.repetition = repetition
                    // Repeats differ in the weather that is drawn, as days do; the first has the seed as given.
                    job.seed = seed &+ UInt64(repetition - 1)
                    job.timing = timing
                    job.clock = clock
                    job.bodies = bodies
                    job.decode = decode
                    cells.append(try Cell(trace: trace, job: job))
                }
            }
        }
    }

    /// The runs to make besides: of each cache that rests on Darwin's NSCache and evicted something, one with every
    /// other plausible model of that class, so that nobody takes the figures of one for known.
    func otherModels(finished: (RunIdentity) -> RunResult?) throws -> [Cell] {
        try cells.flatMap { cell -> [Cell] in
            guard cell.job.cache.model != nil, let result = finished(cell.identity), result.tiers.memoryEvictions > 0
            else { return [] }
            return try NSCacheModelChoice.allCases.dropFirst().map { model in
                var job = cell.job
                job.cache = cell.job.cache.with(model)
                return try Cell(trace: cell.trace, job: job)
            }
        }
    }

    private static func entry(_ file: TraceFile) throws -> TraceEntry {
        try checkRereadable(file.path)
        let reading = try file.read()
        let summary = TraceSummary(reading.trace)
        guard summary.requests > 0 else {
            throw CommandFailure(
                .badData,
                "\(file.path): nothing to replay, no cell ever appears; `cachereplay trace info` shows what is in it.")
        }
        do { try ReplayJob.check(reading.trace) } catch let error as ReplayError {
            throw CommandFailure(.badData, "\(file.path): \(error)")
        }
        let workload = reading.trace.workload(reading.trace.resolvedSizes())
        return TraceEntry(
            file: file, context: PolicyContext(workload: workload, registry: CacheReplay.policies),
            sha256: try Fingerprint.sha256(file.path), format: reading.format.name, requests: summary.requests,
            warnings: reading.warnings)
    }

    /// Each run reads the trace again in a process of its own: a pipe has nothing more to give then.
    private static func checkRereadable(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        let type = status.st_mode & S_IFMT
        guard type == S_IFREG || type == S_IFDIR, !path.hasPrefix("/dev/") else {
            throw CommandFailure(
                .usage,
                """
                \(path): a replay reads its trace several times, so it needs a file, not a pipe or a device; save it \
                to one first.
                """
            )
        }
    }

    /// Bodies of another recording would leave every object with made-up bytes.
    private static func check(_ bodies: String?, _ traces: [TraceEntry]) throws {
        guard let index = try bodies.map({ try BodyIndex(folder: $0) }) else { return }
        for trace in traces {
            guard try index.bodies(of: trace.file.load()).allSatisfy({ $0 == nil }) else { continue }
            throw CommandFailure(
                .badData,
                """
                \(index.folder): holds no body of any object of \(trace.file.path); name the folder that was kept \
                while it was recorded.
                """
            )
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

extension TraceFile {
    func read() throws -> TraceReading {
        try TraceReading(contentsOf: path, format: try format.map(TraceFormat.named))
    }

    func load() throws -> Trace { try read().trace }
}
