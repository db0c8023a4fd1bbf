import SessionModel
import Testing

@testable import ReplayEngine

/// Objects have 1,000 bytes and are fetched in 300 ms, without a limit of connections for the host. A memory lookup
/// takes 1 µs, a store 2 µs.
@Suite("Prefetches that were not recorded")
struct PrefetchTests {
    /// Cells appear one by one, 100 ms apart.
    private static func feed(_ names: String..., milliseconds: Int64 = 300) -> Story {
        var story = Story(network: Set(names).sorted().map { ($0, milliseconds, 200) })
        for (index, name) in names.enumerated() { story.appear(name, at: Int64(index) * 100) }
        return story
    }

    private static func replay(_ story: Story, _ cache: String) throws -> RunResult {
        try story.replay("memory: lru(1MB); connectionsPerHost: none; \(cache)")
    }

    @Test("The next two cells are asked for when a cell appears, and meet their requests under way")
    func next() throws {
        let story = Self.feed("A", "B", "C", "D")
        let without = try Self.replay(story, "prefetch: none")
        #expect(without.counts.originFetches == 4)
        let with = try Self.replay(story, "prefetch: next(2)")
        // At 0 ms, B and C are asked for; at 100 ms, D. B appears after 100 ms of its 300, C after 200, D after 200.
        #expect(with.counts.originFetches == 1)
        #expect(with.counts.coalesced == 3)
        // A and B arrive at one time, and the main lane stores A first.
        #expect(with.latency(.coalesced).max == 200_000_000 + 2 * 2_000)
        #expect(with.counts.prefetches == 3)
        #expect(with.prefetch.fetches == 3)
        #expect(with.prefetch.used == 3)
        #expect(with.prefetch.bytes == 3_000)
        #expect(with.prefetch.unusedBytes == 0)
        // Until the last cell appears at 300 ms, A is blank for 300 ms, B for 200 ms, and C for 100 ms.
        #expect(without.blank.blankTime == 600e6)
        #expect(with.blank.blankTime == 300e6 + 200e6 + 100e6)
        #expect(with.prefetch.blankAvoided == without.blank.blankTime - with.blank.blankTime)
        #expect(with.notes.contains(.listOrderInferred))
    }

    @Test("Blank time that prefetches avoid, for each megabyte")
    func blankAvoided() throws {
        var story = Self.feed("A", "B", milliseconds: 50)
        story.append(.foreground, at: 1_000)
        // B is asked for at 0 ms and is there at 50 ms, so it is never blank: 50 ms less, for 1,000 bytes.
        let result = try Self.replay(story, "prefetch: next(1)")
        let avoided = try #require(result.prefetch.blankAvoided)
        #expect(avoided == 50e6 + 2_000 - 1_000)
        #expect(result.prefetch.blankAvoidedPerMegabyte == avoided / 1e9 / 0.001)
    }

    @Test("A list that turns cancels what lies behind, unless the cache does not")
    func turning() throws {
        // E is asked for at 300 ms, when D appears, and the list turns at 400 ms.
        var story = Self.feed("A", "B", "C", "D", "C", "B")
        story.append(.terminate, at: 2_000)
        for (index, name) in ["A", "B", "C", "D", "E"].enumerated() {
            story.appear(name, at: 3_000 + 100 * Int64(index))
        }
        let cancelling = try Self.replay(story, "prefetch: next(1)")
        #expect(cancelling.prefetch.cancelled == 1)
        let stubborn = try Self.replay(story, "prefetch: next(1); prefetchCancels: false")
        #expect(stubborn.prefetch.cancelled == 0)
    }

    @Test("Rows of three: the next row is asked for as a whole")
    func rows() throws {
        var story = Story(network: "ABCDEFGHI".map { (String($0), 50, 200) })
        for (row, names) in ["ABC", "DEF", "GHI"].enumerated() {
            for name in names { story.appear(String(name), at: Int64(row) * 1_000) }
        }
        let result = try Self.replay(story, "prefetch: rows(1)")
        #expect(result.counts.memoryHits == 6)
        #expect(result.counts.prefetches == 6)
        #expect(try Self.replay(story, "prefetch: rows(2)").counts.prefetches == 6)
    }

    @Test("At a speed of ten cells a second, 300 ms are three cells; a list that has just begun has no speed")
    func velocity() throws {
        let story = Self.feed("A", "B", "C", "D", "E", "F")
        let plan = PrefetchPlan(story.trace, .velocity(300_000))
        let names = story.trace.objects.map(\.key)
        let asked = plan.steps.map { "\(names[Int($0.object)])@\($0.time / 1_000)" }
        #expect(asked == ["C@100", "D@100", "E@100", "F@200"])
    }

