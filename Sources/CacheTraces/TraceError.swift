/// Why a trace could not be read: which file, where in it, what was expected and what helps.
public struct TraceError: Error, Sendable, CustomStringConvertible {
    public enum Place: Sendable, Equatable {
        case wholeFile
        /// Counted from 1.
        case line(Int)
        /// Counted from 0, in the decompressed bytes.
        case byte(Int)
    }

    /// What kind of failure it is: the command turns it into an exit code.
    public enum Kind: Sendable { case badData, notFound, unreadable }

    public var kind: Kind
    public var file: String
    public var place: Place
    public var message: String

    public init(_ kind: Kind = .badData, file: String, at place: Place = .wholeFile, _ message: String) {
        self.kind = kind
        self.file = file
        self.place = place
        self.message = message
    }

    public var description: String {
        switch place {
        case .wholeFile: "\(file): \(message)"
        case .line(let line): "\(file):\(line): \(message)"
        case .byte(let offset): "\(file): byte \(offset): \(message)"
        }
    }
}
