import Basics
import CachePolicies
import CacheSimulation
import CacheTraces
import SessionModel
import Testing

@testable import ReplayEngine

/// Traces that a recorder may well write, and that no one would write by hand.
@Suite("Nasty traces")
struct NastyTraceTests {
    private func replay(_ trace: Trace, _ cache: String, _ timing: CostModel = .standard) throws -> RunResult {
        var job = ReplayJob(trace: "nasty", cache: try CacheConfiguration(cache))
        job.timing = .modelled(timing)
        return try job.run(trace)
    }

    private func trace(_ events: [TraceEvent], objects: Int = 2, bytes: Int? = 1_000) -> Trace {
        Trace(objects: (0..<objects).map { TraceObject(key: "k\($0)", bytes: bytes) }, events: events)
    }

    @Test("The timeline of a session whose first event comes late begins at 0")
    func lateStart() throws {
        let late = trace([
            TraceEvent(time: 5_200_000, .appear(0, .full)), TraceEvent(time: 6_100_000, .appear(0, .full)),
        ])
        let result = try replay(late, "lru(1MB)")
        #expect(result.timeline.map(\.second) == [0, 5, 6])
        #expect(result.timeline.map(\.requests) == [0, 1, 1])
        #expect(result.traceDuration == 900_000_000)
    }

    @Test("Times of a calendar are refused with a remedy")
    func calendarTimes() throws {
        let epoch: Int64 = 1_700_000_000_000_000
        let calendar = trace([
            TraceEvent(time: epoch, .appear(0, .full)), TraceEvent(time: epoch + 1, .appear(1, .full)),
        ])
        let error = #expect(throws: ReplayError.self) { try replay(calendar, "lru(1MB)") }
        #expect(error?.description.contains("19675 days") == true, "\(String(describing: error))")
        #expect(error?.description.contains("microseconds") == true)
    }

    @Test("Cells that stay for a month add up to centuries")
    func centuriesOfVisibleTime() throws {
        let month: Int64 = 30 * 86_400_000_000
        let appearances = (0..<8_000).map { TraceEvent(time: Int64($0), .appear(0, .full)) }
        let result = try replay(trace(appearances + [TraceEvent(time: month, .background)]), "lru(1MB)")
        #expect(result.counts.requests == 8_000)
        #expect(abs(result.blank.visibleTime / (8_000 * Double(month) * 1_000) - 1) < 1e-6)
        #expect(result.blank.blankTime < result.blank.visibleTime / 1_000)
    }

    @Test("A fetch that took centuries is refused with a remedy")
    func centuriesOfLatency() throws {
        let fetch = Fetch(bytes: 1_000, timeToFirstByte: 1 << 53, transferTime: 1 << 53)
        let slow = trace([TraceEvent(time: 0, .fetch(1, fetch)), TraceEvent(time: 0, .appear(1, .full))])
        let error = #expect(throws: ReplayError.self) { try replay(slow, "lru(1MB)") }
        #expect(error?.description.contains("k1") == true, "\(String(describing: error))")
    }

    @Test("A day-long fetch is replayed, also when all wait for one connection")
    func longFetches() throws {
        let fetch = Fetch(bytes: 1_000, timeToFirstByte: 86_400_000_000, transferTime: 0)
        let events = (0..<50).flatMap {
            [TraceEvent(time: 0, .fetch($0, fetch)), TraceEvent(time: 0, .appear($0, .full))]
        }
        let result = try replay(trace(events, objects: 50), "memory: lru(1MB); connections: 1")
        #expect(result.counts.originFetches == 50)
    }

