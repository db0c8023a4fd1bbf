import CacheTraces
import Foundation
import MeasuredTiers
import SessionModel
import Testing
import TraceRecording

@testable import ReplayEngine

@Suite("Measured replays, over real memory, files and sockets")
struct MeasuredReplayTests {
    private func measure(_ trace: Trace, _ cache: String) async throws -> (result: RunResult, served: OriginStatistics)
    { try await replayed(trace, cache) { try $0.run(trace, measured: .real) } }

    @Test(
        "Every byte is fetched, stored, read back and checked; the origin served what was counted",
        arguments: AgreementTests.bundled)
    func bundled(path: String) async throws {
        let trace = try Trace(contentsOf: path)
        let (result, served) = try await measure(trace, "memory: lru(10%); disk: lru(8MB)")
        let requests = trace.events.count { if case .appear = $0.action { true } else { false } }
        #expect(result.counts.requests == requests)
        #expect(result.counts.wrong == 0)
        #expect(result.counts.memoryHits > 0)
        #expect(result.counts.diskHits > 0)
        let abandoned = try #require(result.machine?.abandonedBytes)
        #expect(result.tiers.originBytes + abandoned == Int64(served.bytes))
        #expect(result.tiers.memoryPeakBytes <= DenseTrace(trace, holdsBitmaps: true).uniqueBytes / 10)
        #expect(result.tiers.diskPeakBytes <= 8_000_000)
        #expect(result.latency(.memoryHit).p50 > 0)
        #expect((result.machine?.wallTime ?? 0) > 0)
    }

    @Test("Measured and modelled replays of a trace agree where timing cannot matter")
    func modelledAgrees() async throws {
        // A second between any two requests: whatever takes how long, everything is done by the next.
        var story = Story(network: [("A", 10, 200), ("B", 10, 404), ("C", 10, 200), ("D", 10, 0)])
        for (second, name) in "ABCADCBADBCAAD".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        story.append(.terminate, at: 20_000)
        for (second, name) in "ABCD".enumerated() { story.appear(String(name), at: Int64(second + 21) * 1_000) }
        let cache = "memory: lru(1kB); disk: ttl(lru(2kB), lifetime: 9s)"
        let (measured, _) = try await measure(story.trace, cache)
        let modelled = try story.replay(cache)
        #expect(measured.counts.withoutTimes == modelled.counts.withoutTimes)
        #expect(measured.tiers.memoryEvictions == modelled.tiers.memoryEvictions)
        #expect(measured.tiers.diskEvictions == modelled.tiers.diskEvictions)
        #expect(measured.tiers.diskExpirations == modelled.tiers.diskExpirations)
        #expect(measured.tiers.diskWrittenBytes == modelled.tiers.diskWrittenBytes)
        #expect(measured.counts.failed > 0)
    }

    @Test("A bitmap with fewer bytes than its file is delivered right, and counted with its own bytes")
    func smallBitmaps() async throws {
        var builder = TraceBuilder()
        for (second, name) in "ABCABC".enumerated() {
            let object = builder.object(String(name))
            builder.update(object) {
                $0.bytes = 20_000
                ($0.pixelWidth, $0.pixelHeight) = (64, 48)
            }
            let time = Int64(second + 1) * 1_000_000
            if second < 3 { builder.append(TraceEvent(time: time, .fetch(object, Fetch(timeToFirstByte: 10)))) }
            builder.append(TraceEvent(time: time, .appear(object, .full)))
        }
        let trace = builder.finish()
        // 64 · 48 · 4 bytes each: two of three fit, so that each request of the second round is answered by the disk.
        for (cache, fromMemory, peak) in [("lru(25000B)", 0, 2), ("lru(40000B)", 3, 3)] {
            let cache = "memory: \(cache); disk: lru(1MB)"
            let (measured, _) = try await measure(trace, cache)
            var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
            job.timing = .modelled(.standard)
            let modelled = try job.run(trace, measured: .real)
            #expect(measured.counts.wrong == 0 && measured.counts.memoryHits == fromMemory)
            #expect(measured.counts.diskHits == 3 - fromMemory)
            #expect(measured.counts.withoutTimes == modelled.counts.withoutTimes)
            #expect(measured.tiers.memoryPeakBytes == peak * 64 * 48 * 4)
            #expect(modelled.tiers.memoryPeakBytes == peak * 64 * 48 * 4)
        }
    }

