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

/// The one of `names` that `name` is most likely a slip for: at most a third of its letters differ.
public func nearestName(to name: String, among names: some Sequence<String>) -> String? {
    let ranked = names.map { (name: $0, distance: editDistance(name.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= max(1, best.name.count / 3) else {
        return nil
    }
    return best.name
}

/// Levenshtein's distance.
private func editDistance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (line, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = line + 1
        for column in other.indices {
            let substituted = diagonal + (other[column] == letter ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
        }
    }
    return row[other.count]
}
