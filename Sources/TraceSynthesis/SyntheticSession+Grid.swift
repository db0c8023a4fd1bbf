import Basics

extension SyntheticSession {
    /// Every picture once, in an order that has nothing to do with popularity.
    mutating func shuffledGallery() -> [Int32] {
        var order = (0..<Int32(model.pictures)).map(\.self)
        var random = RandomStream(seed: model.seed, name: "gallery")
        for index in stride(from: order.count - 1, to: 0, by: -1) {
            order.swapAt(index, random.index(below: index + 1))
        }
        return order
    }

    /// Down the gallery and, from its end, up again; pictures that please are opened.
    mutating func grid() throws {
        try show(.pictures(shuffledGallery()))
        try browseGallery { $0.isDone }
    }

    mutating func browseGallery(until isOver: (Self) -> Bool) throws {
        var direction = 1.0
        while !isDone, !isOver(self) {
            try dwell()
            if person.chance(model.openChance) { try openOne() }
            guard hidesCells else {  // There is nothing to do but opening.
                try openOne()
                continue
            }
            if offset >= geometry.end { direction = -1 }
            if offset <= 0 { direction = 1 }
            try flick(towards: direction * person.uniform(0.5...2) * model.viewport)
        }
    }

    /// Opens one of the pictures in view, the popular ones more often, and often swipes on to its neighbours.
    mutating func openOne() throws {
        guard !isDone, let place = popularPlace() else { return }
        try openDetails(at: place)
        try dwell(0.4)
    }

    private mutating func popularPlace() -> Int? {
        let weights = visible.map { place in
            PortableMath.exp(-model.exponent * PortableMath.log(Double(picture(at: place).number + 1)))
        }
        var left = person.uniform() * weights.reduce(0, +)
        for (place, weight) in zip(visible, weights) {
            left -= weight
            if left < 0 { return place }
        }
        return visible.last
    }
}
