/// Text from outside of the program, in the form in which people see it.
///
/// File names, keys, titles and specifications can contain characters that control a terminal, that change the order
/// of the text around them, or that begin a line. These characters are written as their number, such as `\u{1b}`.
package enum VisibleText {
    /// Returns whether a scalar is invisible and has an effect on the text around it: the control characters of ASCII
    /// and Latin-1 (C0, DEL and C1), the separators of lines and paragraphs, and the embeddings, overrides and isolates
    /// of Unicode's bidirectional algorithm (UAX #9).
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    package static func line(_ text: String) -> String { escaping(text, where: isHidden) }

    /// Returns a text of several lines without hidden scalars. Line feeds and tabs remain.
    package static func lines(_ text: String) -> String {
        escaping(text) { isHidden($0) && $0 != "\n" && $0 != "\t" }
    }

    /// Returns a text as one line that neither breaks a table nor controls a terminal. Line breaks and tabs, which
    /// specifications can contain, become blanks; other hidden scalars are written as their number.
    package static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var blanked = ""
        for scalar in text.unicodeScalars {
            blanked.unicodeScalars.append("\t\n\r".unicodeScalars.contains(scalar) ? " " : scalar)
        }
        return line(blanked)
    }

    private static func escaping(_ text: String, where isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        return text.unicodeScalars.reduce(into: "") { visible, scalar in
            if isEscaped(scalar) {
                visible += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                visible.unicodeScalars.append(scalar)
            }
        }
    }
}
