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

    @Test("Without arguments, five commands to begin with are shown, and the overview has all in groups")
    func overview() throws {
        let start = try Binary.run([])
        #expect(start.status == 0 && start.errors.isEmpty)
        let named = start.output.matches(of: #/(?m)^    cachereplay ([a-z]+) /#).map { String($0.1) }
        #expect(named == ["play", "record", "advise", "replay", "gate"])
        #expect(start.output.contains("`cachereplay --help` lists all"))
        let help = try Binary.run("--help").output
        for group in ["DECIDE", "RECORD", "JUDGE", "SIMULATE", "LOOK UP"] {
            #expect(help.contains("\n\(group) SUBCOMMANDS:\n"), "\(group)")
        }
        #expect(!help.contains("INTERNAL") && !help.contains("replay-run"))
    }

    @Test(
        "A name of the release 0.1.0 prints what its new name prints, in its own words",
        arguments: [
            ["policies"], ["policies", "lru"], ["policies", "lruu"], ["policies", "a", "b"], ["policies", "--help"],
            ["help", "policies"], ["caches"], ["caches", "nuk-13"], ["rules"], ["rules", "conections"],
            ["formats", "--json"], ["formats", "--bogus"], ["schema", "config"], ["schema"],
        ])
    func oldNames(arguments: [String]) throws {
        let place = arguments[0] == "help" ? 1 : 0
        let old = try Binary.run(arguments)
        let new = try Binary.run(arguments[..<place] + ["list"] + arguments[place...])
        #expect(old.status == new.status.code)
        #expect(old.output == new.output.replacing("cachereplay list ", with: "cachereplay "))
        #expect(old.errors == new.errors.replacing("cachereplay list ", with: "cachereplay "))
        #expect(!(old.output + old.errors).contains("list \(arguments[place])"))
    }

    /// A command of `scripts/assaults/commands.json`.
    private struct AssaultedCommand: Decodable {
        var base: [String]
        var replaced: [String]
        var refused: [String]
        var options: [String: [String]]
    }

    @Test("The assault has every command and option")
    func assault() throws {
        let file = Binary.root.appendingPathComponent("scripts/assaults/commands.json")
        let listed = try JSONDecoder().decode([String: AssaultedCommand].self, from: Data(contentsOf: file))
        let commands = try CommandHelp.commands().filter {
            ($0.subcommands ?? []).allSatisfy { $0.commandName == "help" }
        }
        #expect(Set(listed.keys) == Set(commands.map { $0.words.joined(separator: " ") }))
        for command in commands {
            let name = command.words.joined(separator: " ")
            let options = (command.arguments ?? []).compactMap { argument in
                argument.kind == "positional" ? nil : argument.names?.first { $0.kind.hasPrefix("long") }?.name
            }
            let entry = try #require(listed[name])
            #expect(Set(entry.options.keys) == Set(options).subtracting(["help", "version"]), "\(name)")
            // Each use has its option, and no other list names an option that does not exist.
            for (option, use) in entry.options {
                #expect(use.contains("--\(option)") || use.contains("-\(option.first ?? "-")"), "\(name) \(option)")
            }
            #expect(Set(entry.replaced + entry.refused).isSubset(of: entry.options.keys), "\(name)")
        }
    }
}
