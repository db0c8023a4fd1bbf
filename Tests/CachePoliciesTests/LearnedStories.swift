import Testing

@testable import CachePolicies

@Suite("Policies that learn a model, on small stories")
struct LearnedStories {
    /// Requests for a few objects in turn, and between two of them one for an object that never comes again.
    private func misses(_ specification: String, turns: Int) throws -> Int {
        var policy = try PolicyContext().policy(specification)
        let popular = 20
        policy.reserve(popular * (turns + 1))
        var evictions = EvictionList()
        var (misses, new) = (0, popular)
        for turn in 0..<turns {
            for object in 0..<popular {
                for access in [Access(object: object, size: 1), Access(object: new, size: 1)]
                where policy.lookup(access, &evictions) == .miss {
                    if object == access.object, turn >= turns / 2 { misses += 1 }
                    _ = policy.admit(access, &evictions)
                }
                new += 1
            }
        }
        return misses
    }

    @Test("3L-Cache learns that new objects do not come again, and keeps the others")
    func loop() throws {
        // 39 other objects come between two requests of an object, which is more than 30.
        let lru = try misses("lru(30 objects)", turns: 100)
        #expect(lru == 50 * 20)
        let unlearned = try misses("3l-cache(30 objects)", turns: 100)
        #expect(unlearned == lru)
        let learned = try misses("3l-cache(30 objects, batch: 200)", turns: 100)
        #expect(learned < lru / 10)
        let forObjects = try misses("3l-cache(30 objects, batch: 200, objective: objects)", turns: 100)
        #expect(forObjects < lru / 10)
    }

    @Test("It is known whether a model decides, also inside of other policies")
    func hasModel() throws {
        #expect(try PolicyContext().policy("lru(30 objects)").hasLearnedModel == nil)
        #expect(try PolicyContext().policy("ttl(lru(30 objects), lifetime: 1h)").hasLearnedModel == nil)
        for text in [
            "3l-cache(30 objects, batch: 200)", "ttl(3l-cache(30 objects, batch: 200), lifetime: 1h)",
            "split(thumbnail: lru(9 objects), full: 3l-cache(30 objects, batch: 200))",
        ] {
            var policy = try PolicyContext().policy(text)
            policy.reserve(60)
            #expect(policy.hasLearnedModel == false, "\(text)")
            var random = SeededGenerator(seed: 4)
            var evictions = EvictionList()
            for _ in 0..<20_000 {
                let access = Access(object: Int(random.next() % 60), size: 1)
                guard policy.lookup(access, &evictions) == .miss else { continue }
                _ = policy.admit(access, &evictions)
            }
            #expect(policy.hasLearnedModel == true, "\(text)")
        }
    }

    @Test("For few misses, 3L-Cache lets large objects go; for few bytes, their next request alone counts")
    func objectives() throws {
        // 60 objects come at random. Objects of 1 byte and of 100 bytes come as often.
        func misses(_ objective: String) throws -> Int {
            var policy = try PolicyContext().policy("3l-cache(1kB, batch: 300, objective: \(objective))")
            policy.reserve(60)
            var random = SeededGenerator(seed: 4)
            var evictions = EvictionList()
            var smallMisses = 0
            for step in 0..<20_000 {
                let object = Int(random.next() % 60)
                let access = Access(object: object, size: object % 2 == 0 ? 1 : 100)
                guard policy.lookup(access, &evictions) == .miss else { continue }
                _ = policy.admit(access, &evictions)
                if step > 5_000, access.size == 1 { smallMisses += 1 }
            }
            return smallMisses
        }
        let (forBytes, forObjects) = (try misses("bytes"), try misses("objects"))
        // Of 7,500 requests for small objects.
        #expect(forObjects < 100, "\(forObjects)")
        #expect(forBytes > 1_000, "\(forBytes)")
    }

    @Test("Admissions without lookups and without evictions make no list of 3L-Cache long")
    func lists() throws {
        var policy = ThreeLCache(Limits(objects: 4), batch: 1)
        policy.reserve(8)
        var evictions = EvictionList()
        for object in [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3] {
            let access = Access(object: object, size: 1)
            if policy.lookup(access, &evictions) == .miss { _ = policy.admit(access, &evictions) }
        }
        #expect(policy.model != nil)
        evictions = EvictionList()
        for _ in 0..<1_000 {
            policy.remove(3)
            _ = policy.admit(Access(object: 3, size: 1), &evictions)
        }
        #expect(evictions.victims.isEmpty)
        #expect(policy.newcomers.count <= 4 * 5)
        for step in 0..<1_000 { _ = policy.admit(Access(object: step % 8, size: 1), &evictions) }
        #expect(policy.newcomers.count <= 4 * 5)
        #expect(policy.history.count <= 6 * 4)
        #expect(policy.occupancy.objects == 4)
    }
}
