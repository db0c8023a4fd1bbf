/// A mistake in a specification: what is wrong, and where.
public struct SpecError: Error, Sendable, CustomStringConvertible {
    public var message: String
    /// What the user wrote.
    public var text: String
    /// Where in `text` the mistake begins, in characters, counted from 0.
    public var column: Int

    public init(_ message: String, in text: String, at column: Int = 0) {
        self.message = message
        self.text = text
        self.column = column
    }

    /// The message, the text, and a caret under the place.
    public var description: String {
        "\(message)\n    \(text)\n    \(String(repeating: " ", count: column))^"
    }

    /// The same mistake, seen in the larger text that `self.text` begins at `offset` of.
    public func within(_ larger: String, at offset: Int) -> SpecError {
        SpecError(message, in: larger, at: column + offset)
    }
}
