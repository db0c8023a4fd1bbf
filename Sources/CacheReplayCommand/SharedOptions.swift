import ArgumentParser
import Basics
import CacheTraces

/// The traces of commands that read many.
struct TraceArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            """
            Traces in any known format: files, folders, archives (tar, zip), patterns in quotes, lists (@FILE), and - \
            for standard input.
            """,
            valueName: "trace"),
        completion: .file())
    var traces: [String] = []

    /// - Throws: `ValidationError` if no trace is named.
    func require() throws {
        if traces.isEmpty { throw ValidationError("Which traces? Name some, such as \"Traces/gallery-*.jsonl\".") }
    }
}

/// `--format`, for commands that read traces.
struct FormatOption: ParsableArguments {
    @Option(
        name: [.long, .customLong("from")],
        help: ArgumentHelp(
            "The format of the traces; by default it is recognised. See 'cachereplay list formats'.",
            valueName: "name"),
        transform: TraceFormat.named)
    var format: TraceFormat?
}

/// `--time-limit`, for commands that replay until something is known.
struct TimeLimitOption: ParsableArguments {
    /// In microseconds; nil without a limit.
    @Option(
        help: ArgumentHelp(
            "The time after which no further replay begins, such as 90s or 10min.", valueName: "duration"),
        transform: { text in
            do { return try TimeSpan.microseconds(text) } catch { throw ValidationError("--time-limit: \(error).") }
        })
    var timeLimit: Int64?

    func validate() throws {
        if let timeLimit, timeLimit < 1 { throw ValidationError("--time-limit is above 0.") }
    }
}

/// `--network`, for commands that replay.
struct NetworkOptionGroup: ParsableArguments {
    @Option(help: ReplayCommand.NetworkName.help, completion: .file(extensions: ["yaml", "yml"]))
    var network = ReplayCommand.NetworkName.auto
}
