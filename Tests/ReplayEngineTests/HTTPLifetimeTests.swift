import CachePolicies
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Lifetimes by HTTP headers in policies that have none")
struct HTTPLifetimeTests {
    /// Requests of an object with `max-age=10` at 0, 5 and 20 s, and of one without headers.
    private func result(_ cache: String) throws -> RunResult {
        var story = Story(network: [("A", 1, 200), ("B", 1, 200)])
        for (name, time) in [("A", 0), ("B", 1_000), ("A", 5_000), ("A", 20_000), ("B", 21_000)] {
            story.appear(name, at: Int64(time))
        }
        story.append(.foreground, at: 30_000)
        var trace = story.trace
        trace.objects[0].headers = [HTTPField("cache-control", "max-age=10")]
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        return try job.run(trace)
    }

    @Test(
        "An object with max-age=10 that is requested at 20 s is fetched again",
        arguments: [
            "memory: lru(9kB)", "memory: unbounded", "memory: nscache(cost: 9kB)", "memory: trim(9kB)",
            "memory: max-size(lru(9kB), limit: 5kB)", "memory: ttl(lru(9kB), lifetime: 1h)",
            "memory: split(thumbnail: lru(9kB), full: lru(9kB))",
            "memory: split(thumbnail: ttl(lru(9kB), lifetime: 1h), full: lru(9kB))",
        ])
    func memory(cache: String) throws {
        let http = try result("\(cache); memoryLifetime: http; holds: encoded")
        #expect(http.counts.memoryHits == 2 && http.counts.originFetches == 3 && http.counts.staleHits == 0)
        // By the policy alone, the object is still there.
        let policy = try result("\(cache); holds: encoded")
        #expect(policy.counts.memoryHits == 3 && policy.counts.originFetches == 2)
    }

    @Test("The same on disk", arguments: ["lru(9kB)", "unbounded", "trim(9kB)", "ttl(lru(9kB), lifetime: 1h)"])
    func disk(policy: String) throws {
        let http = try result("memory: none; disk: \(policy); diskLifetime: http")
        #expect(http.counts.diskHits == 2 && http.counts.originFetches == 3)
        let plain = try result("memory: none; disk: \(policy)")
        #expect(plain.counts.diskHits == 3 && plain.counts.originFetches == 2)
    }

    @Test("The specification stays as it was written, and the victims of a warning too")
    func specification() throws {
        let cache = try CacheConfiguration(
            "memory: lru(9kB); memoryLifetime: http; memoryOnWarning: 4kB; holds: encoded")
        #expect(cache.memory.description == "lru(9kB)")
        let running = try CacheContext(PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1)))
            .memoryPolicy(of: cache)
        #expect(running.namesVictims)
    }
}
