import ArgumentParser

/// The exit codes of the command: a contract with scripts and CI jobs.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    /// `compare` found something worse than allowed.
    case worse = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    /// Something that is needed is missing; the message says what to install.
    case missingTool = 69
    case cannotCreate = 73
    case ioError = 74
    case interrupted = 130
}

/// A failure that is told to the user in one message, with the exit code that fits it.
public struct CommandFailure: Error, Sendable, CustomStringConvertible {
    public var status: ExitStatus
    public var description: String

    public init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }
}
