import Basics
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("The least blank time of caches")
struct LeastBlankTimeTests {
    // MARK: Certificates by hand

    /// Two pictures of 3 bytes that are visible for the same 6 slots.
    private let twoTransfers = SlotProblem(
        visits: [.init(object: 0, appears: 0, vanishes: 6), .init(object: 1, appears: 0, vanishes: 6)], bytes: [3, 3],
        sizes: [1, 1], memory: 2, rate: 1, slots: 6)

    @Test("A price of the link proves that two transfers at a time take longer than each alone")
    func link() {
        // Alone, each picture comes after 1 + 3 slots.
        #expect(abs(twoTransfers.value() - 8) < 1e-9)
        // With 2/3 for a byte in slots 1 to 3, each picture costs at least 6: it comes after 4 slots, for 3 bytes at
        // 2/3, or never. 12 less 3 slots at 2/3 are 10.
        #expect(abs(twoTransfers.value(link: [0, 2.0 / 3, 2.0 / 3, 2.0 / 3]) - 10) < 1e-9)
        var exhaustive = ExhaustiveBlankTime(twoTransfers)
        #expect(exhaustive.least() == 10)
        #expect((9.9...10).contains(twoTransfers.bound()))
    }

    /// Pictures a and b in turn, each visible for 3 slots and then again.
    private func turns(memory: Int) -> SlotProblem {
        SlotProblem(
            visits: [
                .init(object: 0, appears: 0, vanishes: 3), .init(object: 1, appears: 3, vanishes: 6),
                .init(object: 0, appears: 6, vanishes: 9), .init(object: 1, appears: 9, vanishes: 12),
            ], bytes: [1, 1], sizes: [1, 1], memory: memory, rate: 2, slots: 12)
    }

    @Test("A price of memory proves that one of two pictures comes late")
    func memory() {
        // Each picture comes after 2 slots, and stays.
        #expect(abs(turns(memory: 1).value() - 4) < 1e-9)
        // With a price of 1 in slot 5, a picture costs 3: it stays for 1, or it never comes for its first cell, and in
        // time for the second. 6 less 1 slot at 1 are 5.
        #expect(abs(turns(memory: 1).value(memory: [0, 0, 0, 0, 0, 1]) - 5) < 1e-9)
        var exhaustive = ExhaustiveBlankTime(turns(memory: 1))
        #expect(exhaustive.least() == 5)
        #expect((4.95...5).contains(turns(memory: 1).bound()))
        #expect((3.99...4).contains(turns(memory: 2).bound()))
    }

    @Test("Where loads overlap, a picture costs nothing after two requests that waited for it together")
    func overlap() {
        // The picture comes after 2 slots, and serves the second cell. Memory has a price while no cell shows it.
        var problem = SlotProblem(
            visits: [
                .init(object: 0, appears: 0, vanishes: 1), .init(object: 0, appears: 1, vanishes: 4),
                .init(object: 0, appears: 6, vanishes: 9),
            ], bytes: [2], sizes: [1], memory: 1, rate: nil, slots: 9)
        // It is fetched again for the third cell: 2 + 2, less 3 slots at 1.
        #expect(abs(problem.value(memory: [0, 0, 0, 1, 1, 1]) - 1) < 1e-9)
        // The load that the second request asked for can end at 6: 2, less 3 slots at 1.
        problem.loadsOverlap = true
        #expect(abs(problem.value(memory: [0, 0, 0, 1, 1, 1]) + 1) < 1e-9)
    }

