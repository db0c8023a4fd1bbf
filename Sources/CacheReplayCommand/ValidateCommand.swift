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
                let found = try Self.checks(file, &notes)
                checks += found.map { (file.name, $0) }
                disagrees = disagrees || !found.isEmpty && !found.contains(where: \.passes)
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

    private static func checks(_ file: TraceFile, _ notes: inout [String]) throws -> [ConsistencyCheck] {
        let trace = try file.read().trace
        do { try ReplayJob.check(trace) } catch let error as ReplayError {
            throw CommandFailure(.badData, "\(file.path): \(error)")
        }
        guard let recorded = try ConsistencyCheck(trace, network: .recorded) else {
            notes.append("\(file.name): records no fetch with times, so there is nothing to compare.")
            return []
        }
        if recorded.hidesQueues { notes.append("\(file.name): \(RunNote.queuesHidden.text)") }
        if !recorded.passes, recorded.queuedShare > 0.02 {
            notes.append(
                """
                \(file.name): \(Int((recorded.queuedShare * 100).rounded())) % of the recorded time was spent in the \
                client's queue. A replay knows only the images of the recording: it does not wait behind other \
                resources.
                """)
        }
        guard let shared = try ReplayJob.Network.sharedLink(of: trace) else {
            notes.append("\(file.name): no shared link can be estimated that reproduces the recording.")
            return [recorded]
        }
        return [recorded] + (try ConsistencyCheck(trace, network: shared).map { [$0] } ?? [])
    }
}
