/// A text for a terminal, as parts with a weight or a colour.
package struct StyledText: Sendable, Equatable {
    /// How a part stands out. The raw value is the parameter of the control sequence SGR (ECMA-48, 8.3.117).
    package enum Style: Int, Sendable {
        case bold = 1
        case dim = 2
        case red = 31
    }

    private struct Part: Equatable {
        var text: String
        var style: Style?
    }

    private var parts: [Part] = []

    package init() {}

    package mutating func append(_ text: String, _ style: Style? = nil) {
        if !text.isEmpty { parts.append(Part(text: text, style: style)) }
    }

    package mutating func append(_ text: StyledText) { parts += text.parts }

    package var isEmpty: Bool { parts.isEmpty }

    package var plain: String { parts.map(\.text).joined() }

    /// Returns the text with control sequences around each line of the parts that stand out. A pager shows such lines
    /// one by one.
    ///
    /// - Parameter shown: Returns a part as people see it, without control characters of its own.
    package func sequences(_ shown: (String) -> String) -> String {
        parts.map { part -> String in
            let text = shown(part.text)
            guard let style = part.style else { return text }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                line.isEmpty ? "" : "\u{1B}[\(style.rawValue)m\(line)\u{1B}[0m"
            }
            return lines.joined(separator: "\n")
        }.joined()
    }
}
