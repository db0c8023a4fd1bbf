import CachePolicies
import Testing

@Suite("Queues, clocks and segments on small stories")
struct QueueStories {
    @Test("What is hit and what is missed, by hand", arguments: [
        // A was hit: for C it goes round, and B leaves. For B it has no mark left, yet C is older than A's second round: C leaves.
        ("clock(2 objects)", "A B A C A B A", "MMHMHMH"),
        ("fifo-reinsertion(2 objects)", "A B A C A B A", "MMHMHMH"),
        // Two hits are worth one round with one bit, two rounds with two: then A outlives B, C and D.
        ("clock(2 objects)", "A A A B C D E A", "MHHMMMMM"),
        ("clock(2 objects, bits: 2)", "A A A B C D A", "MHHMMMH"),
        ("clock(10B)", "A4 B4 A4 C6 A4 D11 C6", "MMHMHMH"),
        ("clock(1 objects)", "A A B A", "MHMM"),
        ("clock(0 objects)", "A A", "MM"),
        // A's mark is taken and B leaves, the hand being past A. For D it goes on from C, which leaves; it then is at the oldest again.
        ("sieve(2 objects)", "A B A C A D A", "MMHMHMH"),
        // Of A B C, all hit, the hand takes the marks, comes back to A and evicts it. It stands at B then: B leaves for A.
        ("sieve(3 objects)", "A B C A B C D A C D", "MMMHHHMMHH"),
        ("sieve(10B)", "A4 B4 A4 C6 A4 D11 C6", "MMHMHMH"),
        ("sieve(1 objects)", "A A B A", "MHMM"),
    ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }
}
