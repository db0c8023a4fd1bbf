extension SyntheticSession {
    /// A stretch of two to six screens, flicked through forth and back, fast; then the next.
    mutating func backAndForth() throws {
        try show(.pictures(shuffledGallery()))
        var direction = 1.0
        while !isDone {
            guard hidesCells else {  // Flicking shows nothing: the list is left and entered again.
                try dwell()
                try show(content)
                continue
            }
            let stretch = person.uniform(2...6) * model.viewport
            for _ in 0..<2 + person.index(below: 4) where !isDone {
                try sweep(direction * stretch)
                direction = -direction
            }
            if offset >= geometry.end { direction = -1 }
            if offset <= 0 { direction = 1 }
            try dwell()
        }
    }

    /// Flicks, a short while apart, until the way is done or the list ends.
    private mutating func sweep(_ distance: Double) throws {
        let target = min(geometry.end, max(0, offset + distance))
        // Ten flicks go anywhere that a person would go without looking.
        for _ in 0..<10 where abs(target - offset) > geometry.rowHeight && !isDone {
            try flick(towards: target - offset)
            wait(person.uniform(0.05...0.25))
        }
        try dwell(0.3)
    }
}
