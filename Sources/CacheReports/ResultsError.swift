/// Why results could not be written, read or drawn: which file, what was expected and what helps.
public struct ResultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind decides the exit code of the command; the code stands beside it.
    public enum Kind: Sendable, Equatable {
        /// 73: the folder or file cannot be made.
        case cannotCreate
        /// 74: reading or writing failed midway, as on a full disk.
        case ioError
        /// 65: what was read is not what it should be.
        case badData
        /// 66: no such file or folder.
        case notFound
        /// 69: a program that is needed is not installed.
        case missingTool
    }

    public var kind: Kind
    public var file: String
    /// Counted from 1; nil when the whole file is meant.
    public var line: Int?
    public var message: String

    public init(_ kind: Kind, file: String, line: Int? = nil, _ message: String) {
        self.kind = kind
        self.file = file
        self.line = line
        self.message = message
    }

    public var description: String {
        line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }
}
