import ArgumentParser
import Basics
import CacheTraces
import Foundation
import MeasuredTiers
import ReplayEngine
import Runs
import SessionModel

/// Makes one run in a process of its own. `replay` starts it; it is not in the list of commands.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay-run", abstract: "Replay one trace through one cache once.", shouldDisplay: false)

    @Argument(help: "The task, a JSON file.")
    var task: String

    @Argument(help: "The file for the result.")
    var result: String

    func run() throws {
        try Self.endWithParent()
        let task = try JSONDecoder().decode(RunTask.self, from: Data(contentsOf: URL(fileURLWithPath: task)))
        let plugins = try LoadedPlugins(paths: task.plugins)
        try plugins.check(task.pluginHashes)
        let trace = try Trace(contentsOf: task.trace, format: .compiled)
        let prepared = try PreparedTrace(trace, network: task.job.network, registry: CacheReplay.policies)
        let total = max(trace.events.count, 1)
        func report(_ events: Int) {
            // The parent's progress bar reads one line per thousand events.
            try? CommandOutput.writeLine("\(Double(events) / Double(total))")
        }
        let (result, rows) = try task.job.run(prepared, rows: task.requests, progress: report)
        if let rows { try Data(rows.utf8).write(to: URL(fileURLWithPath: Self.rowsFile(self.result))) }
        try plugins.check()
        try Data(try JSONWriter.encoding(result, .line).bytes).write(to: URL(fileURLWithPath: self.result))
    }

    /// Returns the path of the rows of the requests, which is beside the result.
    static func rowsFile(_ result: String) -> String { "\(result).requests" }

    /// Ends this process when the parent has ended: standard input is a pipe that the parent never writes to.
    private static func endWithParent() throws {
        try DetachedThread.start {
            ParentInput.waitForEnd()
            SpawnedProcess.endGroups()
            _exit(ExitStatus.interrupted.rawValue)
        }
    }
}

extension ReplayJob {
    /// Replays a trace for a result that is kept, and returns the rows of its requests if there is a format for them.
    func run(
        _ trace: PreparedTrace, identity: RunIdentity? = nil, rows format: RequestsFormat?,
        progress: (_ events: Int) throws -> Void
    ) throws -> (result: RunResult, rows: String?) {
        guard let format else {
            return (try runForResults(trace, identity: identity, measured: .real, progress: progress), nil)
        }
        let (result, requests) = try explain(trace, measured: .real, progress: progress)
        return (result, format.rows(requests, of: result.identity))
    }
}

/// The task of a run's process.
struct RunTask: Codable {
    /// The path of the compiled trace.
    var trace: String
    var job: ReplayJob
    /// The paths of policies in shared libraries.
    var plugins: [String]
    /// The SHA-256 of their files at the start of the command, by the name of the policy.
    var pluginHashes: [String: String] = [:]
    /// The format of the rows of requests; nil if no rows are written.
    var requests: RequestsFormat?
}
