extension SyntheticSession {
    /// Down the feed, one flick in seven back up.
    mutating func feed() throws {
        try show(.feed)
        while !isDone {
            try dwell()
            let back = person.chance(1.0 / 7)
            let length = person.uniform(0.8...2.5) * model.viewport
            try flick(towards: back ? -length : length)
        }
    }
}
