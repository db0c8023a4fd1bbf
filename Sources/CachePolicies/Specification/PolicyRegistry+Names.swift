// Names of policies as people and papers write them: `LRU`, `S3-FIFO`, `W-TinyLFU`.
extension PolicyRegistry {
    /// Returns the policy of a name in any case, and with or without hyphens and underscores. An exact name comes
    /// first.
    ///
    /// - Returns: nil for a name that no policy has, and for one that stands for several.
    public func entry(written name: String) -> PolicyEntry? {
        if let exact = self[name] { return exact }
        let letters = Self.letters(of: name)
        let found = entries.filter { Self.letters(of: $0.name) == letters }
        return found.count == 1 ? found[0] : nil
    }

    /// Returns a specification with the names of its policies as the registry has them: `lru(20MB)` for `LRU(20MB)`.
    ///
    /// Unknown names, labels and quantities stay as they are.
    /// - Throws: ``SpecError`` for a text that is no specification.
    public func respelled(_ text: String) throws -> String {
        var places: [NamePlace] = []
        collect(try PolicySpec(text), into: &places)
        var characters = Array(text)
        // From the end, so that the columns of earlier names stay valid.
        places.sort { $0.column > $1.column }
        for place in places {
            characters.replaceSubrange(place.column..<(place.column + place.length), with: Array(place.name))
        }
        return String(characters)
    }

    /// The place of a name in a text, in characters, and the name that belongs there.
    private struct NamePlace {
        var column: Int
        var length: Int
        var name: String
    }

    /// Adds the names of a policy and of the policies within it.
    private func collect(_ spec: PolicySpec, into places: inout [NamePlace]) {
        guard let policy = entry(written: spec.name) else { return }
        places.append(NamePlace(column: spec.column, length: spec.name.count, name: policy.name))
        for argument in spec.arguments {
            guard case .spec(let inner) = argument.value else { continue }
            let label = argument.label
            if policy.parameters.contains(where: { $0.kind == .policy && $0.label == label }) {
                collect(inner, into: &places)
            }
        }
    }

    private static func letters(of name: String) -> String {
        name.lowercased().filter { $0 != "-" && $0 != "_" }
    }
}
