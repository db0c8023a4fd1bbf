import CachePolicies
import Testing

/// A cache with room for everything misses each object once, whatever the objects' sizes, unless its paper says
/// otherwise.
@Suite("Everything fits")
struct FittingTests {
    /// By a part of the specification: why the policy may miss more.
    static let exceptions = [
        "s4lru": "The paper allots each of the four queues a quarter of the cache (SOSP 2013, section 6.1).",
        "qdlp": "The paper gives the probationary queue a tenth of the cache (HotOS 2023, section 4).",
        "compat: libcachesim": "libCacheSim bounds the parts of a cache apart, and refuses what is larger than a part.",
        "bloom(": "It refuses the first request of each object.",
        "probability(": "It refuses objects at random.",
        "discardable: true": "A count limit of 0 is always reached: each store discards what was not read.",
        "from: 0.95": "It trims before the limit, which is what the parameter says.",
    ]

    static let specifications = ConformanceTests.specifications.filter { $0.contains("60B") }

    @Test("An exception names a policy that needs it", arguments: exceptions.keys.sorted())
    func needed(exception: String) throws {
        let specifications = Self.specifications.filter { $0.contains(exception) }
        #expect(try specifications.contains { try !surplus($0).isEmpty })
    }

    @Test("Misses are the objects", arguments: specifications)
    func fits(specification: String) throws {
        guard !Self.exceptions.keys.contains(where: { specification.contains($0) }) else { return }
        #expect(try surplus(specification) == [])
    }

    /// The seeds of the random traces with more misses than objects. Each trace has up to 10 objects, of 60 B together.
    private func surplus(_ specification: String) throws -> [UInt64] {
        try (0..<100).filter { seed in
            var random = SeededGenerator(seed: seed)
            let count = 1 + Int(random.next() % 10)
            var sizes = (0..<count).map { _ in 1 + Int(random.next() % 20) }
            while sizes.reduce(0, +) > 60 {
                if let largest = sizes.indices.max(by: { sizes[$0] < sizes[$1] }) { sizes[largest] /= 2 }
            }
            // One object takes what is left.
            if seed % 2 == 0 { sizes[0] += 60 - sizes.reduce(0, +) }
            let objects = (0..<200).map { _ in Int(min(random.next(), random.next()) % UInt64(count)) }
            let nexts = nextPositions(objects)
            var policy = try PolicyContext().policy(specification).timed()
            policy.reserve(count)
            var misses = 0
            var evictions = EvictionList()
            for (step, object) in objects.enumerated() {
                let access = Access(
                    object: object, size: sizes[object], time: 0, variant: 0, position: step, next: nexts[step])
                guard policy.lookup(access, &evictions) == .miss else { continue }
                misses += 1
                _ = policy.admit(access, &evictions)
            }
            return misses != Set(objects).count
        }
    }
}
