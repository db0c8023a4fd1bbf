/// The heights of names in a column.
enum LabelHeights {
    /// Moves rising heights apart by as little as possible. Heights that are too near form a group around their mean.
    static func apart(_ heights: [Double], gap: Double, from top: Double, to bottom: Double) -> [Double] {
        struct Group {
            var sum: Double
            var count: Int
            /// Returns the height of the first member.
            func start(_ gap: Double, _ top: Double, _ bottom: Double) -> Double {
                let length = Double(count - 1) * gap
                return max(top, min(sum / Double(count) - length / 2, bottom - length))
            }
        }
        var groups: [Group] = []
        for height in heights {
            groups.append(Group(sum: height, count: 1))
            while groups.count > 1 {
                let (one, other) = (groups[groups.count - 2], groups[groups.count - 1])
                let end = one.start(gap, top, bottom) + Double(one.count) * gap
                guard other.start(gap, top, bottom) < end else { break }
                groups.removeLast(2)
                groups.append(Group(sum: one.sum + other.sum, count: one.count + other.count))
            }
        }
        return groups.flatMap { group in
            (0..<group.count).map { group.start(gap, top, bottom) + Double($0) * gap }
        }
    }
}
