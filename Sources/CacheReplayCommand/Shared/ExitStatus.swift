import ArgumentParser
import ReplayEngine
import Runs

/// The exit codes of the command. Scripts and CI jobs rely on them.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    /// `compare` found a figure that is worse than allowed.
    case worse = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    /// A cache of the user's own ended before the replay did, or did not answer. The results are written, and have the
    /// fault. Also: the system does not give the command its arguments.
    case software = 70
    /// A required program or library is missing. The message names what to install.
    case missingTool = 69
    case cannotCreate = 73
    case ioError = 74
    /// The command was hung up (SIGHUP), interrupted (SIGINT) or terminated (SIGTERM). Finished runs are kept.
    case hungUp = 129
    case interrupted = 130
    case terminated = 143
}

/// A failure with one message for the user and its exit code.
public struct CommandFailure: Error, Sendable, CustomStringConvertible {
    public var status: ExitStatus
    public var description: String

    public init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }
}

extension CommandFailure {
    init(results error: ResultsError) {
        let status: ExitStatus =
            switch error.kind {
            case .cannotCreate: .cannotCreate
            case .ioError: .ioError
            case .badData: .badData
            case .notFound: .noInput
            case .missingTool: .missingTool
            }
        self.init(status, error.description)
    }

    /// Creates the failure of a run whose cache of the user's own ended before the replay did; nil for other runs.
    init?(endOfCache result: RunResult, name: String) {
        guard let end = result.driven?.end else { return nil }
        self.init(
            .software,
            """
            \(name): the cache \(end.kind.text): \(end.first). Each lookup after that is a miss, so the figures of \
            this run \
            are not those of the cache.
            """)
    }
}
