import CachePolicies
import Testing

@Suite("Policies of the GreedyDual family, and for delayed hits, on small stories")
struct GreedyDualStories {
    @Test(
        "Hits and misses of short sequences, worked out by hand",
        arguments: [
            // X, 12 bytes, leaves for C. Then A is worth 12 / 4 = 3, and B 12 / 6 = 2. To one bit both are 2, and the
            // older A leaves for D. To two bits A is 3, and B leaves.
            ("camp(3 objects, precision: 1)", "X12 A4 B6 C4 D4 A4", "MMMMMM"),
            ("camp(3 objects, precision: 2)", "X12 A4 B6 C4 D4 A4", "MMMMMH"),
            // At C, A is worth 2 * (2 + 5000 / 536) = 22, and B 1 * (2 + 10000 / 536) = 20: B leaves. To one bit both
            // are 16, and A was used before B.
            ("camp(15kB, cost: packets)", "A5000 B10000 A5000 B10000 B10000 C5000 A5000", "MMHHHMH"),
            ("camp(15kB, cost: packets, precision: 1)", "A5000 B10000 A5000 B10000 B10000 C5000 A5000", "MMHHHMM"),
            // Objects of one size: LRU.
            ("camp(2 objects)", "A B A C A B", "MMHMHM"),
            // A costs 2 + 10 = 12, which is 30 to the base of 4: in the second wheel, three queues on. The others cost
            // 2. Each leaves for the next one. For D and for F the first hand starts anew, and the second one goes on;
            // for H it reaches A, which moves to the first wheel, in front of G. G leaves, and then, for I, A.
            ("gd-wheel(2 objects, queues: 4)", "A5360 B C D E F G H A5360", "MMMMMMMMH"),
            ("gd-wheel(2 objects, queues: 4)", "A5360 B C D E F G H I A5360", "MMMMMMMMMM"),
            // A hit puts A as far on as at first, from where the hand is then.
            ("gd-wheel(2 objects)", "A B A C A B", "MMHMHM"),
            // Without costs: LRU.
            ("gd-wheel(2 objects, cost: one)", "A5360 B C A5360", "MMMM"),
            ("gd-wheel(2 objects)", "A5360 B C A5360", "MMMH"),
            // A's requests come a second apart, and wait 10 s, 9 s and 8 s for one fetch: 27 s in one window. At C, A
            // is worth 27 s / 2 s, and B, the more recent one, 10 s / 1 s.
            ("lru-mad(2 objects, delay: 10s)", "A A A B C A B", "MHHMMHM"),
            // Fetches of a second delay no other request: LRU.
            ("lru-mad(2 objects, delay: 1s)", "A A A B C A B", "MHHMMMM"),
            ("lru-mad(2 objects, delay: 1s)", "A B A C A B", "MMHMHM"),
            // D does not fit. A's requests at 0, 4 and 5 s are of one window of 6 s: 1 + 2/6 + 1/6 fetches. B's, at 1
            // and 7 s, are of two: 2 fetches. A leaves for C. GDSF counts 3 requests and 2, and B leaves.
            ("gdsf-mad(2B, delay: 6s)", "A B D9 D9 A A D9 B C B", "MMMMHHMHMH"),
            ("gdsf(2B)", "A B D9 D9 A A D9 B C B", "MMMMHHMHMM"),
            // Fetches of a second delay no other request: GDSF.
            ("gdsf-mad(2B, delay: 1s)", "A B D9 D9 A A D9 B C B", "MMMMHHMHMM"),
            // C is worth 1 + 8/10. A, worth 1/2, leaves for B, and B, worth 1/2 + 1/2, for A. A's window has continued:
            // it begins with the delays of both misses, 1 + (10/10 + 7/10) / 2, and C leaves for E. By the last miss
            // alone, A would be worth 1 + 7/10 / 2 or, in a window of its own, 1 + 1/2, and would leave.
            ("gdsf-mad(3B, delay: 10s)", "C A2 C B2 A2 E A2", "MMHMMMH"),
        ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }

    /// The sizes of the other twin tests are too small for costs that differ.
    static let pairs: [SlowTwinTests.Pair] = [
        ("gd-wheel(200kB, queues: 4)", SlowGDWheel(bytes: 200_000, objects: .max, wheels: 2, queues: 4)),
        ("gd-wheel(200kB, wheels: 4, queues: 3)", SlowGDWheel(bytes: 200_000, objects: .max, wheels: 4, queues: 3)),
        ("gd-wheel(5 objects, wheels: 9, queues: 2)", SlowGDWheel(bytes: .max, objects: 5, wheels: 9, queues: 2)),
        ("gd-wheel(200kB, wheels: 1, queues: 9)", SlowGDWheel(bytes: 200_000, objects: .max, wheels: 1, queues: 9)),
        ("gd-wheel(200kB)", SlowGDWheel(bytes: 200_000, objects: .max, wheels: 2, queues: 256)),
        ("camp(200kB, cost: packets)", SlowCAMP(bytes: 200_000, objects: .max, packets: true)),
        ("camp(200kB, precision: 3)", SlowCAMP(bytes: 200_000, objects: .max, precision: 3)),
    ]

    @Test("Objects of a few bytes to many: the same victims and contents as the slow twin", arguments: pairs)
    func sizes(specification: String, twin: any SlowTwin & Sendable) throws {
        var twin = twin
        var policy = try PolicyContext().policy(specification).timed()
        policy.reserve(40)
        var random = SeededGenerator(seed: 5)
        for step in 0..<5_000 {
            let object = Int(min(random.next() % 40, random.next() % 40))
            let access = Access(object: object, size: object * object * 37)
            if random.next() % 50 == 0 {
                policy.remove(object)
                twin.remove(object)
            }
            var evictions = EvictionList()
            let found = policy.lookup(access, &evictions)
            var same = found == twin.lookup(access)
            if found == .miss {
                _ = policy.admit(access, &evictions)
                same = same && evictions.victims.map(\.object) == twin.admit(access)
            }
            guard same, (0..<40).filter({ policy.contains($0) }) == twin.held.sorted() else {
                Issue.record("step \(step): \(evictions.victims), holds \(twin.held.sorted())")
                return
            }
        }
    }

    @Test("GDSF for delayed hits has the victims of GDSF if requests for an object are never within a fetch")
    func apart() throws {
        var policies = try ["gdsf(200kB)", "gdsf-mad(200kB, delay: 10us)"].map { try PolicyContext().policy($0) }
        for index in policies.indices { policies[index].reserve(60) }
        var random = SeededGenerator(seed: 23)
        var lastTimes = [Int64](repeating: -10, count: 60)
        var evictionCount = 0
        for time in 0..<Int64(20_000) {
            let object = Int(min(random.next() % 60, random.next() % 60))
            guard time - lastTimes[object] >= 10 else { continue }
            lastTimes[object] = time
            let access = Access(object: object, size: object * object * 17, time: time)
            let victims = policies.indices.map { index in
                var evictions = EvictionList()
                if policies[index].lookup(access, &evictions) == .miss {
                    _ = policies[index].admit(access, &evictions)
                }
                return evictions.victims.map(\.object)
            }
            guard victims[0] == victims[1] else {
                Issue.record("at \(time): \(victims)")
                return
            }
            evictionCount += victims[0].count
        }
        #expect(evictionCount > 1_000)
    }

    @Test("Wheels with as many digits as no number has are left out, and hands pass empty wheels at once")
    func manyWheels() throws {
        var policy = try PolicyContext().policy("gd-wheel(2 objects, wheels: 16, queues: 4096)")
        policy.reserve(4)
        var evictions = EvictionList()
        for object in 0..<4 {
            let wasAdmitted = policy.admit(Access(object: object, size: Int.max >> (object + 2)), &evictions)
            #expect(wasAdmitted)
        }
        // Each costs half of the one before: 1 leaves at half of the rank of 0, and 2 at three quarters.
        #expect(evictions.victims.map(\.object) == [1, 2])
    }

    @Test(
        "A parameter beyond its bounds is refused with an error",
        arguments: [
            "camp(1MB, precision: 0)", "camp(1MB, precision: 54)", "gd-wheel(1MB, wheels: 0)",
            "gd-wheel(1MB, wheels: 17)", "gd-wheel(1MB, queues: 1)", "lru-mad(1MB, samples: 0)",
            "lru-mad(1MB, delay: never)", "gdsf-mad(1MB, delay: never)",
        ])
    func nonsense(specification: String) {
        let error = #expect(throws: SpecError.self) { _ = try PolicyContext().policy(specification) }
        #expect(error?.message.contains(" is ") == true)
    }
}
