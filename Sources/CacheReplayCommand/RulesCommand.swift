import ArgumentParser
import Basics
import CacheReports
import ReplayEngine

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "List the rules of caches, or explain one.",
        discussion: """
            A rule is a setting of a cache beside the policies of its tiers. It follows
            the policies in a specification, or stands below its section in YAML:

              --cache "lru(20MB); connections: 4"
              ours: {memory: lru(20MB), pipeline: {connections: 4}}

            Example: cachereplay list rules connections
            """)

    @Argument(help: "The rule to explain.")
    var name: String?

    @Flag(help: "Print the page of all rules in Markdown, as the documentation has it.")
    var markdown = false

    func run() throws {
        if markdown { return CommandOutput.print(Rule.page, terminator: "") }
        guard let name else { return list() }
        guard let rule = Rule.named(name) else {
            let hint =
                nearestName(to: name, among: Rule.all.map(\.name)).map { "did you mean '\($0)'?" }
                ?? "`cachereplay list rules` lists all."
            throw CommandFailure(.usage, "There is no rule '\(name)'; \(hint)")
        }
        CommandOutput.print(
            """
            \(rule.name)

            \(rule.meaning)

            values:   \(rule.values)
            default:  \(rule.defaultText)
            example:  --cache "lru(20MB); \(rule.name): \(rule.defaultText)"
            YAML:     \(rule.section.rawValue): {\(rule.name): \(rule.defaultText)}
            """)
    }

    private func list() {
        let width = Rule.all.map(\.name.count).max() ?? 0
        for section in Rule.Section.allCases {
            CommandOutput.print("\(section.rawValue)")
            for rule in Rule.all where rule.section == section {
                let name = rule.name.padding(toLength: width, withPad: " ", startingAt: 0)
                CommandOutput.print("  \(name)  \(rule.defaultText)")
            }
            CommandOutput.print("")
        }
        CommandOutput.print("The values are the defaults. `cachereplay list rules NAME` explains a rule.")
    }
}
