import SessionModel

extension SyntheticSession {
    /// The seconds of a frame of the display. View cells appear and disappear when a frame is drawn.
    private static var frame: Double { 1.0 / 60 }

    /// Returns the picture and the variant at a place of the list.
    func picture(at place: Int) -> (number: Int, variant: Variant) {
        switch content {
        case .feed: (catalogue.popularity.rank(place: place, seed: feedSeed), .full)
        case .pictures(let order): (Int(order[place]), .thumbnail)
        }
    }

    /// Shows a list from its top.
    mutating func show(_ content: ListContent) throws {
        try clear()
        self.content = content
        if case .pictures(let order) = content { geometry.count = order.count } else { geometry.count = .max }
        offset = 0
        try layOut()
        try report(.atRest, velocity: 0)
    }

    /// Makes all view cells disappear.
    mutating func clear() throws {
        for place in visible { try disappear(place) }
        visible = 0..<0
        prefetched = 0..<0
    }

    /// Makes view cells disappear and appear according to the offset. Layout stops when the trace has all requests.
    mutating func layOut() throws {
        let before = visible
        let after = geometry.visible(at: offset)
        guard before != after else { return }
        for place in before where !after.contains(place) { try disappear(place) }
        var low = max(before.lowerBound, after.lowerBound)
        var high = max(low, min(before.upperBound, after.upperBound))
        if before.isEmpty || low >= high { (low, high) = (after.lowerBound, after.lowerBound) }
        visible = low..<high
        for place in after where !before.contains(place) && !isDone {
            let (picture, variant) = picture(at: place)
            try recorder.appear(picture, variant, at: now)
            visible = min(visible.lowerBound, place)..<max(visible.upperBound, place + 1)
        }
    }

    /// Drags the list with even acceleration up to `velocity`, and releases it.
    mutating func flick(_ velocity: Double) throws {
        let physics = ScrollPhysics(rate: model.deceleration)
        let (start, drag) = (offset, model.drag)
        try report(.dragged, velocity: 0)
        try move(.dragged, for: drag) { time in (start + velocity * time * time / (2 * drag), velocity * time / drag) }
        guard !isDone else { return }
        let released = offset
        if velocity > 0 ? released < geometry.end : released > 0 {
            try report(.decelerating, velocity: velocity)
            try move(.decelerating, for: physics.duration(from: velocity)) { time in
                let left = physics.velocity(after: time, from: velocity)
                return (released + physics.distance(from: velocity - left), left)
            }
        }
        try report(.atRest, velocity: 0)
    }

    /// Flicks towards a place `distance` points away, which the list reaches if the finger is fast enough.
    mutating func flick(towards distance: Double, fastest: Double = .infinity) throws {
        // The drag covers velocity · drag / 2 before the release.
        let exact = abs(distance) / (model.drag / 2 + 1 / ScrollPhysics(rate: model.deceleration).decay)
        let drawn = min(fastest, person.logNormal(median: model.flickSpeed, spread: model.flickSpread))
        let velocity = max(2 * ScrollPhysics.restVelocity, min(exact, drawn))
        try flick(distance < 0 ? -velocity : velocity)
    }

    /// Draws a frame every 60th of a second along a path, until the path or the list ends or the trace has all
    /// requests.
    private mutating func move(
        _ phase: ScrollPhase, for seconds: Double, along path: (Double) -> (offset: Double, velocity: Double)
    ) throws {
        let start = now
        var reported = 0.0
        var time = 0.0
        while time < seconds, !isDone {
            time = min(seconds, time + Self.frame)
            now = start + Int64((time * 1e6).rounded())
            let (place, velocity) = path(time)
            offset = min(geometry.end, max(0, place))
            try layOut()
            if abs(velocity) < model.prefetchSpeed { try prefetch(forward: velocity > 0) }
            if model.scrollInterval > 0, time - reported >= model.scrollInterval {
                try report(phase, velocity: velocity)
                reported = time
            }
            if place != offset { return }
        }
    }

    /// Whether scrolling can show further view cells.
    var hidesCells: Bool { geometry.visible(at: 0).upperBound < geometry.count }

    private mutating func prefetch(forward: Bool) throws {
        guard model.prefetchRows > 0, !isDone else { return }
        let columns = geometry.columns
        let edge =
            forward ? (visible.upperBound + columns - 1) / columns : visible.lowerBound / columns - model.prefetchRows
        let wanted = geometry.places(rows: edge, edge + model.prefetchRows)
        guard wanted != prefetched else { return }
        for place in wanted where !prefetched.contains(place) {
            let (picture, variant) = picture(at: place)
            try recorder.prefetch(picture, variant, at: now)
        }
        prefetched = wanted
    }

    private mutating func disappear(_ place: Int) throws {
        let (picture, variant) = picture(at: place)
        try recorder.disappear(picture, variant, at: now)
    }

    /// Adds a scroll event with the precision of recorders: tenths of a point and whole points per second.
    mutating func report(_ phase: ScrollPhase, velocity: Double) throws {
        let velocity = min(1e9, max(-1e9, velocity)).rounded()
        try recorder.add(
            .scroll(phase, offset: (offset * 10).rounded() / 10, velocity: velocity == 0 ? 0 : velocity), at: now)
    }
}

/// The geometry of a list, with rows of equal height.
struct ListGeometry: Sendable, Equatable {
    var columns: Int
    /// The height of a row in points, like all lengths.
    var rowHeight: Double
    var viewport: Double
    /// The distance outside of the viewport at which view cells already appear.
    var overscan: Double
    /// The number of view cells; `.max` for an endless list.
    var count: Int

    /// The greatest offset.
    var end: Double {
        guard count < .max else { return .infinity }
        return max(0, Double((count + columns - 1) / columns) * rowHeight - viewport)
    }

    /// Returns the places that are visible at an offset.
    func visible(at offset: Double) -> Range<Int> {
        let first = ((offset - overscan) / rowHeight).rounded(.down)
        let last = ((offset + viewport + overscan) / rowHeight).rounded(.up)
        return places(rows: Int(first), Int(last))
    }

    /// Returns the existing places of the rows from `first` to below `last`.
    func places(rows first: Int, _ last: Int) -> Range<Int> {
        let low = min(count, max(0, first) * columns)
        return low..<min(count, max(low, max(0, last) * columns))
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
