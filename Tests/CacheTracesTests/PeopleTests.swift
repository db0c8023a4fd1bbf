import Basics
import Foundation
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
                case .fetch, .remove, .list, .served, .cost: break
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

    @Test("What is known of feeds is compared with feeds alone", arguments: PeopleModel.App.allCases)
    func feeds(app: PeopleModel.App) throws {
        let habits = try #require(SessionHabits(Population.trace(model(app), person: 1)))
        #expect(habits.isOfFeed == (app == .feed))
        let feed = try #require(SessionHabits(Population.trace(model(), person: 2)))
        func row(_ habits: [SessionHabits], _ name: String) throws -> PeopleComparison.Row {
            try #require(PeopleComparison(habits).rows.first { $0.target.name == name })
        }
        let name = "seconds per item of a feed"
        let alone = try row([feed], name)
        #expect(alone.value == feed.foreground / Double(feed.appearances))
        if app != .feed {
            #expect(try row([habits], name).value == nil)
            #expect(try row([habits, feed], name).value == alone.value)
            #expect(PeopleComparison([habits]).text().contains("or no feed"))
        }
        // How a list moves is known of all lists.
        #expect(try row([habits], "screens per minute").value != nil)
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

    /// A change of a model, and its error; nil if there is none.
    struct Mistake: Sendable {
        var app = PeopleModel.App.feed
        var phone: String?
        var error: String?
        var change: @Sendable (inout PeopleModel) -> Void

        init(
            _ error: String?, app: PeopleModel.App = .feed, phone: String? = nil,
            _ change: @escaping @Sendable (inout PeopleModel) -> Void
        ) {
            (self.error, self.app, self.phone, self.change) = (error, app, phone, change)
        }
    }

    @Test(
        "A value that is out of range, no whole number, or without effect is an error with a remedy",
        arguments: [
            Mistake(nil) { _ in },
            Mistake("pause-spread is -1; expected 0 to 3") { $0[.pauseSpread] = -1 },
            Mistake("people is 0; expected 1 to 100000") { $0.people = 0 },
            Mistake("days is 400; expected 1 to 366") { $0.days = 400 },
            Mistake("jpeg-share and webp-share are 0.9 and 0.27; together, they are at most 1") {
                $0[.jpegShare] = 0.9
            },
            Mistake("connections is 1.5; expected a whole number such as 2") { $0[.connections] = 1.5 },
            Mistake("gallery-pictures is 20.25; expected a whole number such as 21", app: .gallery) {
                $0[.galleryPictures] = 20.25
            },
            // A mean may be a fraction.
            Mistake(nil, app: .search) { $0[.searchQueries] = 1.5 },
            Mistake("gallery-pictures has no effect with --app feed; leave it out, or use --app gallery") {
                $0[.galleryPictures] = 50
            },
            Mistake(
                "thumbnail-pixels has no effect with --app chat; leave it out, or use --app gallery or --app search",
                app: .chat
            ) { $0[.thumbnailPixels] = 50 },
            Mistake(
                "ios-share has no effect, because --device android holds for all people; leave out one of the two",
                phone: "android"
            ) { $0[.iosShare] = 0.3 },
            Mistake(nil) { $0[.iosShare] = 0.3 },
            Mistake("warnings has no effect, because --device android-little-memory ", phone: "android-little-memory") {
                $0[.warnings] = 0.01
            },
            Mistake(nil, phone: "iphone") { $0[.warnings] = 0.01 },
            Mistake("rate has no effect, because --network lte holds for all people; leave out one of the two") {
                $0.network = .lte
                $0[.rate] = 5
            },
        ])
    func mistakes(_ mistake: Mistake) {
        let changed = model(mistake.app) {
            $0.phone = Phone.all.first { $0.name == mistake.phone }
            mistake.change(&$0)
        }
        var found: String?
        do { try changed.check() } catch { found = "\(error)" }
        let isRight = mistake.error.map { found?.hasPrefix($0) == true } ?? (found == nil)
        #expect(isRight, "\(found ?? "none")")
    }

    @Test("A chosen network is in the header, and refuses each parameter that it replaces")
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
        for parameter in PeopleParameter.allCases where parameter.describesNetwork {
            let both = model {
                $0.network = .lte
                $0[parameter] = parameter.facts.value / 2
            }
            #expect(throws: SynthesisError.self, "\(parameter)") { try both.check() }
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

    @Test("A session without scroll events has no such figures")
    func none() { #expect(SessionHabits(trace([(0, .appear(0, .full))])) == nil) }
}
