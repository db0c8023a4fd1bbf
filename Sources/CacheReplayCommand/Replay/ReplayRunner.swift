import CacheReports
import CacheTiers
import Dispatch
import Foundation
import ReplayEngine
import Synchronization

/// Works off the cells of a plan, each in a process of its own, several at a time. What is finished is on disk at once;
/// a cell that fails loses itself and nothing else.
final class ReplayRunner: Sendable {
    private struct State {
        var next = 0
        var running: [Int: ChildProcess] = [:]
        var failures: [CommandFailure] = []
        var deadOrigins: Set<TraceFile> = []
        var interrupted = false
        var finished = 0
    }

    private let cells: [ReplayPlan.Cell]
    private let folder: ResultsFolder
    private let origins: [TraceFile: OriginProcess]
    /// Libraries that each process loads again.
    private let plugins: [String]
    private let progress: ProgressBar
    private let state = Mutex(State())

    init(
        _ cells: [ReplayPlan.Cell], into folder: ResultsFolder, origins: [TraceFile: OriginProcess], plugins: [String],
        progress: ProgressBar
    ) {
        self.cells = cells
        self.folder = folder
        self.origins = origins
        self.plugins = plugins
        self.progress = progress
    }

    var interrupted: Bool { state.withLock { $0.interrupted } }
    var failures: [CommandFailure] { state.withLock { $0.failures } }
    var finished: Int { state.withLock { $0.finished } }

    /// Returns when all cells are done, or the run was interrupted.
    func run(jobs: Int) {
        ScratchFolder.removeAbandoned(in: folder.path)
        let watch = InterruptWatch { [self] in interrupt() }
        defer { watch.cancel() }
        // Threads that wait for children: as many as asked for, however few the processors.
        let workers = DispatchGroup()
        for _ in 0..<min(jobs, cells.count) {
            workers.enter()
            Thread.detachNewThread { [self] in
                while let index = takeNext() { attempt(index) }
                workers.leave()
            }
        }
        workers.wait()
    }

    /// Ends the children; the workers then find nothing more to do.
    private func interrupt() {
        state.withLock { state in
            state.interrupted = true
            for child in state.running.values { child.end() }
        }
    }

    private func takeNext() -> Int? {
        state.withLock { state in
            guard state.next < cells.count, !state.interrupted else { return nil }
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

    /// False where the run's origin is gone: every further run would only fail by it, so that is told once.
    private func originIsUp(_ index: Int) -> Bool {
        let file = cells[index].trace.file
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

    /// nil where the run was interrupted.
    private func run(_ index: Int) throws -> RunResult? {
        let cell = cells[index]
        let scratch = try ScratchFolder(beside: folder.path, number: index)
        defer { scratch.remove() }
        var order = CellOrder(trace: cell.trace.file, job: cell.job, plugins: plugins)
        let origin = origins[cell.trace.file]?.address
        order.job.origin = origin.map { "\($0)/\(index)" }
        order.job.folder = scratch.path + "/disk"
        try JSONEncoder().encode(order).write(to: URL(fileURLWithPath: scratch.path + "/order.json"))

        let child = try ChildProcess(["replay-cell", scratch.path + "/order.json", scratch.path + "/result.json"])
        state.withLock { state in
            state.running[index] = child
            if state.interrupted { child.end() }  // Since this one was begun.
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
        guard status == 0 else { throw Self.failure(cell, status, errors) }
        let data = try Data(contentsOf: URL(fileURLWithPath: scratch.path + "/result.json"))
        var result = try JSONDecoder().decode(RunResult.self, from: data)
        result.notes = cell.trace.warnings + result.notes
        guard let origin else { return result }
        let served = try Self.bytes(servedBy: origin, run: index, cell)
        // Bytes fetched must be bytes served. But on a wall clock a cancelled transfer is cut short, and its part is
        // lost to our count.
        if served != result.tiers.originBytes, cell.job.clock == .virtual {
            result.notes.append(
                """
                The origin says it served \(served) bytes, the replay counted \(result.tiers.originBytes): do not \
                trust this row.
                """
            )
        }
        return result
    }

    /// What the origin says it served. One that has died in the meantime made fetches fail that the recording knows
    /// nothing of.
    private static func bytes(servedBy origin: String, run: Int, _ cell: ReplayPlan.Cell) throws -> Int64 {
        struct Served: Decodable { var bytes: Int64 }
        let response = try CurlOrigin().fetch("\(origin)/-/stats/\(run)")
        guard let payload = response.payload else {
            let reason = response.failure.map { ": \($0)" } ?? ""
            throw CommandFailure(.ioError, "\(name(cell)): the loopback origin ended during the run\(reason)")
        }
        return try JSONDecoder().decode(Served.self, from: Data(payload.bytes)).bytes
    }

    private static func name(_ cell: ReplayPlan.Cell) -> String {
        "\(cell.identity.trace), \(cell.identity.cache), repeat \(cell.identity.repetition)"
    }

    private static func failure(_ cell: ReplayPlan.Cell, _ status: Int32?, _ errors: String) -> CommandFailure {
        let name = name(cell)
        let prefix = "cachereplay: "
        let reason = errors.hasPrefix(prefix) ? String(errors.dropFirst(prefix.count)) : errors
        let told = reason.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let status else {
            return CommandFailure(
                .ioError,
                """
                \(name): its process was ended by a signal, as the system does when memory runs out; --resume replays \
                it. \(told)
                """
                .trimmingCharacters(in: .whitespaces))
        }
        return CommandFailure(ExitStatus(rawValue: status) ?? .ioError, "\(name): \(told)")
    }
}

/// A folder for one cell's disk tier, on the file system of the results; removed with the cell.
private struct ScratchFolder {
    let path: String

    init(beside results: String, number: Int) throws {
        path = "\(results)/.run-\(getpid())-\(number)"
        do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
            throw CommandFailure(.cannotCreate, "\(path) cannot be made: \(error.localizedDescription)")
        }
    }

    /// Removes what a run left that was killed.
    static func removeAbandoned(in results: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: results)) ?? [] where name.hasPrefix(".run-")
        {
            guard let process = pid_t(name.dropFirst(5).prefix { $0 != "-" }), kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try? FileManager.default.removeItem(atPath: "\(results)/\(name)")
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
