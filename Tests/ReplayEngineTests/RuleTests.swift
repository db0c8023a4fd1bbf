import CachePolicies
import Foundation
import Testing

@testable import ReplayEngine

@Suite("Rules")
struct RuleTests {
    @Test("Every setting is in the table of rules, once")
    func complete() {
        let defaults = CacheConfiguration.defaults
        // `format` holds the settings of files, each of which is a rule.
        let settings =
            properties(defaults.memoryRules) + properties(defaults.diskRules).filter { $0 != "format" }
            + properties(defaults.diskRules.format) + properties(defaults.pipeline)
        #expect(
            Rule.all.count == settings.count,
            "A property of MemoryRules, DiskRules, DiskFormat or PipelineRules has no rule in Rule.swift.")
        #expect(Set(Rule.all.map(\.name)).count == Rule.all.count)
    }

    @Test("Every rule reads back the text of its value, and refuses other texts", arguments: Rule.all.map(\.name))
    func roundTrip(name: String) throws {
        let rule = try #require(Rule.named(name))
        var cache = CacheConfiguration.defaults
        try rule.set(rule.defaultText, in: &cache)
        #expect(cache == CacheConfiguration.defaults)
        #expect(rule.meaning.hasSuffix("."))
        let error = #expect(throws: RuleError.self) { try rule.set("no such value", in: &cache) }
        #expect(error?.message.contains(rule.values) == true)
    }

    @Test("A rule changes nothing but its own value")
    func independence() throws {
        for rule in Rule.all {
            var cache = CacheConfiguration.defaults
            for value in ["true", "false", "7", "3MB", "2s", "decoded", "fifo", "lifo", "none", "clear", "http"] {
                guard (try? rule.set(value, in: &cache)) != nil else { continue }
                for other in Rule.all where other.name != rule.name {
                    #expect(other.text(in: cache) == other.defaultText, "\(rule.name) changes \(other.name)")
                }
            }
        }
    }

    @Test("Every rule has a story that sets it", arguments: Rule.all.map(\.name))
    func tested(name: String) throws {
        let folder = URL(fileURLWithPath: "\(#filePath)/..").standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let isSet = try files.contains { file in
            try file.pathExtension == "swift" && String(contentsOf: file, encoding: .utf8).contains(" \(name): ")
        }
        #expect(isSet, "no test in Tests/ReplayEngineTests replays a cache with the rule \(name)")
    }

    private func properties(_ value: Any) -> [String] { Mirror(reflecting: value).children.compactMap(\.label) }
}