    @Test("Connections have a price too: with one of them, three fetches of 2 slots end at 2, 4 and 6")
    func connections() {
        let visits = (0..<3).map { SlotProblem.Visit(object: $0, appears: 0, vanishes: 6) }
        let problem = SlotProblem(
            visits: visits, bytes: [2, 2, 2], sizes: [1, 1, 1], memory: 3, rate: nil, slots: 6)
        var shared = problem.blankProblem
        let slots = shared.bucketCount
        func each(_ value: Double) -> [Double] { Array(repeating: value, count: slots) }
        shared.shared = BlankProblem.Resource(
            capacity: each(SlotProblem.slot), most: each(SlotProblem.slot), fastest: each(1))
        for place in shared.objects.indices { shared.objects[place].demand = 2 * SlotProblem.slot }
        for place in shared.visits.indices { shared.visits[place].mayBegin = shared.visits[place].appeared }
        #expect(abs(problem.value() - 6) < 1e-9)
        var ascent = BlankAscent(shared)
        ascent.run(.shared, rounds: 40)
        #expect((11.5...12).contains(Double(ascent.bound) / SlotProblem.slot))
    }

    /// A picture that takes 2 slots, and that a cell shows from slot 3 on.
    private func prefetched(at slot: Int) -> SlotProblem {
        SlotProblem(
            visits: [
                .init(object: 0, appears: slot, vanishes: slot), .init(object: 0, appears: 3, vanishes: 6),
            ], bytes: [2], sizes: [1], memory: 1, rate: nil, slots: 6)
    }

    @Test("A prefetch removes the blank time of a cell, or what is left of a load after it appears")
    func prefetch() {
        // The load ends at 2, before the cell appears, or at 4, after 1 slot.
        for (slot, blank) in [(0, 0.0), (1, 0.0), (2, 1.0)] {
            #expect(abs(prefetched(at: slot).value() - blank) < 1e-9)
            var exhaustive = ExhaustiveBlankTime(prefetched(at: slot))
            #expect(Double(exhaustive.least()) == blank)
        }
        // A prefetch after the cell is for nothing.
        var late = prefetched(at: 0)
        late.visits = [late.visits[1], .init(object: 0, appears: 6, vanishes: 6)]
        late.slots = 7
        #expect(abs(late.value() - 2) < 1e-9)
    }

    @Test("No prices prove more than the best of all schedules of small sessions has", arguments: [false, true])
    func exhaustive(hasPrefetches: Bool) {
        var random = SplitMix64(seed: hasPrefetches ? 34 : 33)
        var (equal, helped, left) = (0, 0, 0)
        for number in 0..<(hasPrefetches ? 300 : 500) {
            let without = SlotProblem.random(&random)
            let problem = hasPrefetches ? without.addingPrefetches(&random) : without
            var exhaustive = ExhaustiveBlankTime(problem)
            let least = Double(exhaustive.least())
            var best = problem.bound(rounds: 12)
            for _ in 0..<4 {
                func prices(_ most: Double) -> [Double] {
                    (0...problem.slots).map { _ in random.next(below: 3) == 0 ? random.fraction() * most : 0 }
                }
                best = max(best, problem.value(memory: prices(2), link: prices(1)))
            }
            #expect(best <= least + 1e-6, "session \(number): \(problem)")
            if best.rounded(.up) >= least || least - best < 1e-3 { equal += 1 }
            guard hasPrefetches else { continue }
            var alone = ExhaustiveBlankTime(without)
            if least < Double(alone.least()) { helped += 1 }
            if best > 0.5 { left += 1 }
        }
        // Most others have two cells with one picture at a time, of which the bound counts one.
        #expect(hasPrefetches ? helped >= 20 && left >= 30 : equal >= 200, "\(equal) \(helped) \(left)")
    }

    // MARK: Sessions

    /// Returns a bound of a story in modelled timing, without decoding, for a cache.
    private func bound(
        _ story: Story, _ cache: String, memoryLimit: Int? = nil, network: ReplayJob.Network = .recorded
    ) throws -> LeastBlankTime {
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        let trace = try PreparedTrace(story.trace, network: network)
        return LeastBlankTime(trace, .init(job, memoryLimit: memoryLimit), network: network)
    }