    /// No client waits for the end of a 102; a 204 has no body to show. What succeeded is asked for as a success.
    @Test(
        "The origin is asked for what the recording came to",
        arguments: [
            (0, 0), (1, 0), (100, 0), (199, 0), (200, 200), (204, 200), (206, 200), (304, 200), (301, 301), (404, 404),
            (999, 999),
        ])
    func statuses(recorded: Int, asked: Int) {
        let trace = trace([TraceEvent(time: 0, .fetch(0, Fetch(status: recorded, timeToFirstByte: 5)))])
        var network = NetworkModel(trace, sizes: [1_000, 1_000], seed: 1)
        #expect(network.sample(0, nth: 0).status == asked)
        #expect(network.sample(0, nth: 7).status == asked)
    }

    @Test("No events, no time, no bytes")
    func nothing() throws {
        let empty = try replay(trace([]), "memory: lru(1MB); disk: lru(1MB)")
        #expect(empty.counts.requests == 0 && empty.timeline.count == 1)
        let weightless = trace((0..<9).map { TraceEvent(time: 0, .appear($0 % 2, .full)) }, bytes: 0)
        let result = try replay(weightless, "memory: lru(0B); disk: lru(0 objects)", .instant)
        // Objects of size 0 fit into a cache of 0 bytes.
        #expect(result.counts.memoryHits == 7 && result.counts.originFetches == 2)
    }

    @Test("Hits in simulation are hits in the replay that takes no time, on traces without rhyme or reason")
    func agreement() throws {
        let policies = [
            "lru(3kB)", "lru(2 objects)", "fifo(4kB, 3 objects)", "nscache(cost: 3kB)",
            "nscache(count: 2, model: corelibs)",
            "ttl(lru(4kB), lifetime: 300ms)", "ttl(fifo(5kB), lifetime: 400ms, sweep: 250ms, checkOnRead: false)",
            "ttl(lru(4kB), lifetime: 200ms, sweep: 90ms, extendOnAccess: true)",
            "split(thumbnail: lru(2 objects), full: ttl(lru(3kB), lifetime: 300ms, sweep: 100ms))",
            "ttl(ttl(lru(4kB), lifetime: 200ms, sweep: 130ms), lifetime: 300ms, sweep: 70ms)",
        ]
        var random = SplitMix64(seed: 9)
        for round in 0..<200 {
            var events: [TraceEvent] = []
            var time: Int64 = 0
            for _ in 0..<200 {
                time += [0, 0, 1, 40_000, 90_000][Int(random.next() % 5)]
                let object = ObjectID(random.next() % 8)
                let variant: Variant = random.next() % 3 == 0 ? .thumbnail : .full
                let status = [200, 200, 204, 304, 404, 500, 0][Int(random.next() % 7)]
                let action: TraceEvent.Action =
                    switch random.next() % 24 {
                    case 0..<13: .appear(object, variant)
                    case 13..<17: .disappear(object, variant)
                    case 17: .prefetch(object, variant)
                    case 18..<21: .fetch(object, Fetch(status: status, timeToFirstByte: status % 3 == 0 ? nil : 1_000))
                    case 21: random.next() % 4 == 0 ? .terminate : .background
                    case 22: random.next() % 4 == 0 ? .memoryWarning : .foreground
                    default:
                        .scroll([.dragged, .decelerating, .atRest][Int(random.next() % 3)], offset: 0, velocity: 0)
                    }
                events.append(TraceEvent(time: time, action))
            }
            let sizes: [Int?] = [0, 1, 900, 1_000, nil, 2_999, 3_000, 5_000]
            let trace = Trace(objects: sizes.enumerated().map { TraceObject(key: "k\($0)", bytes: $1) }, events: events)
            let policy = policies[round % policies.count]
            let counts = Simulation.run(DenseTrace(trace), try PolicyContext().policy(policy))
            let result = try replay(trace, "memory: \(policy)", .instant)
            #expect(result.counts.requests == counts.requests, "\(round): \(policy)")
            #expect(result.counts.memoryHits == counts.requests - counts.misses, "\(round): \(policy)")
            #expect(result.counts.staleHits == counts.staleHits, "\(round): \(policy)")
            #expect(result.tiers.memoryEvictions == counts.evictions, "\(round): \(policy)")
        }
    }
}
