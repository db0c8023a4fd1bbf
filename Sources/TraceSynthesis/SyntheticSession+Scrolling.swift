import SessionModel

extension SyntheticSession {
    /// A display's frame, in seconds: cells come and go when a frame is drawn.
    private static var frame: Double { 1.0 / 60 }

    /// The picture and variant at a place of the list.
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

    /// All cells leave.
    mutating func clear() throws {
        for place in visible { try disappear(place) }
        visible = 0..<0
        prefetched = 0..<0
    }

    /// Lets cells vanish and appear as the offset demands. Half a screen is not laid out when the trace is full: it
    /// ends there.
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

    /// A finger speeds the list up evenly to `velocity` within the drag and lets go; the list runs out.
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

    /// A flick towards a place `distance` points away, which it reaches if the finger is fast enough.
    mutating func flick(towards distance: Double, fastest: Double = .infinity) throws {
        // The drag covers velocity · drag / 2 before the list runs out.
        let exact = abs(distance) / (model.drag / 2 + 1 / ScrollPhysics(rate: model.deceleration).decay)
        let drawn = min(fastest, person.logNormal(median: model.flickSpeed, spread: model.flickSpread))
        let velocity = max(2 * ScrollPhysics.restVelocity, min(exact, drawn))
        try flick(distance < 0 ? -velocity : velocity)
    }

    /// Draws a frame every 60th of a second along a path, until it is over, the list hits an end, or the trace is full.
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

    /// Whether scrolling brings anything into view.
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

    /// A scroll event; tenths of a point and whole points per second are what recorders can see.
    mutating func report(_ phase: ScrollPhase, velocity: Double) throws {
        let velocity = min(1e9, max(-1e9, velocity)).rounded()
        try recorder.add(
            .scroll(phase, offset: (offset * 10).rounded() / 10, velocity: velocity == 0 ? 0 : velocity), at: now)
    }
}
