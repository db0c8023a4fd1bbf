import Basics
import Foundation
import TestSupport
import Testing

@testable import CacheTraces
@testable import SessionModel
@testable import TraceAnalysis
@testable import TraceSynthesis

@Suite("Modelled people")
struct PeopleTests {
    private func model(_ app: PeopleModel.App = .feed, _ change: (inout PeopleModel) -> Void = { _ in }) -> PeopleModel
    {
        var model = PeopleModel()
        model.app = app
        model.days = 2
        model.seed = 7
        change(&model)
        return model
    }

    private func bytes(_ model: PeopleModel, person: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try Population.writeJSONLines(model, person: person) { bytes += $0 }
        return bytes
    }

    @Test(
        "A person has the same session in a population of any size, streamed or in memory",
        arguments: PeopleModel.App.allCases)
    func same(app: PeopleModel.App) throws {
        let alone = try bytes(model(app), person: 3)
        #expect(try bytes(model(app) { $0.people = 50 }, person: 3) == alone)
        #expect(try bytes(model(app), person: 4) != alone)
        #expect(try bytes(model(app) { $0.seed = 8 }, person: 3) != alone)
        let trace = try TraceReading(TraceInput(bytes: alone, path: "person.jsonl")).trace
        #expect(trace == (try Population.trace(model(app), person: 3)))
        #expect(trace.header.user == "person-0004")
        #expect(trace.header.synthetic)
    }

    @Test(
        "Times never go back, each cell that disappears has appeared, and nothing happens in the background",
        arguments: PeopleModel.App.allCases)
    func valid(app: PeopleModel.App) throws {
        for person in 0..<6 {
            let trace = try Population.trace(model(app) { $0.days = 4 }, person: person)
            var visible: [ObjectID: Int] = [:]
            var isAway = false
            var last: Int64 = 0
            for event in trace.events {
                #expect(event.time >= last)
                last = event.time
                switch event.action {
                case .appear(let object, _):
                    visible[object, default: 0] += 1
                    #expect(!isAway)
                case .disappear(let object, _):
                    visible[object, default: 0] -= 1
                    #expect(visible[object, default: 0] >= 0)
                case .scroll, .prefetch, .memoryWarning: #expect(!isAway)
                case .background:
                    #expect(!isAway)
                    isAway = true
                case .foreground:
                    #expect(isAway)
                    isAway = false
                case .terminate: #expect(visible.values.allSatisfy { $0 == 0 })
                case .fetch, .remove, .list, .served: break
                }
            }
            #expect(isAway)
            #expect(visible.values.allSatisfy { $0 == 0 })
        }
    }

    @Test("A feed shows no picture twice; after a gap, it keeps the share of known ones that the gap implies")
    func refresh() {
        var lists = PersonLists(model(), seed: 1)
        lists.refresh(after: nil)
        var shares: [Double] = []
        for _ in 0..<400 {
            let before = Set(lists.items)
            #expect(before.count == lists.items.count)
            // One time constant: 0.46 / e = 0.169.
            lists.refresh(after: 1.65 * 3_600)
            shares.append(Double(lists.items.prefix(100).count { before.contains($0) }) / 100)
        }
        #expect(abs(shares.reduce(0, +) / 400 - 0.169) < 0.01)
    }

    @Test("A gallery keeps its pictures, and has five new ones at its top after a day")
    func gallery() {
        var lists = PersonLists(model(.gallery), seed: 1)
        lists.refresh(after: nil)
        let before = lists.items
        #expect(before.count == 2_000)
        lists.refresh(after: 86_400)
        #expect(lists.items.count == 2_005)
        #expect(Array(lists.items.dropFirst(5)) == before)
    }