    @Test("Measured and modelled replays fetch the same bytes, also of responses that fail or are cut off")
    func failedBytes() async throws {
        var builder = TraceBuilder()
        builder.append(TraceEvent(time: 0, .foreground))
        // Whole bodies of 1,000 bytes: 200, the 304 and the 204 of objects with a size. Bodies of failures as recorded.
        let responses: [(fetch: Fetch, expected: Int64)] = [
            (Fetch(status: 200, bytes: 1_000, timeToFirstByte: 10), 1_000),
            (Fetch(status: 304, bytes: 0, timeToFirstByte: 10), 1_000),
            (Fetch(status: 404, bytes: 512, timeToFirstByte: 10), 512),
            (Fetch(status: 404, bytes: 0, timeToFirstByte: 10), 0),
            (Fetch(status: 500, timeToFirstByte: 10), 0),
            (Fetch(status: 503, bytes: 300_000, timeToFirstByte: 10, transferTime: 10), 300_000),
            (Fetch(status: 302, bytes: 26, timeToFirstByte: 10), 26),
            (Fetch(status: 0, timeToFirstByte: 10), 0),
            (Fetch(status: 0, bytes: 1, timeToFirstByte: 10), 1),
            (Fetch(status: 0, bytes: 700_000, timeToFirstByte: 10, transferTime: 10), 700_000),
            (Fetch(status: 103, bytes: 7), 7),
        ]
        for (number, response) in responses.enumerated() {
            let id = builder.object("object \(number)")
            builder.update(id) { $0.bytes = 1_000 }
            let time = Int64(number + 1) * 1_000_000
            builder.append(TraceEvent(time: time, .fetch(id, response.fetch)))
            builder.append(TraceEvent(time: time, .appear(id, .full)))
        }
        // An object that only a 204 answered has no bytes.
        let empty = builder.object("empty")
        builder.append(TraceEvent(time: 30_000_000, .fetch(empty, Fetch(status: 204, bytes: 0, timeToFirstByte: 10))))
        builder.append(TraceEvent(time: 30_000_000, .appear(empty, .full)))
        let trace = builder.finish()
        // Beyond the recording, a second fetch gets the last recorded response again.
        let cache = "memory: none; disk: lru(10kB); retries: 1"
        let (measured, served) = try await measure(trace, cache)
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        let modelled = try job.run(trace, measured: .real)
        let failures = responses.filter { !$0.fetch.succeeded }.reduce(0) { $0 + $1.expected }
        let expected = responses.reduce(0) { $0 + $1.expected } + failures
        #expect(modelled.tiers.originBytes == expected)
        #expect(measured.tiers.originBytes == expected)
        #expect(Int64(served.bytes) == expected)
        #expect(measured.counts.failed == 9)
        #expect(measured.counts.withoutTimes == modelled.counts.withoutTimes)
    }

    @Test("A cancelled transfer counts what has crossed the network in virtual time; the origin has served it all")
    func cancelled() async throws {
        var builder = TraceBuilder()
        let (picture, page) = (builder.object("picture"), builder.object("page"))
        builder.update(picture) { $0.bytes = 1_000_000 }
        builder.update(page) { $0.bytes = 20_000 }
        let fetch = Fetch(bytes: 1_000_000, timeToFirstByte: 100_000, transferTime: 10_000_000)
        var html = Fetch(bytes: 300, timeToFirstByte: 10_000, transferTime: 1_000)
        html.isUndecodable = true
        for event in [
            TraceEvent(time: 0, .appear(picture, .full)), TraceEvent(time: 0, .fetch(picture, fetch)),
            TraceEvent(time: 9_100_000, .disappear(picture, .full)),
            // Nothing of it has come when it is cancelled.
            TraceEvent(time: 20_000_000, .appear(picture, .full)),
            TraceEvent(time: 20_050_000, .disappear(picture, .full)),
            TraceEvent(time: 30_000_000, .appear(picture, .full)),
            TraceEvent(time: 50_000_000, .appear(page, .full)), TraceEvent(time: 50_000_000, .fetch(page, html)),
            TraceEvent(time: 60_000_000, .foreground),
        ] { builder.append(event) }
        let (result, served) = try await measure(builder.finish(), "memory: lru(9MB); cancelOnDisappear: true")
        #expect(result.counts.cancelled == 2 && result.counts.originFetches == 1 && result.counts.failed == 1)
        // The fetch from the loopback origin takes time of its own, at most a second.
        #expect((1_800_300...1_900_300).contains(result.tiers.originBytes), "\(result.tiers.originBytes)")
        #expect(served.bytes == 3_000_300)
        #expect(result.tiers.originBytes + (result.machine?.abandonedBytes ?? 0) == 3_000_300)
    }

    @Test("The app's end with everything under way leaves no request waiting")
    func terminateUnderLoad() async throws {
        var story = Story(network: (0..<20).map { ("\($0)", 2_000, 200) })
        for round in 0..<3 {
            for object in 0..<20 { story.appear("\(object)", at: Int64(round * 1_500 + object)) }
            story.append(.terminate, at: Int64(round * 1_500 + 1_000))
        }
        let (result, _) = try await measure(
            story.trace, "memory: lru(9kB); disk: lru(9kB); connections: 3; diskLanes: 2")
        #expect(result.counts.requests == 60)
        #expect(result.counts.cancelled == 60)
    }

    @Test("An origin that is not there is said to be so")
    func noOrigin() async throws {
        var story = Story()
        story.appear("A", at: 0)
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration("lru(1kB)"))
        // An origin that has stopped, so that no server listens at its port.
        let origin = try LoopbackOrigin(trace: story.trace)
        try await origin.stop()
        job.origin = "\(origin.address)/run"
        let error = #expect(throws: ReplayError.self) { try job.run(story.trace, measured: .real) }
        #expect(error?.description.contains("cannot be reached") == true)
    }
}

extension OutcomeCounts {
    /// The counts without those that depend on the speed of the machine.
    fileprivate var withoutTimes: OutcomeCounts {
        var counts = self
        (counts.shownWithin16ms, counts.shownWithin100ms, counts.shownWithin1s) = (0, 0, 0)
        return counts
    }
}
