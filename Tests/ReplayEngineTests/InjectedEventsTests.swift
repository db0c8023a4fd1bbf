import MeasuredTiers
import SessionModel
import Testing

@testable import ReplayEngine

private let noDuration = "is not a duration such as 300s, 4min or 7d"

@Suite("Injected events")
struct InjectedEventsTests {
    @Test(
        "Texts of options, and the text that names the events",
        arguments: [
            (["60s"], .memoryWarning, "memory warning at 1min"),
            (["every 5m"], .memoryWarning, "memory warning every 5min"),
            (
                ["every 5min", "90s", "30s", "90 s"], .memoryWarning,
                "memory warning at 30s; memory warning at 90s; memory warning every 5min"
            ),
            (["60s:20s", "1min:20s"], .background, "background at 1min for 20s"),
            (["1.5s", "0s"], .relaunch, "relaunch at 0s; relaunch at 1500ms"),
            ([], .relaunch, nil),
        ] as [([String], InjectedEvents.Kind, String?)])
    func texts(texts: [String], kind: InjectedEvents.Kind, name: String?) throws {
        #expect(try InjectedEvents(texts, kind).text == name)
    }

    @Test(
        "Texts that state no event are refused",
        arguments: [
            (["60"], .memoryWarning, "memory-warning-at: '60' has no unit: write 60s, 60min, 60h or 60d"),
            (["-5s"], .memoryWarning, "memory-warning-at: '-5s' \(noDuration)"),
            (["every -5s"], .memoryWarning, "memory-warning-at: '-5s' \(noDuration)"),
            (["every"], .memoryWarning, "memory-warning-at: '' \(noDuration)"),
            (["every 0s"], .memoryWarning, "memory-warning-at 'every 0s': an interval is above 0"),
            (["60s"], .background, "background-at '60s': expected a time and a length, such as 60s:20s"),
            (["1s:2s:3s"], .background, "background-at '1s:2s:3s': expected a time and a length, such as 60s:20s"),
            (["60s:0s"], .background, "background-at '60s:0s': a length is above 0, as in 60s:20s"),
            (["60s:30s", "1min:20s"], .background, "background at 1min for 20s overlaps background at 1min for 30s;"),
            (["0s:20d", "5s:11d"], .background, "with the background at 5s for 11d, backgrounds last longer than 30d"),
            (["soon"], .relaunch, "relaunch-at: 'soon' \(noDuration)"),
        ] as [([String], InjectedEvents.Kind, String)])
    func refusals(texts: [String], kind: InjectedEvents.Kind, message: String) {
        let error = #expect(throws: InjectedEventError.self) { try InjectedEvents(texts, kind) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("Events of several options are joined, and each is injected once")
    func joined() throws {
        let one = try InjectedEvents(["1s", "2s"], .memoryWarning)
        let both = try one.adding(InjectedEvents(["2s"], .memoryWarning)).adding(InjectedEvents(["1s"], .relaunch))
        #expect(both.text == "memory warning at 1s; memory warning at 2s; relaunch at 1s")
        let away = try InjectedEvents(["1s:1s"], .background)
        #expect(throws: InjectedEventError.self) { try away.adding(InjectedEvents(["1s:2s"], .background)) }
    }

    // MARK: In a trace

    /// Returns a trace of two objects. Times are milliseconds.
    private static func trace(_ events: [(time: Int64, action: TraceEvent.Action)]) -> Trace {
        Trace(
            objects: [TraceObject(key: "A", bytes: 1_000), TraceObject(key: "B", bytes: 1_000)],
            events: events.map { TraceEvent(time: $0.time * 1_000, $0.action) })
    }

    @Test("Times are those of the recording: what follows an absence is later, and a relaunch shows its cells again")
    func order() throws {
        let recorded = Self.trace([
            (0, .appear(0, .full)), (1_000, .appear(1, .full)), (2_000, .disappear(0, .full)),
            (3_000, .appear(0, .full)), (5_000, .disappear(1, .full)),
        ])
        let events = try InjectedEvents(["1s"], .memoryWarning)
            .adding(InjectedEvents(["2500ms:10s"], .background)).adding(InjectedEvents(["4s"], .relaunch))
        let expected = Self.trace([
            (0, .appear(0, .full)), (1_000, .memoryWarning), (1_000, .appear(1, .full)), (2_000, .disappear(0, .full)),
            (2_500, .background), (12_500, .foreground), (13_000, .appear(0, .full)),
            // B has been visible for longer than A.
            (14_000, .disappear(1, .full)), (14_000, .disappear(0, .full)), (14_000, .terminate),
            (14_000, .foreground), (14_000, .appear(1, .full)), (14_000, .appear(0, .full)),
            (15_000, .disappear(1, .full)),
        ])
        #expect(try events.apply(to: recorded) == expected)
        #expect(try InjectedEvents().apply(to: recorded) == recorded)
    }

    @Test("A list comes to rest before an absence, and a relaunch of the same time is in the background")
    func relaunchInBackground() throws {
        let recorded = Self.trace([
            (0, .appear(0, .full)), (1_000, .scroll(.dragged, offset: 40, velocity: 100)),
            (3_000, .scroll(.atRest, offset: 90, velocity: 0)), (4_000, .disappear(0, .full)),
        ])
        let events = try InjectedEvents(["2s:5s"], .background).adding(InjectedEvents(["2s"], .relaunch))
        let expected = Self.trace([
            (0, .appear(0, .full)), (1_000, .scroll(.dragged, offset: 40, velocity: 100)),
            (2_000, .scroll(.atRest, offset: 40, velocity: 0)), (2_000, .background), (7_000, .disappear(0, .full)),
            (7_000, .terminate), (7_000, .foreground), (7_000, .appear(0, .full)),
            (8_000, .scroll(.atRest, offset: 90, velocity: 0)), (9_000, .disappear(0, .full)),
        ])
        #expect(try events.apply(to: recorded) == expected)
    }

    @Test("Of equal cells the oldest disappears, and a recorded relaunch leaves no cell visible")
    func visibleCells() throws {
        let recorded = Self.trace([
            (0, .appear(0, .full)), (0, .appear(0, .full)), (0, .appear(1, .full)), (1_000, .disappear(0, .full)),
            (3_000, .terminate), (5_000, .appear(1, .full)),
        ])
        let events = try InjectedEvents(["2s", "4s"], .relaunch)
        let injected = try events.apply(to: recorded).events
        #expect(
            injected.filter { $0.time == 2_000_000 }.map(\.action) == [
                .disappear(0, .full), .disappear(1, .full), .terminate, .foreground, .appear(0, .full),
                .appear(1, .full),
            ])
        #expect(injected.filter { $0.time == 4_000_000 }.map(\.action) == [.terminate, .foreground])
    }

