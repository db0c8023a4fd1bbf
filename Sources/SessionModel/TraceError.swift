import Basics

/// An error in a trace file: the file, the place in it, what was expected, and the remedy.
public struct TraceError: Error, Sendable, CustomStringConvertible {
    public enum Place: Sendable, Equatable {
        case wholeFile
        /// The number of a line, from 1.
        case line(Int)
        /// The offset of a byte, from 0, in the decompressed content.
        case byte(Int)
    }

    /// The kind of failure. The command derives its exit code from it.
    public enum Kind: Sendable {
        case badData, notFound, unreadable
        /// No format fits, so the file is probably not a trace.
        case unrecognised
        /// Memory or temporary space is not enough, which is no fault of the file.
        case noRoom
    }

    public var kind: Kind
    public var file: String
    public var place: Place
    public var message: String

    public init(_ kind: Kind = .badData, file: String, at place: Place = .wholeFile, _ message: String) {
        self.kind = kind
        self.file = file
        self.place = place
        // Messages quote the content of files.
        self.message = VisibleText.line(message)
    }

    public var description: String {
        let file = VisibleText.line(file)
        return switch place {
        case .wholeFile: "\(file): \(message)"
        case .line(let line): "\(file):\(line): \(message)"
        case .byte(let offset): "\(file): byte \(offset): \(message)"
        }
    }
}

extension TraceError {
    /// Creates an error for invalid JSON in a file that has one JSON text per line.
    package init(_ error: JSONError, file: String, line: Int, lineStart: Int) {
        self.init(file: file, at: .line(line), "column \(error.offset - lineStart + 1): \(error.message)")
    }
}
