import Basics

extension SyntheticSession {
    /// Opens the detail view: full images side by side, one per page (`isPagingEnabled`). Swipes turn pages, and the
    /// next page is prefetched.
    ///
    /// The list below does not change. The offset of the detail view is horizontal and counts from its first picture.
    mutating func openDetails(at place: Int) throws {
        let below = offset
        var page = place
        let pages = geometry.count
        offset = Double(page) * model.width
        var shown = page..<page
        try showPages(&shown, page..<page + 1)
        while !isDone {
            look()
            guard person.chance(0.45) else { break }
            let forward = page == 0 || (page + 1 < pages && person.chance(0.8))
            guard forward ? page + 1 < pages : page > 0 else { break }
            page = try turnPage(from: page, forward: forward, pages: pages, &shown)
            let next = forward ? page + 1 : page - 1
            if (0..<pages).contains(next), !isDone { try recorder.prefetch(picture(at: next).number, .full, at: now) }
        }
        try showPages(&shown, page..<page)
        offset = below
    }

    /// Drags and releases a page, which comes to rest as ``ScrollPhysics`` describes. Both pages are visible meanwhile.
    private mutating func turnPage(from page: Int, forward: Bool, pages: Int, _ shown: inout Range<Int>) throws -> Int {
        let speed = person.uniform(200...900) * (forward ? 1 : -1)
        let start = Double(page) * model.width
        let released = start + speed * model.drag / 2
        let physics = ScrollPhysics(rate: ScrollPhysics.fastRate)
        let target = ScrollPhysics(rate: model.deceleration)
            .restingPage(from: page, offset: released, velocity: speed, pageLength: model.width, pages: pages)
        try report(.dragged, velocity: 0)
        wait(model.drag)
        offset = released
        try showPages(&shown, forward ? page..<page + 2 : page - 1..<page + 1)
        let distance = Double(target) * model.width - released
        let velocity = physics.velocity(toTravel: distance)
        try report(.decelerating, velocity: velocity)
        // Until the remaining distance is half a point.
        wait(PortableMath.log(max(1, abs(distance) / 0.5)) / physics.decay)
        offset = Double(target) * model.width
        try showPages(&shown, target..<target + 1)
        try report(.atRest, velocity: 0)
        return target
    }

    private mutating func showPages(_ shown: inout Range<Int>, _ pages: Range<Int>) throws {
        for page in shown where !pages.contains(page) {
            try recorder.disappear(picture(at: page).number, .full, at: now)
        }
        var kept = shown.clamped(to: pages)
        for page in pages where !shown.contains(page) && !isDone {
            try recorder.appear(picture(at: page).number, .full, at: now)
            kept = kept.isEmpty ? page..<page + 1 : min(kept.lowerBound, page)..<max(kept.upperBound, page + 1)
        }
        shown = kept
    }
}
