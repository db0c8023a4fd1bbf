import SessionModel
import TestSupport
import Testing

@testable import ReplayEngine

@Suite("Predictions beside what the app saw")
struct ServedComparisonTests {
    /// Three images of 1,000 bytes in a cache for two: A and B are fetched, A hits, C takes the room of B, B misses, A
    /// is on disk alone. The app had another cache, which kept B and forgot A.
    private static func compared(top: Int = 10) throws -> ServedComparison {
        var story = Story(network: ["a", "b", "c"].map { ($0, 10, 200) })
        let requests: [(String, ObjectID, ServedSource?)] = [
            ("a", 0, .network), ("b", 1, .network), ("a", 0, .disk), ("c", 2, .network), ("b", 1, .memory),
            ("a", 0, nil),
        ]
        for (number, request) in requests.enumerated() {
            let time = Int64(number + 1) * 1_000
            story.appear(request.0, at: time)
            if let source = request.2 { story.append(.served(request.1, .full, source), at: time + 100) }
            story.disappear(request.0, at: time + 200)
        }
        story.append(.served(2, .full, .memory), at: 9_000)
        story.append(.served(2, .full, .memory), at: 9_000)
        var job = ReplayJob(
            trace: "story", cache: try CacheConfiguration("memory: lru(2kB); disk: lru(9kB)"))
        job.timing = .modelled(.standard)
        return try job.compareServed(try PreparedTrace(story.trace), top: top)
    }

    @Test("The matrix counts each request once, in the row of the prediction and the column of the observation")
    func matrix() throws {
        let comparison = try Self.compared()
        #expect(comparison.count(.network, .network) == 3)
        #expect(comparison.count(.memory, .disk) == 1)
        #expect(comparison.count(.disk, .memory) == 1)
        #expect(comparison.count(.disk, nil) == 1)
        #expect(comparison.requests == 6)
        #expect((comparison.compared, comparison.agreeing, comparison.unmatched) == (5, 3, 2))
    }

    @Test("Agreement, its interval and kappa are those of the formulas")
    func figures() throws {
        let comparison = try Self.compared()
        #expect(comparison.agreement == 0.6)
        // Wilson for 3 of 5: (0.6 + 0.38415 ± 1.96 · √(0.048 + 0.03841)) / 1.76829
        #expect(abs(comparison.interval.lowerBound - 0.2307) < 0.0001)
        #expect(abs(comparison.interval.upperBound - 0.8824) < 0.0001)
        // By chance: memory 1/5 · 1/5, disk 1/5 · 1/5, network 3/5 · 3/5, together 0.44.
        #expect(abs(try #require(comparison.kappa) - (0.6 - 0.44) / 0.56) < 1e-12)
    }

    @Test("Each disagreement has the last request of the image, and the causes of its own")
    func disagreements() throws {
        let comparison = try Self.compared()
        #expect(comparison.disagreements.map(\.row.index) == [2, 4])
        #expect(comparison.disagreements.map(\.observed) == [.disk, .memory])
        #expect(comparison.disagreements.map(\.predicted) == [.memory, .disk])
        #expect(comparison.disagreements.map(\.previous?.index) == [0, 1])
        let evicted = try #require(comparison.disagreements[1].row.explanation)
        #expect(evicted.memoryCause == .policy && evicted.evictedBy == 3)
        #expect(try Self.compared(top: 1).disagreements.count == 1)
        #expect(try Self.compared(top: 0).agreeing == 3)
    }

    @Test("A request that the replay does not show agrees with no source")
    func nothing() throws {
        var story = Story(network: [("a", 10, 404)])
        story.appear("a", at: 1_000)
        story.append(.served(0, .full, .network), at: 1_100)
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration("memory: lru(2kB); retries: 0"))
        job.timing = .modelled(.standard)
        let comparison = try job.compareServed(try PreparedTrace(story.trace))
        #expect(comparison.count(.nothing, .network) == 1)
        #expect(comparison.disagreements.first?.row.source == "failed")
        #expect(comparison.kappa == 0)
    }

    @Test("Without a comparison there is no agreement; with one source only, no kappa")
    func undefined() {
        let none = ServedComparison([], ServedRequests(Trace()))
        #expect(none.agreement == nil && none.kappa == nil && none.interval == 0...1)
    }
}
