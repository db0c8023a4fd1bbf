import Basics
import CacheReports
import CacheTiers
import Dispatch
import Foundation
import ReplayEngine
import Synchronization

/// Makes the runs of a plan, each in a process of its own, several at a time.
///
/// A finished run is on disk at once. A run that fails affects no other run.
final class ReplayRunner: Sendable {
    private struct State {
        var next = 0
        var running: [Int: ChildProcess] = [:]
        var failures: [CommandFailure] = []
        var deadOrigins: Set<TraceFile> = []
        var interrupted = false
        var finished = 0
    }

    private let runs: [ReplayPlan.Run]
    private let folder: ResultsFolder
    private let origins: [TraceFile: OriginProcess]
    /// Libraries that each process loads again.
    private let plugins: [String]
    private let progress: ProgressBar
    /// The format of the file of requests; nil for none.
    private let requests: RequestsFormat?
    private let state = Mutex(State())

    init(
        _ runs: [ReplayPlan.Run], into folder: ResultsFolder, origins: [TraceFile: OriginProcess], plugins: [String],
        requests: RequestsFormat? = nil, progress: ProgressBar
    ) {
        self.requests = requests
        self.runs = runs
        self.folder = folder
        self.origins = origins
        self.plugins = plugins
        self.progress = progress
    }

    var interrupted: Bool { state.withLock { $0.interrupted } }
    var failures: [CommandFailure] { state.withLock { $0.failures } }
    var finished: Int { state.withLock { $0.finished } }

    /// Makes all runs. Returns early if the command is interrupted.
    func run(jobs: Int) {
        ScratchFolder.removeAbandoned(in: folder.path, prefix: Self.scratchPrefix)
        let watch = InterruptWatch { [self] in interrupt() }
        defer { watch.cancel() }
        // The threads wait for children, so their number does not depend on the number of processors. This thread is
        // one of them. If the system refuses others, those that it has granted make all runs.
        let workers = DispatchGroup()
        for _ in 1..<max(1, min(jobs, runs.count)) {
            workers.enter()
            do {
                try DetachedThread.start { [self] in
                    while let index = takeNext() { attempt(index) }
                    workers.leave()
                }
            } catch {
                workers.leave()
            }
        }
        while let index = takeNext() { attempt(index) }
        workers.wait()
    }

    /// Ends the children. The workers then find no further run.
    private func interrupt() {
        state.withLock { state in
            state.interrupted = true
            for child in state.running.values { child.end() }
        }
    }

