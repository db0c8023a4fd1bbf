import CachePolicies
import Testing

@Suite("Queues, clocks and segments on small stories")
struct QueueStories {
    @Test(
        "Hits and misses of short sequences, worked out by hand",
        arguments: [
            // A was hit: for C it goes round, and B leaves. It is hit again, and goes round for B: C leaves.
            ("clock(2 objects)", "A B A C A B A", "MMHMHMH"),
            ("fifo-reinsertion(2 objects)", "A B A C A B A", "MMHMHMH"),
            // Two hits are worth one round with one bit, and two with two.
            ("clock(2 objects)", "A A A B C D E A", "MHHMMMMM"),
            ("clock(2 objects, bits: 2)", "A A A B C D A", "MHHMMMH"),
            ("clock(10B)", "A4 B4 A4 C6 A4 D11 C6", "MMHMHMH"),
            // For C the hand takes A's mark and evicts B, the newest. For D it begins at A again, which has a new mark:
            // C leaves.
            ("sieve(2 objects)", "A B A C A D A", "MMHMHMH"),
            // Of A B C, all hit, the hand takes the marks, comes back to A and evicts it. It stands at B then: B leaves
            // for A.
            ("sieve(3 objects)", "A B C A B C D A C D", "MMMHHHMMHH"),
            // B leaves for C, and C for D. Each time, the hand passes A. Two counted hits outlast both passes, and one
            // does not.
            ("sieve(2 objects)", "A A A B C D A", "MHHMMMM"),
            ("sieve(2 objects, k: 2)", "A A A B C D A", "MHHMMMH"),
            // A is lifted out of the way of B and C, which push each other out.
            ("slru(2 objects, segments: 2)", "A A B C B A", "MHMMMH"),
            // Nothing is hit: the lowest segment has the whole cache; S4LRU's has its quarter.
            ("slru(4 objects)", "A B C D A", "MMMMH"),
            ("s4lru(4 objects)", "A B A B", "MMMM"),
            // A is lifted, then B, which makes A sink and push out no object: the lowest is empty.
            ("s4lru(4 objects)", "A A B B A B", "MHMHHH"),
            // E and F find room in the upper segment at once.
            ("slru(8 objects, segments: 2, compat: libcachesim)", "A B C D E F A F", "MMMMMMHH"),
            // A leaves A1in for A1out; asked for again it is in Am, which a scan does not touch.
            ("2q(4 objects)", "A B C D E A F G H I A", "MMMMMMMMMMH"),
            // A was hit twice in S: when it should leave, it enters M, and B leaves instead, to enter M when asked for
            // again.
            ("s3fifo(4 objects, small: 0.5)", "A A A B C D E A B C D", "MHHMMMMHMMM"),
            // The one hit lifts A into M when E comes. In a window of one object it does not count, and A leaves.
            ("s4fifo(4 objects, small: 0.5, threshold: 1)", "A A B C D E A", "MHMMMMH"),
            ("s4fifo(4 objects, small: 0.5, skip: 0.5, threshold: 1)", "A A B C D E A", "MHMMMMM"),
            // C pushes A into G. By the first story, A returns into M, and outlives D and E. By the second one, A
            // returns into S, leaves for E, and enters M with its second return.
            ("s4fifo(2 objects, small: 0.5)", "A B C A D E A", "MMMMMMH"),
            ("s4fifo(2 objects, small: 0.5, ghostThreshold: 1)", "A B C A D E A F G A", "MMMMMMMMMH"),
            // A hit of the newest object does not count. When B has come, it does: A is in the clock when E comes.
            ("clock2q-plus(4 objects, small: 0.5)", "A A B C D E A", "MHMMMMM"),
            ("clock2q-plus(4 objects, small: 0.5)", "A A B A C D E A", "MHMHMMMH"),
            // One hit is enough here; B is demoted for C at once, with room in the main queue.
            ("qdlp(4 objects, small: 0.25)", "A A B C A B", "MHMMHM"),
            // Asked for twice, A is in the second queue, and B and C push each other out; a shorter lifetime lets A
            // sink, and leave for the second C.
            ("mq(2 objects, lifetime: 9, out: 0)", "A A B C B C A", "MHMMMMH"),
            ("mq(2 objects, lifetime: 2, out: 0)", "A A B C B C A", "MHMMMMM"),
            // C pushes out A, whose count is remembered: asked for again it is in the second queue, safe from D.
            ("mq(2 objects, lifetime: 9)", "A B C A D A", "MMMMMH"),
            ("mq(2 objects, lifetime: 9, out: 0)", "A B C A D B A", "MMMMMMM"),
            // The loop of three that defeats LRU.
            ("mru(2 objects)", "A B C A B C A B", "MMMHMHMH"),
            ("random(1 objects)", "A A B A", "MHMM"),
        ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }

    @Test("Random replacement draws evenly")
    func even() throws {
        var policy = try PolicyContext().policy("random(10 objects)")
        policy.reserve(10_010)
        var leftAfter = [Int](repeating: 0, count: 10_010)
        for object in 0..<10_010 {
            var evictions = EvictionList()
            _ = policy.admit(Access(object: object, size: 1), &evictions)
            for victim in evictions.victims { leftAfter[victim.object] = object - victim.object }
        }
        // Geometric, with a mean of ten admissions.
        let mean = Double(leftAfter.prefix(10_000).reduce(0, +)) / 10_000
        #expect((9.5...10.5).contains(mean))
    }
}
