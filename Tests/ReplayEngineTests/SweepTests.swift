import CachePolicies
import Testing

@testable import ReplayEngine

@Suite("Swept values")
struct SweepTests {
    @Test(
        "A size replaces the limit in the policy, wherever it is written, and keeps limits of the other unit",
        arguments: [
            ("lru(20MB)", "64MB", "lru(64MB)"),
            ("lru(20MB, 100 objects)", "64MB", "lru(64MB, 100 objects)"),
            ("lru(20MB, 100 objects)", "5 objects", "lru(5 objects, 20MB)"),
            ("lru(30%)", "64MB", "lru(64MB)"),
            ("ttl(lru(20MB), lifetime: 7d)", "64MB", "ttl(lru(64MB), lifetime: 7d)"),
            ("nscache(cost: 20MB, count: 7)", "64MB", "nscache(count: 7, cost: 64MB)"),
            ("nscache(cost: 20MB)", "9 objects", "nscache(cost: 20MB, count: 9)"),
            ("slru(20MB, segments: 3)", "1GB", "slru(1GB, segments: 3)"),
        ])
    func limits(policy: String, size: String, expected: String) throws {
        #expect(try PolicySpec(policy).limited(to: Size(size)).description == expected)
    }

    @Test("No limit: 0 in an NSCache, and more than any trace holds elsewhere")
    func unlimited() throws {
        #expect(try PolicySpec("nscache(cost: 20MB)").limited(to: nil).description == "nscache(cost: 0B)")
        let spec = try PolicySpec("lru(20MB)").limited(to: nil)
        #expect(spec.description == "lru(1000000TB)")
        _ = try PolicyContext().policy(spec)
        #expect(try PolicySpec("ttl(unbounded, lifetime: 7d)").limited(to: nil).name == "ttl")
    }

    @Test("Policies without a limit, or with several, are errors that name the remedy")
    func refused() {
        let several = #expect(throws: SpecError.self) {
            try PolicySpec("split(thumbnail: lru(1MB), full: lru(2MB))").limited(to: .bytes(5))
        }
        #expect(several?.message.contains("2 policies with limits of their own; write the whole policy") == true)
        let none = #expect(throws: SpecError.self) { try PolicySpec("none").limited(to: .bytes(5)) }
        #expect(none?.message.contains("no limit that could be set") == true)
    }

    @Test("A preset with a size in place of a policy keeps its policy; another cache needs a policy")
    func presetLimit() throws {
        // Nuke derives the largest entry, and what it keeps in the background, from the limit.
        let nuke = try CacheConfiguration("nuke-13; memory: 64MB").memoryRules
        #expect(nuke.entryLimit == 6_399_999 && nuke.onBackground == .trim(to: 6_400_000))
        let unlimited = try CacheConfiguration("nuke-13").sweeping(SweptValue(parameter: "memory", value: "unlimited"))
        #expect(unlimited.memoryRules.entryLimit ?? .max > 1 << 50)
        let own = try CacheConfiguration("nuke-13; memory: 64MB; entryLimit: 1MB").memoryRules
        #expect(own.entryLimit == 1_000_000)
        #expect(try CacheConfiguration("glide; memory: 64MB").memoryRules.entryLimit == 63_999_999)
        let cache = try CacheConfiguration("nuke-13; memory: 64MB")
        let preset = try CacheConfiguration("nuke-13")
        #expect(cache.memory.name == preset.memory.name)
        #expect(cache.memory.description.contains("64MB"))
        #expect(cache.pipeline == preset.pipeline && cache.disk == preset.disk)
        let kingfisher = try CacheConfiguration("kingfisher-8; memory: 64MB")
        #expect(kingfisher.model == .lru)
        #expect(try CacheConfiguration("nuke-13; disk: 10MB").disk?.description.contains("10MB") == true)
        let unbounded = #expect(throws: SpecError.self) { try CacheConfiguration("kingfisher-8; disk: 10MB") }
        #expect(unbounded?.message.contains("'unbounded' has no limit") == true)
        let wrong = #expect(throws: SpecError.self) { try CacheConfiguration("memory: 64MB") }
        #expect(wrong?.message.contains("lru(64MB)") == true)
    }

    @Test("A swept cache has the values in its name, and knows its name without them")
    func names() throws {
        let cache = try CacheConfiguration("nuke-13")
            .sweeping(SweptValue(parameter: "memory", value: "64MB"))
            .sweeping(SweptValue(parameter: "connections", value: "2"))
        #expect(cache.name == "nuke-13 memory=64MB connections=2")
        #expect(cache.base == "nuke-13")
        #expect(cache.swept.map(\.text) == ["memory=64MB", "connections=2"])
        #expect(cache.pipeline.connections == 2)
        #expect(throws: SpecError.self) {
            try CacheConfiguration("lru(1MB)").sweeping(SweptValue(parameter: "disk", value: "1MB"))
        }
        #expect(throws: RuleError.self) {
            try CacheConfiguration("lru(1MB)").sweeping(SweptValue(parameter: "connections", value: "many"))
        }
    }

    @Test(
        "The number of a value: bytes, objects, microseconds or plain",
        arguments: [("64MB", 64e6), ("5 objects", 5), ("2s", 2e6), ("7", 7), ("unlimited", nil), ("5%", nil)])
    func numbers(value: String, number: Double?) {
        #expect(SweptValue(parameter: "p", value: value).number == number)
    }
}
