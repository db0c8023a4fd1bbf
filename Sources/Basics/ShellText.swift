/// Words of a command line, as a shell reads them.
package enum ShellText {
    /// Returns a word, in quotation marks where a shell would read it as something else.
    ///
    /// A word with characters that control a terminal has these as numbers of bytes, as in `$'\033'` (POSIX.1-2024,
    /// section 2.2.4): pasted in single quotes, they could end the paste and begin another command.
    package static func quoted(_ word: String) -> String {
        guard !word.unicodeScalars.contains(where: VisibleText.isHidden) else { return dollarQuoted(word) }
        let isPlain = word.unicodeScalars.allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || $0.properties.numericType != nil
                    || "/._-+".unicodeScalars.contains($0))
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.replacing(scalars: ["'": "'\\''"]) + "'"
    }

    private static func dollarQuoted(_ word: String) -> String {
        var text = "$'"
        for scalar in word.unicodeScalars {
            if VisibleText.isHidden(scalar) {
                // Three digits: 0o1000 is the place before them.
                text += String(scalar).utf8.map { "\\" + String(0o1000 + Int($0), radix: 8).dropFirst() }.joined()
            } else if scalar == "'" || scalar == "\\" {
                text += "\\\(scalar)"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "'"
    }

    package static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}
