import CachePolicies
import Testing

@Suite("Policies that learn, on small stories")
struct AdaptiveStories {
    @Test("What is hit and what is missed, by hand", arguments: [
        // A is seen twice and moves to T2; C D E pass through T1, and A outlives them.
        ("arc(2 objects)", "A A C D E A", "MHMMMH"),
        // C pushes B into B1. B returns: p grows to 1, T1 = C is not above it, so A, though seen twice, leaves T2 for B. D then finds
        // |T1| = 1 = p: B leaves T2.
        ("arc(2 objects)", "A A B C B C D A", "MHMMMHMM"),
        ("arc(10B)", "A6 B4 C11 A6 B4", "MMMHH"),
        // A and B are LIR, C is HIR in the queue of one; D pushes C out, but S remembers it: C comes back as LIR, and A becomes HIR.
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
    ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }
}
