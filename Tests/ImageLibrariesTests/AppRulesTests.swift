import Foundation
import ImageLibraries
import ReplayEngine
import Testing

@Suite("Rules of the app in comparisons of presets")
struct AppRulesTests {
    private func caches(_ texts: String...) throws -> [CacheConfiguration] {
        try texts.map { try CacheConfiguration(specification: $0) }
    }

    private func cancels(_ rules: AppRules) -> [Bool] { rules.caches.map(\.pipeline.cancelOnDisappear) }

    @Test("The code of a library decides, or the preset assumes")
    func decided() throws {
        let rule = try #require(Rule.named("cancelOnDisappear"))
        let deciding = CachePreset.all.filter { $0.decides(rule) }.map(\.name)
        #expect(
            deciding == [
                "sdwebimage-5", "sdwebimage-5.19", "picasso-2", "picasso-3", "flutter-3", "expo-image-ios",
                "rn-image-ios", "coil-3-ios", "cached-network-image-3",
            ])
        #expect(
            Rule.all.filter(\.isOfApp).map(\.name)
                == ["prefetch", "prefetchCancels", "prefetchOnMetered", "cancelOnDisappear"])
        let other = try #require(Rule.named("connections"))
        #expect(!CachePreset.all.contains { $0.decides(other) })
    }

    @Test("Presets that differ are held equal, and a library's own decision stays")
    func held() throws {
        let held = AppRules(
            equalIn: try caches("kingfisher-8", "yycache", "two-tier", "cached-network-image-3", "lru(1MB)"))
        #expect(cancels(held) == [true, true, false, false, false])
        #expect(held.caches[1].name == "yycache")
        #expect(held.sentences?.contains("here for yycache:") == true)
        #expect(held.sentences?.contains("--app own") == true)
    }

    @Test("A rule is a choice where a preset assumes it")
    func assumed() throws {
        let choice = try AppRules.Choice("cancelOnDisappear: false")
        #expect(AppRules.isAssumed(choice, in: try caches("lru(1MB)", "nuke-13")))
        // A policy has no preset, the code of the package decides, and a written value stays.
        let others = try caches("lru(1MB)", "cached-network-image-3", "nuke-13; cancelOnDisappear: false")
        #expect(!AppRules.isAssumed(choice, in: others))
    }

    @Test("Nothing changes where presets agree, or where another value is written")
    func unchanged() throws {
        for texts in [
            ["kingfisher-8", "nuke-13", "lru(1MB)"], ["yycache"], ["yycache", "two-tier"], ["nuke-13", "two-tier"],
        ] {
            let caches = try texts.map { try CacheConfiguration(specification: $0) }
            let held = AppRules(equalIn: caches)
            #expect(held.sentences == nil && held.caches.map(\.pipeline) == caches.map(\.pipeline))
        }
        let written = AppRules(equalIn: try caches("nuke-13", "nuke-13; cancelOnDisappear: false"))
        #expect(cancels(written) == [true, false] && written.sentences == nil)
    }

    @Test("A value that is written stays, also if it is that of the preset")
    func stated() throws {
        let held = AppRules(equalIn: try caches("kingfisher-8", "yycache", "yycache; cancelOnDisappear: false"))
        #expect(cancels(held) == [true, true, false])
        let choice = try AppRules.Choice("cancelOnDisappear: true")
        let chosen = AppRules(choice, in: try caches("yycache; cancelOnDisappear: false", "yycache"))
        #expect(cancels(chosen) == [false, true])
        // What was written is no part of what a cache is, and is not stored.
        let written = try caches("yycache; cancelOnDisappear: false")[0]
        var plain = try caches("yycache")[0]
        plain.name = written.name
        #expect(plain == written)
        let stored = try JSONEncoder().encode(written)
        #expect(!String(decoding: stored, as: UTF8.self).contains("stated"))
        #expect(try JSONDecoder().decode(CacheConfiguration.self, from: stored) == written)
    }

    @Test("A chosen value is for all presets that assume one")
    func chosen() throws {
        let choice = try AppRules.Choice("cancelOnDisappear: false")
        let held = AppRules(choice, in: try caches("kingfisher-8", "sdwebimage-5", "yycache", "lru(1MB)"))
        #expect(cancels(held) == [false, true, false, false])
    }

    @Test(
        "What is no rule of the app is an error",
        arguments: ["", "cancelOnDisappear", "connections: 4", "cancelOnDisappear: maybe", "prefetch: none; burst: 2"])
    func wrong(text: String) {
        let error = #expect(throws: RuleError.self) { _ = try AppRules.Choice(text) }
        #expect(error?.message.contains("RULE: VALUE") == true || error?.message.contains("true or false") == true)
    }
}
