import Basics
import Foundation
import Playground

/// "Save as report" of the page: the program runs itself, as a user would, and hands over the page that it writes.
enum PlayReport {
    private static let prefix = "cachereplay-play"
    /// The time that a canceled replay has to end, in tenths of a second.
    private static let patience = 30

    /// Returns the page `report.html` of a replay with some arguments, which have no `--output`.
    ///
    /// - Parameter isOvertaken: Called about once a second; true ends the replay.
    /// - Throws: `PlayFailure` with the message of the replay.
    static func make(_ arguments: [String], _ isOvertaken: @escaping @Sendable () -> Bool) throws -> [UInt8] {
        let temporary = FileManager.default.temporaryDirectory.path
        ScratchFolder.removeAbandoned(in: temporary, prefix: prefix)
        let scratch = try ScratchFolder(in: temporary, prefix: prefix)
        defer { scratch.remove() }
        let folder = "\(scratch.path)/report"
        let command = arguments.first == "replay" ? arguments : ["replay"] + arguments
        let child = try ChildProcess(command + ["--output", folder, "--charts", "--quiet"])
        var isRunning = true
        while isRunning {
            // The tables that it prints are not used. A second without a line is no error.
            do { isRunning = try child.readLine(within: 1) != nil } catch {}
            guard !isRunning || !isOvertaken() else { return try stop(child) }
        }
        let (ending, errors) = child.wait()
        // A replay in which the program of a cache ended writes its results too.
        guard let page = FileManager.default.contents(atPath: "\(folder)/report.html") else {
            let reason = errors.trimmingCharacters(in: .whitespacesAndNewlines)
            throw PlayFailure(.failed, reason.isEmpty ? "The replay for the report ended with \(ending)." : reason)
        }
        return [UInt8](page)
    }

    /// Ends a replay whose page is no longer wanted.
    private static func stop(_ child: ChildProcess) throws -> [UInt8] {
        child.end()
        for _ in 0..<patience where child.isRunning { usleep(100_000) }
        child.kill()
        _ = child.wait()
        throw PlayFailure(.overtaken, "The report is no longer wanted.")
    }
}

extension PlayFailure: FailureOfCommand {
    var status: ExitStatus { kind == .badQuestion ? .usage : .badData }
}
