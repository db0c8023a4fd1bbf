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
        guard !isDone else { return }
        if now >= system.memoryWarning {
            try recorder.add(.memoryWarning, at: now)
            system.memoryWarning = system.next(after: now, every: model.memoryWarningEvery)
        }
        if now >= system.background {
            let length = system.random.logNormal(median: model.backgroundLength, spread: 0.8)
            try leave(for: length, terminated: system.random.chance(model.terminateChance))
            system.background = system.next(after: now, every: model.backgroundEvery)
        }
    }

    /// Visits another app and returns. An app that was ended meanwhile starts at the top of its list.
    mutating func leave(for seconds: Double, terminated: Bool) throws {
        try recorder.add(.background, at: now)
        if terminated {
            wait(min(5, seconds / 2))
            try clear()
            try recorder.terminate(at: now)
            wait(seconds - min(5, seconds / 2))
            try recorder.add(.foreground, at: now)
            try show(content)
        } else {
            wait(seconds)
            try recorder.add(.foreground, at: now)
        }
    }
}
