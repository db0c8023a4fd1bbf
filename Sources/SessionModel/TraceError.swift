/// An error in a trace file: the file, the place in it, what was expected, and the remedy.
public struct TraceError: Error, Sendable, CustomStringConvertible {
    /// A place in a file.
    public enum Place: Sendable, Equatable {
        case wholeFile
        /// The number of a line, from 1.
        case line(Int)
        /// The offset of a byte, from 0, in the decompressed content.
        case byte(Int)
    }

    /// The kind of failure. The command derives its exit code from it.
    public enum Kind: Sendable { case badData, notFound, unreadable }

    public var kind: Kind
    public var file: String
    public var place: Place
    public var message: String

    public init(_ kind: Kind = .badData, file: String, at place: Place = .wholeFile, _ message: String) {
        self.kind = kind
        self.file = file
        self.place = place
        self.message = Self.printable(message)
    }

    /// Escapes control characters, because messages quote the content of files: a message stays one line, and a
    /// terminal receives no control sequences.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.properties.isControl) else { return text }
        return text.unicodeScalars.map { $0.properties.isControl ? "\\u{\(String($0.value, radix: 16))}" : String($0) }
            .joined()
    }

    public var description: String {
        switch place {
        case .wholeFile: "\(file): \(message)"
        case .line(let line): "\(file):\(line): \(message)"
        case .byte(let offset): "\(file): byte \(offset): \(message)"
        }
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isControl: Bool { [.control, .lineSeparator, .paragraphSeparator].contains(generalCategory) }
}

extension TraceError {
    /// Creates an error for invalid JSON in a file that has one JSON text per line.
    package init(_ error: JSONError, file: String, line: Int, lineStart: Int) {
        self.init(file: file, at: .line(line), "column \(error.offset - lineStart + 1): \(error.message)")
    }
}