    /// Whether a bound is a number of microseconds. Rounding takes up to a nanosecond of each part.
    private func isEqual(_ bound: Int64, _ microseconds: Int64) -> Bool {
        (microseconds * 1_000 - 6...microseconds * 1_000).contains(bound)
    }

    @Test("A picture in flight takes no room: an LRU of one picture has two hits, and just the least blank time")
    func inFlight() throws {
        var story = Story(network: [("a", 1_500, 200), ("b", 100, 200)])
        story.appear("a", at: 0)
        story.disappear("a", at: 400)
        story.appear("b", at: 500)
        story.disappear("b", at: 900)
        story.appear("b", at: 1_000)
        story.disappear("b", at: 1_400)
        story.appear("a", at: 2_000)
        story.disappear("a", at: 2_400)
        let least = try bound(story, "lru(1kB)", memoryLimit: 1_000)
        // a never comes for its first cell, and b after 0.1 s.
        #expect(isEqual(least.bound, 500_000))
        #expect(least.visibleTime == 1.6e9)
        let result = try story.replay("lru(1kB)")
        #expect(result.counts.memoryHits == 2)
        #expect((500_000_000...500_010_000).contains(result.blank.blankTime))
    }

    @Test("Time in the background is not blank: 40 ms of a fetch of 100 ms")
    func background() throws {
        var story = Story(network: [("a", 100, 200)])
        story.appear("a", at: 0)
        story.append(.background, at: 20)
        story.append(.foreground, at: 80)
        story.disappear("a", at: 200)
        let least = try bound(story, "lru(9kB)")
        #expect(isEqual(least.bound, 40_000))
        #expect(isEqual(least.firstBytes, 40_000) && least.transfers == 0 && least.memory == 0)
        #expect(least.visibleTime == 140e6)
        #expect(abs(least.ratio - 40.0 / 140) < 1e-6)
    }

    @Test("After a relaunch, a picture comes from the network again, or from the disk")
    func relaunch() throws {
        var story = Story(network: [("a", 100, 200)])
        story.appear("a", at: 0)
        story.append(.terminate, at: 300)
        story.append(.foreground, at: 310)
        story.appear("a", at: 400)
        story.disappear("a", at: 700)
        #expect(try isEqual(bound(story, "lru(9kB)").bound, 200_000))
        // A lookup of 5 µs, a read of 100 µs, and 1,000 bytes in 1 µs.
        let onDisk = try bound(story, "memory: lru(9kB); disk: lru(9kB)")
        #expect(isEqual(onDisk.bound, 100_106))
        #expect(isEqual(onDisk.processing, 106))
    }

    @Test("Memory warnings count for caches that empty their memory then")
    func warning() throws {
        var story = Story(network: [("a", 100, 200)])
        story.appear("a", at: 0)
        story.disappear("a", at: 300)
        story.append(.memoryWarning, at: 350)
        story.appear("a", at: 400)
        story.disappear("a", at: 700)
        #expect(try isEqual(bound(story, "lru(9kB)").bound, 200_000))
        #expect(try isEqual(bound(story, "memory: lru(9kB); memoryOnWarning: keep").bound, 100_000))
    }

    @Test("A removed picture comes from the network again; one that is larger than memory does so for each cell")
    func removed() throws {
        var story = Story(network: [("a", 100, 200)])
        story.appear("a", at: 0)
        story.disappear("a", at: 300)
        story.remove("a", at: 350)
        story.appear("a", at: 400)
        story.disappear("a", at: 700)
        story.appear("a", at: 800)
        story.disappear("a", at: 950)
        #expect(try isEqual(bound(story, "lru(9kB)", memoryLimit: 9_000).bound, 200_000))
        let large = try bound(story, "lru(500B)", memoryLimit: 500)
        #expect(isEqual(large.bound, 300_000))
        #expect(isEqual(large.memory, 100_000))
    }

