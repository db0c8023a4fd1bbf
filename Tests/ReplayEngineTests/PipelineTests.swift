import SessionModel
import Testing

@testable import ReplayEngine

/// In modelled timing, a memory lookup takes 1 µs and a memory store 2 µs. A disk lookup takes 5 µs, a read of 1,000
/// bytes 101 µs more, and a write 202 µs. A tier whose policy keeps nothing is looked up too. Latencies below are
/// sums of these and of the network's.
@Suite("The pipeline on small stories")
struct PipelineTests {
    @Test("A miss is fetched, a hit is not, and both times to image are the sum of their parts")
    func missAndHit() throws {
        var story = Story(network: [("A", 100, 200)])
        story.appear("A", at: 0)
        story.appear("A", at: 500)
        let result = try story.replay("lru(10kB)")
        #expect(result.counts.originFetches == 1)
        #expect(result.counts.memoryHits == 1)
        // The fetch starts at once; the lookup is charged to the main lane, the store to it too.
        #expect(result.latency(.origin).max == 100_000_000 + 2_000)
        #expect(result.latency(.memoryHit).max == 1_000)
        #expect(result.tiers.originBytes == 1_000)
        #expect(result.tiers.memoryPeakBytes == 1_000)
    }

    @Test("A request of an object under way joins its fetch")
    func coalescing() throws {
        var story = Story(network: [("A", 100, 200)])
        for time in [0, 10, 20] { story.appear("A", at: Int64(time)) }
        let joined = try story.replay("lru(10kB)")
        #expect(joined.counts.originFetches == 1)
        #expect(joined.counts.coalesced == 2)
        #expect(joined.latency(.coalesced).max == 90_002_000)
        let alone = try story.replay("memory: lru(10kB); coalesce: false")
        #expect(alone.counts.originFetches == 3)
        #expect(alone.tiers.originBytes == 3_000)
    }