    @Test("Modelled people agree with every figure that has no stated reason to differ, on both systems")
    func agreement() throws {
        for phone in ["iphone", "android"] {
            let model = model {
                $0.days = 7
                $0.seed = 1
                $0.phone = Phone.all.first { $0.name == phone }
            }
            let habits = try (0..<60).compactMap { SessionHabits(try Population.trace(model, person: $0)) }
            #expect(habits.count == 60)
            let rows = PeopleComparison(habits).rows
            // Sixty people are too few for quantiles over people.
            let byPerson = "time to the first byte, by person"
            let differing = rows.filter { $0.target.reason == nil && !$0.agrees && $0.target.name != byPerson }
            #expect(differing.map { "\($0.target.name): \($0.distance ?? -1)" } == [])
            #expect(rows.count { $0.agrees } >= 13)
        }
        // The comparison can fail: without pauses, a list moves too fast.
        let hasty = model {
            $0[.pause] = 0.1
            $0[.pauseSpread] = 0
        }
        let rows = PeopleComparison(
            (0..<5).compactMap { person in
                (try? Population.trace(hasty, person: person)).flatMap { SessionHabits($0) }
            }
        ).rows
        #expect(rows.first { $0.target.name == "screens per minute" }?.agrees == false)
    }

    @Test("The networks of 2,000 people have the published times to the first byte")
    func firstBytes() {
        let times = (0..<2_000).map { Person(model(), number: $0).network.firstByte * 1_000 }
        let quantiles = [(0.1, 100.0), (0.25, 116), (0.5, 151), (0.75, 207), (0.9, 267)]
        for (share, milliseconds) in quantiles {
            let found = Double(times.count { $0 <= milliseconds }) / 2_000
            #expect(abs(found - share) < 0.1, "\(milliseconds) ms: \(found)")
        }
    }

    @Test("Parameters stand in the order of their cases, and their defaults are within their ranges")
    func parameters() {
        #expect(PeopleParameter.all.map(\.parameter) == PeopleParameter.allCases)
        #expect(Set(PeopleParameter.all.map(\.name)).count == PeopleParameter.all.count)
        for facts in PeopleParameter.all { #expect(facts.range.contains(facts.value), "\(facts.name)") }
    }

    @Test("A value out of range is an error that names the parameter and the range")
    func outOfRange() {
        func error(_ change: (inout PeopleModel) -> Void) -> String? {
            do { try model(.feed, change).check() } catch { return "\(error)" }
            return nil
        }
        #expect(error { $0[.pauseSpread] = -1 } == "pause-spread is -1; expected 0 to 3")
        #expect(error { $0[.openChance] = 1.5 } == "open-chance is 1.5; expected 0 to 1")
        #expect(error { $0.people = 0 } == "people is 0; expected 1 to 100000")
        #expect(error { $0.days = 400 } == "days is 400; expected 1 to 366")
        #expect(
            error { $0[.jpegShare] = 0.9 } == "jpeg-share and webp-share are 0.9 and 0.27; together, they are at most 1"
        )
        #expect(error { _ in } == nil)
    }

    @Test("A fraction of a count is an error with a whole number that would do; a mean may have one")
    func counts() {
        func error(_ parameter: PeopleParameter, _ value: Double) -> String? {
            do { try model(parameter.facts.apps[0]) { $0[parameter] = value }.check() } catch { return "\(error)" }
            return nil
        }
        #expect(error(.connections, 1.5) == "connections is 1.5; expected a whole number such as 2")
        #expect(error(.prefetchRows, 0.5) == "prefetch-rows is 0.5; expected a whole number such as 1")
        let others: [PeopleParameter] = [
            .thumbnailPixels, .avatarPixels, .galleryPictures, .chatMessages, .chatContacts,
        ]
        for parameter in others {
            #expect(error(parameter, 20.25)?.hasSuffix(" is 20.25; expected a whole number such as 21") == true)
            #expect(error(parameter, 20) == nil)
        }
        #expect(error(.searchQueries, 1.5) == nil && error(.chatNewPerDay, 0.5) == nil)
    }

