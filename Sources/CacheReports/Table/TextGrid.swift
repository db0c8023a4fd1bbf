import Basics

/// Rows in aligned columns, for a terminal or as Markdown.
///
/// Widths are those of a terminal: combining marks take no column, East Asian characters and emoji take two.
struct TextGrid {
    enum Alignment { case left, right }

    struct Heading {
        var title: String
        var alignment: Alignment = .right
    }

    var headings: [Heading]
    var rows: [[String]] = []

    /// Returns the grid as text: two blanks between columns, a rule under the headings, no blanks at line ends. Each
    /// row is one line without control characters.
    func plain() -> String {
        let rows = rows.map { $0.map(ShortNames.printable) }
        let widths = widths
        func line(_ fields: [String]) -> String {
            let padded = fields.indices.map { column in
                let fill = String(repeating: " ", count: max(0, widths[column] - Self.width(fields[column])))
                return headings[column].alignment == .left ? fields[column] + fill : fill + fields[column]
            }
            var text = padded.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return line(headings.map(\.title)) + line(rule) + rows.map(line).joined()
    }

    private var widths: [Int] {
        headings.indices.map { column in
            ([headings[column].title] + rows.map { ShortNames.printable($0[column]) }).map(Self.width).max() ?? 0
        }
    }

    /// The columns that the widest line of ``plain()`` takes.
    var plainWidth: Int { widths.reduce(2 * (headings.count - 1), +) }

    /// Returns the grid as a GitHub table. Markdown and HTML in fields are escaped.
    func markdown() -> String {
        func line(_ fields: [String]) -> String { "| " + fields.joined(separator: " | ") + " |\n" }
        let rule = headings.map { $0.alignment == .left ? ":--" : "--:" }
        return line(headings.map { Self.markdown($0.title) }) + line(rule)
            + rows.map { line($0.map(Self.markdown)) }.joined()
    }

    /// Returns the grid as an HTML table.
    func html() -> String {
        func line(_ fields: [String], _ tag: String) -> String {
            "<tr>" + fields.map { "<\(tag)>\(MarkupText.escaped($0))" }.joined() + "\n"
        }
        return "<table>\n" + line(headings.map(\.title), "th") + rows.map { line($0, "td") }.joined() + "</table>\n"
    }

    /// Breaks a text into lines of a width, at blanks. Lines after the first one begin with `indent`. A word that is
    /// wider than a line has a line of its own.
    static func wrapped(_ text: String, width: Int?, indent: String = "") -> String {
        guard let width else { return text }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let longer = line.isEmpty ? String(word) : "\(line) \(word)"
            if Self.width(longer) > width, !line.isEmpty, line != indent {
                lines.append(line)
                line = indent + word
            } else {
                line = longer
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }

    static func markdown(_ text: String) -> String {
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
    static func width(_ text: String) -> Int {
        text.reduce(0) { sum, character in
            guard let first = character.unicodeScalars.first else { return sum }
            let isWide = character.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
            return sum + (isWide || isEastAsianWide(first.value) ? 2 : 1)
        }
    }

    /// Returns the longest beginning of a text that takes at most some columns.
    static func prefix(_ text: String, width limit: Int) -> String {
        var width = 0
        return String(
            text.prefix { character in
                width += Self.width(String(character))
                return width <= limit
            })
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
enum MarkupText {
    /// Returns the text with the characters escaped that could end an element or an attribute. XML 1.0 cannot write
    /// most control characters, and bidirectional controls change the order of the text around them, so these are
    /// written as their number (``VisibleText``).
    static func escaped(_ text: String) -> String {
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
