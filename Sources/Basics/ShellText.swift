/// Words of a command line, as a shell of POSIX reads them.
package enum ShellText {
    /// Returns a word, in quotation marks where a shell would read it as something else.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
        guard !isPlain || word.isEmpty else { return word }
        var text = "'"
        for character in word { text += character == "'" ? "'\\''" : String(character) }
        return text + "'"
    }

    /// Returns the words as one line.
    package static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}