    @Test("The oracle asks for each cell a second before it appears, but not before the launch")
    func oracle() throws {
        var story = Story(network: ["A", "B"].map { ($0, 300, 200) })
        story.appear("A", at: 1_500)
        story.append(.terminate, at: 2_000)
        story.appear("B", at: 2_400)
        let plan = PrefetchPlan(story.trace, .oracle(1_000_000))
        #expect(plan.steps.map(\.time) == [500_000, 2_000_000])
        let result = try Self.replay(story, "prefetch: oracle(1s)")
        #expect(result.counts.memoryHits == 2)
    }

    @Test("An image that left for a wrong guess has that cause")
    func wrongGuess() throws {
        // The list turns at C, so B is asked for, and D leaves for it. No cell shows B.
        var story = Self.feed("A", "B", "C", "D", "C", milliseconds: 10)
        story.appear("D", at: 1_000)
        var job = ReplayJob(
            trace: "story", cache: try CacheConfiguration("memory: lru(2 objects); prefetch: next(1)"))
        job.timing = .modelled(.standard)
        let (result, rows) = try job.explain(try PreparedTrace(story.trace))
        #expect(rows.last?.explanation?.memoryCause == .wrongPrefetch)
        #expect(result.causes?.memory["wrong_prefetch"] == 1)
        // B, and what is asked for when D appears: nothing lies behind D. C, D and B itself were asked for and used.
        #expect(result.prefetch.unusedBytes == 1_000)
    }

    @Test("With prefetchLast, an opened picture overtakes the queue of prefetches")
    func last() throws {
        var story = Story(network: ["A", "B", "C", "P"].map { ($0, 100, 200) })
        story.appear("A", at: 0, .thumbnail)
        story.appear("P", at: 10, .full)
        story.appear("B", at: 5_000, .thumbnail)
        story.appear("C", at: 5_100, .thumbnail)
        let first = try Self.replay(story, "connections: 1; prefetch: next(2)")
        // A until 100 ms, B until 200 ms, C until 300 ms, P until 400 ms.
        #expect(first.latency(.origin).max == 390_000_000 + 2_000)
        let last = try Self.replay(story, "connections: 1; prefetch: next(2); prefetchLast: true")
        #expect(last.latency(.origin).max == 190_000_000 + 2_000)
        for order in ["lifo", "visibleFirst"] {
            let result = try Self.replay(
                story, "connections: 1; prefetch: next(2); prefetchLast: true; order: \(order)")
            #expect(result.latency(.origin).max == 190_000_000 + 2_000)
        }
    }

    @Test("A recorded list names what never appears, so that guesses are wrong; rows are those of the record")
    func recordedList() throws {
        var story = Story(network: "ABCD".map { (String($0), 50, 200) })
        for (position, name) in ["A", "B", "C", "D"].enumerated() {
            story.list(name, position: Int32(position), row: Int32(position / 2))
        }
        story.appear("A", at: 10)
        story.appear("Z", at: 500)
        story.append(.foreground, at: 1_000)
        let result = try Self.replay(story, "prefetch: rows(1)")
        // B of the same row, C and D of the next.
        #expect(result.prefetch.fetches == 3)
        #expect(result.prefetch.used == 0)
        #expect(result.prefetch.unusedBytes == 3_000)
        #expect(!result.notes.contains(.listOrderInferred))
        // The list does not have Z.
        #expect(result.notes.contains(.listIncomplete(appearances: 1)))
    }

    @Test("Recorded prefetches are made by default, and left out on request")
    func recorded() throws {
        var story = Story(network: [("A", 100, 200)])
        story.prefetch("A", at: 0)
        story.appear("A", at: 500)
        let recorded = try Self.replay(story, "store: memoryAndDisk")
        #expect(recorded.prefetch.fetches == 1)
        #expect(recorded.prefetch.used == 1)
        #expect(recorded.prefetch.blankAvoided == nil)
        #expect(try Self.replay(story, "prefetch: none").counts.prefetches == 0)
    }

    @Test("A network that costs by the byte turns prefetches off, if the cache says so", arguments: [true, false])
    func metered(isRecorded: Bool) throws {
        var story = Self.feed("A", "B", "C")
        if isRecorded {
            story = Story(network: [("A", 100, 200)])
            story.prefetch("A", at: 0)
            story.appear("A", at: 500)
        }
        for (rule, prefetches) in [("true", isRecorded ? 1 : 2), ("false", 0)] {
            let prefetch = isRecorded ? "recorded" : "next(1)"
            let cache = "memory: lru(1MB); prefetch: \(prefetch); prefetchOnMetered: \(rule)"
            var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
            job.timing = .modelled(.standard)
            job.network = .profile(.lte)
            let result = try job.run(story.trace)
            #expect(result.counts.prefetches == prefetches)
            #expect(result.notes.contains(.prefetchOffOnMetered) == (rule == "false"))
            #expect(result.identity.network == "lte")
        }
    }

    @Test(
        "Other texts than the forms of the rule are refused",
        arguments: [
            "next", "next()", "next(0)", "next(1001)", "rows(-1)", "velocity(3)", "velocity(61s)", "oracle(0s)",
        ])
    func refused(text: String) {
        #expect(throws: (any Error).self) { try CacheConfiguration("memory: lru(1MB); prefetch: \(text)") }
    }
}

