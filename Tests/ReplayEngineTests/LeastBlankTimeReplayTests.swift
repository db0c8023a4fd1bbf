import CacheTraces
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("No replay is below its least blank time")
struct LeastBlankTimeReplayTests {
    /// The recorded sessions whose cells disappear.
    static let sessions = AgreementTests.bundled.filter { $0.contains("/stress-") }

    /// Caches whose memory has a price, and rules of the pipeline under which images come late, or in another order.
    static let settings = [
        "memory: lru(16MB)", "memory: gdsf(16MB); order: lifo", "memory: lru(64MB); order: visibleFirst",
        "memory: sieve(64MB); order: lifo; cancelOnDisappear: true", "memory: lru(16MB); cancelOnDisappear: true",
        "memory: lru(64MB); connections: 2", "memory: lru(16MB); connections: 12; connectionsPerHost: none",
        "memory: lru(32MB); fetchWhileScrolling: false", "memory: lru(8MB); holds: encoded", "memory: none",
        "memory: unbounded; order: lifo", "memory: lru(8MB); decodeOnMainLane: true; retries: 2; retryDelay: 100ms",
        "memory: lru(40 objects); order: lifo", "memory: lru(8MB); disk: lru(500MB); order: lifo; diskLanes: 4",
        "memory: none; disk: lru(8MB); coalesceDisk: true", "memory: lru(16MB); memoryOnWarning: keep; pinsShown: true",
    ]

    /// Prefetches that are planned, delayed, dropped, cancelled, or loaded beside requests that are held back.
    static let prefetching = [
        "memory: lru(16MB); prefetch: rows(2)", "memory: lru(8MB); prefetch: next(12); prefetchLast: true; order: lifo",
        "memory: lru(16MB); prefetch: velocity(500ms); cancelOnDisappear: true",
        "memory: lru(16MB); prefetch: rows(2); fetchWhileScrolling: false",
        "memory: lru(32MB); prefetch: rows(4); prefetchConnections: 2; prefetchCancels: false",
        "memory: lru(8MB); disk: lru(500MB); prefetch: rows(2); coalesceDisk: true; prefetchInto: memoryIfFetched",
        "memory: lru(8MB); disk: lru(8MB); prefetch: next(4); fetchWhileScrolling: false; diskLanes: 4",
        "memory: lru(16MB); prefetch: rows(2); pinsShown: true; memoryOnWarning: keep",
        "memory: lru(8MB); prefetch: rows(2); retries: 2; retryDelay: 100ms; connections: 2",
    ]

    /// The bounds of a session that are known, because many caches have the same rules.
    private struct Bounds {
        let trace: PreparedTrace
        let network: ReplayJob.Network
        let rounds: Int
        private var known: [(rules: LeastBlankTime.Rules, least: LeastBlankTime)] = []

        init(_ trace: PreparedTrace, _ network: ReplayJob.Network, rounds: Int) {
            (self.trace, self.network, self.rounds) = (trace, network, rounds)
        }

        mutating func least(_ rules: LeastBlankTime.Rules) -> LeastBlankTime {
            if let found = known.first(where: { $0.rules == rules }) { return found.least }
            let least = LeastBlankTime(trace, rules, network, rounds: rounds)
            known.append((rules: rules, least: least))
            return least
        }
    }

    /// Replays a session through caches. Returns the numbers of caches that were compared, and of those that are
    /// exempt.
    private func compare(
        _ path: String, _ network: ReplayJob.Network, _ caches: [String], rounds: Int
    ) throws -> (compared: Int, exempt: Int) {
        let trace = try PreparedTrace(Trace(contentsOf: path), network: network)
        var bounds = Bounds(trace, network, rounds: rounds)
        var counts = (compared: 0, exempt: 0)
        for (index, cache) in caches.enumerated() {
            var job = ReplayJob(trace: "t", cache: try CacheConfiguration(specification: cache))
            job.timing = .modelled(.standard)
            job.decode = index % 2 == 0
            job.network = network
            job.timeline = .none
            let result = try job.run(trace)
            guard try LeastBlankTime.exemptions(of: job, in: trace, result).isEmpty else {
                counts.exempt += 1
                continue
            }
            let limit = try job.cache.memoryLimit(in: trace.context) ?? Int(result.tiers.memoryPeakBytes)
            let least = bounds.least(.init(job, memoryLimit: limit))
            #expect(result.blank.blankTime >= Double(least.bound), "\(cache): \(least)")
            #expect(least.firstBytes > 0, "\(cache): \(least)")
            #expect(abs(least.visibleTime - result.blank.visibleTime) <= 1e-9 * least.visibleTime)
            counts.compared += 1
        }
        return counts
    }

    @Test("Orders, connections, limits and cancelling, over LTE and 3G", arguments: sessions)
    func levers(path: String) throws {
        for network in [ReplayJob.Network.profile(.lte), .profile(.threeG)] {
            let counts = try compare(path, network, Self.settings, rounds: 8)
            #expect(counts.compared >= Self.settings.count - 1)
        }
    }

