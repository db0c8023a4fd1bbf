import SessionModel

extension SyntheticSession {
    /// Drags the list with even acceleration up to `velocity`, and releases it.
    mutating func flick(_ velocity: Double) throws {
        let physics = ScrollPhysics(rate: model.deceleration)
        let (start, drag) = (screen.offset, model.drag)
        try screen.report(.dragged, velocity: 0)
        try screen.move(.dragged, for: drag) { time in
            (start + velocity * time * time / (2 * drag), velocity * time / drag)
        }
        guard !screen.isDone else { return }
        let released = screen.offset
        if velocity > 0 ? released < screen.geometry.end : released > 0 {
            try screen.report(.decelerating, velocity: velocity)
            try screen.move(.decelerating, for: physics.duration(from: velocity)) { time in
                let left = physics.velocity(after: time, from: velocity)
                return (released + physics.distance(from: velocity - left), left)
            }
        }
        try screen.report(.atRest, velocity: 0)
    }

    /// Flicks towards a place `distance` points away, which the list reaches if the finger is fast enough.
    mutating func flick(towards distance: Double, fastest: Double = .infinity) throws {
        // The drag covers velocity · drag / 2 before the release.
        let exact = abs(distance) / (model.drag / 2 + 1 / ScrollPhysics(rate: model.deceleration).decay)
        let drawn = min(fastest, person.logNormal(median: model.flickSpeed, spread: model.flickSpread))
        let velocity = max(2 * ScrollPhysics.restVelocity, min(exact, drawn))
        try flick(distance < 0 ? -velocity : velocity)
    }
}

/// The times of the next events of the system.
struct SystemPlan {
    var random: RandomStream
    /// The time of the next memory warning in microseconds; `.max` for never.
    var memoryWarning: Int64 = .max
    /// The time of the next visit to another app in microseconds; `.max` for never.
    var background: Int64 = .max

    init(_ model: SynthesisModel) {
        random = RandomStream(seed: model.seed, name: "system")
        memoryWarning = next(after: 0, every: model.memoryWarningEvery)
        background = next(after: 0, every: model.backgroundEvery)
    }

    mutating func next(after time: Int64, every mean: Double?) -> Int64 {
        mean.map { time + 1 + Int64((random.exponential(mean: $0) * 1e6).rounded()) } ?? .max
    }
}

extension SyntheticSession {
    /// Adds the events that are due: a memory warning, or a visit to another app, during which the app may be ended.
    mutating func systemEvents() throws {
        guard !screen.isDone else { return }
        if screen.now >= system.memoryWarning {
            try screen.recorder.add(.memoryWarning, at: screen.now)
            system.memoryWarning = system.next(after: screen.now, every: model.memoryWarningEvery)
        }
        if screen.now >= system.background {
            let length = system.random.logNormal(median: model.backgroundLength, spread: 0.8)
            try leave(for: length, terminated: system.random.chance(model.terminateChance))
            system.background = system.next(after: screen.now, every: model.backgroundEvery)
        }
    }

    /// Visits another app and returns. An app that was ended meanwhile starts at the top of its list.
    mutating func leave(for seconds: Double, terminated: Bool) throws {
        try screen.recorder.add(.background, at: screen.now)
        if terminated {
            screen.wait(min(5, seconds / 2))
            try screen.clear()
            try screen.recorder.terminate(at: screen.now)
            screen.wait(seconds - min(5, seconds / 2))
            try screen.recorder.add(.foreground, at: screen.now)
            try screen.show(screen.content)
        } else {
            screen.wait(seconds)
            try screen.recorder.add(.foreground, at: screen.now)
        }
    }
}