    private func takeNext() -> Int? {
        state.withLock { state in
            guard state.next < runs.count, !state.interrupted else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func attempt(_ index: Int) {
        do {
            guard originIsUp(index), let result = try run(index) else { return }
            try folder.add(result)
            state.withLock { $0.finished += 1 }
        } catch {
            guard originIsUp(index) else { return }
            let failure = CommandFailure(error) ?? CommandFailure(.ioError, "\(error)")
            state.withLock { $0.failures.append(failure) }
        }
    }

    /// Returns false if the run's origin has ended. That failure is reported once, not for each run that needs the
    /// origin.
    private func originIsUp(_ index: Int) -> Bool {
        let file = runs[index].trace.file
        guard let origin = origins[file], !origin.isRunning else { return true }
        state.withLock { state in
            guard state.deadOrigins.insert(file).inserted else { return }
            state.failures.append(
                CommandFailure(
                    .ioError,
                    """
                    \(file.name): the loopback origin ended unexpectedly, so its remaining runs were not made; \
                    --resume makes them.
                    """
                ))
        }
        return false
    }

    /// Makes one run; returns nil if it was interrupted.
    private func run(_ index: Int) throws -> RunResult? {
        let run = runs[index]
        let scratch = try ScratchFolder(in: folder.path, prefix: Self.scratchPrefix)
        defer { scratch.remove() }
        var task = RunTask(trace: run.trace.compiled, job: run.job, plugins: plugins, requests: requests)
        task.pluginHashes = folder.description?.inputs?.plugins ?? [:]
        let origin = origins[run.trace.file]
        task.job.origin = origin.map { "\($0.address)/\(index)" }
        task.job.folder = scratch.path + "/disk"
        try AtomicFile.write([UInt8](JSONEncoder().encode(task)), to: scratch.path + "/task.json")

        let child = try ChildProcess(["replay-run", scratch.path + "/task.json", scratch.path + "/result.json"])
        state.withLock { state in
            state.running[index] = child
            if state.interrupted { child.end() }  // The interruption came after this run had begun.
        }
        defer { state.withLock { $0.running[index] = nil } }
        var shown = 0.0
        while let line = child.readLine() {
            guard let share = Double(line) else { continue }
            progress.advance(by: share - shown)
            shown = share
        }
        let (status, errors) = child.wait()
        progress.advance(by: 1 - shown)
        guard !interrupted else { return nil }
        guard status == 0 else { throw Self.failure(run, status, errors) }
        guard let data = FileManager.default.contents(atPath: scratch.path + "/result.json") else {
            throw CommandFailure(
                .ioError,
                """
                \(Self.name(run)): its process ended without a result, as a plugin does that calls exit(); correct the \
                plugin, then use --resume. \(errors.trimmingCharacters(in: .whitespacesAndNewlines))
                """
                .trimmingCharacters(in: .whitespaces))
        }
        var result = try JSONDecoder().decode(RunResult.self, from: data)
        result.notes = run.trace.warnings.map(RunNote.traceWarning) + result.notes
        if let requests {
            let rows = try String(contentsOfFile: RunCommand.rowsFile(scratch.path + "/result.json"), encoding: .utf8)
            try folder.addRequests(rows, of: result.identity, as: requests)
        }
        guard let origin else { return result }
        let served = try bytes(servedBy: origin, number: index, run)
        // Bytes fetched equal bytes served, except on a wall clock: there, a cancelled transfer is cut short.
        if served != result.tiers.originBytes, run.job.clock == .virtual {
            result.notes.append(.bytesDisagree(served: served, counted: result.tiers.originBytes))
        }
        return result
    }

    private static let scratchPrefix = ".run"

    /// Returns the number of bytes that the origin has served for a run.
    ///
    /// - Throws: ``CommandFailure`` if the origin has ended: fetches then failed for a reason that is not in the
    ///   recording.
    private func bytes(servedBy origin: OriginProcess, number: Int, _ run: ReplayPlan.Run) throws -> Int64 {
        struct Served: Decodable { var bytes: Int64 }
        let response = try CurlOrigin().fetch("\(origin.address)/-/stats/\(number)")
        guard let payload = response.payload else {
            let reason = response.failure.map { ": \($0)" } ?? ""
            guard origin.isRunning else {
                throw CommandFailure(.ioError, "\(Self.name(run)): the loopback origin ended during the run\(reason)")
            }
            // libcurl does not say that it may open no socket.
            throw CommandFailure(
                .ioError,
                """
                \(Self.name(run)): the loopback origin runs, but cannot be asked what it served\(reason). If this \
                process has too many open files, raise the limit with `ulimit -n`; --resume makes the run.
                """)
        }
        return try JSONDecoder().decode(Served.self, from: Data(payload.bytes)).bytes
    }

    private static func name(_ run: ReplayPlan.Run) -> String {
        "\(run.identity.trace), \(run.identity.cache), repeat \(run.identity.repetition)"
    }

    private static func failure(_ run: ReplayPlan.Run, _ status: Int32?, _ errors: String) -> CommandFailure {
        let name = name(run)
        let prefix = "cachereplay: "
        let reason = errors.hasPrefix(prefix) ? String(errors.dropFirst(prefix.count)) : errors
        let detail = reason.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let status else {
            return CommandFailure(
                .ioError,
                """
                \(name): its process was ended by a signal, as the system does when memory runs out; --resume replays \
                it. \(detail)
                """
                .trimmingCharacters(in: .whitespaces))
        }
        return CommandFailure(ExitStatus(rawValue: status) ?? .ioError, "\(name): \(detail)")
    }
}
