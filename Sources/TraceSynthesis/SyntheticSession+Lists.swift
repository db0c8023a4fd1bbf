import Basics

extension SyntheticSession {
    /// Scrolls down the feed. One flick in seven goes up.
    mutating func feed() throws {
        try screen.show(.endless(catalogue.popularity, seed: feedSeed))
        while !screen.isDone {
            try dwell()
            let back = person.chance(1.0 / 7)
            let length = person.uniform(0.8...2.5) * model.viewport
            try flick(towards: back ? -length : length)
        }
    }
}

extension SyntheticSession {
    /// Scrolls fast back and forth over a part of two to six screens, then over the next part.
    mutating func backAndForth() throws {
        try screen.show(.pictures(shuffledGallery()))
        var direction = 1.0
        while !screen.isDone {
            guard screen.hidesCells else {  // Scrolling shows nothing new, so the list is left and entered again.
                try dwell()
                try screen.show(screen.content)
                continue
            }
            let stretch = person.uniform(2...6) * model.viewport
            for _ in 0..<2 + person.index(below: 4) where !screen.isDone {
                try sweep(direction * stretch)
                direction = -direction
            }
            if screen.offset >= screen.geometry.end { direction = -1 }
            if screen.offset <= 0 { direction = 1 }
            try dwell()
        }
    }

    /// Flicks repeatedly until the distance is covered or the list ends.
    private mutating func sweep(_ distance: Double) throws {
        let target = min(screen.geometry.end, max(0, screen.offset + distance))
        // Ten flicks suffice for any distance that a person covers without looking.
        for _ in 0..<10 where abs(target - screen.offset) > screen.geometry.rowHeight && !screen.isDone {
            try flick(towards: target - screen.offset)
            screen.wait(person.uniform(0.05...0.25))
        }
        try dwell(0.3)
    }
}

extension SyntheticSession {
    /// Makes half of the requests in a first visit. Then the app ends, and the person returns after
    /// ``SynthesisModel/away``. A tenth of the pictures is new and at the top, above those of the first visit.
    mutating func comeBack() throws {
        let gallery = shuffledGallery()
        let new = model.pictures / 10
        try screen.show(.pictures(Array(gallery[new...])))
        let half = model.requests / 2
        try browseGallery { $0.screen.recorder.requestsLeft <= half }
        guard !screen.isDone else { return }
        screen.content = .pictures(gallery)
        let first = screen.visible
        screen.visible = first.lowerBound + new..<first.upperBound + new  // The same view cells, by their new places.
        screen.geometry.count = gallery.count
        try leave(for: model.away, terminated: true)
        try browseGallery { $0.screen.isDone }
    }
}

extension SyntheticSession {
    /// Types a word, with new results for each keystroke, and then scrolls through them.
    mutating func search() throws {
        while !screen.isDone {
            var results: [Int32] = []
            for _ in 0..<2 + person.index(below: 5) where !screen.isDone {
                results = refined(results)
                try screen.show(.pictures(results))
                screen.wait(person.uniform(0.15...0.45))
            }
            for _ in 0..<1 + person.index(below: 4) where !screen.isDone {
                try dwell()
                if person.chance(model.openChance) { try openOne() }
                let back = screen.offset >= screen.geometry.end
                try flick(towards: (back ? -1 : 1) * person.uniform(0.5...1.5) * model.viewport)
            }
            try dwell()
        }
    }

    /// Returns up to sixty pictures: half of those of the shorter word, and others by popularity.
    private mutating func refined(_ before: [Int32]) -> [Int32] {
        var results = before.filter { _ in person.chance(0.5) }
        var known = Set(results)
        // Small catalogues may not have sixty pictures.
        for _ in 0..<240 where results.count < 60 {
            let picture = Int32(catalogue.popularity.next(&person))
            if known.insert(picture).inserted { results.append(picture) }
        }
        return results
    }
}