    @Test("Each part of a fetch over LTE: 140 ms to connect, 90 ms to the first byte, 1,000 bytes at 1.5 MB/s")
    func profile() throws {
        var story = Story()
        story.appear("a", at: 0)
        story.disappear("a", at: 300)
        let least = try bound(story, "lru(9kB)", network: .profile(.lte))
        #expect(isEqual(least.firstBytes, 230_000))
        // A transfer counts as over when less than a byte is left.
        #expect((665_000...667_000).contains(least.transfers))
        #expect(least.processing == 0 && least.link >= 0)
        #expect(least.bound == least.firstBytes + least.transfers + least.link + least.connections)
        // The connection stays open until the app ends.
        story.appear("b", at: 400)
        story.disappear("b", at: 700)
        #expect(try isEqual(bound(story, "lru(9kB)", network: .profile(.lte)).firstBytes, 320_000))
        story.append(.terminate, at: 800)
        story.append(.foreground, at: 810)
        story.appear("c", at: 900)
        story.disappear("c", at: 1_200)
        #expect(try isEqual(bound(story, "lru(9kB)", network: .profile(.lte)).firstBytes, 550_000))
    }

    @Test("Pictures that share a slow link, or one connection, take longer than each alone")
    func sharing() throws {
        var story = Story()
        for name in ["a", "b", "c", "d"] { story.appear(name, at: 0) }
        for name in ["a", "b", "c", "d"] { story.disappear(name, at: 4_000) }
        // 1,000 bytes take 1 s.
        let slow = NetworkProfile(name: "slow", bytesPerSecond: 1_000, connect: 0, firstByte: 10_000_000)
        let shared = try bound(story, "lru(9kB)", network: .profile(slow))
        // At best, they end at 1, 2, 3 and 4 s.
        #expect(shared.link > 4_000_000_000)
        #expect(shared.bound <= 4_040_000_000 + 6_000_000_000)
        let wide = NetworkProfile(name: "wide", bytesPerSecond: 1e9, connect: 0, firstByte: 500_000_000)
        let queued = try bound(story, "memory: lru(9kB); connections: 1", network: .profile(wide))
        // At best, they end at 0.5, 1, 1.5 and 2 s.
        #expect(queued.connections > 2_000_000_000)
        #expect(queued.bound <= 5_000_100_000)
    }

    @Test("A recorded prefetch leaves what it has not loaded when the cell appears: 60 ms of 100 ms, or nothing")
    func recordedPrefetch() throws {
        for (appears, blank) in [(40, 60_000), (100, 0), (200, 0)] as [(Int64, Int64)] {
            var story = Story(network: [("a", 100, 200)])
            story.prefetch("a", at: 0)
            story.appear("a", at: appears)
            story.disappear("a", at: 350)
            let least = try bound(story, "lru(9kB)")
            #expect(isEqual(least.bound, blank) && least.hasPrefetches)
            let result = try story.replay("lru(9kB)")
            let nanoseconds = Double(blank) * 1_000
            #expect((nanoseconds...nanoseconds + 10_000).contains(result.blank.blankTime))
            let without = try bound(story, "memory: lru(9kB); prefetch: none")
            #expect(isEqual(without.bound, 100_000) && !without.hasPrefetches)
        }
    }

    @Test("A planned prefetch counts from the cell that plans it, and none counts that knows the future")
    func plannedPrefetch() throws {
        var story = Story(network: [("a", 100, 200), ("b", 100, 200)])
        story.appear("a", at: 0)
        story.appear("b", at: 40)
        story.append(.foreground, at: 300)
        // b is asked for when a appears.
        let least = try bound(story, "memory: lru(9kB); prefetch: next(1)")
        #expect(isEqual(least.bound, 160_000) && least.hasPrefetches)
        let result = try story.replay("memory: lru(9kB); prefetch: next(1)")
        #expect((160_000_000...160_010_000).contains(result.blank.blankTime))
        for rule in ["none", "recorded", "oracle(2s)"] {
            let without = try bound(story, "memory: lru(9kB); prefetch: \(rule)")
            #expect(isEqual(without.bound, 200_000) && !without.hasPrefetches, "\(rule)")
        }
    }

