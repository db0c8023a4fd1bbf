import CachePolicies
import Testing

@Suite("Queues, clocks and segments on small stories")
struct QueueStories {
    @Test("What is hit and what is missed, by hand", arguments: [
        // A was hit: for C it goes round, and B leaves. It is hit again, and goes round for B: C leaves.
        ("clock(2 objects)", "A B A C A B A", "MMHMHMH"),
        ("fifo-reinsertion(2 objects)", "A B A C A B A", "MMHMHMH"),
        // Two hits are worth one round with one bit, and two with two.
        ("clock(2 objects)", "A A A B C D E A", "MHHMMMMM"),
        ("clock(2 objects, bits: 2)", "A A A B C D A", "MHHMMMH"),
        ("clock(10B)", "A4 B4 A4 C6 A4 D11 C6", "MMHMHMH"),
        ("clock(1 objects)", "A A B A", "MHMM"),
        ("clock(0 objects)", "A A", "MM"),
        // For C the hand takes A's mark and evicts B, the newest. For D it begins at A again, which has a new mark: C leaves.
        ("sieve(2 objects)", "A B A C A D A", "MMHMHMH"),
        // Of A B C, all hit, the hand takes the marks, comes back to A and evicts it. It stands at B then: B leaves for A.
        ("sieve(3 objects)", "A B C A B C D A C D", "MMMHHHMMHH"),
        ("sieve(10B)", "A4 B4 A4 C6 A4 D11 C6", "MMHMHMH"),
        ("sieve(1 objects)", "A A B A", "MHMM"),
        // A is lifted out of the way of B and C, which push each other out.
        ("slru(2 objects, segments: 2)", "A A B C B A", "MHMMMH"),
        // Nothing is hit: the lowest segment has the whole cache; S4LRU's has its quarter.
        ("slru(4 objects)", "A B C D A", "MMMMH"),
        ("s4lru(4 objects)", "A B A B", "MMMM"),
        // A is lifted, then B, which makes A sink and push out nobody: the lowest is empty.
        ("s4lru(4 objects)", "A A B B A B", "MHMHHH"),
        // E and F find room in the upper segment at once.
        ("slru(8 objects, segments: 2, compat: libcachesim)", "A B C D E F A F", "MMMMMMHH"),
        // A leaves A1in for A1out; asked for again it is in Am, which a scan does not touch.
        ("2q(4 objects)", "A B C D E A F G H I A", "MMMMMMMMMMH"),
        ("2q(1 objects)", "A A B A", "MHMM"),
        ("2q(3 objects, compat: libcachesim)", "A A", "MM"),
        // A was hit twice in S: when it should leave, it enters M, and B leaves instead, to enter M when asked for again.
        ("s3fifo(4 objects, small: 0.5)", "A A A B C D E A B C D", "MHHMMMMHMMM"),
        ("s3fifo(1 objects)", "A A B A", "MHMM"),
        ("s3fifo(19 objects, compat: libcachesim)", "A A", "MM"),
        // One hit is enough here; B is demoted for C at once, with room in the main queue.
        ("qdlp(4 objects, small: 0.25)", "A A B C A B", "MHMMHM"),
        ("qdlp(1 objects)", "A A B A", "MHMM"),
    ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }
}