    @Test("Planned prefetches, over LTE and 3G; a cache that knows the future is exempt", arguments: sessions)
    func planned(path: String) throws {
        for network in [ReplayJob.Network.profile(.lte), .profile(.threeG)] {
            let caches = Self.prefetching + ["memory: lru(16MB); prefetch: oracle(2s)"]
            let counts = try compare(path, network, caches, rounds: 6)
            // Pinned images can exceed the limit of memory.
            #expect(counts.compared >= Self.prefetching.count - 1 && counts.exempt >= 1, "\(counts)")
        }
    }

    @Test("Recorded prefetches, over LTE, the recorded network, and the link that is estimated from it")
    func recordedPrefetches() throws {
        let path = try #require(AgreementTests.bundled.first { $0.hasSuffix("/synthetic-gallery.jsonl") })
        let trace = try Trace(contentsOf: path)
        #expect(trace.recordsPrefetches)
        let shared = try ReplayJob.Network.sharedLink(of: trace)
        for network in [ReplayJob.Network.profile(.lte), ReplayJob.Network.recorded, shared].compactMap({ $0 }) {
            let counts = try compare(path, network, Self.settings, rounds: 6)
            #expect(counts.compared >= Self.settings.count - 1, "\(counts)")
        }
    }

    @Test("The least blank time of all caches without a limit of memory, as shares of the visible time")
    func shares() throws {
        // First loads alone, without decoding: a program in another language has these figures.
        let expected: [(session: String, lte: Double, threeG: Double)] = [
            ("feed", 0.1054, 0.3353), ("flicks", 0.0208, 0.0834), ("grid", 0.0159, 0.0675),
            ("return", 0.0414, 0.1637), ("search", 0.0269, 0.0821),
        ]
        for (session, lte, threeG) in expected {
            let path = try #require(Self.sessions.first { $0.hasSuffix("/stress-\(session).jsonl") })
            let trace = try PreparedTrace(Trace(contentsOf: path))
            for (profile, share) in [(NetworkProfile.lte, lte), (NetworkProfile.threeG, threeG)] {
                let least = LeastBlankTime(trace, .init(), .profile(profile), rounds: 2)
                let alone = Double(least.firstBytes + least.transfers) / least.visibleTime
                #expect(abs(alone - share) < 0.0001, "\(session) over \(profile.name): \(alone)")
                #expect(least.processing == 0 && least.memory == 0)
            }
        }
    }

    @Test("Every preset, over LTE", arguments: sessions)
    func presets(path: String) throws {
        let counts = try compare(path, .profile(.lte), CachePreset.all.map(\.name), rounds: 4)
        #expect(counts.compared >= CachePreset.all.count / 2 && counts.exempt > 0, "\(counts)")
    }

    @Test("A bound of what caches have in common, with any disk and any connections, over LTE", arguments: sessions)
    func covering(path: String) throws {
        let network = ReplayJob.Network.profile(.lte)
        let trace = try PreparedTrace(Trace(contentsOf: path), network: network)
        var rules: [LeastBlankTime.Rules] = []
        var blank: [Double] = []
        for cache in [
            "memory: lru(16MB)", "memory: gdsf(16MB); order: lifo", "memory: lru(16MB); holds: encoded",
            "memory: lru(16MB); connections: 12; connectionsPerHost: none",
            "memory: lru(16MB); disk: lru(500MB); decodeOnMainLane: true", "memory: lru(8MB); disk: lru(8MB)",
        ] {
            var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
            (job.timing, job.decode, job.network, job.timeline) = (.modelled(.standard), true, network, .none)
            let result = try job.run(trace)
            guard try LeastBlankTime.exemptions(of: job, in: trace, result).isEmpty else { continue }
            rules.append(.init(job, memoryLimit: 16_000_000))
            blank.append(result.blank.blankTime)
        }
        #expect(rules.count >= 5)
        let least = LeastBlankTime(trace, .init(covering: rules, memoryLimit: 16_000_000), network, rounds: 8)
        #expect(least.firstBytes > 0 && least.connections == 0)
        #expect(blank.allSatisfy { $0 >= Double(least.bound) }, "\(blank) \(least)")
    }

    @Test("The recorded network, and the link that is estimated from it", arguments: sessions)
    func recorded(path: String) throws {
        let trace = try Trace(contentsOf: path)
        let shared = try ReplayJob.Network.sharedLink(of: trace)
        for network in [ReplayJob.Network.recorded, shared].compactMap({ $0 }) {
            _ = try compare(path, network, Array(Self.settings.prefix(4)), rounds: 6)
        }
    }

    @Test("A link with measured rates and an outage", arguments: sessions.prefix(2))
    func outage(path: String) throws {
        var profile = NetworkProfile(
            name: "tunnel", bytesPerSecond: 1e6, connect: 100_000_000, firstByte: 80_000_000,
            outages: [.init(start: 20_000_000_000, end: 26_000_000_000)])
        _ = try compare(path, .profile(profile), Array(Self.settings.prefix(4)), rounds: 6)
        // 1 MB/s for a second, nothing for half a second, and 0.5 MB/s for half a second.
        profile.measured = MeasuredLink(interval: 500_000_000, bytes: [500_000, 500_000, 0, 250_000])
        profile.outages = []
        _ = try compare(path, .profile(profile), Array(Self.settings.prefix(4)), rounds: 6)
    }
}
