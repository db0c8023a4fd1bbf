import CachePolicies
import SessionModel
import Testing

@testable import ReplayEngine

/// The rules in which libraries differ beside their replacement. Objects are of 1,000 bytes.
@Suite("Rules of libraries, on small stories")
struct LibraryRuleTests {
    private func outcomes(_ story: Story, _ cache: String) throws -> String {
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.instant)
        return try job.runRecordingRequests(story.trace).requests.map { request in
            switch request.outcome {
            case .memoryHit: "M"
            case .diskHit: "D"
            default: "-"
            }
        }.joined()
    }

    @Test("Files count in whole blocks, so two files of 1,000 bytes exceed 5,000")
    func blocks() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.appear("B", at: 1_000)
        story.append(.terminate, at: 2_000)
        story.appear("A", at: 10_000)
        let cache = "memory: none; disk: trim(5000B, onStore: false, first: 5s); keepsAccessDates: true"
        #expect(try outcomes(story, cache) == "--D")
        #expect(try outcomes(story, "\(cache); diskBlock: 4KiB") == "---")
        #expect(try outcomes(story, "\(cache); diskBlock: 2KiB") == "--D")
        #expect(try outcomes(story, "\(cache); diskOverhead: 1501B") == "---")
        #expect(try outcomes(story, "\(cache); diskOverhead: 1500B") == "--D")
        // The files themselves are as long as before.
        #expect(try story.replay("\(cache); diskBlock: 4KiB").tiers.diskPeakBytes == 2_000)
    }

    @Test("The limit for single files counts blocks and overhead too")
    func entryLimit() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.appear("A", at: 1_000)
        let cache = "memory: none; disk: unbounded; diskEntryLimit: 2000B"
        #expect(try outcomes(story, cache) == "-D")
        #expect(try outcomes(story, "\(cache); diskOverhead: 1001B") == "--")
        #expect(try outcomes(story, "\(cache); diskBlock: 4KiB") == "--")
    }

    @Test("A cost of file includes the overhead, if the cache has a disk tier")
    func fileCost() throws {
        var story = Story()
        for (second, name) in "ABA".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        let cache = "memory: lru(2000B); cost: file; diskOverhead: 10B"
        #expect(try outcomes(story, cache) == "--M")
        #expect(try outcomes(story, "\(cache); disk: max-size(unbounded, limit: 1B)") == "---")
    }

    @Test("A hit in memory renews the object's file, if the cache does that")
    func renewedFiles() throws {
        var story = Story()
        for (second, name) in "ABAC".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        story.append(.background, at: 5_000)
        story.appear("A", at: 6_000)
        let cache = "memory: unbounded; memoryOnBackground: clear; disk: trim(2kB)"
        #expect(try outcomes(story, cache) == "--M--")
        #expect(try outcomes(story, "\(cache); memoryHitsRenewFiles: true") == "--M-D")
        // The date is on the file: it counts after a relaunch too.
        var relaunched = Story()
        for (second, name) in "ABA".enumerated() { relaunched.appear(String(name), at: Int64(second) * 1_000) }
        relaunched.append(.terminate, at: 4_000)
        relaunched.appear("C", at: 5_000)
        relaunched.appear("A", at: 6_000)
        let dated = "\(cache); keepsAccessDates: true"
        #expect(try outcomes(relaunched, dated) == "--M--")
        #expect(try outcomes(relaunched, "\(dated); memoryHitsRenewFiles: true") == "--M-D")
    }

    @Test("Expired files are removed when the app ends, if the cache does that")
    func sweepOnTerminate() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.append(.terminate, at: 5_000)
        story.appear("A", at: 6_000)
        let cache = "memory: none; disk: ttl(unbounded, lifetime: 2s, checkOnRead: false)"
        #expect(try outcomes(story, cache) == "-D")
        #expect(try outcomes(story, "\(cache); sweepOnTerminate: true") == "--")
    }

    @Test(
        "A memory warning keeps, clears, or trims to a size or to a share of what is held",
        arguments: [
            ("keep", "MMMM"), ("clear", "----"), ("2kB", "--MM"), ("50%", "--MM"), ("30%", "---M"), ("0%", "----"),
        ])
    func warning(action: String, after: String) throws {
        var story = Story()
        for (second, name) in "ABCD".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        story.append(.memoryWarning, at: 5_000)
        for (second, name) in "ABCD".enumerated() { story.appear(String(name), at: Int64(second + 6) * 1_000) }
        // What is fetched again evicts nothing.
        #expect(try outcomes(story, "memory: lru(10kB); memoryOnWarning: \(action)") == "----" + after)
        let background = "memory: lru(10kB); memoryOnWarning: keep; memoryOnBackground: \(action)"
        #expect(try outcomes(story, background) == "----MMMM")
    }

    @Test("Shown objects are outside of the policy, and enter it when their last cell disappears")
    func shown() throws {
        var story = Story()
        for (second, name) in "ABC".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        story.appear("A", at: 4_000)
        story.append(.memoryWarning, at: 4_500)
        story.appear("B", at: 5_000)
        let cache = "memory: lru(2kB)"
        #expect(try outcomes(story, cache) == "-----")
        #expect(try outcomes(story, "\(cache); pinsShown: true") == "---MM")
        // A is shown twice: it stays shown after the first cell has gone, and then enters the policy behind B and C.
        for (time, name) in [(6_000, "B"), (6_100, "B"), (6_200, "C"), (6_300, "A")] {
            story.disappear(name, at: Int64(time))
        }
        story.appear("A", at: 7_000)
        story.disappear("A", at: 7_500)
        story.disappear("A", at: 7_600)
        // Of 3,000 bytes, those of B leave.
        story.appear("C", at: 8_000)
        story.appear("A", at: 9_000)
        story.appear("B", at: 10_000)
        #expect(try outcomes(story, "\(cache); pinsShown: true") == "---MMMMM-")
    }

    @Test("A shown object above the limit for single objects is a hit until it disappears")
    func shownOversize() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.appear("A", at: 1_000)
        story.disappear("A", at: 2_000)
        story.disappear("A", at: 2_000)
        story.appear("A", at: 3_000)
        #expect(try outcomes(story, "memory: lru(2kB); entryLimit: 999B; pinsShown: true") == "-M-")
    }

    @Test("A shown object that was evicted is a hit as long as it is live, and returns if the rule says so")
    func live() throws {
        var story = Story()
        for (second, name) in "ABCA".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        story.disappear("C", at: 5_000)
        story.append(.memoryWarning, at: 6_000)
        for (second, name) in "ABC".enumerated() { story.appear(String(name), at: Int64(second + 7) * 1_000) }
        // B and C have the two places when A is wanted again. C is not shown any more at the end.
        let cache = "memory: lru(2kB)"
        #expect(try outcomes(story, cache) == "-------")
        #expect(try outcomes(story, "\(cache); live: stays") == "---MMM-")
        #expect(try outcomes(story, "\(cache); live: returns") == "---MMM-")
        // When A returns, B leaves. No cell shows it any more.
        var returned = Story()
        for (time, name) in [(0, "A"), (1, "B"), (2, "C")] { returned.appear(name, at: Int64(time) * 1_000) }
        for name in ["B", "C"] { returned.disappear(name, at: 3_000) }
        for (time, name) in [(4, "A"), (5, "B")] { returned.appear(name, at: Int64(time) * 1_000) }
        #expect(try outcomes(returned, "\(cache); live: stays") == "---MM")
        #expect(try outcomes(returned, "\(cache); live: returns") == "---M-")
    }

    @Test("Encoded bytes in memory answer before the disk, without a read")
    func encodedMemory() throws {
        var story = Story()
        for (second, name) in "ABA".enumerated() { story.appear(String(name), at: Int64(second) * 1_000) }
        let cache = "memory: none; disk: unbounded"
        #expect(try outcomes(story, cache) == "--D")
        let encoded = try story.replay("\(cache); encodedMemory: 8kB")
        #expect(encoded.counts.memoryHits == 1)
        #expect(encoded.tiers.diskReadBytes == 0)
        #expect(encoded.tiers.memoryPeakBytes == 2_000)
        // An entry takes up at most an eighth, and without a disk tier there is no such memory.
        #expect(try outcomes(story, "\(cache); encodedMemory: 7999B") == "--D")
        #expect(try outcomes(story, "memory: none; encodedMemory: 8kB") == "---")
        // The memory of bitmaps comes first.
        #expect(
            try story.replay("memory: lru(9kB); disk: unbounded; encodedMemory: 8kB").tiers.memoryPeakBytes == 4_000)
    }

    @Test("An image from encoded memory is decoded and promoted")
    func encodedPromotion() throws {
        var builder = TraceBuilder()
        let object = builder.object("A")
        builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (1_000, 100, 100) }
        for second in [0, 1, 2] as [Int64] {
            builder.append(TraceEvent(time: second * 1_000_000, .appear(object, .full)))
        }
        let cache = """
            memory: ttl(lru(1MB), lifetime: 500ms, sweep: 100ms, extendOnAccess: true); cost: decoded; holds: decoded; \
            disk: unbounded; encodedMemory: 8kB
            """
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        job.decode = true
        let result = try job.run(builder.finish())
        #expect(result.counts.memoryHits == 2)
        #expect(result.tiers.diskReadBytes == 0)
        // Two lookups of 1 µs, 10,000 pixels in 100 µs; the store of 2 µs is charged to the main lane.
        #expect(result.latency(.memoryHit).max >= 100_000)
    }

    @Test("An animated image costs all recorded frames, where the cache counts them, and is decoded once")
    func frames() throws {
        var builder = TraceBuilder()
        for (key, frames) in [("A", Optional(3)), ("B", nil), ("A", nil), ("B", nil)] {
            let object = builder.object(key)
            builder.update(object) { image in
                (image.bytes, image.pixelWidth, image.pixelHeight) = (1_000, 10, 10)
                image.frames = frames ?? image.frames
            }
            builder.append(TraceEvent(time: Int64(builder.events.count) * 1_000_000, .appear(object, .full)))
        }
        let trace = builder.finish()
        func replay(_ cache: String) throws -> RunResult {
            var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
            job.timing = .modelled(.standard)
            job.decode = true
            return try job.run(trace)
        }
        // 400 bytes a frame: A takes 1,200 of 1,500 bytes, so that it leaves when B comes, and B when A comes.
        let cache = "memory: lru(1500B); cost: decoded; holds: decoded"
        let counted = try replay("\(cache); countsFrames: true")
        #expect(counted.counts.memoryHits == 0 && counted.tiers.memoryEvictions == 3)
        #expect(counted.tiers.memoryPeakBytes == 1_200)
        let single = try replay(cache)
        #expect(single.counts.memoryHits == 2 && single.tiers.memoryPeakBytes == 800)
        // Both decode 100 pixels for a delivery.
        #expect(counted.latency(.origin).max == single.latency(.origin).max)
        // A hostile number of frames does not overflow.
        var large = trace
        for object in large.objects.indices {
            (large.objects[object].pixelWidth, large.objects[object].pixelHeight) = (1 << 20, 1 << 20)
            large.objects[object].frames = 65_535
        }
        let sizes = ImageSizes(large, sizes: large.resolvedSizes())
        #expect(sizes.countingFrames().decoded == [1 << 42, 1 << 42] && sizes.decoded == [1 << 42, 1 << 42])
    }

    @Test("A removal takes an object out of memory and disk, and a fetch in progress stores it again")
    func removal() throws {
        var story = Story(network: [("A", 100, 200)])
        story.appear("A", at: 0)
        story.appear("B", at: 0)
        story.remove("A", at: 1_000)
        story.appear("A", at: 2_000)
        story.appear("B", at: 3_000)
        #expect(try outcomes(story, "memory: lru(9kB); disk: lru(9kB)") == "---M")
        #expect(try outcomes(story, "memory: none; disk: lru(9kB)") == "---D")
        #expect(try outcomes(story, "memory: none; disk: lru(9kB); encodedMemory: 8kB") == "---M")
        let result = try story.replay("memory: lru(9kB); disk: lru(9kB)")
        #expect(result.tiers.memoryEvictions + result.tiers.diskEvictions == 0)
        #expect(result.tiers.originBytes == 3_000)
        var early = Story(network: [("A", 100, 200)])
        early.appear("A", at: 0)
        early.remove("A", at: 50)
        early.appear("A", at: 1_000)
        #expect(try early.replay("memory: lru(9kB); disk: lru(9kB)").counts.memoryHits == 1)
    }

    @Test("Delays between attempts grow by the factor")
    func retryFactor() throws {
        var rules = PipelineRules()
        rules.retryDelay = 4_000_000
        rules.retryFactor = 4
        #expect((1...3).map { rules.rest(beforeAttempt: $0) / 1_000_000_000 } == [4, 16, 64])
        #expect(rules.rest(beforeAttempt: 900) == 86_400_000_000_000)
        rules.retryFactor = 2
        #expect((1...3).map { rules.rest(beforeAttempt: $0) / 1_000_000_000 } == [4, 8, 16])
        var story = Story(network: [("A", 0, 0), ("A", 0, 0), ("A", 0, 0), ("A", 0, 200)])
        story.appear("A", at: 0)
        let slow = try story.replay("memory: lru(10kB); retries: 3; retryDelay: 4s; retryFactor: 4")
        #expect(slow.latency(.origin).max / 1_000_000_000 == 84)
    }

    @Test(
        "A fetch is attempted again after the failures that the rule names",
        arguments: [
            ("anyFailure", [0, 404, 500, 503]), ("serverErrors", [0, 500, 503]), ("noResponse", [0]),
        ])
    func retriesAfter(rule: String, statuses: [Int]) throws {
        for status in [0, 404, 499, 500, 503] {
            var story = Story(network: [("A", 11, status), ("A", 11, 200)])
            story.appear("A", at: 0)
            let result = try story.replay("memory: lru(10kB); retries: 2; retryDelay: 500ms; retriesAfter: \(rule)")
            let isRetried = rule == "anyFailure" || statuses.contains(status)
            #expect(result.counts.originFetches == (isRetried ? 1 : 0) && result.counts.failed == (isRetried ? 0 : 1))
            if isRetried { #expect(result.latency(.origin).max / 1_000_000 == 522) }
        }
    }

    @Test("A delay between attempts is at most the limit")
    func retryDelayLimit() throws {
        var rules = PipelineRules()
        (rules.retryDelay, rules.retryFactor, rules.retryDelayLimit) = (4_000_000, 4, 30_000_000)
        #expect((1...4).map { rules.rest(beforeAttempt: $0) / 1_000_000_000 } == [4, 16, 30, 30])
        rules.retryDelay = 40_000_000
        #expect(rules.rest(beforeAttempt: 1) == 30_000_000_000)
        rules.retryDelayLimit = .max
        #expect(rules.rest(beforeAttempt: 900) == 86_400_000_000_000)
        var story = Story(network: [("A", 0, 0), ("A", 0, 0), ("A", 0, 0), ("A", 0, 200)])
        story.appear("A", at: 0)
        let memory = "memory: lru(10kB); retries: 3; retryDelay: 4s; retryFactor: 4"
        // After 4, 16 and 30 s instead of 64.
        #expect(try story.replay("\(memory); retryDelayLimit: 30s").latency(.origin).max / 1_000_000_000 == 50)
    }
}
