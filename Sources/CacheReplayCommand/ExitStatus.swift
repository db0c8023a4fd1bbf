import ArgumentParser
import CacheReports

/// The exit codes of the command. Scripts and CI jobs rely on them.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    /// `compare` found a figure that is worse than allowed.
    case worse = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    /// A required program or library is missing. The message names what to install.
    case missingTool = 69
    case cannotCreate = 73
    case ioError = 74
    /// With `--strict-clock`, a replay on a wall clock could not keep up with its trace. The results are written.
    case clockLagged = 75
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
    /// Creates the failure of an error about results.
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

    /// Runs `body`, and converts a ``ResultsError`` to a failure with its exit code.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ResultsError {
            throw CommandFailure(results: error)
        }
    }
}
