extension SyntheticSession {
    /// Types a word, and each keystroke replaces the results; then looks through them.
    mutating func search() throws {
        while !isDone {
            var results: [Int32] = []
            for _ in 0..<2 + person.index(below: 5) where !isDone {
                results = refined(results)
                try show(.pictures(results))
                wait(person.uniform(0.15...0.45))
            }
            for _ in 0..<1 + person.index(below: 4) where !isDone {
                try dwell()
                if person.chance(model.openChance) { try openOne() }
                let back = offset >= geometry.end
                try flick(towards: (back ? -1 : 1) * person.uniform(0.5...1.5) * model.viewport)
            }
            try dwell()
        }
    }

    /// Up to sixty pictures: those of the shorter word that still fit, and others, by popularity.
    private mutating func refined(_ before: [Int32]) -> [Int32] {
        var results = before.filter { _ in person.chance(0.5) }
        var known = Set(results)
        // Small catalogues run out of pictures that are not there yet.
        for _ in 0..<240 where results.count < 60 {
            let picture = Int32(catalogue.popularity.next(&person))
            if known.insert(picture).inserted { results.append(picture) }
        }
        return results
    }
}
