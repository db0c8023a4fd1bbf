import Basics

/// The reason why results cannot be written, read or drawn: the file, the expectation and the remedy.
public struct ResultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. It decides the exit code of the command.
    public enum Kind: Sendable, Equatable {
        /// The folder or file cannot be created. Exit code 73.
        case cannotCreate
        /// Reading or writing failed midway, as on a full disk. Exit code 74.
        case ioError
        /// The content is not what is expected. Exit code 65.
        case badData
        /// There is no such file or folder. Exit code 66.
        case notFound
        /// A required program is not installed. Exit code 69.
        case missingTool
    }

    public var kind: Kind
    public var file: String
    /// The line, counted from 1, or nil when the message is about the whole file.
    public var line: Int?
    public var message: String

    public init(_ kind: Kind, file: String, line: Int? = nil, _ message: String) {
        self.kind = kind
        self.file = file
        self.line = line
        self.message = message
    }

    public var description: String {
        let file = VisibleText.line(file)
        return line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }
}
