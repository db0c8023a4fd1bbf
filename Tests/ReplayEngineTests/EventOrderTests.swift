import SessionModel
import Testing

@testable import ReplayEngine

/// The rules of "Order at one time" in ReplaySemantics.md, and what follows from them.
@Suite("The order of what happens at one time")
struct EventOrderTests {
    private enum Step {
        case appear(String), disappear(String), warning
    }

    /// No operation takes time, but recorded fetches do.
    private static var costs: CostModel {
        var costs = CostModel.instant
        costs.pngEncodeRate = .max - 1  // Differs from `instant`, for which the network takes no time either.
        return costs
    }

    /// Replays actions at microseconds. Each fetch of an object takes its time to the first byte.
    private func replay(
        _ cache: String, network: [(object: String, time: Int64, status: Int)],
        _ steps: [(time: Int64, step: Step)]
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        var builder = TraceBuilder()
        builder.append(TraceEvent(time: 0, .foreground))
        for (object, time, status) in network {
            let id = builder.object(object)
            builder.update(id) { $0.bytes = 1_000 }
            builder.append(
                TraceEvent(time: 0, .fetch(id, Fetch(status: status, bytes: 1_000, timeToFirstByte: time))))
        }
        for (time, step) in steps {
            switch step {
            case .appear(let object): builder.append(TraceEvent(time: time, .appear(builder.object(object), .full)))
            case .disappear(let object):
                builder.append(TraceEvent(time: time, .disappear(builder.object(object), .full)))
            case .warning: builder.append(TraceEvent(time: time, .memoryWarning))
            }
        }
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
        job.timing = .modelled(Self.costs)
        return try job.runRecordingRequests(builder.finish())
    }

    @Test("What ends at the time of an event ends before the event; a microsecond earlier, it is in progress")
    func endsFirst() throws {
        for (time, outcome) in [(Int64(9_999), RequestOutcome.coalesced), (10_000, .memoryHit)] {
            let (_, requests) = try replay(
                "memory: unbounded", network: [("A", 10_000, 200)],
                [(0, .appear("A")), (time, .appear("A"))])
            #expect(requests.map(\.outcome) == [.origin, outcome])
        }
    }

    @Test("An image that is ready when its cell disappears was shown")
    func shownAtTheEnd() throws {
        for (time, outcome) in [(Int64(9_999), RequestOutcome.cancelled), (10_000, .origin)] {
            let (result, requests) = try replay(
                "memory: unbounded; cancelOnDisappear: true", network: [("A", 10_000, 200)],
                [(0, .appear("A")), (time, .disappear("A"))])
            #expect(requests.map(\.outcome) == [outcome])
            #expect(result.counts.shown == (outcome == .origin ? 1 : 0))
        }
    }

    @Test("Events of one time are handled in the order of the trace")
    func traceOrder() throws {
        for isWarningFirst in [true, false] {
            let last: [(time: Int64, step: Step)] = [(20_000, .warning), (20_000, .appear("A"))]
            let (_, requests) = try replay(
                "memory: unbounded", network: [("A", 10_000, 200)],
                [(0, .appear("A"))] + (isWarningFirst ? last : last.reversed()))
            #expect(requests.map(\.outcome) == [.origin, isWarningFirst ? .origin : .memoryHit])
        }
    }

    @Test("What an event starts and what takes no time ends before the next event of the same time")
    func chains() throws {
        let (_, requests) = try replay(
            "memory: unbounded", network: [("A", 0, 200), ("B", 1, 200)],
            [(5, .appear("A")), (5, .appear("A")), (5, .appear("B")), (5, .appear("B"))])
        #expect(requests.map(\.outcome) == [.origin, .memoryHit, .origin, .coalesced])
    }

    @Test("Operations that end at one time end in the order in which they were started")
    func startOrder() throws {
        // Both end after 20 ms. The memory of one object keeps the one that is stored last.
        for (first, second) in [("A", "B"), ("B", "A")] {
            let (_, requests) = try replay(
                "memory: lru(1 objects)", network: [(first, 20_000, 200), (second, 10_000, 200)],
                [(0, .appear(first)), (10_000, .appear(second)), (30_000, .appear(second))])
            #expect(requests.map(\.outcome) == [.origin, .origin, .memoryHit])
        }
    }