    @Test("Where requests wait for the list, a prefetch and a request each load a picture")
    func prefetchBesideRequest() throws {
        var story = Story(network: [("a", 100, 200)])
        story.scroll(.dragged, at: 0)
        story.appear("a", at: 10)
        story.prefetch("a", at: 20)
        story.scroll(.atRest, at: 200)
        story.disappear("a", at: 400)
        let cache = "memory: lru(9kB); fetchWhileScrolling: false"
        let result = try story.replay(cache)
        #expect(result.prefetch.fetches == 1 && result.counts.originFetches == 1)
        // The cell waits for the second load, from 200 to 300 ms. The bound has its time before the prefetch.
        #expect((290_000_000...290_010_000).contains(result.blank.blankTime))
        #expect(try isEqual(bound(story, cache).bound, 10_000))
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        #expect(LeastBlankTime.Rules(job, memoryLimit: nil).holdsRequestsBack)
        job.cache.pipeline.fetchWhileScrolling = true
        #expect(!LeastBlankTime.Rules(job, memoryLimit: nil).holdsRequestsBack)
    }

    @Test("The prefetch of a picture that no cell shows opens the connection: at 140 ms, for a first byte at 230 ms")
    func openedAhead() throws {
        var story = Story()
        story.prefetch("z", at: 0)
        story.appear("a", at: 100)
        story.disappear("a", at: 400)
        let least = try bound(story, "lru(9kB)", network: .profile(.lte))
        #expect(isEqual(least.firstBytes, 130_000) && least.hasPrefetches)
        let without = try bound(story, "memory: lru(9kB); prefetch: none", network: .profile(.lte))
        #expect(isEqual(without.firstBytes, 230_000))
    }

    @Test("What caches have in common: any disk, any connections, and the less of what they wait for")
    func covering() throws {
        var (one, other) = (LeastBlankTime.Rules(), LeastBlankTime.Rules())
        (one.waitsForDecoding, one.warningsClear, one.connections, one.costs) = (true, true, 1, .standard)
        (other.holds, other.pinsShown, other.waitsForReads) = (.encoded, true, false)
        (one.prefetches, other.prefetches) = ([.recorded], [.rows(2), .recorded])
        let both = LeastBlankTime.Rules(covering: [one, other], memoryLimit: 1_000)
        #expect(both.memoryLimit == 1_000 && both.holds == nil && both.costs == .standard)
        #expect(both.hasDisk && both.pinsShown && !both.sharesLoads && !both.limitsConnections)
        #expect(!both.waitsForDecoding && !both.waitsForReads && !both.warningsClear && !both.backgroundClears)
        let alone = LeastBlankTime.Rules(covering: [one], memoryLimit: nil)
        #expect(alone.holds == .decoded && alone.waitsForDecoding && alone.waitsForReads && !alone.pinsShown)
        #expect(both.prefetches == [.recorded, .rows(2)] && alone.prefetches == [.recorded])
    }

