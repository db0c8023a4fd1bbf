import CachePolicies
import Testing

@testable import ReplayEngine

@Suite("How a cache is written")
struct CacheConfigurationTests {
    @Test("Written out in full, every default shows, and it reads back as the same cache")
    func canonical() throws {
        let cache = try CacheConfiguration("memory: lru(10MB); disk: fifo(5 objects); connections: 2; store: diskOnly")
        let text = try cache.canonical(for: PolicyContext())
        #expect(
            text == """
                memory: lru(10MB); disk: fifo(5 objects); cost: held; holds: decoded; entryLimit: none; oversize: \
                ignored; memoryKey: url; memorySizes: one; sizeTolerance: 0; countsFrames: false; \
                memoryOnBackground: keep; memoryOnWarning: clear; pinsShown: false; live: none; \
                encodedMemory: none; \
                promotedForever: false; memoryLifetime: policy; memoryRevalidate: never; layout: md5-fanout; \
                diskContent: original; \
                overwrites: true; diskEntryLimit: none; diskOversize: ignored; diskFailures: ignored; \
                diskLifetime: policy; \
                diskRevalidate: never; keepsAccessDates: false; wholeSeconds: false; atomicWrites: true; keepsDamaged: \
                false; diskOverhead: 0B; diskBlock: \
                none; connections: 2; \
                prefetchConnections: none; connectionsPerHost: 6; fetchesPerSecond: none; burst: 25; order: fifo; \
                queue: own; coalesce: true; \
                coalesceDisk: false; keepsWaiters: false; failureReaches: all; fetchWhileScrolling: true; store: \
                diskOnly; promote: true; \
                prefetchInto: memory; prefetch: recorded; prefetchCancels: true; prefetchLast: false; \
                prefetchOnMetered: true; cancelOnDisappear: false; retries: 0; retriesAfter: anyFailure; retryDelay: \
                0s; \
                retryFactor: 2; \
                retryDelayLimit: 1d; undecodable: discarded; \
                cancelledReads: droppedWhileQueued; diskLanes: 1; diskOnMainLane: false; decodeLanes: 1; \
                decodeOnMainLane: false; \
                memoryHitsRenewFiles: false; sweepOnBackground: true; sweepOnTerminate: false
                """)
        #expect(try CacheConfiguration(text, name: cache.name) == cache)
    }

    @Test(
        "A mistake is pointed at",
        arguments: [
            ("memory: lru(10)", 12, "no unit"),
            ("memory: lru(10MB); dsk: lru(1MB)", 19, "no rule 'dsk'"),
            ("memory: lru(10MB); connections: 0", 19, "from 1"),
            ("memory: lru(10MB); store: nowhere", 19, "one of memoryAndDisk"),
            ("disk: lru(10MB)", 0, "needs a memory policy"),
            ("memory: lru(10MB); disk: lrv(1MB)", 25, "did you mean 'lru'"),
            ("lru(10MB); lru(50MB)", 11, "written 'disk: …'"),
            ("lru(10MB); retries: 1; retries: 2", 23, "'retries' is given twice"),
            (
                "memory: split(thumbnail: lru(10MB), full: lru(10MB)); memoryOnBackground: 1MB", 8,
                "memoryOnBackground: 1MB needs a policy that names its next victim"
            ),
        ])
    func mistakes(text: String, column: Int, message: String) {
        let error = #expect(throws: SpecError.self) { try CacheConfiguration(text) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.column == column)
    }

    @Test("Memory can be trimmed on the way to the background if the policy names its next victim")
    func memoryOnBackground() throws {
        for policy in [
            "qdlp(10MB)", "car(10MB)", "clock-pro(10MB)", "lecar(10MB)", "cacheus(10MB)", "none",
            "nscache(cost: 10MB, model: corelibs)", "nscache(cost: 10MB, model: gnustep, discardable: true)",
            "ttl(bloom(lru(10MB)), lifetime: 9s)",
        ] {
            _ = try CacheConfiguration("memory: \(policy); memoryOnBackground: 1MB")
        }
        _ = try CacheConfiguration("memory: split(thumbnail: lru(1MB), full: lru(1MB)); memoryOnBackground: clear")
    }
}
