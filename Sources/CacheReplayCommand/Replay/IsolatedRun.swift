import Basics
import CacheTiers
import Foundation
import MeasuredTiers
import ReplayEngine
import Runs

/// A run in a process of its own (`RunCommand`), whose memory can be measured, and whose end affects no other run.
struct IsolatedRun {
    let run: ReplayPlan.Run
    let folder: ReplayStore
    /// Libraries that the process loads again.
    let plugins: [String]
    /// The format of the file of requests; nil for none.
    let requests: RequestsFormat?
    let origin: OriginProcess?
    /// The number by which the origin tells the runs apart.
    let number: Int

    static let scratchPrefix = ".run"

    /// Makes the run, and stores the rows of its requests.
    ///
    /// - Parameters:
    ///   - started: Receives the process, so that an interruption can end it.
    ///   - progress: Receives the share of the run that is done, from 0 to 1.
    func result(started: (ChildProcess) -> Void, progress: (Double) -> Void) throws -> RunResult {
        let scratch = try ScratchFolder(in: folder.path, prefix: Self.scratchPrefix)
        defer { scratch.remove() }
        var task = RunTask(trace: run.trace.compiled ?? "", job: run.job, plugins: plugins, requests: requests)
        task.pluginHashes = folder.manifest?.inputs.plugins ?? [:]
        task.job.origin = origin.map { "\($0.address)/\(number)" }
        task.job.folder = scratch.path + "/disk"
        task.job.standInsFile = run.trace.compiled.map(ReplayPlan.standInsFile)
        try AtomicFile.write(try JSONWriter.encoding(task, .line).bytes, to: scratch.path + "/task.json")

        let child = try ChildProcess(["replay-run", scratch.path + "/task.json", scratch.path + "/result.json"])
        started(child)
        while let line = child.readLine() {
            if let share = Double(line) { progress(share) }
        }
        let (end, errors) = child.wait()
        guard end == .exit(0) else { throw Self.failure(of: run.name, end, errors) }
        guard let data = FileManager.default.contents(atPath: scratch.path + "/result.json") else {
            throw CommandFailure(
                .ioError,
                """
                \(run.name): its process ended without a result, as a plugin does that calls exit(); correct the \
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
        let served = try bytes(servedBy: origin)
        if let abandoned = result.machine?.abandonedBytes, served != result.tiers.originBytes + abandoned {
            result.notes.append(.bytesDisagree(served: served, counted: result.tiers.originBytes + abandoned))
        }
        return result
    }

    /// Returns the number of bytes that the origin has served for a run.
    ///
    /// - Throws: ``CommandFailure`` if the origin has ended: fetches then failed for a reason that is not in the
    ///   recording.
    private func bytes(servedBy origin: OriginProcess) throws -> Int64 {
        struct Served: Decodable { var bytes: Int64 }
        let response = try CurlOrigin().fetch("\(origin.address)/-/stats/\(number)")
        guard let payload = response.payload else {
            let reason = response.failure.map { ": \($0)" } ?? ""
            guard origin.isRunning else {
                throw CommandFailure(.ioError, "\(run.name): the loopback origin ended during the run\(reason)")
            }
            // libcurl does not say that it may open no socket.
            throw CommandFailure(
                .ioError,
                """
                \(run.name): the loopback origin runs, but cannot be asked what it served\(reason). If this \
                process has too many open files, raise the limit with `ulimit -n`; --resume makes the run.
                """)
        }
        return try JSONDecoder().decode(Served.self, from: Data(payload.bytes)).bytes
    }

    /// Returns the failure of a run whose process has ended without success.
    static func failure(of name: String, _ end: SpawnedProcess.End, _ errors: String) -> CommandFailure {
        let prefix = "cachereplay: "
        let reason = errors.hasPrefix(prefix) ? String(errors.dropFirst(prefix.count)) : errors
        // After a crash, the runtime may print where each thread was.
        let detail = reason.trimmingCharacters(in: .whitespacesAndNewlines).prefix(longestDetail)
        if case .exit(let code) = end, let status = ExitStatus(rawValue: code), !interruptions.contains(status) {
            return CommandFailure(status, "\(name): \(detail)")
        }
        let memory = end == .signal(SIGKILL) ? ", as the system does when memory runs out" : ""
        return CommandFailure(
            .ioError,
            "\(name): its process ended with \(end)\(memory); --resume replays it. \(detail)"
                .trimmingCharacters(in: .whitespaces))
    }

    /// The exit codes of a process that ends because its parent does. They say nothing of a run whose parent goes on.
    private static let interruptions: [ExitStatus] = [.hungUp, .interrupted, .terminated]
    private static let longestDetail = 2_000
}