    @Test("Nothing is left where nothing takes time, and in a session without cells")
    func nothing() throws {
        var story = Story(network: [("a", 100, 200)])
        story.appear("a", at: 0)
        story.disappear("a", at: 300)
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration("lru(9kB)"))
        job.timing = .modelled(.instant)
        let instant = LeastBlankTime(try PreparedTrace(story.trace), .init(job, memoryLimit: nil))
        #expect(instant.bound == 0 && instant.visibleTime == 3e8)
        let empty = LeastBlankTime(try PreparedTrace(Trace()), .init())
        #expect(empty.bound == 0 && empty.ratio == 0)
    }

    // MARK: Networks

    @Test("The least delay is that of the fastest fetch that an object can meet")
    func delays() throws {
        var story = Story(network: [("a", 100, 200), ("a", 60, 200), ("b", 80, 200)])
        for name in ["a", "b", "c"] { story.appear(name, at: 500) }
        let trace = try PreparedTrace(story.trace)
        var model = trace.network(.recorded, seed: 7)
        let least = (0..<3).map { LeastDelay(model.possibleSamples($0)) }
        // c has no fetch of its own, and meets one of the others.
        #expect(least.map(\.firstByte) == [60_000_000, 80_000_000, 60_000_000])
        #expect(least.map(\.whole) == least.map(\.firstByte))
        #expect(least.allSatisfy { $0.bytes == 0 })
    }

    @Test("The end of a transfer, and the bytes of buckets, follow the rates of a measured link")
    func measured() throws {
        // 100 bytes in each of the first 100 ns, none in the next 100 ns, 50 bytes in the third.
        let rate = try #require(MeasuredLink(interval: 100, bytes: [100, 0, 50])).rate
        #expect((99...100).contains(rate.end(of: 100, from: 0, until: 1_000)))
        #expect((299...300).contains(rate.end(of: 100, from: 50, until: 1_000)))
        #expect(rate.end(of: 100, from: 50, until: 200) == 200)
        #expect(rate.end(of: 0, from: 50, until: 200) == 50)
        let (bytes, fastest) = rate.buckets(of: 150, count: 2)
        #expect(abs(bytes[0] - 100) < 1e-6 && abs(bytes[1] - 50) < 1e-6)
        #expect(fastest == [1, 0.5])
        #expect(rate.fastest == 1)
    }

    // MARK: Exemptions

    @Test(
        "Caches for which the bound does not hold are known by the reason",
        arguments: [
            ("memory: lru(9kB)", []), ("memory: lru(9kB); coalesce: false", [.doesNotCoalesce]),
            ("memory: lru(9kB); prefetch: next(2)", []), ("memory: lru(9kB); prefetch: oracle(2s)", [.prefetches]),
            ("memory: lru(9kB); memoryLifetime: http; memoryRevalidate: conditional", [.validates]),
            ("memory: lru(1kB); pinsShown: true", [.exceedsLimit]),
            ("memory: lru(9kB); disk: lru(9kB); encodedMemory: 9kB", [.hasSecondMemory]),
            ("memory: lru(9kB); memoryKey: hostPath", [.mixesPictures]),
        ] as [(String, [LeastBlankTime.Exemption])])
    func exemptions(cache: String, expected: [LeastBlankTime.Exemption]) throws {
        var story = Story(network: [("https://a.example/x?1", 10, 200), ("https://a.example/x?2", 10, 200)])
        story.appear("https://a.example/x?1", at: 100)
        story.appear("https://a.example/x?2", at: 110)
        story.append(.foreground, at: 300)
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        let trace = try PreparedTrace(story.trace)
        #expect(try LeastBlankTime.exemptions(of: job, in: trace, job.run(trace)) == expected)
    }

    @Test("The rules of a cache have its prefetches, except those that know the future")
    func prefetchRules() throws {
        func prefetches(_ cache: String) throws -> [PrefetchRule] {
            var job = ReplayJob(trace: "story", cache: try CacheConfiguration("memory: lru(9kB); \(cache)"))
            job.network = .profile(.lte)
            return LeastBlankTime.Rules(job, memoryLimit: nil).prefetches
        }
        #expect(try prefetches("prefetch: recorded") == [.recorded])
        #expect(try prefetches("prefetch: rows(2)") == [.rows(2)])
        #expect(try prefetches("prefetch: none") == [])
        #expect(try prefetches("prefetch: oracle(2s)") == [])
        // LTE costs by the byte.
        #expect(try prefetches("prefetch: rows(2); prefetchOnMetered: false") == [])
        #expect(try prefetches("prefetch: recorded; prefetchOnMetered: false") == [])
    }
}
