import Foundation

/// Values as gnuplot reads them.
enum GnuplotText {
    /// A string in single quotes, in which gnuplot interprets nothing: no backslash, and no backquotes, which in
    /// double quotes would run a shell command out of a cache's name. Line breaks are joined from parts.
    static func quoted(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "'" + ShortNames.printable(String($0)).replacing("'", with: "''") + "'" }
            .joined(separator: ".\"\\n\".")
    }

    static func number(_ value: Double) -> String { String(format: "%.10g", value) }
}
