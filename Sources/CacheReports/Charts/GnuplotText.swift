import Foundation

/// Values as gnuplot reads them.
enum GnuplotText {
    /// A string in single quotes, in which gnuplot interprets nothing: no backslash, and no backquotes, which in
    /// double quotes would run a shell command out of a cache's name. Line breaks are joined from parts.
    static func quoted(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "'" + drawable(ShortNames.printable(String($0))).replacing("'", with: "''") + "'" }
            .joined(separator: ".\"\\n\".")
    }

    /// Emoji and other characters beyond the basic plane become a box: gnuplot's PNG driver draws those that no
    /// font has, and on servers none has, as black shapes over the whole picture.
    private static func drawable(_ text: String) -> String {
        String(text.map { character in character.unicodeScalars.contains { $0.value > 0xFFFF } ? "□" : character })
    }

    /// Rounded to so many digits that matter.
    static func significant(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)g", value) }

    static func number(_ value: Double) -> String { String(format: "%.10g", value) }
}
