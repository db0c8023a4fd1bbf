import ArgumentParser
import Basics

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