    @Test("A cell that appears again after a relaunch has the size of its view")
    func viewSizes() throws {
        let size = ViewSize(width: 100, height: 200)
        var recorded = Self.trace([(0, .appear(0, .full)), (0, .appear(0, .full)), (1_000, .disappear(0, .full))])
        recorded.events[1].viewSize = size
        let injected = try InjectedEvents(["500ms"], .relaunch).apply(to: recorded).events
        let appearances = injected.filter { if case .appear = $0.action { true } else { false } }
        #expect(appearances.map(\.viewSize) == [nil, size, nil, size])
    }

    @Test("A trace that records no disappearance does not say what is visible, so that no cell appears again")
    func cellsStay() throws {
        let recorded = Self.trace([(0, .appear(0, .full)), (2_000, .appear(1, .full))])
        let expected = Self.trace([
            (0, .appear(0, .full)), (1_000, .terminate), (1_000, .foreground), (2_000, .appear(1, .full)),
        ])
        #expect(try InjectedEvents(["1s"], .relaunch).apply(to: recorded) == expected)
    }

    @Test("A memory warning is at each multiple of an interval, also at the end of the trace")
    func periodic() throws {
        let recorded = Self.trace([(0, .appear(0, .full)), (5_000, .disappear(0, .full))])
        let events = try InjectedEvents(["every 2500ms", "every 2s"], .memoryWarning)
        let warnings = try events.apply(to: recorded).events.filter { $0.action == .memoryWarning }
        #expect(warnings.map(\.time) == [2_000_000, 2_500_000, 4_000_000, 5_000_000])
    }

