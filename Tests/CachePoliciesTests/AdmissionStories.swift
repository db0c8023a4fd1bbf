import CachePolicies
import Testing

@Suite("Frequencies and admissions on small stories")
struct AdmissionStories {
    @Test(
        "Hits and misses of short sequences, worked out by hand",
        arguments: [
            // Window of 1, main of 3. A, B and C come to main while there is room, A is asked for twice there. D, E and
            // F fall out of the window one after another, and none was asked for more often than C or the next victim:
            // A, B, C stay.
            ("w-tinylfu(4 objects)", "A B C A B C D E F A B C", "MMMHHHMMMHHH"),
            // LRU has forgotten them all by then.
            ("lru(4 objects)", "A B C A B C D E F G A B C", "MMMHHHMMMMMMM"),
            ("w-tinylfu(4 objects)", "A B C A B C D E F G A B C", "MMMHHHMMMMHHH"),
            // E comes three times while it is in the window, and so may take A's place, which came once: the window is
            // then F's.
            ("w-tinylfu(2 objects)", "A B B B C B A", "MMHHMHM"),
            // Everything fits, though the window has 1 byte and the main region 99.
            ("w-tinylfu(100B)", "A10 B10 C10 D10 E10 F10 G10 H10 I10 J10 A10 B10 C10 J10", "MMMMMMMMMMHHHH"),
            // A of 6 meets B alone, and wins at its third request. B leaves, and then A itself: there is no room for it
            // beside C, which is protected.
            ("w-tinylfu(7B)", "B3 C3 B3 C3 A6 A6 A6 B3 C3", "MMHHMMMMH"),
            // A meets B and C together, asked for twice each.
            ("w-tinylfu(7B, victims: all)", "B3 C3 B3 C3 A6 A6 A6 B3 C3", "MMHHMMMHH"),
            ("w-tinylfu(7B, victims: all)", "B3 C3 B3 C3 A6 A6 A6 A6 A6 A6 B3 C3", "MMHHMMMMMHMM"),
            // B pushes A out: only then is the capacity known. C must be asked for more often than B, the next victim,
            // and B then than C.
            ("tinylfu(lru(1 objects))", "A B B C C C B B B", "MMHMMMMMH"),
            ("tinylfu(lru(2 objects))", "A B C B C D B C", "MMMHHMHH"),
            // A model that does not name its victim: the second request enters.
            ("tinylfu(nscache(count: 1, model: corelibs))", "A B C C", "MMMM"),
            ("bloom(lru(9 objects))", "A A A B A B B", "MMHMHMH"),
            // Of four new objects the filters remember the last two for sure, and A no more.
            ("bloom(lru(9 objects), window: 1)", "A B C A B B", "MMMMMM"),
            ("max-size(lru(20B), limit: 5B)", "A5 B6 A5 B6", "MMHM"),
            ("probability(lru(20B), p: 1)", "A5 B6 A5 B6", "MMHH"),
            ("probability(lru(20B), p: 0)", "A5 A5", "MM"),
            // e^(-1000): never.
            ("probability(lru(20kB), p: 1, c: 1B)", "A1000 A1000", "MM"),
            ("adaptsize(lru(20B))", "A5 B6 A5 B6", "MMHH"),
            // The wrapped policy's lifetime, and the wrapper's own.
            ("tinylfu(ttl(lru(9 objects), lifetime: 2s))", "A A A A A", "MHMHM"),
            ("ttl(tinylfu(lru(9 objects)), lifetime: 2s)", "A A A A A", "MHMHM"),
            ("max-size(ttl(lru(9 objects), lifetime: 2s, checkOnRead: false), limit: 1B)", "A A A A", "MHSS"),
        ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }

    @Test("Estimates are never too low, growing loses nothing, halving forgets")
    func sketch() {
        var sketch = FrequencySketch(sample: 1_000)
        var random = SeededGenerator(seed: 3)
        var counts = [Int](repeating: 0, count: 400)
        for step in 0..<4_000 {
            let object = Int(min(random.next() % 400, random.next() % 400))
            counts[object] += 1
            sketch.record(object)
            if step % 100 == 0 { sketch.expect(400 + step) }
        }
        #expect(counts.indices.allSatisfy { sketch.estimate($0) >= min(counts[$0], 15) })
        #expect(counts.indices.count { sketch.estimate($0) > min(counts[$0], 15) } < 40)

        var aging = FrequencySketch(sample: 10, cacheObjects: 2)
        // Only 15 of these records raise a counter.
        for _ in 0..<100 { aging.record(0) }
        #expect(aging.estimate(0) == 15)
        for _ in 0..<4 { aging.record(1) }
        #expect([aging.estimate(0), aging.estimate(1)] == [15, 4])
        // The 20th halves all counters. Of 20 records 10 stay, less a quarter of the eight counters that were odd.
        aging.record(1)
        #expect([aging.estimate(0), aging.estimate(1)] == [7, 2])
        for _ in 0..<11 { aging.record(1) }
        #expect([aging.estimate(0), aging.estimate(1)] == [7, 13])
        // The 12th further record halves them again.
        aging.record(1)
        #expect([aging.estimate(0), aging.estimate(1)] == [3, 7])
        aging.removeAll()
        #expect([aging.estimate(0), aging.estimate(1)] == [0, 0])
    }

    @Test("A Bloom filter contains its members, and few other objects")
    func bloom() {
        let filter = BloomFilter(objects: 1_000, error: 0.01)
        for object in 0..<1_000 { filter.insert(object * 7) }
        #expect((0..<1_000).allSatisfy { filter.contains($0 * 7) })
        #expect((0..<100_000).count { filter.contains(1_000_000 + $0) } < 1_500)
        var rotating = RotatingBloomFilter(window: 10, error: 0.0001)
        for object in 0..<20 {
            let wasThere = rotating.insert(object)
            #expect(!wasThere)
        }
        #expect((0..<20).allSatisfy { rotating.contains($0) })
        let wasThere = rotating.insert(20)
        #expect(!wasThere)
        #expect((0..<10).allSatisfy { !rotating.contains($0) })
    }

    @Test(
        "A held object is replaced without the rule; one that has grown too large leaves altogether",
        arguments: [
            "tinylfu(lru(10B))", "bloom(lru(10B))", "probability(lru(10B))", "adaptsize(lru(10B))",
        ])
    func replacement(specification: String) throws {
        var policy = try PolicyContext().policy(specification)
        policy.reserve(4)
        var evictions = EvictionList()
        while !policy.admit(Access(object: 0, size: 4), &evictions) {}
        for size in [6, 2, 10] {
            #expect(policy.admit(Access(object: 0, size: size), &evictions))
            #expect(policy.occupancy == Occupancy(objects: 1, bytes: size))
        }
        #expect(!policy.admit(Access(object: 0, size: 11), &evictions))
        #expect(policy.occupancy == Occupancy())
        #expect(evictions.victims.isEmpty)
    }

    @Test("A restored object enters without the rule, and keeps its expiration")
    func restoration() throws {
        var policy = try PolicyContext().policy("bloom(ttl(lru(9 objects), lifetime: 10s))").timed()
        policy.reserve(2)
        var evictions = EvictionList()
        #expect(policy.restore(Access(object: 0, size: 1, time: 5), expiration: 7, &evictions))
        #expect(policy.expiration(of: 0) == 7)
        policy.removeExpired(at: 7, &evictions)
        #expect(evictions.victims.map(\.reason) == [.expired])
        #expect(type(of: policy).usesTime && !type(of: policy).usesFuture)
    }

    @Test("AdaptSize learns to keep small popular objects and to refuse large rare ones")
    func adaptSize() throws {
        var random = SeededGenerator(seed: 5)
        // Half of the requests are for 100 objects of 10 bytes, the others for 1000 of 500; the cache holds 2000 bytes.
        let objects = (0..<60_000).map { _ in
            random.next() % 2 == 0 ? Int(random.next() % 100) : 100 + Int(random.next() % 1_000)
        }
        func misses(_ specification: String) throws -> Int {
            var policy = try PolicyContext().policy(specification)
            policy.reserve(1_100)
            var evictions = EvictionList()
            return objects.count { object in
                let access = Access(object: object, size: object < 100 ? 10 : 500)
                guard policy.lookup(access, &evictions) == .miss else { return false }
                _ = policy.admit(access, &evictions)
                return true
            }
        }
        let tuned = try misses("adaptsize(lru(2kB), period: 5000)")
        // All of the small ones, after the first period, hit.
        #expect(tuned < 35_000)
        #expect(try misses("lru(2kB)") > 55_000)
    }

    @Test("The window adapts: wide where recency is all, narrow where frequency is")
    func climb() throws {
        func misses(_ specification: String, _ objects: [Int]) throws -> Int {
            var policy = try PolicyContext().policy(specification)
            policy.reserve(200_000)
            var evictions = EvictionList()
            return objects.count { object in
                let access = Access(object: object, size: 1)
                guard policy.lookup(access, &evictions) == .miss else { return false }
                _ = policy.admit(access, &evictions)
                return true
            }
        }
        var random = SeededGenerator(seed: 9)
        // Every other request is for a new object, the others for one of the last 60 new ones.
        let recency = (0..<200_000).map { step in step % 2 == 0 ? step / 2 : max(step / 2 - Int(random.next() % 60), 0)
        }
        let fixed = try misses("w-tinylfu(100 objects)", recency)
        let adaptive = try misses("w-tinylfu(100 objects, climb: true)", recency)
        #expect(adaptive < fixed * 3 / 4)
        // A few objects for ever, among many that never come again.
        let frequency = (0..<200_000).map { step in
            random.next() % 2 == 0 ? Int(random.next() % 120) : 1_000 + step % 199_000
        }
        #expect(
            try misses("w-tinylfu(100 objects, climb: true)", frequency) < misses("w-tinylfu(100 objects)", frequency)
                * 11 / 10)
    }
}

