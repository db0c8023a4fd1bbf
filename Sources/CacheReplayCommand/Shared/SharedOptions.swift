import ArgumentParser
import Basics
import CacheReports
import CacheTraces
import Foundation
import Runs
import SessionModel

/// The traces of commands that read many.
struct TraceArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            """
            Traces in any known format: files, folders, archives (tar, zip), patterns in quotes, lists (@FILE), and - \
            for standard input. NAME=PATH gives a file the name NAME in results.
            """,
            valueName: "trace"),
        completion: .file())
    var traces: [String] = []

    /// - Throws: `ValidationError` if no trace is named.
    func require() throws {
        if traces.isEmpty { throw ValidationError("Which traces? Name some, such as \"Traces/stress-*.jsonl\".") }
    }
}

struct FormatOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The format of the traces; by default it is recognised. See 'cachereplay list formats'.",
            valueName: "name"),
        transform: TraceFormat.named)
    var format: TraceFormat?
}

struct StrictOption: ParsableArguments {
    @Flag(
        help:
            "Stop at a trace of a folder, an archive, a pattern or a list that cannot be read, instead of skipping it.")
    var strict = false
}

/// The traces of commands that replay them, their format, and what happens to those that cannot be read.
struct TraceOptions: ParsableArguments {
    @OptionGroup private var arguments: TraceArguments
    @OptionGroup private var formatOption: FormatOption
    @OptionGroup private var strictOption: StrictOption

    var traces: [String] { arguments.traces }
    /// The name of the format; nil: recognised.
    var format: String? { formatOption.format?.name }
    var strict: Bool { strictOption.strict }

    /// Returns the files of the arguments, and of other paths.
    /// - Throws: ``CommandFailure``, also if two traces have one name.
    func sources(adding others: [String] = []) throws -> TraceSources {
        let sources = try TraceSources(traces + others, format: format)
        try sources.checkNames()
        return sources
    }

    /// - Throws: `ValidationError` if no trace is named.
    func require() throws { try arguments.require() }
}

/// `--output` and `--force`, for commands that write a folder of results.
struct OutputOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The folder for the results.", completion: .directory)
    var output: String?

    @Flag(help: "Replace the results that the output folder holds.")
    var force = false

    func validate() throws {
        if force, output == nil { throw ValidationError("--force needs --output, the folder to replace.") }
    }
}

/// `--output`, `--resume` and `--force`, for commands that keep what is finished.
struct ResumableOutputOptions: ParsableArguments {
    @OptionGroup private var options: OutputOptions

    @Flag(help: "Keep what is finished in the output folder, and make the rest.")
    var resume = false

    var output: String? { options.output }
    var force: Bool { options.force }

    func validate() throws {
        if resume, force { throw ValidationError("--resume keeps earlier results, and --force replaces them.") }
        if resume, output == nil {
            throw ValidationError("--resume needs --output, the folder of the earlier results.")
        }
    }
}

struct JobsOption: ParsableArguments {
    @Option(
        help: """
            The number of threads, or of measured replays at a time; by default one per processor, or 1 if replays are \
            measured.
            """)
    var jobs: Int?

    /// The number of threads of work that is not measured.
    var threads: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs is at least 1.") }
    }
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
    @Option(
        name: .customLong("network"), help: ReplayCommand.NetworkName.help,
        completion: .file(extensions: ["yaml", "yml", "csv"]))
    var networks = [ReplayCommand.NetworkName.auto]

    /// The network of a command that replays over one.
    ///
    /// - Throws: `ValidationError` for several ones.
    func network() throws -> ReplayCommand.NetworkName {
        guard networks.count == 1 else {
            throw ValidationError(
                """
                --network is given \(networks.count) times; run the command once for each network, or use \
                `cachereplay replay`.
                """
            )
        }
        return networks[0]
    }
}

/// `--memory-warning-at`, `--background-at` and `--relaunch-at`, for commands that replay.
struct InjectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Inject a memory warning at a time of the recording, such as 60s, or at every multiple of one: \
            'every 5min'. Repeat for each.
            """, valueName: "time"))
    var memoryWarningAt: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Inject an absence: 60s:20s has the app in the background for 20 s from 60 s of the recording on. All that \
            follows is 20 s later; times of options are those of the recording. Repeat for each.
            """, valueName: "time:length"))
    var backgroundAt: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Inject a relaunch at a time of the recording, such as 90s: memory is lost, and the visible cells appear \
            again. Repeat for each.
            """, valueName: "time"))
    var relaunchAt: [String] = []

    func validate() throws {
        do { _ = try events() } catch let error as CommandFailure { throw ValidationError(error.description) }
    }

    /// Returns the events of the options, and others.
    /// - Throws: ``CommandFailure`` for a text that states no event, and for absences that overlap or are too long.
    func events(adding others: InjectedEvents? = nil) throws -> InjectedEvents {
        do {
            return try (others ?? InjectedEvents())
                .adding(InjectedEvents(memoryWarningAt, .memoryWarning))
                .adding(InjectedEvents(backgroundAt, .background))
                .adding(InjectedEvents(relaunchAt, .relaunch))
        } catch {
            throw CommandFailure(.usage, "--\(error).")
        }
    }
}

struct JSONOption: ParsableArguments {
    @Flag(help: "Print JSON instead of text.")
    var json = false
}

/// `--relevance-threshold`, for commands that judge figures.
struct RelevanceOption: ParsableArguments {
    /// nil if the option is not given.
    @Option(
        name: .customLong("relevance-threshold"),
        help: ArgumentHelp(
            """
            The smallest difference that counts: percentage points of blank time and other shares, per cent of bytes, \
            memory and other figures, or both. A smaller one is a tie.
            """, valueName: "points,percent"),
        transform: { text in
            guard let tolerance = Tolerance(text) else {
                throw ValidationError("expected points from 0 to 100, per cent, or both: 0.1pt, 1% or 0.1pt,1%")
            }
            return tolerance
        })
    var given: Tolerance?

    var relevanceThreshold: Tolerance { given ?? .standard }
}

/// `--quiet`, which has one meaning in all commands.
///
/// A quiet command prints what was asked for: its result on standard output, and on standard error what makes it fail.
/// It prints no progress, no notes, no warnings and no paths of written files.
struct QuietOption: ParsableArguments {
    @Flag(
        name: .shortAndLong, help: "Print only what was asked for, and errors: no progress, notes or warnings.")
    var quiet = false
}

struct PrintOptions: ParsableArguments {
    @OptionGroup private var jsonOption: JSONOption
    @OptionGroup private var quietOption: QuietOption

    var json: Bool { jsonOption.json }
    var quiet: Bool { quietOption.quiet }
}

struct ChartsOption: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Draw the charts.")
    var charts = true

    /// Draws charts, and returns the paths of the pictures. Without gnuplot, a message names the remedy, and there are
    /// no charts.
    func draw(quiet: Bool, _ draw: () throws -> DrawnCharts) throws -> [String] {
        guard charts else { return [] }
        do { return try draw().reported(quiet: quiet) } catch let error as ResultsError
            where error.kind == .missingTool
        {
            printToStandardError("cachereplay: \(error.message)")
            return []
        }
    }
}