    @Test("After the ends of operations come alarms, such as that of a retry, and then the events")
    func alarms() throws {
        // A fails at 10 ms and rests until 20 ms. B takes the only connection from 11 to 20 ms, C waits since 12 ms,
        // and D appears at 20 ms. The latest request goes first. At 20 ms, B ends: C is the only one that waits. Then
        // A's retry waits, and D behind it: D goes first, at 30 ms, and A at 40 ms.
        let (_, requests) = try replay(
            "memory: unbounded; connections: 1; order: lifo; retries: 1; retryDelay: 10ms",
            network: [
                ("A", 10_000, 503), ("A", 10_000, 200), ("B", 9_000, 200), ("C", 10_000, 200), ("D", 10_000, 200),
            ],
            [
                (0, .appear("A")), (11_000, .appear("B")), (12_000, .appear("C")),
                (20_000, .appear("D")),
            ])
        #expect(requests.map(\.delivered) == [50_000_000, 20_000_000, 30_000_000, 40_000_000])
    }

    @Test("Timers of policies run before all else of the same time")
    func timers() throws {
        // A, stored at 10 ms, expires at 10.010 s and is swept at 20 s, when B arrives and needs its room.
        for (sweep, evictions) in [("20s", 0), ("21s", 1)] {
            let (result, _) = try replay(
                "memory: ttl(fifo(1 objects), lifetime: 10s, sweep: \(sweep))",
                network: [("A", 10_000, 200), ("B", 10_000, 200)],
                [(0, .appear("A")), (19_990_000, .appear("B")), (22_000_000, .warning)])
            #expect(result.tiers.memoryEvictions == evictions)
            #expect(result.tiers.memoryExpirations == 1 - evictions)
        }
    }

    @Test("An object expires at the end of its lifetime, before an event of that time")
    func lifetimes() throws {
        for (time, outcome) in [(Int64(10_009_999), RequestOutcome.memoryHit), (10_010_000, .origin)] {
            let (_, requests) = try replay(
                "memory: ttl(fifo(9 objects), lifetime: 10s)", network: [("A", 10_000, 200)],
                [(0, .appear("A")), (time, .appear("A"))])
            #expect(requests.map(\.outcome) == [.origin, outcome])
        }
    }

    @Test("Transfers over the shared link end after other operations of the same time")
    func sharedLink() throws {
        var builder = TraceBuilder()
        for name in ["A", "B"] {
            let id = builder.object(name)
            builder.update(id) { $0.bytes = 1_000 }
        }
        let trace = builder.finish()
        let cache = try CacheConfiguration("memory: unbounded")
        let images = ImageSizes(trace, sizes: trace.resolvedSizes())
        let objects = ReplayObjects(
            keys: ["A", "B"], images: images, memory: cache.memoryRules, disk: cache.diskRules, hasDisk: false)
        let memory = try CacheContext(images, registry: .builtIn).memory(cache.memoryRules).policy(cache.memory)
        let tiers = ModelledTiers(objects, memory: memory, disk: nil, costs: Self.costs)
        var lanes = VirtualLanes(
            tiers, ModelledNetwork(images: images), costs: .standard,
            link: LinkRate(segments: [LinkRate.Segment(start: 0, rate: 1)]))
        // 1,000 bytes at 1 byte per nanosecond, after 500 ns; and a fetch of 1,500 ns that is started later.
        let shared = NetworkModel.Sample(
            status: 200, timeToFirstByte: 500, transferTime: 0, load: LinkLoad(bytes: 1_000, limit: .infinity))
        try lanes.start(fetch: 0, ImageKey(object: 0, variant: 1), shared, conditions: [])
        try lanes.start(
            fetch: 1, ImageKey(object: 1, variant: 1),
            NetworkModel.Sample(status: 200, timeToFirstByte: 1_500, transferTime: 0), conditions: [])
        var ends: [(fetch: Int, time: Int64)] = []
        while case .fetched(let fetch, _)? = try lanes.nextStep(until: nil) { ends.append((fetch, lanes.now)) }
        #expect(ends.map(\.fetch) == [1, 0])
        #expect(ends.map(\.time) == [1_500, 1_500])
    }
}