@Suite("The order of a list that was not recorded")
struct InferredOrderTests {
    private static func order(_ trace: Trace, _ variant: Variant = .full) -> String {
        ListOrder(inferredFrom: trace).changes(variant).map { trace.objects[Int($0.item.object)].key }.joined()
    }

    @Test("Cells that appear while the list moves back stand before those that were visible")
    func backwards() {
        var story = Story()
        for (index, name) in ["F", "G", "H"].enumerated() { story.appear(name, at: Int64(index)) }
        story.append(.scroll(.dragged, offset: 0, velocity: -500), at: 100)
        // Two batches, each from top to bottom.
        for name in ["D", "E"] { story.appear(name, at: 200) }
        story.disappear("H", at: 210)
        for name in ["B", "C"] { story.appear(name, at: 300) }
        story.append(.scroll(.dragged, offset: 0, velocity: 500), at: 400)
        story.appear("H", at: 500)
        story.appear("I", at: 600)
        #expect(Self.order(story.trace) == "BCDEFGHI")
    }

    @Test("Pictures that are opened one by one are no list; the thumbnails are")
    func opened() {
        var story = Story()
        for (row, names) in ["ABC", "DEF"].enumerated() {
            for name in names { story.appear(String(name), at: Int64(row), .thumbnail) }
        }
        for (index, name) in ["X", "Y", "Z"].enumerated() {
            story.appear(name, at: 100 + Int64(index) * 10)
            story.disappear(name, at: 105 + Int64(index) * 10)
        }
        #expect(Self.order(story.trace) == "")
        #expect(Self.order(story.trace, .thumbnail) == "ABCDEF")
        let order = ListOrder(inferredFrom: story.trace)
        #expect(order.changes(.thumbnail).map(\.item.row) == [0, 0, 0, 1, 1, 1])
    }

    @Test("An object at two positions counts at the nearer one")
    func repeated() {
        func change(_ position: Int32, _ object: ObjectID, at time: Int64) -> ListOrder.Change {
            .init(time: time, item: .init(position: position, row: position, object: object))
        }
        let order = ListOrder(
            changes: [.full: [change(0, 7, at: 0), change(1, 8, at: 0), change(3, 7, at: 0), change(3, 9, at: 5)]])
        var list = order.cursor(.full)
        list.advance(to: 0)
        #expect(list.position(of: 7, near: 1) == 0)
        #expect(list.position(of: 7, near: 3) == 3)
        list.advance(to: 5)
        #expect(list.position(of: 7, near: 3) == 0)
        #expect(list.position(of: 6, near: 3) == nil)
    }
}

@Suite("Networks beside the recorded one")
struct NetworkProfileTests {
    /// 1,000 bytes in 100 ms, 20 ms to connect, 50 ms to the first byte.
    private static func replay(_ story: Story, outages: [NetworkProfile.Outage] = []) throws -> RunResult {
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration("lru(1MB)"))
        job.timing = .modelled(.standard)
        job.network = .profile(
            NetworkProfile(
                name: "test", bytesPerSecond: 10_000, connect: 20_000_000, firstByte: 50_000_000, outages: outages))
        return try job.run(story.trace)
    }

    private static func near(_ time: Int64, _ milliseconds: Int64) -> Bool {
        abs(time - milliseconds * 1_000_000) < 10_000
    }

    @Test("Two transfers share the link, whatever was recorded; a connection is used again")
    func sharing() throws {
        var story = Story(network: [("A", 7, 200), ("B", 7_000, 200)])
        story.appear("A", at: 0)
        #expect(Self.near(try Self.replay(story).latency(.origin).max, 170))
        story.appear("B", at: 0)
        #expect(Self.near(try Self.replay(story).latency(.origin).max, 270))
        var later = Story()
        later.appear("A", at: 0)
        later.appear("B", at: 1_000)
        let result = try Self.replay(later)
        #expect(Self.near(result.latency(.origin).distribution.first?.latency ?? 0, 150))
        // The trace has no fetch, and nothing is assumed.
        #expect(result.notes.allSatisfy { $0.subject != .network })
    }

    @Test("While the network is down, a transfer stands still, and a new fetch fails")
    func outage() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.appear("B", at: 200)
        story.append(.foreground, at: 1_000)
        // A has 300 bytes at 100 ms, and the other 700 from 300 ms on.
        let result = try Self.replay(story, outages: [.init(start: 100_000_000, end: 300_000_000)])
        #expect(Self.near(result.latency(.origin).max, 370))
        #expect(result.counts.failed == 1)
    }

    @Test("A recorded failure stays one")
    func recordedFailure() throws {
        var story = Story(network: [("A", 7, 503)])
        story.appear("A", at: 0)
        #expect(try Self.replay(story).counts.failed == 1)
    }
}
