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
            // A costs 2 + 10 = 12, which is 30 to the base of 4: in the second wheel, three queues on. The others cost
            // 2. Each leaves for the next one. For D and for F the first hand starts anew, and the second one goes on;
            // for H it reaches A, which moves to the first wheel, in front of G. G leaves, and then, for I, A.
            ("gd-wheel(2 objects, queues: 4)", "A5360 B C D E F G H A5360", "MMMMMMMMH"),
            ("gd-wheel(2 objects, queues: 4)", "A5360 B C D E F G H I A5360", "MMMMMMMMMM"),
            // Without costs: LRU.
            ("gd-wheel(2 objects, cost: one)", "A5360 B C A5360", "MMMM"),
            ("gd-wheel(2 objects)", "A5360 B C A5360", "MMMH"),
            // A's requests come a second apart, and wait 10 s, 9 s and 8 s for one fetch: 27 s in one window. At C, A
            // is worth 27 s / 2 s, and B, the more recent one, 10 s / 1 s.
            ("lru-mad(2 objects, delay: 10s)", "A A A B C A B", "MHHMMHM"),
            // Fetches of a second delay no other request: LRU.
            ("lru-mad(2 objects, delay: 1s)", "A A A B C A B", "MHHMMMM"),
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
}
