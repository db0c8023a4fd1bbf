import ArgumentParser
import CachePolicies
import CacheReports
import ReplayEngine
import SessionModel

struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check that a replay reproduces the recording.",
        usage: "cachereplay validate <traces> ... [<options>]",
        discussion: """
            Replays every recorded fetch of a trace without a cache, with as many
            connections to each host as the recording shows, and compares the
            durations from request to last byte. They agree if the median is
            within 10 % and the 90th percentile within 20 %. Exits with 1 if a
            trace does not agree in any network model.

            With --predict, predicts another recording of the same app from the first
            one, over a link of another rate (--link-factor) and with other rules of
            the pipeline (--rules), and compares the times to image. They agree if the
            medians are within 20 %.

            With --cache, replays the session through the cache, and compares where it
            has the image of each request with where the app itself had it, as 'served'
            events of the trace state. Prints the confusion matrix, the agreement with
            its 95 % interval, and the first disagreements with their causes. Exits
            with 1 if a cache agrees less often than --at-least says.

            Examples:
              cachereplay validate Traces/photo-feed.jsonl
              cachereplay validate fast.jsonl --predict slow.jsonl --link-factor 0.25
              cachereplay validate feed.jsonl --cache kingfisher-8 --at-least 95%
            """)

    @Argument(help: "Traces in any known format.", completion: .file())
    var traces: [String]

    @Option(help: "The format of the traces; by default it is recognised. See 'cachereplay list formats'.")
    var format: String?

    @Option(help: "A recording to predict from the given trace.", completion: .file())
    var predict: String?

    @Option(help: "With --predict: the rate of that recording's link, divided by the rate of the trace's link.")
    var linkFactor = 1.0

    @Option(help: "With --predict: rules of that recording's pipeline, such as \"connections: 2; order: lifo\".")
    var rules = ""

    @OptionGroup var served: ServedOptions

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    func validate() throws {
        if predict == nil, linkFactor != 1 || !rules.isEmpty {
            throw ValidationError("--link-factor and --rules need --predict, the recording to predict.")
        }
        if predict != nil, traces.count != 1 {
            throw ValidationError(
                "--predict predicts one recording from one trace; name one trace, not \(traces.count).")
        }
        if predict != nil, !served.cache.isEmpty {
            throw ValidationError(
                "--predict predicts another recording, and --cache compares caches; give one of them.")
        }
        guard (0.001...1_000).contains(linkFactor) else {
            throw ValidationError("--link-factor is from 0.001 to 1000.")
        }
    }

    func run() throws {
        if let predict { return try self.predict(predict, from: traces[0]) }
        if !served.cache.isEmpty { return try compareServed() }
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
        show(json ? ConsistencyTable.json(checks) : ConsistencyTable.text(checks))
        for note in notes { printToStandardError(note) }
        try end(failures, disagrees: disagrees)
    }

    /// Compares caches with what the app saw.
    private func compareServed() throws {
        let caches = try served.cache.map { try ReplayCommand.cache($0) }
        var items: [ServedTable.Item] = []
        var failures: [CommandFailure] = []
        for path in traces {
            do {
                items += try served.compare(TraceFile(path: path, format: format), caches)
            } catch {
                guard let failure = CommandFailure(error) else { throw error }
                failures.append(failure)
            }
        }
        show(json ? ServedTable.json(items) : ServedTable.text(items))
        try end(failures, disagrees: items.contains { !served.accepts($0.comparison) })
    }

    /// Prints the failures, and ends with the first one's exit code, or with 1 if a trace disagrees.
    private func end(_ failures: [CommandFailure], disagrees: Bool) throws {
        for failure in failures { printToStandardError("cachereplay: \(failure)") }
        if let first = failures.first { throw ExitCode(first.status.rawValue) }
        if disagrees { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    private func show(_ text: String) {
        if json {
            CommandOutput.printJSON(text, terminator: "")
        } else {
            CommandOutput.print(text, terminator: "")
        }
    }

    private static func report(_ file: TraceFile, _ notes: inout [String]) throws -> ConsistencyReport {
        let report: ConsistencyReport
        do { report = try ConsistencyReport(try file.read().trace) } catch let error as ReplayError {
            throw CommandFailure(.badData, "\(file.path): \(error)")
        }
        notes += report.notes.map { "\(file.name): \($0)" }
        return report
    }

    private func predict(_ other: String, from path: String) throws {
        let file = TraceFile(path: path, format: format)
        let otherFile = TraceFile(path: other, format: format)
        let (trace, recorded) = (try Self.trace(file), try Self.trace(otherFile))
        let prediction: RecordingPrediction?
        do {
            prediction = try RecordingPrediction(of: recorded, from: trace, linkFactor: linkFactor, rules: rules)
        } catch let error as SpecError {
            throw CommandFailure(.usage, "--rules: \(error)")
        }
        guard let prediction else {
            throw CommandFailure(
                .badData,
                """
                \(path), \(other): nothing can be predicted. The first needs at least 8 transfers with sizes and times \
                from which a link can be estimated, and both need images that arrive while their cell is visible.
                """)
        }
        let name = "\(file.name) → \(otherFile.name)"
        show(json ? ConsistencyTable.json(name, prediction) : ConsistencyTable.text(name, prediction))
        if !prediction.passes { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    /// Reads a trace that can be replayed.
    private static func trace(_ file: TraceFile) throws -> Trace {
        let trace = try file.read().trace
        do { try ReplayJob.check(trace) } catch let error as ReplayError {
            throw CommandFailure(.badData, "\(file.path): \(error)")
        }
        return trace
    }
}