    @Test("A chosen network is in the header, and refuses parameters that it replaces")
    func network() {
        let own = model { $0[.rate] = 5 }
        #expect(Person(own, number: 0).header(own).recorder?.hasSuffix(", rate 5") == true)
        #expect(Person(model(), number: 0).header(model()).recorder?.contains("network") == false)
        let chosen = model {
            $0.network = .lte
            $0[.missing] = 0
        }
        #expect(throws: Never.self) { try chosen.check() }
        #expect(Person(chosen, number: 0).header(chosen).recorder?.hasSuffix(", network lte, missing 0") == true)
        let networkParameters: [PeopleParameter] = [
            .firstByte, .firstByteBetweenPeople, .firstByteSpread, .rate, .rateBetweenPeople, .rateSpread,
            .stallChance, .stall,
        ]
        for parameter in networkParameters {
            let both = model {
                $0.network = .lte
                $0[parameter] = 0.5
            }
            #expect(throws: SynthesisError.self, "\(parameter)") { try both.check() }
        }
        do {
            try model {
                $0.network = .lte
                $0[.rate] = 5
            }.check()
        } catch {
            #expect(
                "\(error)"
                    == "rate has no effect, because --network lte holds for all people; leave out one of the two")
        }
    }

    /// The session of a person without its header, which states each changed parameter. The model is not checked.
    private func session(_ model: PeopleModel, person: Int) throws -> Trace {
        var session = try PersonSession(model, person: person, sink: TraceSink())
        try session.run()
        var trace = session.screen.recorder.sink.trace
        trace.header = TraceHeader()
        return trace
    }

    @Test(
        "Half of a parameter that only some apps use changes their sessions, and no others",
        arguments: PeopleModel.App.allCases)
    func apps(app: PeopleModel.App) throws {
        let before = try (0..<8).map { try session(model(app), person: $0) }
        for facts in PeopleParameter.all where facts.apps != PeopleModel.App.allCases {
            let changed = model(app) { $0[facts.parameter] = max(facts.range.lowerBound, facts.value / 2) }
            // A person may make no use of the parameter, such as one who repeats no search.
            let isUsed = facts.apps.contains(app)
            let differs = try (0..<(isUsed ? 8 : 1)).contains { try session(changed, person: $0) != before[$0] }
            #expect(differs == isUsed, "\(facts.name)")
        }
    }

    @Test("Half of a parameter that the phone or network of all people replaces changes nothing", arguments: Phone.all)
    func replaced(phone: Phone) throws {
        let chosen = model {
            $0.phone = phone
            $0.network = .lte
        }
        let before = try session(chosen, person: 0)
        for parameter in PeopleParameter.allCases where parameter.isReplaced(by: phone) || parameter.describesNetwork {
            var changed = chosen
            changed[parameter] = parameter.facts.value / 2
            #expect(try session(changed, person: 0) == before, "\(parameter)")
        }
    }

    @Test("A parameter that the app does not use, or that the phone of all people replaces, is an error with a remedy")
    func noEffect() {
        func error(_ parameter: PeopleParameter, _ app: PeopleModel.App = .feed, phone: String? = nil) -> String? {
            let changed = model(app) {
                $0[parameter] = parameter.facts.value / 2
                $0.phone = Phone.all.first { $0.name == phone }
            }
            do { try changed.check() } catch { return "\(error)" }
            return nil
        }
        #expect(
            error(.galleryPictures)
                == "gallery-pictures has no effect with --app feed; leave it out, or use --app gallery")
        #expect(
            error(.thumbnailPixels, .chat)
                == "thumbnail-pixels has no effect with --app chat; leave it out, or use --app gallery or --app search")
        #expect(
            error(.iosShare, phone: "android")
                == "ios-share has no effect, because --device android holds for all people; leave out one of the two")
        #expect(error(.littleMemoryShare, phone: "iphone")?.hasPrefix("little-memory-share has no effect") == true)
        #expect(error(.warnings, phone: "android-little-memory")?.hasPrefix("warnings has no effect") == true)
        #expect(error(.warningsLittleMemory, phone: "iphone")?.hasPrefix("warnings-little-memory has no") == true)
        #expect(error(.warnings, phone: "iphone") == nil)
        #expect(error(.warningsLittleMemory, phone: "iphone-little-memory") == nil)
        #expect(error(.iosShare) == nil && error(.thumbnailPixels, .search) == nil)
    }
}

