import ArgumentParser
import CachePolicies
import CacheReports
import ReplayEngine
import SessionModel

struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check traces for errors, and that a replay reproduces the recording.",
        usage: "cachereplay validate <trace> ... [<options>]",
        discussion: """
            Prints every error of each trace, and exits with 65 if there is one. With
            --syntax, replays nothing. A recording whose last line is incomplete, because
            its recorder was killed, is valid with a warning.

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
            with 1 if a cache agrees less often than --at-least says. Costs that the
            trace states as 'cost' events are compared with those of the cache.

            Examples:
              cachereplay validate Traces/photo-feed.jsonl
              cachereplay validate "Traces/*.jsonl" --syntax
              cachereplay validate fast.jsonl --predict slow.jsonl --link-factor 0.25
              cachereplay validate feed.jsonl --cache kingfisher-8 --at-least 95%
            """)

    @OptionGroup var arguments: TraceArguments

    @Flag(help: "Only read the traces and print their errors.")
    var syntax = false

    @Option(help: "The number of errors to print for each trace.")
    var limit = 20

    @Flag(help: "With --syntax: a trace with warnings is not valid.")
    var failOnWarnings = false

    @Option(help: "A recording to predict from the given trace.", completion: .file())
    var predict: String?

    @Option(help: "With --predict: the rate of that recording's link, divided by the rate of the trace's link.")
    var linkFactor = 1.0

    @Option(help: "With --predict: rules of that recording's pipeline, such as \"connections: 2; order: lifo\".")
    var rules = ""

    @OptionGroup var served: ServedOptions

    @OptionGroup var printing: JSONOption

    @OptionGroup var strictOption: StrictOption

    @OptionGroup(title: "Reading") var input: InputFormatOptions

    func validate() throws {
        try arguments.require()
        guard limit > 0 else { throw ValidationError("--limit requires a number above 0") }
        if syntax, predict != nil || !served.cache.isEmpty || printing.json {
            throw ValidationError("--syntax replays nothing; leave --predict, --cache and --json out.")
        }
        if failOnWarnings, !syntax { throw ValidationError("--fail-on-warnings needs --syntax.") }
        if predict == nil, linkFactor != 1 || !rules.isEmpty {
            throw ValidationError("--link-factor and --rules need --predict, the recording to predict.")
        }
        if predict != nil, strictOption.strict {
            throw ValidationError("--predict reads two recordings that are named; leave --strict out.")
        }
        if predict != nil, arguments.traces.count != 1 {
            throw ValidationError(
                "--predict predicts one recording from one trace; name one trace, not \(arguments.traces.count).")
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
        if let predict { return try self.predict(predict, from: arguments.traces[0]) }
        let sources = try TraceSources(arguments.traces, format: nil)
        let reader = TraceSyntax(
            input: input, limit: limit, acceptsWarnings: !failOnWarnings, isStrict: strictOption.strict)
        if syntax { return try reader.check(sources) }
        if !served.cache.isEmpty { return try compareServed(sources, reader) }
        var checks: [(trace: String, check: ConsistencyCheck)] = []
        var notes: [String] = []
        var disagrees = false
        let failures = try forEach(sources, reader) { file, trace in
            let report = try ConsistencyReport(trace)
            notes += report.notes.map { "\(file.name): \($0)" }
            checks += report.checks.map { (file.name, $0) }
            disagrees = disagrees || !report.passes
        }
        show(printing.json ? ConsistencyTable.json(checks) : ConsistencyTable.text(checks))
        for note in notes { printToStandardError(note) }
        try end(failures, disagrees: disagrees)
    }

    /// Compares caches with what the app saw.
    private func compareServed(_ sources: TraceSources, _ reader: TraceSyntax) throws {
        let caches = try served.cache.map { try ReplayCommand.cache($0) }
        let network = try served.networkChoice()
        var items: [ServedTable.Item] = []
        let failures = try forEach(sources, reader) { file, trace in
            items += try served.compare(trace, of: file, caches, network)
        }
        show(printing.json ? ServedTable.json(items) : ServedTable.text(items))
        try end(failures, disagrees: items.contains { !served.accepts($0.comparison) })
    }

    /// Reads each trace and handles it.
    ///
    /// - Returns: The errors of all traces. A trace that cannot be read does not hide the others.
    private func forEach(
        _ sources: TraceSources, _ reader: TraceSyntax, _ body: (TraceFile, Trace) throws -> Void
    ) throws -> [CommandFailure] {
        var failures: [CommandFailure] = []
        try reader.forEach(sources) { file, reading, found in
            if let reading { printWarnings(reading.warnings, file: file.path) }
            var errors = found
            do { if let reading { try file.naming { try body(file, reading.trace) } } } catch { errors.append(error) }
            failures += try errors.map { error in
                guard let failure = CommandFailure(error) else { throw error }
                return failure
            }
        }
        return failures
    }

    /// Prints the failures, and ends with the first one's exit code, or with 1 if a trace disagrees.
    private func end(_ failures: [CommandFailure], disagrees: Bool) throws {
        for failure in failures { printToStandardError("cachereplay: \(failure)") }
        if let first = failures.first { throw ExitCode(first.status.rawValue) }
        if disagrees { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    private func show(_ text: String) {
        if printing.json {
            CommandOutput.printJSON(text, terminator: "")
        } else {
            CommandOutput.print(text, terminator: "")
        }
    }

    private func predict(_ other: String, from path: String) throws {
        let (file, otherFile) = (TraceFile(path: path), TraceFile(path: other))
        let (trace, recorded) = (try self.trace(file), try self.trace(otherFile))
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
        show(printing.json ? ConsistencyTable.json(name, prediction) : ConsistencyTable.text(name, prediction))
        if !prediction.passes { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    /// Reads a trace that can be replayed.
    private func trace(_ file: TraceFile) throws -> Trace {
        let trace = try input.read(file).trace
        try file.naming { try ReplayJob.check(trace) }
        return trace
    }
}
