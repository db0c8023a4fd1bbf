import ArgumentParser
import CacheReports
import ReplayEngine
import SessionModel

struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check that a replay reproduces the recorded durations of fetches.",
        discussion: """
            Replays every recorded fetch of a trace without a cache, with as many
            connections to each host as the recording shows, and compares the
            durations from request to last byte. They agree if the median is
            within 10 % and the 90th percentile within 20 %. Exits with 1 if a
            trace does not agree in any network model.

            Example:
              cachereplay validate Traces/photo-feed.jsonl
            """)

    @Argument(help: "Traces in any known format.", completion: .file())
    var traces: [String]

    @Option(help: "The format of the traces; by default it is recognised. See 'cachereplay formats'.")
    var format: String?

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    func run() throws {
        var checks: [(trace: String, check: ConsistencyCheck)] = []
        var notes: [String] = []
        var failures: [CommandFailure] = []
        var disagrees = false
        for path in traces {
            do {
                let file = TraceFile(path: path, format: format)
                let report = try Self.report(file, &notes)
                checks += report.checks.map { (file.name, $0) }
                disagrees = disagrees || !report.passes
            } catch {
                // One trace that cannot be read does not hide the others.
                guard let failure = CommandFailure(error) else { throw error }
                failures.append(failure)
            }
        }
        print(json ? ConsistencyTable.json(checks) : ConsistencyTable.text(checks), terminator: "")
        for note in notes { printToStandardError(note) }
        for failure in failures { printToStandardError("cachereplay: \(failure)") }
        if let first = failures.first { throw ExitCode(first.status.rawValue) }
        if disagrees { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    private static func report(_ file: TraceFile, _ notes: inout [String]) throws -> ConsistencyReport {
        let report: ConsistencyReport
        do { report = try ConsistencyReport(try file.read().trace) } catch let error as ReplayError {
            throw CommandFailure(.badData, "\(file.path): \(error)")
        }
        notes += report.notes.map { "\(file.name): \($0)" }
        return report
    }
}