    @Test("One connection: fetches queue first in first out, last in first out, or what is seen first")
    func connections() throws {
        var story = Story(network: [("A", 100, 200), ("B", 100, 200), ("C", 100, 200)])
        story.appear("A", at: 0)
        story.appear("B", at: 10)
        story.appear("C", at: 20)
        story.disappear("B", at: 30)
        story.append(.foreground, at: 400)
        // A ends at 100 ms; then B, C; or C, B. B's cell is gone and no cell shows its image.
        let fifo = try story.replay("memory: none; connections: 1")
        #expect(fifo.counts.originFetches == 3)
        #expect(fifo.latency(.origin).count == 2)
        #expect(fifo.latency(.origin).max == 280_002_000)
        #expect(try story.replay("memory: none; connections: 1; order: lifo").latency(.origin).max == 180_002_000)
        #expect(
            try story.replay("memory: none; connections: 1; order: visibleFirst").latency(.origin).max == 180_002_000)
        #expect(try story.replay("memory: none; connections: 3").latency(.origin).max == 100_002_000)
    }

    @Test("With queue: recorded, a fetch first waits as long as that of the recording")
    func recordedQueue() throws {
        // The recording's client held A back for 50 ms, and then fetched it in 100 ms. B had no wait.
        var builder = TraceBuilder()
        for (name, queued) in [("A", Int64(50_000)), ("B", 0)] {
            let id = builder.object(name)
            builder.update(id) { $0.bytes = 1_000 }
            let fetch = Fetch(status: 200, bytes: 1_000, queued: queued, timeToFirstByte: 100_000, transferTime: 0)
            builder.append(TraceEvent(time: 0, .fetch(id, fetch)))
        }
        for (time, name) in [(Int64(0), "A"), (10_000, "B"), (500_000, "A"), (900_000, "B")] {
            builder.append(TraceEvent(time: time, .appear(builder.object(name), .full)))
        }
        let trace = builder.finish()
        func times(_ cache: String) throws -> [Int64] {
            var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
            job.timing = .modelled(.standard)
            return try job.runRecordingRequests(trace).requests.map { ($0.delivered - $0.appeared) / 1_000_000 }
        }
        #expect(try times("memory: none") == [100, 100, 100, 100])
        // The second fetch of A is not in the recording, and does not wait.
        #expect(try times("memory: none; queue: recorded") == [150, 100, 100, 100])
        // A waits for no connection meanwhile: B, which appears later, gets the only one until 110 ms.
        #expect(try times("memory: none; queue: recorded; connections: 1") == [210, 100, 100, 100])
        // The wait is one for a connection, and a relaunch ends it.
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration("memory: none; queue: recorded"))
        job.timing = .modelled(.standard)
        let rows = try job.explain(try PreparedTrace(trace)).requests
        let waits = try #require(rows[0].explanation).waits
        #expect(waits[Wait.connectionQueue.rawValue] == 50_000_000 && waits[Wait.firstByte.rawValue] == 100_000_000)
        var relaunched = trace
        relaunched.events.insert(TraceEvent(time: 20_000, .terminate), at: 4)
        #expect(try job.run(relaunched).counts.originFetches == 2)
    }

    @Test("A disk hit is promoted to memory, unless the cache does not")
    func promotion() throws {
        var story = Story(network: [("A", 1, 200)])
        story.appear("A", at: 0)
        story.append(.memoryWarning, at: 100)
        story.appear("A", at: 200)
        story.appear("A", at: 300)
        let promoting = try story.replay("memory: lru(10kB); disk: lru(10kB)")
        #expect(promoting.counts.diskHits == 1)
        #expect(promoting.counts.memoryHits == 1)
        #expect(promoting.latency(.diskHit).max == 106_000 + 2_000)
        #expect(promoting.tiers.diskWrittenBytes == 1_000)
        #expect(promoting.tiers.diskReadBytes == 1_000)
        let keeping = try story.replay("memory: lru(10kB); disk: lru(10kB); promote: false")
        #expect(keeping.counts.diskHits == 2)
        let clearing = try story.replay("memory: lru(10kB); disk: lru(10kB); memoryOnWarning: keep")
        #expect(clearing.counts.memoryHits == 2)
    }

    @Test("Requests and a prefetch that share one disk read share its promotion")
    func sharedDiskRead() throws {
        var story = Story(network: [("A", 1, 200)])
        story.appear("A", at: 0)
        story.append(.terminate, at: 100)
        story.appear("A", at: 200)
        story.appear("A", at: 200)
        story.prefetch("A", at: 200)
        let result = try story.replay("memory: lru(10kB); disk: lru(10kB); coalesceDisk: true")
        #expect(result.counts.diskHits == 2)
        #expect(result.tiers.diskReadBytes == 1_000)
        // One read of 106 µs, and one store of 2 µs for both requests.
        #expect(result.latency(.diskHit).max == 108_000)
    }

    @Test("A request joins the disk read of a prefetch, and its object is promoted")
    func joinedPrefetch() throws {
        var story = Story(network: [("A", 1, 200)])
        story.appear("A", at: 0)
        story.append(.terminate, at: 100)
        story.prefetch("A", at: 200)
        story.appear("A", at: 200)
        story.appear("A", at: 300)
        let cache = "memory: lru(10kB); disk: lru(10kB); prefetchInto: memoryIfFetched"
        let joined = try story.replay("\(cache); coalesceDisk: true")
        #expect(joined.tiers.diskReadBytes == 1_000)
        #expect(joined.counts.diskHits == 1)
        #expect(joined.counts.memoryHits == 1)
        #expect(try story.replay(cache).tiers.diskReadBytes == 2_000)
    }

    @Test(
        "A prefetch ends where the rule says, unless a request waits for its image",
        arguments: [
            // By hand: A is fetched ahead of need, and its cell appears 300 ms later.
            ("memory", 1, 0, 0), ("memoryIfFetched", 1, 0, 0), ("disk", 0, 1, 1_000),
        ])
    func destinations(_ destination: String, memoryHits: Int, diskHits: Int, read: Int64) throws {
        var story = Story(network: [("A", 1, 200), ("B", 100, 200)])
        story.prefetch("A", at: 0)
        story.appear("A", at: 300)
        let cache = "memory: lru(10kB); disk: lru(10kB); prefetchInto: \(destination)"
        let alone = try story.replay(cache)
        #expect(alone.counts.memoryHits == memoryHits)
        #expect(alone.counts.diskHits == diskHits)
        #expect(alone.tiers.diskReadBytes == read)
        #expect(alone.prefetch.used == 1)
        // The cell of B appears while B is fetched, so B is stored in memory for the cell that comes later.
        story.prefetch("B", at: 400)
        story.appear("B", at: 450)
        story.appear("B", at: 900)
        #expect(try story.replay(cache).counts.memoryHits == memoryHits + 1)
    }

    @Test("A prefetch that ends on the disk needs a disk that stores")
    func destinationWithoutDisk() throws {
        for cache in ["disk: none", "disk: lru(10kB); store: memoryOnly"] {
            #expect {
                _ = try CacheConfiguration(specification: "memory: lru(10kB); \(cache); prefetchInto: disk")
            } throws: { "\($0)".contains("write prefetchInto: memory, or") }
        }
    }

    @Test(
        "The store option says where a fetched object goes",
        arguments: [
            ("memoryAndDisk", 1, 0, 1), ("memoryOnly", 1, 0, 0), ("diskOnly", 0, 1, 1), ("none", 0, 0, 0),
        ])
    func storeOptions(option: String, memoryHits: Int, diskHits: Int, written: Int64) throws {
        var story = Story(network: [("A", 1, 200)])
        story.appear("A", at: 0)
        story.appear("A", at: 200)
        let result = try story.replay("memory: lru(10kB); disk: lru(10kB); store: \(option)")
        #expect(result.counts.memoryHits == memoryHits)
        #expect(result.counts.diskHits == diskHits)
        #expect(result.tiers.diskWrittenBytes == written * 1_000)
    }

    @Test("A fetch that no request waits for is cancelled, if the cache cancels")
    func cancelling() throws {
        var story = Story(network: [("A", 100, 200), ("B", 100, 200)])
        story.appear("A", at: 0)
        story.appear("A", at: 10)
        story.appear("B", at: 10)
        story.disappear("A", at: 20)
        story.disappear("B", at: 30)
        story.appear("B", at: 500)
        let cancelling = try story.replay("memory: lru(10kB); cancelOnDisappear: true")
        // The first A leaves, the second still waits: its fetch goes on. B's is given up, and made anew at 500.
        #expect(cancelling.counts.cancelled == 2)
        #expect(cancelling.counts.coalesced == 1)
        #expect(cancelling.counts.originFetches == 1)
        let patient = try story.replay("lru(10kB)")
        #expect(patient.counts.cancelled == 0)
        #expect(patient.counts.originFetches == 2)
        #expect(patient.counts.memoryHits == 1)
    }

    @Test("While the list moves, misses are held back; those that vanish meanwhile are deferred")
    func gate() throws {
        var story = Story(network: [("A", 10, 200), ("B", 10, 200), ("C", 10, 200)])
        story.scroll(.dragged, at: 0)
        story.appear("A", at: 10)
        story.appear("B", at: 20)
        story.scroll(.decelerating, at: 30)
        story.disappear("A", at: 40)
        story.scroll(.atRest, at: 100)
        story.appear("C", at: 110)
        story.append(.foreground, at: 1_000)
        let gated = try story.replay("memory: lru(10kB); fetchWhileScrolling: false")
        #expect(gated.counts.deferred == 1)
        #expect(gated.counts.originFetches == 2)
        #expect(gated.latency(.origin).max == 90_002_000)  // B: from 20 to 100, and 10 ms of network.
        let open = try story.replay("lru(10kB)")
        #expect(open.counts.deferred == 0)
        #expect(open.counts.originFetches == 3)
    }

    @Test("A failure reaches every waiter, and is tried again as often as the cache says")
    func failures() throws {
        var story = Story(network: [("A", 100, 503), ("A", 100, 0), ("A", 100, 200)])
        story.appear("A", at: 0)
        story.appear("A", at: 10)
        story.append(.foreground, at: 1_000)
        #expect(try story.replay("lru(10kB)").counts.failed == 2)
        #expect(try story.replay("memory: lru(10kB); retries: 1").counts.failed == 2)
        let retried = try story.replay("memory: lru(10kB); retries: 2")
        #expect(retried.counts.failed == 0)
        #expect(retried.counts.originFetches == 1)
        #expect(retried.counts.coalesced == 1)
        #expect(retried.latency(.origin).max == 300_002_000)
    }

    @Test("The app's end loses memory and what is under way, not the disk")
    func terminate() throws {
        var story = Story(network: [("A", 10, 200), ("B", 100, 200)])
        story.appear("A", at: 0)
        story.appear("B", at: 50)
        story.append(.terminate, at: 60)
        story.appear("A", at: 1_000)
        story.appear("B", at: 1_000)
        let result = try story.replay("memory: lru(10kB); disk: lru(10kB)")
        #expect(result.counts.cancelled == 1)
        #expect(result.counts.diskHits == 1)
        #expect(result.counts.originFetches == 2)
        // B's first cell was blank for the 10 ms that it was there.
        #expect(result.counts.requests == 4)
    }

    @Test("Expired files go when the app enters the background")
    func backgroundSweep() throws {
        var story = Story(network: [("A", 1, 200)])
        story.appear("A", at: 0)
        story.append(.background, at: 2_000)
        story.append(.foreground, at: 3_000)
        let cache = "memory: none; disk: ttl(lru(10kB), lifetime: 1s)"
        let sweeping = try story.replay(cache)
        #expect(sweeping.tiers.diskExpirations == 1)
        // In second 0, the cell was blank for a part of it.
        #expect(sweeping.timeline.map(\.second) == [0, 1, 2, 3])
        #expect(sweeping.timeline.map(\.diskBytes) == [1_000, 1_000, 0, 0])
        #expect(try story.replay("\(cache); sweepOnBackground: false").tiers.diskExpirations == 0)
    }

    @Test("Blank time ends with the image, or with the cell")
    func blankTime() throws {
        var story = Story(network: [("A", 100, 200), ("B", 100, 200)])
        story.appear("A", at: 0)
        story.disappear("A", at: 400)
        story.appear("B", at: 400)
        story.disappear("B", at: 450)
        story.appear("A", at: 600)
        story.append(.foreground, at: 1_000)
        let result = try story.replay("lru(10kB)")
        // A: blank 100.002 of 400 ms. B: blank all of its 50. A again: 0.001 of the 400 to the trace's end.
        #expect(result.blank.visibleTime == 850_000_000)
        #expect(result.blank.blankTime == 150_003_000)
        // B's image arrived without a visible cell: it has an outcome, and no latency.
        #expect(result.counts.originFetches == 2)
        #expect(result.latency(.origin).count == 1)
    }

    @Test("Disk jobs queue on one lane, or run side by side on two")
    func diskLanes() throws {
        var story = Story(network: [("A", 1, 200), ("B", 1, 200)])
        story.appear("A", at: 0)
        story.appear("B", at: 0)
        story.append(.memoryWarning, at: 100)
        story.appear("A", at: 200)
        story.appear("B", at: 200)
        let cache = "memory: lru(10kB); disk: lru(10kB)"
        #expect(try story.replay(cache).latency(.diskHit).max == 2 * 106_000 + 2_000)
        // Both reads end at 106 µs; the second store into memory waits for the first.
        #expect(try story.replay("\(cache); diskLanes: 2").latency(.diskHit).max == 106_000 + 2 * 2_000)
    }

    @Test("Beyond the recording, latencies are drawn from the object's own samples, by the seed, and a note says so")
    func drawnLatencies() throws {
        var story = Story(network: [("A", 10, 200), ("A", 20, 200), ("A", 30, 200)])
        for time in 0..<40 { story.appear("A", at: Int64(time) * 100) }
        let result = try story.replay("none")
        #expect(result.latency(.origin).max == 30_002_000)
        #expect(result.notes.contains(.latenciesDrawn(fetches: 37)))
        #expect(try story.replay("none") == result)
        #expect(try story.replay("none", seed: 2).latency(.origin).mean != result.latency(.origin).mean)
    }

    @Test("An object of unknown size is taken to have the median of the known ones, and a note says so")
    func unknownSizes() throws {
        var builder = TraceBuilder()
        for (name, bytes) in [("A", 100), ("B", 300), ("C", 500), ("D", nil)] {
            let id = builder.object(name)
            builder.update(id) { $0.bytes = bytes }
            builder.append(TraceEvent(time: 0, .appear(id, .full)))
        }
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration("unbounded"))
        job.timing = .modelled(.standard)
        let result = try job.run(builder.finish())
        #expect(result.tiers.originBytes == 1_200)
        #expect(result.notes.contains(.sizesAssumed(objects: 1, of: 4, bytes: 300)))
    }

    @Test(
        """
        A damaged file that is kept fails requests, and is a hit for prefetches; one that is not kept is \
        fetched anew
        """
    )
    func damagedFiles() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.append(.memoryWarning, at: 1_000)
        story.prefetch("A", at: 2_000)
        story.appear("A", at: 3_000)
        for (keeps, second, bytes) in [(true, RequestOutcome.failed, Int64(1_000)), (false, .memoryHit, 2_000)] {
            var job = ReplayJob(
                trace: "t", cache: try CacheConfiguration("memory: unbounded; disk: unbounded; keepsDamaged: \(keeps)"))
            job.timing = .modelled(.instant)
            let (result, requests) = try job.runRecordingRequests(story.trace, damaged: [0: 500_000_000])
            #expect(requests.map(\.outcome) == [.origin, second])
            #expect(result.tiers.originBytes == bytes)
            // Kept damage is found by the prefetch and by the request, other damage by the prefetch alone.
            let reads = keeps ? 2 : 1
            #expect(result.tiers.damagedFiles == reads)
            #expect(result.notes.contains(.filesDamaged(reads: reads)))
        }
    }
}
