import CachePolicies
import Testing

/// Plays accesses written as letters ("A", size 1) or letter and size ("A6"); upper case for full images, lower for
/// thumbnails; each a second after the one before. Answers with one mark per access: H hit, S stale hit, M miss.
func play(_ accesses: String, on specification: String) throws -> String {
    var policy = try PolicyContext().policy(specification).timed()
    policy.reserve(256)
    var evictions = EvictionList()
    var marks = ""
    for (second, word) in accesses.split(separator: " ").enumerated() {
        guard let letter = word.first?.asciiValue else { continue }
        let access = Access(
            object: Int(letter), size: Int(word.dropFirst()) ?? 1, time: Int64(second) * 1_000_000,
            variant: letter >= 97 ? 0 : 1)
        policy.advance(to: access.time, &evictions)
        switch policy.lookup(access, &evictions) {
        case .hit: marks += "H"
        case .staleHit: marks += "S"
        case .miss:
            marks += "M"
            _ = policy.admit(access, &evictions)
        }
    }
    return marks
}

@Suite("Policies on small stories")
struct PolicyStories {
    @Test(
        "Hits and misses of short sequences, worked out by hand",
        arguments: [
            // B makes room for C under fifo although A is older: no, A entered first and leaves first, hit or not.
            ("lru(2 objects)", "A B A C A B", "MMHMHM"),
            ("fifo(2 objects)", "A B A C A B", "MMHMMM"),
            // Bytes: C of 6 pushes out A and B, not more; D of 11 is larger than the cache and pushes out no object.
            ("lru(10B)", "A4 B4 C6 A4 D11 C6 A4", "MMMMMHH"),
            ("lru(10B, 2 objects)", "A1 B1 C1 A1", "MMMM"),
            ("lru(0B)", "A A B", "MMM"),
            ("unbounded", "A9 B9 A9 B9", "MMHH"),
            ("none", "A A A", "MMM"),
            // Admitted at second 0, expired from second 2 on; the miss at 2 admits it anew.
            ("ttl(lru(9 objects), lifetime: 2s)", "A A A A A", "MHMHM"),
            ("ttl(lru(9 objects), lifetime: 2s, extendOnAccess: true)", "A A A A B B A", "MHHHMHM"),
            ("ttl(lru(9 objects), lifetime: 2s, checkOnRead: false)", "A A A A", "MHSS"),
            // The sweep at second 3 removes what expired at 2; until then A is delivered stale.
            ("ttl(lru(9 objects), lifetime: 2s, sweep: 3s, checkOnRead: false)", "A A A A", "MHSM"),
            // An object pushed out by the inner policy has no lifetime left to speak of.
            ("ttl(lru(1 objects), lifetime: 9s)", "A B A B", "MMMM"),
            ("split(thumbnail: lru(1 objects), full: lru(2 objects))", "a A B b a A B", "MMMMMHH"),
            ("nscache(count: 2)", "A B A C A B", "MMHMHM"),
            ("nscache(count: 2, model: fifo)", "A B A C A B", "MMHMMM"),
            // NSCache stores first and trims then: an object above the limit empties the cache.
            ("nscache(cost: 10B)", "A4 B11 A4", "MMM"),
            ("lru(10B)", "A4 B11 A4", "MMH"),
            ("nscache", "A9 B9 C9 A9 B9 C9", "MMMHHH"),
            // The first two stay for ever.
            ("nscache(count: 2, model: corelibs)", "A B C D A B C D", "MMMMHHMM"),
        ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }

    @Test("Admitting an object that is there replaces its size")
    func replacement() throws {
        for specification in ["lru(10B)", "fifo(10B)", "nscache(cost: 10B)", "nscache(cost: 10B, model: corelibs)"] {
            var policy = try PolicyContext().policy(specification).timed()
            policy.reserve(4)
            var evictions = EvictionList()
            #expect(policy.admit(Access(object: 0, size: 4), &evictions))
            #expect(policy.admit(Access(object: 1, size: 4), &evictions))
            #expect(policy.admit(Access(object: 0, size: 6), &evictions))
            #expect(policy.occupancy == Occupancy(objects: 2, bytes: 10))
            #expect(evictions.victims.isEmpty)
        }
    }

    @Test("An object that the inner policy refuses when it is restored keeps no expiration")
    func refusedRestoration() throws {
        var policy = try PolicyContext().policy("ttl(lru(10B), lifetime: 10s, sweep: 1us)").timed()
        policy.reserve(1)
        var evictions = EvictionList()
        #expect(policy.admit(Access(object: 0, size: 1), &evictions))
        #expect(!policy.restore(Access(object: 0, size: 11, time: 1), expiration: 5, &evictions))
        #expect(policy.expiration(of: 0) == nil)
        policy.advance(to: 20_000_000, &evictions)
        #expect(evictions.victims.isEmpty)
    }

    @Test("A memory warning keeps timers running; a relaunch restarts them")
    func timers() throws {
        for specification in [
            "trim(2 objects, onStore: false, every: 10us)",
            "ttl(trim(2 objects, onStore: false, every: 10us), lifetime: 1h)",
            "max-size(trim(2 objects, onStore: false, every: 10us))",
            "split(thumbnail: none, full: trim(2 objects, onStore: false, every: 10us))",
        ] {
            var policy = try PolicyContext().policy(specification).timed()
            policy.reserve(3)
            func held(at time: Int64) -> Int {
                var evictions = EvictionList()
                policy.advance(to: time, &evictions)
                return policy.occupancy.objects
            }
            func store(at time: Int64) {
                var evictions = EvictionList()
                for object in 0..<3 { _ = policy.admit(Access(object: object, size: 1, time: time), &evictions) }
            }
            store(at: 0)
            policy.clear()
            #expect(policy.occupancy == Occupancy())
            store(at: 5)
            #expect(held(at: 9) == 3 && held(at: 10) == 2, "the timer runs since 0: \(specification)")
            policy.relaunch(at: 14)
            store(at: 16)
            #expect(held(at: 23) == 3 && held(at: 24) == 2, "the timer runs since 14: \(specification)")
        }
    }

    @Test("An expired object that is restored keeps its old date")
    func restoration() throws {
        var policy = try PolicyContext().policy("ttl(lru(9 objects), lifetime: 10s)").timed()
        policy.reserve(2)
        var evictions = EvictionList()
        #expect(policy.restore(Access(object: 0, size: 1, time: 5), expiration: 7, &evictions))
        #expect(policy.expiration(of: 0) == 7)
        #expect(policy.lookup(Access(object: 0, size: 1, time: 6), &evictions) == .hit)
        #expect(policy.lookup(Access(object: 0, size: 1, time: 7), &evictions) == .miss)
        #expect(evictions.victims.map(\.reason) == [.expired])
    }

    @Test(
        "An object expires when its tier says, and the sweep finds it among the others",
        arguments: [
            "ttl(lru(9 objects), lifetime: 10us, sweep: 1us)",
            "bloom(ttl(lru(9 objects), lifetime: 10us, sweep: 1us), window: 1)",
            "split(thumbnail: none, full: ttl(lru(9 objects), lifetime: 10us, sweep: 1us))",
        ])
    func expirationByTier(specification: String) throws {
        var policy = try PolicyContext().policy(specification).timed()
        policy.reserve(5)
        var evictions = EvictionList()
        // By themselves they expire at 10, 11, 12, 13 and 14.
        for object in 0..<5 {
            let access = Access(object: object, size: 1, time: Int64(object))
            _ = policy.lookup(access, &evictions)
            _ = policy.admit(access, &evictions)
            let kept = policy.admit(access, &evictions)
            #expect(kept)
            if object == 1 { policy.setExpiration(of: 1, to: 40) }
            if object == 3 { policy.setExpiration(of: 3, to: 5) }
        }
        policy.setExpiration(of: 0, to: 13)
        #expect((0..<5).map { policy.expiration(of: $0) } == [13, 40, 12, 5, 14])
        for time in Int64(5)...40 { policy.advance(to: time, &evictions) }
        #expect(evictions.victims.map(\.object) == [3, 2, 0, 4, 1])
        #expect(policy.occupancy == Occupancy())
        policy.setExpiration(of: 2, to: 50)
        #expect(policy.expiration(of: 2) == nil, "it is not held")
    }
}
