import CachePolicies
import Testing

/// Names of policies as people write them.
@Suite("Names of policies in any case")
struct PolicyNameTests {
    private let registry = PolicyRegistry.builtIn

    @Test(
        "A specification gets the names of the registry, and keeps the rest",
        arguments: [
            ("LRU", "lru"), ("lru", "lru"), ("S3-FIFO", "s3fifo"), ("s3_fifo", "s3fifo"), ("W-TinyLFU", "w-tinylfu"),
            ("wtinylfu", "w-tinylfu"), ("LRUK(20 objects, k: 3)", "lru-k(20 objects, k: 3)"), ("2Q(1MB)", "2q(1MB)"),
            ("S4-FIFO", "s4fifo"), ("Clock2QPlus", "clock2q-plus"), ("AdaptiveClimb", "adaptive-climb"),
            ("3L-Cache", "3l-cache"), ("TTL(3LCache(1MB), lifetime: 7d)", "ttl(3l-cache(1MB), lifetime: 7d)"),
            ("ttl(3L-Cache, lifetime: 7d)", "ttl(3l-cache, lifetime: 7d)"),
            ("TTL( Lru(20MB), lifetime: 7d )", "ttl( lru(20MB), lifetime: 7d )"),
            ("split(full: SIEVE(2MB), thumbnail: 2Q(1MB))", "split(full: sieve(2MB), thumbnail: 2q(1MB))"),
            // A choice is no policy, and an unknown name has no other spelling.
            ("NSCache(model: LRU)", "nscache(model: LRU)"), ("LUR(1MB)", "LUR(1MB)"), ("Clock Pro", nil),
        ] as [(String, String?)])
    func respelled(text: String, expected: String?) throws {
        let found = try? registry.respelled(text)
        #expect(found == expected)
    }

    @Test("No two policies have one name when case and hyphens do not count")
    func unique() {
        for entry in registry.entries {
            let plain = entry.name.uppercased().replacing("-", with: "")
            let found = registry.entry(written: plain)
            #expect(found?.name == entry.name)
        }
    }

    @Test("An exact name comes first, and a name that stands for two policies for neither")
    func ambiguous() throws {
        let lru = try #require(registry["lru"])
        let other = PolicyEntry("l-ru", "Another one.", parameters: lru.parameters) { _ in
            try PolicyContext(capacity: .bytes(1)).policy("lru")
        }
        let both = registry.adding(other)
        #expect(both.entry(written: "lru")?.name == "lru")
        #expect(both.entry(written: "l-ru")?.name == "l-ru")
        #expect(both.entry(written: "LRU") == nil)
    }
}
