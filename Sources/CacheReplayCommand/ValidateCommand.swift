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
        var disagrees = false
        for path in traces {
            let file = TraceFile(path: path, format: format)
            let trace = try file.read().trace
            do { try ReplayJob.check(trace) } catch let error as ReplayError {
                throw CommandFailure(.badData, "\(path): \(error)")
            }
            guard let recorded = try ConsistencyCheck(trace, network: .recorded) else {
                notes.append("\(file.name): records no fetch with times, so there is nothing to compare.")
                continue
            }
            var models = [recorded]
            if let shared = try ReplayJob.Network.sharedLink(of: trace) {
                if let check = try ConsistencyCheck(trace, network: shared) { models.append(check) }
            } else {
                notes.append("\(file.name): no shared link can be estimated that reproduces the recording.")
            }
            if recorded.hidesQueues { notes.append("\(file.name): \(RunNote.queuesHidden.text)") }
            checks += models.map { (file.name, $0) }
            disagrees = disagrees || !models.contains(where: \.passes)
        }
        print(json ? ConsistencyTable.json(checks) : ConsistencyTable.text(checks), terminator: "")
        for note in notes { printToStandardError(note) }
        if disagrees { throw ExitCode(1) }
    }
}