@Suite("Wrappers in the kernel")
struct WrappedRunTests {
    /// Hits where the request's position and its next are what the test below has made them.
    private struct Witness: CachePolicy {
        var occupancy: Occupancy { Occupancy() }
        func contains(_ object: Int) -> Bool { false }
        mutating func reserve(_ count: Int) {}
        mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
            access.position == access.object && access.next == access.object + 7 ? .hit : .miss
        }
        mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool { false }
        mutating func remove(_ object: Int) {}
        mutating func clear() {}
    }

    @Test("Each half of a split receives its requests with their positions in the whole")
    func positions() throws {
        let entry = PolicyEntry("witness", "Looks at positions.", parameters: []) { _ in Witness() }
        let context = PolicyContext(registry: .builtIn.adding(entry))
        var policy = try context.policy(
            "split(thumbnail: split(thumbnail: witness, full: none), full: ttl(witness, lifetime: 1s))")
        let objects = (0..<50_000).map { UInt32($0) }
        let nexts = objects.map { $0 + 7 }
        let variants = objects.map { UInt8($0 % 3 == 0 ? 0 : $0 % 3) }
        var counts = SimulationCounts()
        objects.withUnsafeBufferPointer { objects in
            nexts.withUnsafeBufferPointer { nexts in
                variants.withUnsafeBufferPointer { variants in
                    guard let base = objects.baseAddress else { return }
                    policy.reserve(50_000)
                    let columns = RequestColumns(
                        objects: base, variants: variants.baseAddress, nexts: nexts.baseAddress)
                    policy.run(columns, 0..<20_000, into: &counts)
                    policy.run(columns, 20_000..<50_000, into: &counts)
                }
            }
        }
        #expect(counts.requests == 50_000)
        // A lifetime's objects are those that were admitted: of the witness behind it all miss.
        #expect(counts.misses == objects.count { $0 % 3 != 0 })
    }
}