@Suite("How lists of iOS and Android move after a release")
struct FlingPhysicsTests {
    @Test("Android: 1,000 dp/s last 0.555 s and go 194 dp; twice the speed goes 3.3 times as far")
    func android() {
        // V = 0.015 · 9.80665 · 39.37 · 160 · 0.84 / 0.35 = 2,223.9 dp/s; D = ln 0.78 / ln 0.9 = 2.3582.
        // (1000 / V)^(1 / (D − 1)) = e^(−0.79926 / 1.3582) = 0.5552 s.
        // 778.4 · (1000 / V)^(D / (D − 1)) = 778.4 · e^(−0.79926 · 1.73627) = 194.3 dp.
        let physics = FlingPhysics.android
        #expect(abs(physics.duration(1_000) - 0.5552) < 0.001)
        #expect(abs(physics.distance(1_000) - 194.3) < 0.5)
        // 2^1.73627 = 3.332.
        #expect(abs(physics.distance(2_000) / physics.distance(1_000) - 3.332) < 0.01)
    }

    @Test("iOS: 1,000 points per second go 494.5 points until 10 points per second are left")
    func iOS() {
        // (1000 − 10) / 2.002003 = 494.5.
        #expect(abs(FlingPhysics.iOS.distance(1_000) - 494.5) < 0.1)
        #expect(abs(FlingPhysics.iOS.duration(1_000) - 2.30028) < 0.00001)
    }

    @Test("A list slows down steadily, and stops where and when the closed form says", arguments: FlingPhysics.allCases)
    func path(physics: FlingPhysics) {
        for speed in [60.0, 500, 2_000, 8_000] {
            let duration = physics.duration(speed)
            var before = (travelled: 0.0, speed: Double.infinity)
            for step in 0...200 {
                let state = physics.state(after: duration * Double(step) / 200, from: speed)
                #expect(state.travelled >= before.travelled - 1e-9)
                #expect(state.speed <= before.speed + 1e-9)
                before = state
            }
            #expect(abs(before.travelled - physics.distance(speed)) < 0.01)
        }
    }

    @Test("A release in the direction of a moving list adds all of its speed on Android, and 650 of 1,000 on iOS")
    func carried() {
        #expect(FlingPhysics.android.carried(2_000, moving: 1_000) == 3_000)
        // 0.000816 · 1000^1.967 = 649.7.
        #expect(abs(FlingPhysics.iOS.carried(2_000, moving: 1_000) - 2_649.7) < 0.5)
        #expect(FlingPhysics.iOS.carried(2_000, moving: 0) == 2_000)
    }
}

