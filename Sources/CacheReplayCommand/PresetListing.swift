import Basics
import CachePolicies
import Foundation
import ImageLibraries
import ReplayEngine

/// `cachereplay list caches`.
enum PresetListing {
    static func print(_ name: String?, asJSON: Bool) throws {
        if let name {
            let cache = try CacheConfiguration(specification: name)
            let (preset, device) = try CacheConfiguration.presetAndDevice(in: name)
            return asJSON ? try printJSON([Description(preset, cache)]) : explain(preset, device, cache)
        }
        let presets = CachePreset.all
        if asJSON { return try printJSON(presets.map { Description($0, try CacheConfiguration($0)) }) }
        let width = presets.map(\.name.count).max() ?? 0
        for family in CachePreset.Family.allCases {
            CommandOutput.print("\(family.rawValue)")
            for preset in presets where preset.family == family {
                CommandOutput.print(
                    "  \(preset.name.padding(toLength: width, withPad: " ", startingAt: 0))  \(preset.summary)")
            }
            CommandOutput.print("")
        }
        CommandOutput.print(
            """
            `cachereplay list caches NAME` describes one preset. Rules after a name replace the preset's rules:
            --cache "kingfisher-8; ram: 4GB; connections: 4"
            """
        )
    }

    private static func explain(_ preset: CachePreset, _ device: Device, _ cache: CacheConfiguration) {
        CommandOutput.print("\(preset.name): \(preset.summary)\nSource: \(preset.source).\n")
        for certainty in PresetFact.Certainty.allCases {
            let facts = preset.facts.filter { $0.certainty == certainty }
            guard !facts.isEmpty else { continue }
            CommandOutput.print("\(certainty.heading)")
            let width = facts.map(\.parameter.count).max() ?? 0
            for fact in facts {
                let name = fact.parameter.padding(toLength: width, withPad: " ", startingAt: 0)
                let value = fact.value + (fact.library.map { " [\($0)]" } ?? "")
                CommandOutput.print("  \(name)  \(Self.wrap(value, indent: width + 4))")
            }
            CommandOutput.print("")
        }
        if preset.restsOnDarwinNSCache {
            CommandOutput.print("Several models\n  \(Self.wrap(NSCacheModelChoice.explanation, indent: 2))\n")
        }
        CommandOutput.print("Device")
        for fact in DeviceFact.all where !fact.isForAndroid || preset.family == .android {
            CommandOutput.print("  \(fact.name): \(fact.text(device))")
        }
        CommandOutput.print("\nLimits on this device")
        for (name, text) in Self.limits(cache) { CommandOutput.print("  \(name): \(text)") }
        CommandOutput.print("\nRules of the app")
        for rule in Rule.all where rule.isOfApp {
            let source = preset.decides(rule) ? "by the code of the library" : "assumed"
            CommandOutput.print("  \(rule.name): \(rule.text(in: cache)), \(source)")
        }
        CommandOutput.print("\nSpecification\n  memory: \(cache.memory)\n  disk: \(cache.disk ?? .none)")
        for rule in Rule.all where !rule.isOfApp {
            CommandOutput.print("  \(rule.name): \(rule.text(in: cache))")
        }
    }

    /// Returns the sizes in a cache's policies and rules, in bytes.
    private static func limits(_ cache: CacheConfiguration) -> [(name: String, text: String)] {
        // Shares of a limit that is itself a share of a trace have no bytes yet.
        let cache = (try? cache.resolvingShares(in: CacheContext(PolicyContext()))) ?? cache
        let rules = ["entryLimit", "memoryOnBackground", "memoryOnWarning", "encodedMemory", "diskEntryLimit"]
        let texts =
            [("memory", "\(cache.memory)"), ("disk", "\(cache.disk ?? .none)")]
            + rules.compactMap { name in Rule.named(name).map { (name, $0.text(in: cache)) } }
        let limits = texts.compactMap { name, text -> (name: String, text: String)? in
            let sizes = text.split { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "%" }.compactMap { word in
                if case .bytes(let bytes)? = try? Size(String(word)), bytes > 0 { bytes } else { nil }
            }
            return sizes.isEmpty ? nil : (name, sizes.map { "\($0) bytes" }.joined(separator: ", "))
        }
        return limits.isEmpty ? [("none", "neither tier has a limit in bytes")] : limits
    }

    /// Wraps a text at the width of the terminal, or at 100 columns. `indent` is the column at which each line begins,
    /// the first included.
    private static func wrap(_ text: String, indent: Int) -> String {
        TextGrid.wrapped(text, width: max(20, (CommandOutput.terminalWidth ?? 100) - indent))
            .replacing("\n", with: "\n" + String(repeating: " ", count: indent))
    }

    /// A preset as `--json` prints it.
    private struct Description: Encodable {
        struct Fact: Encodable {
            var parameter: String
            var value: String
            var certainty: String
            /// The library that ran, for facts that are executed.
            var library: String?
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

        init(_ preset: CachePreset, _ cache: CacheConfiguration) {
            name = preset.name
            family = preset.family.rawValue
            summary = preset.summary
            source = preset.source
            restsOnDarwinNSCache = preset.restsOnDarwinNSCache
            facts = preset.facts.map {
                Fact(parameter: $0.parameter, value: $0.value, certainty: $0.certainty.rawValue, library: $0.library)
            }
            memory = cache.memory.description
            disk = (cache.disk ?? .none).description
            rules = Dictionary(uniqueKeysWithValues: Rule.all.map { ($0.name, $0.text(in: cache)) })
        }
    }
}

extension PresetFact.Certainty {
    fileprivate var heading: String {
        switch self {
        case .executed: "Executed: the library's own classes did the same, request by request"
        case .exact: "Exact: read in the source code of this version"
        case .documented: "Documented: stated by the vendor"
        case .believed: "Believed: observed or concluded by others, and not confirmed"
        case .assumed:
            "Assumed: chosen for this preset, because its source leaves it open or a trace does not record it"
        }
    }
}
