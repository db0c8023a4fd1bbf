import ArgumentParser

/// `cachereplay list`: what specifications, files and options can name.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List or describe policies, caches, rules, trace formats and schemas.",
        discussion: """
            Examples:
              cachereplay list caches
              cachereplay list rules connections
            """,
        subcommands: [
            PoliciesCommand.self, CachesCommand.self, RulesCommand.self, FormatsCommand.self, SchemaCommand.self,
        ])
}
