import CachePolicies
import Runs
import Testing

@testable import CacheReports

/// What the first sentences of a simulation say, with misses of 100,000 requests.
@Suite("Which policy misses least")
struct SimulationSentenceTests {
    /// - Parameter misses: By policy: the misses at 100 objects, 200 objects …
    private func sentence(_ misses: [(policy: String, misses: [Int])]) -> String {
        let rows = misses.flatMap { policy, misses in
            misses.enumerated().map { place, misses in
                MissRatioRow(
                    .init(trace: "t", policy: policy, capacity: Capacity(100 * (place + 1), .objects)),
                    requests: 100_000, misses: misses, requestBytes: nil, missBytes: nil, requestsPerSecond: 1)
            }
        }
        return MissRatioFile.findings(rows).map(\.text).joined(separator: "\n")
    }

    @Test("A best that is shared is a tie, and no win")
    func sharedBest() {
        // The second capacity is the one where the other policy misses 0.02 points less.
        #expect(
            sentence([("a", [44_100, 59_160]), ("b", [44_300, 59_140]), ("c", [50_000, 70_000])]) == """
                a misses least on t at 1 of 2 capacities, and ties at the other: 44.1% to 59.2% of the requests. Next, \
                b misses 44.3% to 59.1% of the requests.
                """)
        #expect(
            sentence([("a", [100, 200, 300]), ("b", [110, 900, 310])]) == """
                a misses least on t at 1 of 3 capacities, and ties at the others: 0.10% to 0.3% of the requests. Next, \
                b misses 0.11% to 0.9% of the requests.
                """)
        #expect(
            sentence([("a", [100, 200]), ("b", [110, 210]), ("c", [500, 600])]) == """
                a and b tie for the fewest misses on t at each of 2 capacities: 0.1% to 0.2% of the requests. Next, c \
                misses 0.5% to 0.6% of the requests.
                """)
    }

    @Test("Wins and ties sum to the number of capacities, and no policy that wins is cut")
    func noLeader() {
        #expect(
            sentence([
                ("w", [10_000, 50_000, 50_000, 50_000, 50_000, 50_000]),
                ("a", [20_000, 30_000, 30_000, 40_000, 40_000, 44_000]),
                ("b", [20_000, 40_000, 40_000, 30_000, 30_000, 44_000]),
                ("c", [20_000, 40_000, 40_000, 40_000, 40_000, 20_000]),
                ("d", [20_000, 30_010, 40_000, 40_000, 40_000, 44_000]),
            ])
                == "No policy misses least on t at each of 6 capacities: b at 2, w at 1, a at 1, c at 1, ties at 1.")
    }

    @Test("Figures that differ do not read the same")
    func digits() {
        #expect(
            sentence([("a", [59_120, 80_000]), ("b", [59_240, 80_000]), ("c", [90_000, 90_000])]) == """
                a misses least on t at 1 of 2 capacities, and ties at the other: 59.1% to 80.0% of the requests. Next, \
                b misses 59.2% to 80.0% of the requests.
                """)
    }

    @Test("What a policy misses is known, unless it is an estimate, without a warm-up, or of another capacity")
    func known() {
        func row(_ misses: Int, _ objects: Int = 20) -> MissRatioRow {
            MissRatioRow(
                .init(trace: "t", policy: "belady-bypass", capacity: Capacity(objects, .objects)), requests: 15_000,
                misses: misses, requestBytes: 15_000, missBytes: 2 * misses, requestsPerSecond: 1)
        }
        var bound = LeastMissesRow(
            .init(trace: "t", capacity: Capacity(20, .objects)), requests: 15_000, misses: 13_240...13_336,
            requestBytes: 15_000, missBytes: 26_000...27_000)
        var (sampled, warm) = (row(13_250), row(13_250))
        (sampled.sampleRate, warm.warmupRequests) = (0.1, 10)
        bound.know([row(13_300, 40), sampled, warm, row(13_239), row(13_400)])
        #expect(bound.misses == 13_240...13_336 && bound.missBytes == 26_000...26_478)
        bound.know([row(13_240)])
        #expect(bound.misses == 13_240...13_240)
        #expect(LeastMissesFile.grid([bound]).rows[0].last == "misses")
    }
}
