import ArgumentParser
import Basics
import CachePolicies
import CacheTiers
import CacheTraces
import Foundation
import ReplayEngine
import Runs
import SessionModel
import Synchronization

/// The command `cachereplay`. A package can add its own policies to it:
/// ```swift
/// CacheReplay.main(adding: [MyPolicy.entry])
/// ```
public struct CacheReplay: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "cachereplay",
        abstract: "Compare image caches on recorded sessions of an app.",
        discussion: """
            Replays recorded scroll-and-fetch traces through caches, with real memory, disk
            and network tiers.

            Example: cachereplay replay Traces/photo-feed.jsonl --cache
            "memory: lru(20MB); disk: lru(200MB)" --cache "nscache(cost: 20MB)"
            """,
        version: versionWithCommit,
        groupedSubcommands: groups)

    public init() {}

    public func run() { CommandOutput.print(Beginning.here.text) }

    /// Runs the command with the built-in policies and the given policies, and ends the process with the exit code.
    public static func main(adding entries: [PolicyEntry] = []) -> Never {
        EndSignals.prepare()
        registry.withLock { registry in registry = entries.reduce(registry) { $0.adding($1) } }
        StandardStreams.openClosed()
        EndSignals.listen()
        Memory.setExhaustion { bytes in
            end(
                with: CommandFailure(
                    .ioError,
                    """
                    There is not enough memory: \(HumanText.bytes(Double(bytes))) more are needed. Allow more memory, \
                    or simulate \
                    a file of requests with --stream, which reads it in windows. Finished results are kept.
                    """))
        }
        Foundation.exit(run(CommandLine.arguments))
    }

    /// Runs the command that a line names, prints its failure, and returns its exit code.
    ///
    /// - Parameter line: The name of the program, and the arguments.
    static func run(_ line: [String]) -> Int32 {
        do {
            let arguments = try arguments(of: line)
            try checkCommandName(arguments)
            var command = try parseAsRoot(arguments)
            try command.run()
            try StandardStreams.flushOutput()
            EndSignals.waitIfRemoving()
            return ExitStatus.done.rawValue
        } catch {
            // The work can fail because a signal's handler removes its files.
            EndSignals.waitIfRemoving()
            if let code = error as? ExitCode { return code.rawValue }
            guard let failure = CommandFailure(error) ?? unexpected(error) else { return exitCode(printing: error) }
            return exitCode(printing: failure)
        }
    }

    /// Returns the arguments behind the name of the program.
    ///
    /// - Throws: ``CommandFailure`` if there is not even the name. Swift looks for the arguments on the stack, and
    ///   finds none if `/proc/self/maps` cannot be read: without this error, every command would print the overview and
    ///   succeed.
    static func arguments(of line: [String]) throws -> [String] {
        guard !line.isEmpty else {
            throw CommandFailure(
                .software,
                """
                The arguments of the command cannot be read from the system, so nothing was done. /proc/self/maps must \
                be readable, also under the limit of open files, and libraries of LD_PRELOAD must not move the \
                environment.
                """)
        }
        return Array(line.dropFirst())
    }

    /// Throws if the arguments name a command that does not exist. The argument parser takes the name for an argument,
    /// and has no hint.
    private static func checkCommandName(_ arguments: [String]) throws {
        var command: any ParsableCommand.Type = CacheReplay.self
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return }
            let names = commands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
            guard let next = commands.first(where: { $0.configuration.commandName == argument }) else {
                // What is listed is as likely to be named.
                let listed =
                    command == CacheReplay.self ? CacheReplay.listed : []
                let hint =
                    nearestName(to: argument, among: names + listed).map { name in
                        "did you mean '\(listed.contains(name) ? "list " : "")\(name)'?"
                    } ?? "the commands are: \(names.joined(separator: ", "))"
                throw CommandFailure(.usage, "There is no command '\(argument)'; \(hint)")
            }
            command = next
        }
    }

    private static func end(with failure: CommandFailure) -> Never { Foundation.exit(exitCode(printing: failure)) }

    private static func exitCode(printing failure: CommandFailure) -> Int32 {
        printToStandardError("cachereplay: \(failure)")
        return failure.status.rawValue
    }

    /// Prints a message of the argument parser: wrong usage, help or the version.
    private static func exitCode(printing error: any Error) -> Int32 {
        let message = fullMessage(for: error)
        let code = exitCode(for: error)
        if code == .success {
            if !message.isEmpty { CommandOutput.print(message) }
            do { try StandardStreams.flushOutput() } catch {
                return exitCode(printing: CommandFailure(error) ?? .init(.ioError, error.localizedDescription))
            }
        } else if !message.isEmpty {
            printToStandardError(message)
        }
        return code.rawValue
    }

    /// Returns the failure for an unexpected system error, or nil for errors of the argument parser.
    ///
    /// The argument parser would end the process with 1, which is the exit code of `compare` for worse results.
    private static func unexpected(_ error: any Error) -> CommandFailure? {
        exitCode(for: error) == .failure ? CommandFailure(.ioError, error.localizedDescription) : nil
    }

    static var policies: PolicyRegistry { registry.withLock { $0 } }

    static func add(_ entry: PolicyEntry) { registry.withLock { $0 = $0.adding(entry) } }

    private static let registry = Mutex(PolicyRegistry.builtIn)
}

/// An error that one command alone can have, with the exit code of that command.
protocol FailureOfCommand: Error, CustomStringConvertible {
    var status: ExitStatus { get }
}

extension CommandFailure {
    /// Creates the failure for an error of a library. Returns nil for errors of the argument parser.
    init?(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as TraceError:
            let statuses: [TraceError.Kind: ExitStatus] = [
                .badData: .badData, .notFound: .noInput, .unreadable: .ioError, .noRoom: .ioError,
            ]
            self.init(statuses[error.kind] ?? .badData, error.description)
        case let error as UnknownFormat: self.init(.usage, error.description)
        case let error as ResultsError: self.init(results: error)
        case let error as PluginError: self.init(error.kind == .notFound ? .noInput : .badData, error.description)
        case let error as SpecError: self.init(.usage, error.description)
        case let error as RuleError: self.init(.usage, error.description)
        case let error as ReplayError: self.init(error.kind == .originLost ? .ioError : .badData, error.description)
        case let error as FileError:
            self.init(error.kind == .cannotCreate ? .cannotCreate : .ioError, error.description)
        case let error as DiskTierError:
            self.init(error.kind == .notWritable ? .cannotCreate : .ioError, error.description)
        case let error as SystemError: self.init(.ioError, error.description)
        case let error as any FailureOfCommand: self.init(error.status, error.description)
        default: return nil
        }
    }
}
