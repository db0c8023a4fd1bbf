/// Rows in aligned columns, for a terminal or as Markdown.
///
/// Widths are measured as terminals do: combining marks take no column, East Asian characters and emoji take two.
package struct TextGrid: Sendable {
    package enum Alignment: Sendable { case left, right }

    package struct Heading: Sendable {
        package var title: String
        package var alignment: Alignment

        package init(title: String, alignment: Alignment = .right) {
            self.title = title
            self.alignment = alignment
        }

        /// Creates the heading of a column of names or sentences.
        package static func text(_ title: String) -> Self { Self(title: title, alignment: .left) }

        /// Creates the heading of a column of figures.
        package static func figure(_ title: String) -> Self { Self(title: title) }
    }

    package var headings: [Heading]
    package var rows: [[String]]

    package init(headings: [Heading], rows: [[String]] = []) {
        self.headings = headings
        self.rows = rows
    }

    /// Returns the grid as text: two blanks between columns, a rule under the headings, no blanks at line ends. Each
    /// row is one line without control characters.
    package func plain() -> String { styled { _, _ in nil }.plain }

    /// Returns the text of ``plain()`` with fields that stand out.
    ///
    /// - Parameter style: Returns the style of a field, by the places of its row and its column.
    package func styled(_ style: (_ row: Int, _ column: Int) -> StyledText.Style?) -> StyledText {
        let titles = headings.map(\.title)
        let rows = rows.map { $0.map(VisibleText.printable) }
        let widths = Self.widths([titles] + rows)
        let rule = widths.map { String(repeating: "-", count: $0) }
        let alignments = headings.map(\.alignment)
        var text = StyledText()
        for (place, row) in ([titles, rule] + rows).enumerated() {
            text.append(Self.line(row, widths, alignments) { place < 2 ? nil : style(place - 2, $0) })
            text.append("\n")
        }
        return text
    }

    /// The columns that the widest line of ``plain()`` takes.
    package var plainWidth: Int {
        Self.widths([headings.map(\.title)] + rows.map { $0.map(VisibleText.printable) })
            .reduce(2 * (headings.count - 1), +)
    }

    /// Returns rows as lines without headings: columns are left-aligned, two blanks apart, without blanks at line ends.
    /// Each row is one line without hidden characters.
    package static func lines(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map(VisibleText.line) }
        let widths = widths(rows)
        return rows.map { line($0, widths, []) { _ in nil }.plain }
    }

    /// Returns the fields of a row, two blanks apart, without blanks at the end.
    ///
    /// - Parameters:
    ///   - alignments: By column. Columns without one are left-aligned.
    ///   - style: Returns the style of a field, by the place of its column.
    private static func line(
        _ row: [String], _ widths: [Int], _ alignments: [Alignment], _ style: (Int) -> StyledText.Style?
    ) -> StyledText {
        var line = StyledText()
        // Blanks are written before the next field, so that none are at the end.
        var gap = 0
        for (column, field) in row.enumerated() {
            var text = field
            while text.last == " " { text.removeLast() }
            let fill = widths[column] - width(text)
            let isRight = column < alignments.count && alignments[column] == .right
            let after = isRight ? width(field) - width(text) : fill
            gap += fill - after
            if !text.isEmpty {
                line.append(blanks(gap))
                line.append(text, style(column))
                gap = 0
            }
            gap += after + 2
        }
        return line
    }

    /// Returns labels and their values, one pair per line. All values begin in the same column.
    ///
    /// - Parameter most: The widest line, in columns; nil for any. Longer values continue on lines below.
    package static func list(_ pairs: [(label: String, value: String)], width most: Int? = nil) -> [String] {
        let start = (pairs.map { width($0.label) }.max() ?? 0) + 2
        return pairs.map { label, value in
            let lines = wrapped(value, width: most.map { max(20, $0 - start) })
            return label + blanks(start - width(label)) + lines.replacing("\n", with: "\n" + blanks(start))
        }
    }

    private static func widths(_ rows: [[String]]) -> [Int] {
        (0..<(rows.map(\.count).max() ?? 0)).map { column in
            rows.map { column < $0.count ? width($0[column]) : 0 }.max() ?? 0
        }
    }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    /// Returns the grid as a GitHub table. Markdown and HTML in fields are escaped.
    package func markdown() -> String {
        func line(_ fields: [String]) -> String { "| " + fields.joined(separator: " | ") + " |\n" }
        let rule = headings.map { $0.alignment == .left ? ":--" : "--:" }
        return line(headings.map { Self.markdown($0.title) }) + line(rule)
            + rows.map { line($0.map(Self.markdown)) }.joined()
    }

    /// Breaks the lines of a text at blanks, into lines of a width.
    ///
    /// Lines after a break begin with `indent`. A word that is wider than a line has a line of its own. The last line
    /// has no word alone, where the line before it can spare one.
    package static func wrapped(_ text: String, width: Int?, indent: String = "") -> String {
        guard let width else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { wrapped(line: $0, width, indent) }.joined(separator: "\n")
    }

    private static func wrapped(line text: Substring, _ most: Int, _ indent: String) -> [String] {
        let start = text.prefix { $0 == " " }
        var lines: [[String]] = [[]]
        var length = start.count
        for word in text.dropFirst(start.count).split(separator: " ", omittingEmptySubsequences: false) {
            let last = lines.count - 1
            let added = width(String(word)) + (lines[last].isEmpty ? 0 : 1)
            if length + added > most, !lines[last].isEmpty {
                lines.append([String(word)])
                length = width(indent) + width(String(word))
            } else {
                lines[last].append(String(word))
                length += added
            }
        }
        let last = lines.count - 1
        if last > 0, lines[last].count == 1, lines[last - 1].count > 2, let spared = lines[last - 1].last,
            width(indent + spared + " " + lines[last][0]) <= most
        {
            lines[last - 1].removeLast()
            lines[last].insert(spared, at: 0)
        }
        return lines.enumerated().map { ($0 == 0 ? String(start) : indent) + $1.joined(separator: " ") }
    }

    package static func markdown(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "|", "\\", "*", "_", "`", "[", "]": escaped += "\\\(scalar)"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\n", "\r": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns the columns that a text takes on a terminal.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { sum, character in
            guard let first = character.unicodeScalars.first else { return sum }
            let isWide = character.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
            return sum + (isWide || isEastAsianWide(first.value) ? 2 : 1)
        }
    }

    /// Returns the longest beginning of a text that takes at most some columns.
    package static func prefix(_ text: String, width limit: Int) -> String {
        var width = 0
        return String(
            text.prefix { character in
                width += Self.width(String(character))
                return width <= limit
            })
    }

    /// Returns a text of at most some columns. One that is cut ends with an ellipsis.
    package static func cut(_ text: String, width limit: Int) -> String {
        width(text) > limit ? prefix(text, width: limit - 1) + "…" : text
    }

    /// Returns a text of at most some columns, at least 3, without the middle of a longer one: `memory: l…: 7d)`.
    package static func withoutMiddle(_ text: String, width limit: Int) -> String {
        guard width(text) > limit else { return text }
        let end = String(prefix(String(text.reversed()), width: (limit - 1) / 2).reversed())
        return prefix(text, width: limit - 1 - width(end)) + "…" + end
    }

    /// Returns whether a character is in one of the wide blocks of Unicode's UAX #11. The blocks are approximate.
    private static func isEastAsianWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

/// Text in XML or HTML.
package enum MarkupText {
    /// Returns the text with the characters escaped that could end an element or an attribute. XML 1.0 cannot write
    /// most control characters, and bidirectional controls change the order of the text around them, so these are
    /// written as their number (``VisibleText``).
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        let text = VisibleText.lines(text)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n": escaped += "&#10;"
            case "\u{FFFE}", "\u{FFFF}": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
