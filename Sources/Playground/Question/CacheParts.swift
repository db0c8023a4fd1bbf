import ReplayEngine

/// The parts of a specification, which can be replaced one by one.
struct CacheParts {
    private struct Part {
        var key: String
        var value: String
        /// Whether the part is written without its key: a preset, or a policy of memory.
        var isBare: Bool
    }

    private var parts: [Part]
    /// Whether the first part is the name of a preset.
    private let hasPreset: Bool

    init(_ specification: String, hasPreset: Bool) {
        parts = SpecificationPart.parts(of: specification).map { part in
            Part(key: part.key, value: part.value, isBare: part.column == part.valueColumn)
        }
        self.hasPreset = hasPreset
    }

    /// The specification.
    var text: String {
        parts.map { part in part.isBare ? part.value : "\(part.key): \(part.value)" }.joined(separator: "; ")
    }

    /// Returns the value of a part; nil if the specification has none. The name of a preset is no part.
    func value(of key: String) -> String? { place(of: key).map { parts[$0].value } }

    /// Replaces a part, or adds it at the end.
    mutating func set(_ key: String, to value: String) {
        if let place = place(of: key) {
            parts[place].value = value
        } else {
            parts.append(Part(key: key, value: value, isBare: false))
        }
    }

    private func place(of key: String) -> Int? {
        parts.indices.first { place in parts[place].key == key && !(hasPreset && place == 0) }
    }
}
