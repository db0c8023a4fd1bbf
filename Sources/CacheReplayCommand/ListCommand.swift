import ArgumentParser
import Basics
import CacheReports
import CacheTraces
import ReplayEngine

/// `cachereplay list`: the names that specifications, files and options can have.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List or describe policies, caches, rules, trace formats and schemas.",
        discussion: """
            policies  The policies, or one with its parameters. Where the simulator
                      libCacheSim differs from the paper of a policy,
                      `compat: libcachesim` selects its behaviour.
            caches    The presets for --cache, or one with its facts, each with its source
                      and how certain it is. With a device and rules after the name, the
                      limits that follow from them are listed.
            rules     The rules of caches, or the meaning of one. A rule is a setting beside
                      the policies of the tiers: --cache "lru(20MB); connections: 4".
            formats   The trace formats. A file of any format can be compressed with gzip,
                      bzip2, xz, zstd or zlib.
            schema    JSON Schema of a configuration or of JSON output, or `columns`, the
                      dictionary of all CSV columns:
                      \(JSONSchema.Subject.words)

            Examples:
              cachereplay list caches kingfisher-8
              cachereplay list caches "glide; memoryClass: 128MiB; screen: 720x1280"
              cachereplay list rules connections
              cachereplay list schema config > cachereplay.schema.json
            """)

    enum Topic: String, ExpressibleByArgument, CaseIterable {
        case policies, caches, rules, formats, schema
    }

    @Argument(help: "The topic: \(Topic.allCases.map(\.rawValue).joined(separator: ", ")).")
    var topic: Topic?

    @Argument(help: "The policy, preset, rule or schema to describe.")
    var name: String?

    @OptionGroup var printing: JSONOption

    @Flag(help: "Print the page of all rules in Markdown, as the documentation has it.")
    var markdown = false

    @OptionGroup var plugins: PluginOptions

    func validate() throws {
        if printing.json, topic == .rules || topic == .schema {
            throw ValidationError("--json is for `list policies`, `list caches` and `list formats`")
        }
        if markdown, topic != .rules || name != nil {
            throw ValidationError("--markdown is for `list rules` without the name of a rule")
        }
        if name != nil, topic == .formats { throw ValidationError("`list formats` takes no name") }
        if name == nil, topic == .schema {
            throw ValidationError("`list schema` needs one of \(JSONSchema.Subject.words)")
        }
        if !plugins.paths.isEmpty, topic != .policies { throw ValidationError("--plugin is for `list policies`") }
    }

    func run() throws {
        switch topic {
        case nil: throw CleanExit.helpRequest(Self.self)
        case .policies:
            _ = try plugins.load()
            try PolicyListing.print(name, asJSON: printing.json)
        case .caches: try PresetListing.print(name, asJSON: printing.json)
        case .rules:
            if markdown { return CommandOutput.print(Rule.page, terminator: "") }
            try RuleListing.print(name)
        case .formats:
            if printing.json { return CommandOutput.printJSON(TraceFormat.catalogueJSON()) }
            CommandOutput.print(TraceFormat.catalogue())
        case .schema: try JSONSchema.Subject.print(name ?? "")
        }
    }
}

enum RuleListing {
    static func print(_ name: String?) throws {
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

    private static func list() {
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