extension SyntheticSession {
    /// Returns every picture once, in an order that is independent of popularity.
    mutating func shuffledGallery() -> [Int32] {
        var order = (0..<Int32(model.pictures)).map(\.self)
        var random = RandomStream(seed: model.seed, name: "gallery")
        for index in stride(from: order.count - 1, to: 0, by: -1) {
            order.swapAt(index, random.index(below: index + 1))
        }
        return order
    }

    /// Scrolls down the gallery and, from its end, up again, and opens pictures.
    mutating func grid() throws {
        try screen.show(.pictures(shuffledGallery()))
        try browseGallery { $0.screen.isDone }
    }

    mutating func browseGallery(until isOver: (Self) -> Bool) throws {
        var direction = 1.0
        while !screen.isDone, !isOver(self) {
            try dwell()
            if person.chance(model.openChance) { try openOne() }
            guard screen.hidesCells else {  // Without scrolling, the person only opens pictures.
                try openOne()
                continue
            }
            if screen.offset >= screen.geometry.end { direction = -1 }
            if screen.offset <= 0 { direction = 1 }
            try flick(towards: direction * person.uniform(0.5...2) * model.viewport)
        }
    }

    /// Opens one of the visible pictures, chosen by popularity.
    mutating func openOne() throws {
        guard !screen.isDone, let place = popularPlace() else { return }
        try openDetails(at: place)
        try dwell(0.4)
    }

    private mutating func popularPlace() -> Int? {
        let weights = screen.visible.map { place in
            PortableMath.exp(-model.exponent * PortableMath.log(Double(screen.picture(at: place).number + 1)))
        }
        var left = person.uniform() * weights.reduce(0, +)
        for (place, weight) in zip(screen.visible, weights) {
            left -= weight
            if left < 0 { return place }
        }
        return screen.visible.last
    }
}

extension SyntheticSession {
    /// Opens the detail view: full images side by side, one per page (`isPagingEnabled`). Swipes turn pages, and the
    /// next page is prefetched.
    ///
    /// The list below does not change. The offset of the detail view is horizontal and counts from its first picture.
    mutating func openDetails(at place: Int) throws {
        let below = screen.offset
        var page = place
        let pages = screen.geometry.count
        screen.offset = Double(page) * model.width
        var shown = page..<page
        try screen.showPages(&shown, page..<page + 1)
        while !screen.isDone {
            look()
            guard person.chance(0.45) else { break }
            let forward = page == 0 || (page + 1 < pages && person.chance(0.8))
            guard forward ? page + 1 < pages : page > 0 else { break }
            page = try turnPage(from: page, forward: forward, pages: pages, &shown)
            let next = forward ? page + 1 : page - 1
            if (0..<pages).contains(next), !screen.isDone {
                try screen.recorder.prefetch(screen.picture(at: next).number, .full, at: screen.now)
            }
        }
        try screen.showPages(&shown, page..<page)
        screen.offset = below
    }

    /// Drags and releases a page, which comes to rest as ``ScrollPhysics`` describes. Both pages are visible meanwhile.
    private mutating func turnPage(from page: Int, forward: Bool, pages: Int, _ shown: inout Range<Int>) throws -> Int {
        let speed = person.uniform(200...900) * (forward ? 1 : -1)
        let start = Double(page) * model.width
        let released = start + speed * model.drag / 2
        let physics = ScrollPhysics(rate: ScrollPhysics.fastRate)
        let target = ScrollPhysics(rate: model.deceleration)
            .restingPage(from: page, offset: released, velocity: speed, pageLength: model.width, pages: pages)
        try screen.report(.dragged, velocity: 0)
        screen.wait(model.drag)
        screen.offset = released
        try screen.showPages(&shown, forward ? page..<page + 2 : page - 1..<page + 1)
        let distance = Double(target) * model.width - released
        let velocity = physics.velocity(toTravel: distance)
        try screen.report(.decelerating, velocity: velocity)
        // Until the remaining distance is half a point.
        screen.wait(PortableMath.log(max(1, abs(distance) / 0.5)) / physics.decay)
        screen.offset = Double(target) * model.width
        try screen.showPages(&shown, target..<target + 1)
        try screen.report(.atRest, velocity: 0)
        return target
    }
}
