import ArgumentParser
import CachePolicies
import Foundation
import ReplayEngine

struct CachesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "caches",
        abstract:
            """
            List the presets that --cache may name, or explain one: every parameter, its source, and how well it is \
            known.
            """,
        discussion: "Example: cachereplay caches kingfisher-8")

    @Argument(help: "The preset to explain.")
    var name: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let presets = try name.map { [try CachePreset.named($0)] } ?? CachePreset.all
        if json { return try printJSON(presets.map(Description.init)) }
        guard name == nil else { return try presets.forEach(explain) }
        let width = presets.map(\.name.count).max() ?? 0
        for family in CachePreset.Family.allCases {
            print("\(family.rawValue)")
            for preset in presets where preset.family == family {
                print("  \(preset.name.padding(toLength: width, withPad: " ", startingAt: 0))  \(preset.summary)")
            }
            print("")
        }
        print(
            """
            `cachereplay caches NAME` explains one. Rules may follow a name: --cache "kingfisher-8; ram: 4GB; \
            connections: 4".
            """
        )
    }

    private func explain(_ preset: CachePreset) throws {
        print("\(preset.name): \(preset.summary)\nSource: \(preset.source).\n")
        for certainty in PresetFact.Certainty.allCases {
            let facts = preset.facts.filter { $0.certainty == certainty }
            guard !facts.isEmpty else { continue }
            print("\(certainty.heading)")
            let width = facts.map(\.parameter.count).max() ?? 0
            for fact in facts {
                print("  \(fact.parameter.padding(toLength: width, withPad: " ", startingAt: 0))  \(fact.value)")
            }
            print("")
        }
        if preset.restsOnDarwinNSCache {
            print("Its memory \(NSCacheModelChoice.doubt); once its limit binds, it is run with each.\n")
        }
        let cache = try CacheConfiguration(preset)
        print("As a specification, on a device of \(Size.bytes(Device().memory)) (ram: changes that):")
        print("  memory: \(cache.memory)\n  disk: \(cache.disk ?? "none")")
        for rule in cache.rules { print("  \(rule.name): \(rule.value)") }
    }

    private struct Description: Encodable {
        struct Fact: Encodable {
            var parameter: String
            var value: String
            var certainty: String
        }

        var name: String
        var family: String
        var summary: String
        var source: String
        var restsOnDarwinNSCache: Bool
        var facts: [Fact]
        var memory: String
        var disk: String
        var rules: [String: String]

        init(_ preset: CachePreset) throws {
            let cache = try CacheConfiguration(preset)
            name = preset.name
            family = preset.family.rawValue
            summary = preset.summary
            source = preset.source
            restsOnDarwinNSCache = preset.restsOnDarwinNSCache
            facts = preset.facts.map {
                Fact(parameter: $0.parameter, value: $0.value, certainty: $0.certainty.rawValue)
            }
            memory = cache.memory
            disk = cache.disk ?? "none"
            rules = Dictionary(uniqueKeysWithValues: cache.rules.map { ($0.name, $0.value) })
        }
    }
}

extension PresetFact.Certainty {
    fileprivate var heading: String {
        switch self {
        case .exact: "Exact: read in the source of that version, or run"
        case .documented: "Documented by its vendor"
        case .believed: "Only believed"
        case .assumed: "Assumed here, where the thing itself leaves it open"
        }
    }
}
