import Foundation
import Testing

@testable import TraceSynthesis

@Suite("How lists move")
struct ScrollPhysicsTests {
    @Test("At the normal rate the velocity halves every 346 ms, and 1,000 points per second run out after 499.5 points")
    func normal() {
        // ln 0.5 / ln 0.998 = 346.23 ms; −1000 / (1000 ln 0.998) = 499.4998.
        let physics = ScrollPhysics()
        #expect(abs(physics.velocity(after: 0.34623, from: 1_000) - 500) < 0.01)
        #expect(abs(physics.distance(from: 1_000) - 499.4998) < 0.0001)
        // After 1 s: 1000 · 0.998^1000 = 135.065; travelled 499.4998 · (1 − 0.135065) = 432.035.
        #expect(abs(physics.velocity(after: 1, from: -1_000) + 135.065) < 0.001)
        #expect(abs(physics.travelled(after: 1, from: 1_000) - 432.035) < 0.001)
        // ln(1000 / 10) / 2.002003 = 2.30028 s until 10 points per second are left.
        #expect(abs(physics.duration(from: 1_000) - 2.30028) < 0.00001)
        #expect(physics.duration(from: 5) == 0)
    }

    @Test("What has been travelled is the integral of the velocity")
    func integral() {
        let physics = ScrollPhysics()
        let steps = 100_000
        let sum = (0..<steps).reduce(0.0) {
            $0 + physics.velocity(after: (Double($1) + 0.5) / Double(steps), from: 3_000) / Double(steps)
        }
        #expect(abs(sum - physics.travelled(after: 1, from: 3_000)) < 1e-6)
    }

    @Test("A flick's events follow the closed form: phase, offset and velocity")
    func events() throws {
        var model = PeopleModel()
        model.phone = Phone.all.first { $0.name == "iphone" }
        model.days = 3
        let trace = try Population.trace(model, person: 0)
        let physics = ScrollPhysics()
        var start: (time: Int64, offset: Double, velocity: Double)?
        var compared = 0
        for event in trace.events {
            guard case .scroll(let phase, let offset, let velocity) = event.action else { continue }
            switch (phase, start) {
            case (.decelerating, nil): start = (event.time, offset, velocity)
            case (.decelerating, let begun?) where offset > 0:
                let time = Double(event.time - begun.time) / 1e6
                // Offsets are recorded to a point, velocities to a point per second, and times to a millisecond.
                let tolerance = 1.5 + abs(begun.velocity) * 0.002
                let travelled = physics.travelled(after: time, from: begun.velocity)
                #expect(abs(offset - begun.offset - travelled) < tolerance)
                #expect(abs(velocity - physics.velocity(after: time, from: begun.velocity)) < tolerance)
                compared += 1
            default: start = nil
            }
        }
        #expect(compared > 100)
    }

    @Test("Cells come and go by geometry: rows of three, and a viewport of 300")
    func geometry() {
        let list = ListGeometry(columns: 3, rowHeight: 100, viewport: 300, count: 32)
        #expect(list.end == 800)
        #expect(list.visible(at: 0) == 0..<9)
        #expect(list.visible(at: 1) == 0..<12)
        #expect(list.visible(at: 100) == 3..<12)
        #expect(list.visible(at: 800) == 24..<32)
    }
}
