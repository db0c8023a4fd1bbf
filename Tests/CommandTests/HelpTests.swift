import Foundation
import Testing

@testable import CacheReplayCommand

/// The help of all commands, as ArgumentParser hands it to scripts.
struct CommandHelp: Decodable {
    struct Command: Decodable {
        var commandName: String
        var superCommands: [String]?
        var shouldDisplay: Bool
        var arguments: [Argument]?
        var subcommands: [Command]?

        /// The words that start the command, without the program's name.
        var words: [String] { Array((superCommands ?? []).dropFirst()) + [commandName] }

        /// This command and those below it.
        var all: [Command] { [self] + (subcommands ?? []).flatMap(\.all) }
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var kind: String
        var names: [Name]?
        var abstract: String?
        var defaultValue: String?

        func isNamed(_ name: String) -> Bool { names?.contains { $0.name == name } == true }
    }

    var command: Command

    /// The commands that a user sees, without `help`.
    static func commands() throws -> [Command] {
        try JSONDecoder().decode(CommandHelp.self, from: Data(CacheReplay._dumpHelp().utf8)).command.all
            .filter { $0.shouldDisplay && $0.commandName != "help" }
    }
}

@Suite("The help of all commands")
struct HelpTests {
    @Test("-q has one meaning in all commands")
    func quiet() throws {
        let options = try CommandHelp.commands().flatMap { command in
            (command.arguments ?? []).filter { $0.isNamed("quiet") }.map { (command.words.joined(separator: " "), $0) }
        }
        #expect(options.count >= 13)
        for (command, option) in options {
            #expect(option.isNamed("q"), "\(command) has no -q")
            #expect(
                option.abstract == "Print only what was asked for, and errors: no progress, notes or warnings.",
                "\(command)")
        }
    }

    @Test("a default is shown as a user writes it")
    func defaults() throws {
        for command in try CommandHelp.commands() {
            for argument in command.arguments ?? [] {
                let shown = [argument.defaultValue, argument.abstract].compactMap(\.self)
                #expect(!shown.contains { $0.contains("rawValue") || $0.contains("Optional(") }, "\(shown)")
                // A value of Swift code: a type with its arguments.
                #expect(argument.defaultValue?.contains(#/^[A-Z]\w*\(/#) != true, "\(argument.defaultValue ?? "")")
            }
        }
        let words = ReplayCommand.helpMessage().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("lte, wifi, FILE.yaml, LINK.csv; default: auto)"), "\(words)")
    }
}
