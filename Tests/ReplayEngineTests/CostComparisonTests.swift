import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Recorded costs beside those of a cache")
struct CostComparisonTests {
    /// Two pictures of 200 × 100 pixels, and one whose costs the app did not record.
    private static func compared(_ cache: String, _ costs: [TraceEvent.Action]) throws -> ServedComparison {
        var builder = TraceBuilder()
        for key in ["a", "b", "c"] {
            builder.update(builder.object(key)) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (1_000, 200, 100) }
        }
        for object: ObjectID in 0..<3 {
            builder.append(
                TraceEvent(time: 1_000, .appear(object, .full), viewSize: ViewSize(width: 100, height: 50)))
        }
        for cost in costs { builder.append(TraceEvent(time: 2_000_000, cost)) }
        var job = ReplayJob(trace: "costs", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        return try job.compareServed(try PreparedTrace(builder.finish()))
    }

    @Test("The median and the farthest ratio are those of recorded bytes to charged bytes, up or down")
    func ratios() throws {
        let costs: [TraceEvent.Action] = [
            .cost(0, .full, bytes: 80_000), .cost(1, .thumbnail, bytes: 20_000), .cost(1, .full, bytes: 160_000),
        ]
        let comparison = try #require(try Self.compared("memory: lru(1MB); cost: decoded", costs).costs)
        #expect((comparison.count, comparison.median) == (3, 1))
        #expect(comparison.worst == .init(key: "b", variant: .thumbnail, recorded: 20_000, modelled: 80_000))
        #expect(comparison.worst.ratio == 0.25)
        let encoded = try #require(try Self.compared("memory: lru(1MB); cost: encoded", costs).costs)
        #expect(encoded.median == 80)
        #expect(encoded.worst == .init(key: "b", variant: .full, recorded: 160_000, modelled: 1_000))
    }

    @Test("A cache that keeps a bitmap of each size charges the size that was asked for last; 0 counts as 1 byte")
    func sizes() throws {
        let cache = "memory: lru(1MB); cost: decoded; holds: decoded; memorySizes: each"
        let costs: [TraceEvent.Action] = [.cost(0, .full, bytes: 20_000), .cost(0, .thumbnail, bytes: 80_000)]
        let comparison = try #require(try Self.compared(cache, costs).costs)
        #expect((comparison.count, comparison.median, comparison.worst.ratio) == (2, 1, 1))
        #expect(comparison.worst.modelled == 20_000)
        let free = try #require(try Self.compared("memory: lru(9 objects); cost: none", costs).costs)
        #expect((free.worst.modelled, free.worst.ratio) == (0, 80_000))
    }

    @Test("Costs change no replay, and a trace without them has no comparison")
    func noEffect() throws {
        let cache = "memory: lru(1MB)"
        var with = try Self.compared(cache, [.cost(0, .full, bytes: 7)])
        let without = try Self.compared(cache, [])
        #expect(with.costs?.count == 1 && without.costs == nil)
        #expect(with.requests == without.requests)
        #expect(ServedComparison.Prediction.allCases.allSatisfy { with.count($0, nil) == without.count($0, nil) })
        with = try Self.compared(cache, [.served(0, .full, .network), .cost(0, .full, bytes: 7)])
        #expect((with.compared, with.unmatched) == (1, 0))
    }
}