    @Test(
        "Events that have no place in a trace are refused",
        arguments: [
            ("6s", .memoryWarning, "memory warning at 6s: the trace ends after 5 s; give an earlier time"),
            ("6s:1s", .background, "background at 6s for 1s: the trace ends after 5 s; give an earlier time"),
            ("every 6s", .memoryWarning, "every 6s: the trace ends after 5 s, before the first one"),
            ("every 100us", .memoryWarning, "50,000 events in a trace of 5 s, and at most 10,000 are injected"),
            ("3s", .relaunch, "relaunch at 3s: in the recording, the app is in the background from 2s on"),
        ] as [(String, InjectedEvents.Kind, String)])
    func misplaced(text: String, kind: InjectedEvents.Kind, message: String) throws {
        let recorded = Self.trace([
            (0, .appear(0, .full)), (2_000, .background), (4_000, .foreground), (5_000, .disappear(0, .full)),
        ])
        let events = try InjectedEvents([text], kind)
        let error = #expect(throws: InjectedEventError.self) { try events.apply(to: recorded) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("An event at the end of the trace, and a memory warning in the background, have their place")
    func placed() throws {
        let recorded = Self.trace([(0, .appear(0, .full)), (2_000, .background), (5_000, .foreground)])
        let events = try InjectedEvents(["3s", "5s"], .memoryWarning)
        #expect(try events.apply(to: recorded).events.count == 5)
    }

    // MARK: In a replay

    private func replay(_ story: Story, _ events: InjectedEvents) throws -> RunResult {
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration("memory: lru(9kB); disk: lru(9kB)"))
        job.timing = .modelled(.standard)
        job.injected = events.text
        return try job.run(events.apply(to: story.trace), measured: .real)
    }

    /// A is fetched in 1 ms, leaves the screen, and is requested again after two seconds.
    private var story: Story {
        var story = Story(network: [("A", 1, 200)])
        story.appear("A", at: 0)
        story.disappear("A", at: 500)
        story.appear("A", at: 2_000)
        return story
    }

    @Test("A memory warning and a relaunch empty memory and keep the disk; results name them")
    func emptiedMemory() throws {
        let plain = try replay(story, InjectedEvents())
        #expect(plain.counts.memoryHits == 1 && plain.counts.diskHits == 0 && plain.counts.originFetches == 1)
        #expect(plain.identity.injected == nil)
        for (kind, name) in [
            (InjectedEvents.Kind.memoryWarning, "memory warning at 1s"), (.relaunch, "relaunch at 1s"),
        ] {
            let result = try replay(story, InjectedEvents(["1s"], kind))
            #expect(result.counts.memoryHits == 0 && result.counts.diskHits == 1, "\(name)")
            #expect(result.counts.originFetches == 1 && result.counts.requests == 2, "\(name)")
            #expect(result.identity.injected == name)
            #expect(result.notes.contains(.eventsInjected(name)))
        }
    }

    @Test("A cell that is visible at a relaunch makes a request again")
    func visibleAtRelaunch() throws {
        let result = try replay(story, InjectedEvents(["400ms"], .relaunch))
        #expect(result.counts.requests == 3 && result.counts.originFetches == 1)
        // After the relaunch from the disk, and then from memory.
        #expect(result.counts.diskHits == 1 && result.counts.memoryHits == 1)
    }

    @Test("An absence lengthens the session")
    func absence() throws {
        let result = try replay(story, InjectedEvents(["1s:10s"], .background))
        #expect(result.traceDuration == 12_000_000_000)
        #expect(result.counts.memoryHits == 1)
        #expect(result.identity.injected == "background at 1s for 10s")
    }
}
