import CachePolicies
import Testing

@Suite("Policies that learn, on small stories")
struct AdaptiveStories {
    @Test(
        "Hits and misses of short sequences, worked out by hand",
        arguments: [
            // A is seen twice and moves to T2; C D E pass through T1, and A outlives them.
            ("arc(2 objects)", "A A C D E A", "MHMMMH"),
            // C pushes B into B1. B returns: p grows to 1, T1 = C is not above it, so A, though seen twice, leaves T2
            // for B. D then finds
            // |T1| = 1 = p: B leaves T2.
            ("arc(2 objects)", "A A B C B C D A", "MHMMMHMM"),
            // A and B are LIR, C is HIR in the queue of one; D pushes C out, but S remembers it: C comes back as LIR,
            // and A becomes HIR.
            ("lirs(3 objects)", "A B C D C B A", "MMMMMHH"),
            // A scan passes through the queue of one; the LIR objects A and B stay.
            ("lirs(3 objects)", "A B C D E F G A B", "MMMMMMMHH"),
            // B has but one access and leaves, though A's last access is older.
            ("lru-k(2 objects)", "A A B C A", "MHMMH"),
            // The two accesses to A count as one, so A has but one, like B, and is older.
            ("lru-k(2 objects, correlated: 1)", "A A B C A", "MHMMM"),
            // A left, and its first access is remembered: on its return it has two, C has one, and C leaves for D.
            ("lru-k(2 objects)", "A B C A D A", "MMMMMH"),
            ("lru-k(2 objects, retained: 0)", "A B C A D C", "MMMMMM"),
            // A's bit saves it: it moves to T2, and B leaves.
            ("car(2 objects)", "A A B C A", "MHMMH"),
            // B leaves into B1, and then returns: it enters T2. C, in T1, leaves for it.
            ("car(2 objects)", "A A B C B A B C", "MHMMMHHM"),
            // C and then B push A and B out, on trial; A returns in time and is hot. D and E pass through the cold
            // half.
            ("clock-pro(2 objects)", "A B C A D E A", "MMMMMMH"),
            // C finds A least recent and, of equals, least frequent; A then finds C so, B having been hit: the experts
            // agree, no random number is drawn.
            ("lecar(2 objects)", "A B C B A C", "MMMHMM"),
            // A and B fill R, C is alone in SR. D and E each find the one before them in SR, of the least frequent the
            // most recent: they agree.
            ("cacheus(3 objects)", "A B C D E A B", "MMMMMHH"),
            // Three hits shorten the jump from 3 to 1, so that D enters below A: the order is A D C, and E A D with E.
            // F pushes D out, and A, the least recent, stays.
            ("adaptive-climb(3 objects)", "A B C A A A D E F A", "MMMHHHMMMH"),
        ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }
}