@Suite("The targets of people", .enabled(if: SharedData.isPresent))
struct PeopleTargetsTests {
    /// The figure that stands for a statistic of a set of the file of targets.
    private func figure(_ statistic: String, _ set: String) -> String? {
        switch (statistic, set) {
        case (_, "looking-up"): "readers who look something up"
        case ("settled_gap_s", _): "times between scrolls below 1 s"
        case ("settled_step_screens", _): "distance of a scroll"
        case ("settled_pause_s", _): "pause"
        case ("settled_burst_screens", _), ("steps_per_burst", _): "bursts of scrolls"
        case ("back_step_share", _): "scrolls that go back"
        case ("back_distance_share", _): "travel that goes back"
        case ("back_after_forward", _), ("back_after_back", _): "direction after a scroll"
        case ("retravel_share", _): "travel over known ground"
        case ("screens_per_minute", "reading"): "screens per minute of readers"
        case ("screens_per_minute", _): "screens per minute"
        case ("gap_burstiness", _): "burstiness of scrolls"
        case ("gap_autocorrelation", _): "autocorrelation of times between scrolls"
        case ("pause_log_spread", _): "spread of the logarithm of pauses"
        case ("visit_s", "news-phone"): "length of a visit"
        case ("visit_s", _): "visits to all apps of a phone"
        case ("gap_between_visits_h", _): "time between visits"
        case ("visits_per_active_day", _): "visits on a day with a visit"
        case ("articles_per_visit", _): "opened pictures of a visit with any"
        case ("repeat_open_share", _): "opened pictures that had been opened"
        case ("seen_before_share_after_0_600_s", _): "known pictures on return, up to 10 min"
        case ("seen_before_share_after_600_1800_s", _): "known pictures on return, 10 to 30 min"
        case ("seen_before_share_after_1800_10800_s", _): "known pictures on return, 0.5 to 3 h"
        case ("seen_before_share_after_10800_43200_s", _): "known pictures on return, 3 to 12 h"
        case ("seen_before_share_after_43200_129600_s", _): "known pictures on return, 12 to 36 h"
        case ("item_s", _): "seconds for which an item is in view"
        case ("seconds_per_appearance", _): "seconds per item of a feed"
        case ("release_points_s", _): "speed at the release"
        case ("drag_ms", _): "drag before a release"
        case (_, "web-all"): "all images of web pages"
        case ("image_bytes", _): "bytes of a picture"
        case ("rtt_ms", _): "time to the first byte, by person"
        case ("link_mbit_s", _): "rates of measured links"
        case ("moving_share", _): "share of time moving"
        default: nil
        }
    }

    @Test("Each row of the file of targets is compared, or listed with the reason why it is not")
    func complete() throws {
        let text = try String(
            contentsOfFile: SharedData.path("../facts/human-sessions-targets.csv"), encoding: .utf8)
        let known = PeopleTarget.all.map(\.name) + PeopleTarget.notCompared.map(\.name)
        #expect(Set(known).count == known.count)
        let rows = text.split(separator: "\n").dropFirst()
        #expect(rows.count > 50)
        for row in rows {
            let fields = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            #expect(figure(fields[0], fields[1]).map(known.contains) == true, "\(fields[0]) of \(fields[1])")
        }
        let printed = PeopleComparison([]).text()
        for (name, reason) in PeopleTarget.notCompared { #expect(printed.contains("  \(name): \(reason).")) }
    }
}

@Suite("Figures of how a session moves")
struct SessionHabitsTests {
    private func trace(_ events: [(Double, TraceEvent.Action)]) -> Trace {
        Trace(
            objects: (0..<20).map { TraceObject(key: "\($0)") },
            events: events.map { TraceEvent(time: Int64($0.0 * 1e6), $0.1) })
    }

    @Test("Scrolls, pauses, visits and known ground of a session that was worked out by hand")
    func scrolls() throws {
        let habits = try #require(
            SessionHabits(
                trace([
                    (0, .appear(0, .full)), (0, .scroll(.atRest, offset: 0, velocity: 0)),
                    // Forward by 844 points, of which the finger moves 200.
                    (2, .scroll(.dragged, offset: 0, velocity: 0)),
                    (2.2, .scroll(.decelerating, offset: 200, velocity: 1_500)),
                    (3, .scroll(.atRest, offset: 844, velocity: 0)),
                    // Back by 422 points after a pause.
                    (6, .scroll(.dragged, offset: 844, velocity: 0)),
                    (7, .scroll(.atRest, offset: 422, velocity: 0)),
                    (10, .background),
                    // One hour later.
                    (3_610, .foreground), (3_610, .appear(0, .full)), (3_610, .appear(1, .full)),
                    (3_610, .scroll(.atRest, offset: 0, velocity: 0)), (3_630, .background),
                ])))
        #expect(habits.visits == [10, 20])
        #expect(habits.gaps == [1])
        #expect(habits.visitsPerDay == [2])
        #expect(habits.scrolls == [844, -422])
        #expect(habits.intervals == [4])
        #expect(habits.pauses == [4])
        #expect(habits.releases == [1_500])
        #expect(abs(try #require(habits.drags.first) - 0.2) < 1e-9)
        #expect(habits.travelled == 1_266)
        #expect(habits.retravelled == 422)
        #expect(abs(habits.moving - 2) < 1e-9)
        // One of the two pictures after an hour had been seen.
        #expect(habits.returns == [SessionHabits.Return(hours: 1, share: 0.5)])
        let pace = try #require(Pace(habits))
        // 1.5 screens in 30 s.
        #expect(abs(pace.screensPerMinute - 3) < 1e-9)
        #expect(pace.back == 0.5)
    }

