import ImageLibraries
import ReplayEngine
import Testing

@testable import Playground

@Suite("A cache of the page is one that replay accepts")
struct PlayCacheTests {
    private let options = PlayOptions(version: "1", sessions: [])

    private func made(_ base: String, _ rules: [String: String] = [:]) throws -> PlayCache {
        try PlayCache(PlaySupport.cache(base, rules), at: 0, options)
    }

    private func failure(_ base: String, _ rules: [String: String] = [:]) -> PlayFailure? {
        do {
            _ = try made(base, rules)
            return nil
        } catch {
            return error as? PlayFailure
        }
    }

    @Test("Its text is short")
    func texts() throws {
        #expect(try made("nuke-13").option == "nuke-13")
        let limited = try made("nuke-13", ["prefetch": "rows(2)", "memory": "48MB"])
        #expect(limited.option == "nuke-13; memory: 48MB; prefetch: rows(2)")
        let again = try made("nuke-13; memory: 64MB", ["memory": "48MB"])
        #expect(again.option == "nuke-13; memory: 48MB")
        let plain = try made("lru(20MB)", ["memory": "48MB", "order": "lifo"])
        #expect(plain.option == "lru(48MB); order: lifo")
        let tiers = try made("memory: lru(20MB); disk: lru(200MB)", ["disk": "100MB"])
        #expect(tiers.option == "memory: lru(20MB); disk: lru(100MB)")
        let none = try made("nuke-13", ["disk": "none"])
        #expect(none.configuration.disk == nil)
        let named = try made("app=nuke-13", ["memory": "48MB"])
        #expect(named.option == "app; memory: 48MB=nuke-13; memory: 48MB")
        #expect(named.configuration.name == "app; memory: 48MB")
        let digit = try made("nuke-13", ["memory": "2q(48MB)"])
        #expect(digit.option == "nuke-13; memory: 2q(48MB)")
        let device = try made("nuke-13", ["ram": "2GB"])
        #expect(device.option == "nuke-13; ram: 2GB")
    }

    @Test(
        "It is the cache with the swept values",
        arguments: [
            ("nuke-13", "memory", "48MB"), ("kingfisher-8", "memory", "10MB"),
            ("kingfisher-8", "policy", "sieve"), ("lru(20MB)", "memory", "unlimited"), ("nuke-13", "order", "lifo"),
            ("memory: ttl(lru(20MB), lifetime: 7d)", "lifetime", "never"), ("coil-3", "memory", "30MB"),
            ("split(thumbnail: lru(4MB), full: lru(16MB))", "memory", "40MB"),
        ])
    func sweeping(base: String, rule: String, value: String) throws {
        guard let cache = try? CacheOption(base).configuration(registry: .builtIn) else { return }
        var swept = try cache.sweeping(SweptValue(parameter: rule, value: value))
        let own = try made(base, [rule: value])
        let read = try CacheOption(own.option).configuration(registry: .builtIn)
        #expect(read == own.configuration)
        swept.name = read.name
        #expect(swept.memory == read.memory && swept.disk == read.disk)
        for rule in Rule.all { #expect(rule.text(in: swept) == rule.text(in: read), "\(own.option)") }
    }

    @Test("A mistake in its base has a column")
    func columns() {
        #expect(failure("lru(20XB)")?.column == 5)
        #expect(failure("app=lru(20XB)")?.column == 9)
        #expect(failure("nuke-13; memry: 4MB")?.column == 10)
        #expect(failure("nuke-9")?.description.contains("the presets of nuke are") == true)
        #expect(failure("=lru(20MB)")?.column == 1)
        #expect(failure("own=./cache")?.description.contains("starts no programs") == true)
        #expect(failure("memory: lru(1MB); own: /bin/true") != nil)
    }

    @Test(
        "A mistake in a rule is named",
        arguments: [
            ("connection", "4", "did you mean 'connections'?"), ("connections", "0", "a whole number from 1 to 1000"),
            ("memory", "48XB", "memory"), ("order", "lifo; own: /bin/true", "one value"), ("own", "./x", "no rule"),
            ("memory", "a=lru(1MB)", "one value"), ("lifetime", "7d", "lifetime"), ("prefetch", "", "one value"),
        ])
    func rules(rule: String, value: String, message: String) throws {
        let failure = try #require(self.failure("lru(20MB)", [rule: value]), "\(rule): \(value)")
        #expect(failure.kind == .badQuestion && failure.cache == 0)
        #expect(failure.description.contains(message), "\(failure.description)")
    }

    @Test("A network that the page does not offer is refused")
    func networks() {
        let error = #expect(throws: PlayFailure.self) {
            _ = try PlayCache(PlaySupport.cache("nuke-13", network: "lan"), at: 2, options)
        }
        #expect(error?.cache == 2)
        #expect(error?.description.contains("auto, 3g, lte, wifi") == true)
    }
}
