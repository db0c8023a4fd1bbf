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
        self.message = Self.printable(message)
    }

    /// Messages quote what they found: a line stays one, and a terminal is not told what to do.
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