    @Test("An absence below half an hour is part of the visit, and its time is not")
    func absence() throws {
        let habits = try #require(
            SessionHabits(
                trace([
                    (0, .scroll(.atRest, offset: 0, velocity: 0)), (10, .background), (70, .foreground),
                    (90, .background),
                ])))
        #expect(habits.visits == [30])
        #expect(habits.gaps == [])
    }

    @Test("A page that is closed and opened again is an absence, from its end to the next cell")
    func closedPage() throws {
        let habits = try #require(
            SessionHabits(
                trace([
                    (0, .appear(0, .full)), (0, .scroll(.atRest, offset: 0, velocity: 0)), (10, .terminate),
                    (40, .appear(0, .full)), (40, .scroll(.atRest, offset: 0, velocity: 0)), (60, .terminate),
                    (3_660, .appear(0, .full)), (3_660, .appear(1, .full)),
                    (3_660, .scroll(.atRest, offset: 0, velocity: 0)), (3_665, .terminate),
                ])))
        #expect(habits.visits == [30, 5])
        #expect(habits.gaps == [1])
        #expect(habits.returns.map(\.share) == [1, 0.5])
    }

    @Test("A movement that begins some points from the rest stays on the ground, and a jump is another list")
    func startOfMovement() throws {
        func habits(_ start: Double) throws -> SessionHabits {
            try #require(
                SessionHabits(
                    trace([
                        (0, .scroll(.atRest, offset: 0, velocity: 0)),
                        (1, .scroll(.dragged, offset: 20, velocity: 100)),
                        (2, .scroll(.atRest, offset: 1_000, velocity: 0)),
                        (4, .scroll(.dragged, offset: start, velocity: -100)),
                        (5, .scroll(.atRest, offset: start - 100, velocity: 0)),
                    ])))
        }
        // Back from 1,000 by way of 980 to 880, over known ground.
        let near = try habits(980)
        #expect(near.travelled == 1_120 && near.retravelled == 120 && near.scrolls == [1_000, -120])
        let far = try habits(300)
        #expect(far.travelled == 1_100 && far.retravelled == 0 && far.scrolls == [1_000, -100])
    }

    @Test("A picture of a feed is opened when it appears again at rest, and one of a grid when it appears in full")
    func openings() throws {
        let feed = try #require(
            SessionHabits(
                trace([
                    (0, .appear(0, .full)), (0, .appear(1, .full)), (0, .scroll(.atRest, offset: 0, velocity: 0)),
                    // The third picture scrolls into view.
                    (2, .scroll(.dragged, offset: 0, velocity: 0)), (2.1, .appear(2, .full)),
                    (2.2, .scroll(.atRest, offset: 200, velocity: 0)),
                    // The second picture is opened, closed and opened again.
                    (3, .appear(1, .full)), (4, .disappear(1, .full)), (5, .appear(1, .full)),
                    (6, .disappear(1, .full)), (7, .background),
                    // One hour later: the list shows another picture, which is opened after a short absence.
                    (3_607, .foreground), (3_607, .appear(3, .full)), (3_608, .background), (3_609, .foreground),
                    (3_610, .appear(3, .full)), (3_620, .background),
                ])))
        #expect(feed.openings == [2, 1])
        #expect(feed.reopenings == 1)
        let grid = try #require(
            SessionHabits(
                trace([
                    (0, .appear(0, .thumbnail)), (0, .appear(1, .thumbnail)),
                    (1, .scroll(.dragged, offset: 0, velocity: 0)), (1.1, .appear(2, .thumbnail)),
                    (1.2, .scroll(.atRest, offset: 200, velocity: 0)),
                    (3, .appear(10, .full)), (4, .disappear(10, .full)), (4, .appear(11, .full)),
                    (5, .disappear(11, .full)), (6, .background),
                ])))
        #expect(grid.openings == [2])
        #expect(grid.reopenings == 0)
        let row = try #require(
            PeopleComparison([feed, grid]).rows.first { $0.target.name == "opened pictures that had been opened" })
        // One of five.
        #expect(abs(try #require(row.value) - 0.2) < 1e-9)
    }

    @Test("Times between scrolls that alternate between 1 and 4 s have an autocorrelation of -7/8; seven have none")
    func autocorrelation() throws {
        // The logarithms are 0 and ln 4, half of ln 4 from their mean: seven products of -(ln 2)^2, by eight squares.
        func session(_ count: Int) throws -> SessionHabits {
            var events: [(Double, TraceEvent.Action)] = []
            var end = 1.0
            for scroll in 0...count {
                let offset = Double(scroll) * 100
                events.append((end - 0.2, .scroll(.dragged, offset: offset, velocity: 0)))
                events.append((end, .scroll(.atRest, offset: offset + 100, velocity: 0)))
                end += scroll.isMultiple(of: 2) ? 1 : 4
            }
            return try #require(SessionHabits(trace(events)))
        }
        let habits = try session(8)
        #expect(habits.intervals == [1, 4, 1, 4, 1, 4, 1, 4])
        #expect(habits.autocorrelations.count == 1)
        #expect(abs(try #require(habits.autocorrelations.first) + 0.875) < 1e-9)
        #expect(try session(7).autocorrelations == [])
    }

    @Test("A comparison has reasons of modelled people for generated sessions only, and names figures without data")
    func comparison() throws {
        // One visit with one scroll of a screen.
        let habits = try #require(
            SessionHabits(
                trace([
                    (0, .appear(0, .full)), (0, .scroll(.atRest, offset: 0, velocity: 0)),
                    (2, .scroll(.dragged, offset: 0, velocity: 0)), (3, .scroll(.atRest, offset: 844, velocity: 0)),
                    (10, .background),
                ])))
        let absences = "known pictures on return, 10 to 30 min"
        func missing(_ text: String) throws -> String {
            let lines = text.split(separator: "\n").map(String.init)
            let title = try #require(lines.firstIndex { $0.hasPrefix("No data, because") })
            return lines[title + 1]
        }
        let recorded = PeopleComparison([habits]).text()
        #expect(!recorded.contains("modelled people"))
        #expect(try missing(recorded).hasPrefix("  time between visits; "))
        #expect(try missing(recorded).contains("; \(absences); "))
        let modelled = PeopleComparison([habits], areModelled: true).text()
        #expect(modelled.contains("\nWhy figures of modelled people differ or have no data:\n"))
        #expect(
            modelled.contains(
                "\n  \(absences): visits are at least half an hour apart, and absences are shorter.\n"))
        #expect(
            modelled.contains(
                "\n  distance of a scroll: text read with a mouse wheel; a feed of pictures has other lengths.\n"))
        #expect(try !missing(modelled).contains(absences))
        let source = "44 readers of a news site in 21 days (EB-NeRD)"
        for text in [recorded, modelled] {
            #expect(text.contains("\n  \(source): length of a visit; time between visits; "))
        }
    }

    @Test("A session without scroll events has no such figures")
    func none() { #expect(SessionHabits(trace([(0, .appear(0, .full))])) == nil) }
}
