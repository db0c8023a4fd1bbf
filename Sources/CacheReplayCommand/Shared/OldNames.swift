import Foundation

/// The earlier names of commands that have moved below `list`: `policies` is now `list policies`.
///
/// They are accepted for one release, and print what they printed before. Help and hints have the new names only.
enum OldNames {
    /// Whether this process was started by an old name.
    static let areUsed = isOld(Array(CommandLine.arguments.dropFirst()))

    /// Returns arguments of the command with the new name in place of an old one.
    static func translated(_ arguments: [String]) -> [String] {
        guard isOld(arguments) else { return arguments }
        let place = arguments[0] == "help" ? 1 : 0
        return arguments[..<place] + ["list"] + arguments[place...]
    }

    /// Returns a text of the command with the name by which this process was started.
    static func shown(_ text: String) -> String {
        areUsed ? text.replacing("cachereplay list ", with: "cachereplay ") : text
    }

    private static func isOld(_ arguments: [String]) -> Bool {
        let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        return CacheReplay.listed.contains { $0.configuration.commandName == name }
    }
}
