import CachePolicies
import ImageLibraries
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
            // A quarter of 80 MB and 20 of 120 objects are for thumbnails.
            ("split(thumbnail: lru(20MB), full: fifo(60MB))", "8MB", "split(thumbnail: lru(2MB), full: fifo(6MB))"),
            (
                "split(thumbnail: lru(20 objects), full: nscache(count: 100))", "12 objects",
                "split(thumbnail: lru(2 objects), full: nscache(count: 10))"
            ),
            (
                "ttl(split(thumbnail: lru(1%), full: lru(4%)), lifetime: 7d)", "50%",
                "ttl(split(thumbnail: lru(10%), full: lru(40%)), lifetime: 7d)"
            ),
        ])
    func limits(policy: String, size: String, expected: String) throws {
        #expect(try PolicySpec(policy).limited(to: Size(size)).description == expected)
    }

    @Test("the rows of a sweep are in the order of its values, with the models of NSCache beside each")
    func namesInOrder() {
        #expect(
            SweptValue.ordered(names: [
                "app memory=256MB", "b", "app memory=32MB", "app memory=128MB", "app memory=128MB [fifo]",
                "app memory=256MB [fifo]", "app memory=32MB [fifo]", "a name=1", "app",
            ]) == [
                "app memory=32MB", "app memory=32MB [fifo]", "app memory=128MB", "app memory=128MB [fifo]",
                "app memory=256MB", "app memory=256MB [fifo]", "b", "a name=1", "app",
            ])
        // Two parameters, the first one first; objects are numbers too, and words keep their order.
        #expect(
            SweptValue.ordered(names: [
                "k memory=100 objects policy=sieve", "k memory=20 objects policy=sieve",
                "k memory=100 objects policy=lru",
                "k memory=20 objects policy=lru", "k memory=unlimited policy=lru",
            ]) == [
                "k memory=20 objects policy=sieve", "k memory=20 objects policy=lru",
                "k memory=100 objects policy=sieve",
                "k memory=100 objects policy=lru", "k memory=unlimited policy=lru",
            ])
    }

    @Test("No limit: 0 in an NSCache, and more than any trace holds elsewhere")
    func unlimited() throws {
        #expect(try PolicySpec("nscache(cost: 20MB, count: 7)").limited(to: nil).description == "nscache(cost: 0B)")
        #expect(
            try PolicySpec("split(thumbnail: lru(7 objects), full: nscache(count: 2))").limited(to: nil).description
                == "split(thumbnail: lru(1000000TB), full: nscache(cost: 0B))")
        let spec = try PolicySpec("lru(20MB)").limited(to: nil)
        #expect(spec.description == "lru(1000000TB)")
        _ = try PolicyContext().policy(spec)
        #expect(try PolicySpec("ttl(unbounded, lifetime: 7d)").limited(to: nil).name == "ttl")
    }

    @Test("Policies without a limit, or with several, are errors that name the remedy")
    func refused() {
        let several = #expect(throws: SpecError.self) {
            try PolicySpec("split(thumbnail: lru(1MB), full: lru(20 objects))").limited(to: .bytes(500))
        }
        #expect(
            several?.message == """
                'split' has no limits in bytes for thumbnails and for full images: give the share of thumbnails too \
                (thumbnails=25%), or write the whole policy
                """)
        let tiny = #expect(throws: SpecError.self) {
            try PolicySpec("split(thumbnail: lru(1MB), full: lru(9MB))").limited(to: .bytes(1))
        }
        #expect(tiny?.message == "1B cannot be divided so that thumbnails get 10% and full images the rest")
        let none = #expect(throws: SpecError.self) { try PolicySpec("none").limited(to: .bytes(5)) }
        #expect(none?.message.contains("no limit that could be set") == true)
    }

    @Test("A preset with a size in place of a policy keeps its policy; another cache needs a policy")
    func presetLimit() throws {
        // Nuke derives the largest entry, and what it keeps in the background, from the limit.
        let nuke = try Self.resolved("nuke-13; memory: 64MB").memoryRules
        #expect(nuke.entryLimit == .bytes(6_399_999) && nuke.onBackground == .trim(to: 6_400_000))
        let unlimited = try Self.resolved("nuke-13", "memory=unlimited").memoryRules
        #expect(unlimited.entryLimit == .bytes(99_999_999_999_999_999))
        let own = try Self.resolved("nuke-13; memory: 64MB; entryLimit: 1MB").memoryRules
        #expect(own.entryLimit == .bytes(1_000_000))
        #expect(try Self.resolved("glide; memory: 64MB").memoryRules.entryLimit == .bytes(63_999_999))
        let cache = try CacheConfiguration(specification: "nuke-13; memory: 64MB")
        let preset = try CacheConfiguration(specification: "nuke-13")
        #expect(cache.memory.name == preset.memory.name)
        #expect(cache.memory.description.contains("64MB"))
        #expect(cache.pipeline == preset.pipeline && cache.disk == preset.disk)
        let kingfisher = try CacheConfiguration(specification: "kingfisher-8; memory: 64MB")
        #expect(kingfisher.model == .lru)
        #expect(try CacheConfiguration(specification: "nuke-13; disk: 10MB").disk?.description.contains("10MB") == true)
        let unbounded = #expect(throws: SpecError.self) {
            try CacheConfiguration(specification: "kingfisher-8; disk: 10MB")
        }
        #expect(unbounded?.message.contains("'unbounded' has no limit") == true)
        let wrong = #expect(throws: SpecError.self) { try CacheConfiguration("memory: 64MB") }
        #expect(wrong?.message.contains("lru(64MB)") == true)
    }

    @Test("thumbnails divides a limit between the policies of a split, with memory or without")
    func thumbnails() throws {
        func memory(_ cache: String, _ values: String...) throws -> String {
            try CacheConfiguration(specification: cache).sweeping(values.map(Self.swept)).memory.description
        }
        // 100 thumbnails and 20 full images: a quarter of 120 objects is 30.
        let objects = "split(thumbnail: nscache(model: lru, count: 30), full: nscache(model: lru, count: 90))"
        #expect(try memory("split-md5", "thumbnails=25%") == objects)
        let bytes = "split(thumbnail: nscache(model: lru, cost: 16MB), full: nscache(model: lru, cost: 48MB))"
        #expect(try memory("split-md5", "memory=64MB", "thumbnails=25%") == bytes)
        #expect(try memory("split-md5", "thumbnails=25%", "memory=64MB") == bytes)
        let mixed = "split(thumbnail: lru(1MB, 50 objects), full: ttl(lru(7%), lifetime: 1h))"
        #expect(
            try memory(mixed, "memory=10MB", "thumbnails=10%")
                == "split(thumbnail: lru(1MB), full: ttl(lru(9MB), lifetime: 1h))")
        #expect(
            try memory("split(thumbnail: lru(1MB, 10 objects), full: lru(3MB))", "thumbnails=50%")
                == "split(thumbnail: lru(2MB, 10 objects), full: lru(2MB))")
        let name = try CacheConfiguration(specification: "split-md5").sweeping(
            ["memory=64MB", "thumbnails=25%"].map(Self.swept))
        #expect(name.name == "split-md5 memory=64MB thumbnails=25%" && name.base == "split-md5")
        #expect(name.swept.map(\.text) == ["memory=64MB", "thumbnails=25%"])
    }

    @Test("Limits of objects that become limits in bytes need costs; a cost that is written stays")
    func costs() throws {
        let values = ["memory=64MB", "thumbnails=25%"].map(Self.swept)
        let preset = try CacheConfiguration(specification: "split-md5")
        #expect(preset.memoryRules.cost == .none)
        #expect(try preset.sweeping(values).memoryRules.cost == .held)
        #expect(try preset.sweeping(Self.swept("thumbnails=25%")).memoryRules.cost == .none)
        let bytes = "split(thumbnail: lru(1MB), full: lru(3MB)); cost:"
        #expect(try CacheConfiguration("\(bytes) none").sweeping(values).memoryRules.cost == .none)
        #expect(
            try CacheConfiguration(specification: "split-md5; cost: encoded").sweeping(values).memoryRules.cost
                == .encoded)
    }

    @Test("lifetime sets each ttl of memory and disk")
    func lifetime() throws {
        let cache = try CacheConfiguration(
            "memory: ttl(max-size(ttl(lru(1MB), lifetime: 1s)), lifetime: 5min, sweep: 1min); "
                + "disk: ttl(unbounded, lifetime: never)")
        let day = try cache.sweeping(Self.swept("lifetime=1d"))
        #expect(
            day.memory.description == "ttl(max-size(ttl(lru(1MB), lifetime: 1d)), lifetime: 1d, sweep: 1min)")
        #expect(day.disk?.description == "ttl(unbounded, lifetime: 1d)")
        // What a user writes is the same value.
        #expect(try day.disk == PolicySpec("ttl(unbounded, lifetime: 1d)"))
        let never = try day.sweeping(Self.swept("lifetime=never"))
        #expect(never.disk == cache.disk && never.memory == cache.withoutLifetimes.memory)
    }

    @Test(
        "policy replaces the innermost policy, and keeps its limits and the policies around it",
        arguments: [
            ("lru(20MB)", "sieve", "sieve(20MB)"), ("lru(20MB, 7 objects)", "s3fifo", "s3fifo(20MB, 7 objects)"),
            ("ttl(max-size(lru(5%), limit: 1MB), lifetime: 7d)", "fifo", nil),
            ("nscache(cost: 20MB, count: 7)", "arc", "arc(20MB, 7 objects)"),
            ("lru(20MB, 7 objects)", "nscache", "nscache(count: 7, cost: 20MB)"),
            ("nscache(cost: 0B)", "sieve", "sieve(1000000TB)"), ("trim(0B)", "sieve", "sieve(1000000TB)"),
            ("lru(0B)", "sieve", "sieve(0B)"), ("unbounded", "nscache", "nscache(cost: 0B)"),
            (
                "split(thumbnail: nscache(count: 9), full: lru(2MB))", "sieve",
                "split(thumbnail: sieve(9 objects), full: sieve(2MB))"
            ),
        ])
    func policy(own: String, name: String, expected: String?) throws {
        let cache = try CacheConfiguration("memory: \(own); disk: lru(9MB)")
        let changed = try cache.sweeping(SweptValue(parameter: "policy", value: name))
        #expect(changed.memory.description == expected ?? "ttl(max-size(fifo(5%), limit: 1MB), lifetime: 7d)")
        #expect(changed.disk == cache.disk)
    }

    @Test("A policy comes before a limit, so that a cache without a limit can get both")
    func policyAndLimit() throws {
        let values = ["memory=64MB", "policy=sieve"].map(Self.swept)
        let cache = try CacheConfiguration("memory: ttl(unbounded, lifetime: 12h)").sweeping(values)
        #expect(cache.memory.description == "ttl(sieve(64MB), lifetime: 12h)")
        #expect(cache.name.hasSuffix(" memory=64MB policy=sieve"))
        // What Nuke derives from its limit still follows it.
        let nuke = try Self.resolved("nuke-13", "memory=64MB", "policy=sieve")
        #expect(nuke.memoryRules.entryLimit == .bytes(6_399_999))
    }

    @Test(
        "A value that a cache refuses is an error that names the remedy",
        arguments: [
            ("split-md5", "memory=64MB", "give the share of thumbnails too (thumbnails=25%)"),
            ("split-md5", "thumbnails=0%", "above 0% and below 100%, such as 25%, not '0%'"),
            ("split-md5", "thumbnails=100%", "above 0% and below 100%"), ("split-md5", "thumbnails=9MB", "not '9MB'"),
            ("lru(1MB)", "thumbnails=25%", "write a policy that does, such as split(thumbnail: lru(16MB)"),
            ("split(thumbnail: lru(1MB), full: lru(5 objects))", "thumbnails=25%", "(memory=64MB)"),
            ("lru(1MB)", "lifetime=7d", "such as ttl(lru(64MB), lifetime: 7d)"),
            ("kingfisher-8", "lifetime=7", "'7' has no unit"), ("kingfisher-8", "lifetime=0s", "longer than 0"),
            ("lru(1MB)", "policy=seive", "did you mean 'sieve'?"),
            ("lru(1MB)", "policy=ttl", "'ttl' is no policy that needs a limit and nothing else, such as lru"),
            ("lru(1MB)", "policy=unbounded", "'unbounded' is no policy"), ("lru(1MB)", "policy=split", "no policy"),
            ("lru(1MB)", "policy=belady", "knows the future"),
            ("none", "policy=sieve", "such as sieve(64MB)"), ("nuke-13", "policy=belady-size", "knows the future"),
        ])
    func refusedValues(cache: String, value: String, reason: String) throws {
        let cache = try CacheConfiguration(specification: cache)
        let error = #expect(throws: SpecError.self) { try cache.sweeping(Self.swept(value)) }
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    }

    /// A cache with swept values, and with bytes in place of shares of its limits.
    private static func resolved(_ cache: String, _ values: String...) throws -> CacheConfiguration {
        try CacheConfiguration(specification: cache).sweeping(values.map(swept))
            .resolvingShares(in: CacheContext(PolicyContext()))
    }

    @Test(
        "A limit of 0 is refused where it is no limit; unlimited is the word for that",
        arguments: [
            ("kingfisher-8", "memory"), ("sdwebimage-5", "memory"), ("hyperoslo-7", "memory"), ("nuke-13", "memory"),
            ("rn-image-ios", "memory"), ("two-tier", "memory"), ("pincache-3", "disk"), ("nuke-12", "disk"),
            ("glide", "disk"), ("chromium", "disk"), ("fresco", "disk"),
        ])
    func zero(cache: String, tier: String) throws {
        let reason = "and not the smallest one; write unlimited for no limit, or a size above 0"
        let preset = try CacheConfiguration(specification: cache)
        for zero in ["0B", "0 objects", "0%"] where zero != "0 objects" || tier == "memory" {
            let swept = #expect(throws: SpecError.self) { try preset.sweeping(Self.swept("\(tier)=\(zero)")) }
            #expect(swept?.message.contains(reason) == true, "\(String(describing: swept))")
            let written = #expect(throws: SpecError.self) {
                try CacheConfiguration(specification: "\(cache); \(tier): \(zero)")
            }
            #expect(written?.message.contains(reason) == true, "\(String(describing: written))")
        }
        let swept = try preset.sweeping(Self.swept("\(tier)=unlimited"))
        let written = try CacheConfiguration(specification: "\(cache); \(tier): unlimited")
        #expect(swept.memory == written.memory && swept.disk == written.disk)
        let context = PolicyContext()
        let limit = try context.byteLimit(of: tier == "memory" ? swept.memory : #require(swept.disk))
        #expect(limit ?? PolicySpec.noLimit == PolicySpec.noLimit)
    }

    @Test("Zero is a small limit where a policy holds nothing with it, and a share is never rounded to zero")
    func smallLimits() throws {
        #expect(try CacheConfiguration(specification: "urlcache; memory: 0B").memory.description.contains("lru(0B)"))
        let context = PolicyContext(workload: Workload(uniqueBytes: 1_000, objects: 9))
        let policy = try context.canonical("nscache(cost: 0.01%)")
        #expect(policy.hasPrefix("nscache(cost: 1B,"))
        let zero = #expect(throws: SpecError.self) { try PolicyContext(capacity: .bytes(0)).policy("trim") }
        #expect(zero?.refusesCapacity == true)
        #expect(
            try CacheConfiguration(specification: "cached-network-image-3").sweeping(Self.swept("disk=unlimited")).disk?
                .description.contains("count: 0") == true)
    }

    private static func swept(_ text: String) -> SweptValue {
        let sides = text.split(separator: "=").map(String.init)
        return SweptValue(parameter: sides[0], value: sides[1])
    }

    @Test(
        "The number of a value: bytes, objects, microseconds or plain",
        arguments: [("64MB", 64e6), ("5 objects", 5), ("2s", 2e6), ("7", 7), ("unlimited", nil), ("5%", nil)])
    func numbers(value: String, number: Double?) {
        #expect(SweptValue(parameter: "p", value: value).number == number)
    }
}
