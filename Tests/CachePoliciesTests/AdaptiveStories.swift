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
    ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }
}
