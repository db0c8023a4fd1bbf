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

    @Test("A session without scroll events has no such figures")
    func none() { #expect(SessionHabits(trace([(0, .appear(0, .full))])) == nil) }
}
