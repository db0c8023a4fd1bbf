/// Finds a place for each point's label where it covers no point and no other label.
///
/// Each label takes the cheapest of the places around its point, nearer ones first. Then each chooses again with the
/// others in place. The result is not always the optimum, but it is readable and deterministic.
struct LabelPlacement {
    private let frame: PlotFrame
    /// The points of each label.
    private let groups: [[PlotFrame.Place]]
    /// The boxes that the points cover, each with the label that it belongs to.
    private let marks: [(owner: Int, box: LabelBox)]

    private static let characterWidth = 8.4
    private static let lineHeight = 19.0
    private static let pointSize = 18.0
    private static let rounds = 4
    /// The most labels for which several orders are tried. The work grows with the square of the labels, and more of
    /// them cover each other in any order.
    private static let mostForAllOrders = 12

    init(frame: PlotFrame, points: [PlotFrame.Place]) {
        self.init(frame: frame, groups: points.map { [$0] })
    }

    /// Creates a placement in which each group of points has one label. No group is empty.
    init(frame: PlotFrame, groups: [[PlotFrame.Place]]) {
        self.frame = frame
        self.groups = groups
        let size = Self.pointSize
        marks = groups.enumerated().flatMap { owner, points in
            points.map { point in
                let box = LabelBox(left: point.x - size / 2, top: point.y - size / 2, width: size, height: size)
                return (owner, box)
            }
        }
    }

    func place(_ texts: [String]) -> [LabelBox] {
        let candidates = zip(groups, texts).map {
            self.candidates(around: $0, width: Double(TextGrid.width($1)) * Self.characterWidth)
        }
        // The first label gets the best place, so several orders are tried.
        let given = Array(groups.indices)
        let upward = given.sorted { groups[$0][0].y > groups[$1][0].y }
        let rightward = given.sorted { groups[$0][0].x < groups[$1][0].x }
        let orders = [given, given.reversed(), upward, upward.reversed(), rightward, rightward.reversed()]
        var best: (cost: Double, boxes: [LabelBox]) = (.infinity, [])
        for order in groups.count > Self.mostForAllOrders ? [given] : orders {
            let (cost, boxes) = settle(candidates, in: order)
            if cost < best.cost { best = (cost, boxes) }
        }
        return best.boxes
    }

    /// Returns the labels that a reader can assign to the wrong point: those that are nearer to a point of another
    /// label than to their own, cover something, or leave the plot.
    func unclear(_ boxes: [LabelBox]) -> [Int] {
        boxes.indices.filter { index in
            let box = boxes[index]
            // Areas are rounded, so less than a pixel is nothing.
            return outside(box) > 1 || !isNearest(box, to: index) || marks.contains { box.overlap($0.box) > 1 }
                || boxes.indices.contains { $0 != index && box.overlap(boxes[$0]) > 1 }
        }
    }

    /// Returns whether no point of another label is as near to a box as the nearest point of its own label.
    private func isNearest(_ box: LabelBox, to index: Int) -> Bool {
        let own = groups[index].map { box.distance(to: $0) }.min() ?? 0
        return groups.indices.allSatisfy { other in
            other == index || groups[other].allSatisfy { box.distance(to: $0) > own }
        }
    }

    /// Returns the point of a label that is nearest to its box.
    func nearest(_ index: Int, to box: LabelBox) -> PlotFrame.Place {
        groups[index].min { box.distance(to: $0) < box.distance(to: $1) } ?? groups[index][0]
    }

    private func settle(_ candidates: [[LabelBox]], in order: [Int]) -> (cost: Double, boxes: [LabelBox]) {
        var placed: [LabelBox?] = groups.map { _ in nil }
        var paid = groups.map { _ in 0.0 }
        for _ in 0..<Self.rounds {
            for index in order {
                let labels = placed.indices.compactMap { other in
                    other == index ? nil : placed[other].map { (other, $0) }
                }
                let costs = candidates[index].enumerated().map { rank, box in
                    Double(rank) + outside(box) * 10 + cost(box, of: index, labels)
                }
                let cheapest = costs.indices.min { costs[$0] < costs[$1] } ?? 0
                placed[index] = candidates[index][cheapest]
                paid[index] = costs[cheapest]
            }
        }
        return (paid.reduce(0, +), placed.compactMap { $0 })
    }

    /// Returns the cost of a place: high for covering a point or a label and for lines through other labels, lower for
    /// lines through points and for being nearer to another point.
    private func cost(_ box: LabelBox, of index: Int, _ labels: [(Int, LabelBox)]) -> Double {
        var cost = marks.reduce(0) { $0 + box.overlap($1.box) * 10 }
        if !isNearest(box, to: index) { cost += 300 }
        let start = nearest(index, to: box)
        let leader = box.leader(from: start)
        for (other, label) in labels {
            cost += box.overlap(label) * 10
            if let leader, label.isCrossed(from: start, to: leader) { cost += 400 }
            let point = nearest(other, to: label)
            if let end = label.leader(from: point), box.isCrossed(from: point, to: end) { cost += 400 }
        }
        if let leader {
            let crossed = marks.count { $0.owner != index && $0.box.isCrossed(from: start, to: leader) }
            cost += Double(crossed) * 60
        }
        return cost
    }

    /// Returns the places right, left, above, below and at the corners, then the same further away.
    private func candidates(around points: [PlotFrame.Place], width: Double) -> [LabelBox] {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        guard let west = xs.min(), let east = xs.max(), let north = ys.min(), let south = ys.max() else { return [] }
        return [0.0, 22, 44, 66, 88, 110].flatMap { distance in
            let (near, half) = (12.0, Self.lineHeight / 2)
            let right = east + near + distance * 0.5
            let left = west - near - distance * 0.5 - width
            let middle = (west + east - width) / 2
            let above = north - near - distance - Self.lineHeight
            let below = south + near + distance
            let centre = (north + south) / 2 - half
            let beside = distance == 0 ? [(right, centre), (left, centre)] : []
            return
                (beside + [
                    (middle, above), (middle, below), (right, above), (right, below), (left, above), (left, below),
                ])
                .map { LabelBox(left: $0.0, top: $0.1, width: width, height: Self.lineHeight) }
        }
    }

    /// Returns the area of a box outside the plot.
    private func outside(_ box: LabelBox) -> Double {
        let inside = LabelBox(
            left: frame.left + 4, top: frame.top + 4, width: Double(frame.width) - frame.left - frame.right + 40,
            height: Double(frame.height) - frame.top - frame.bottom - 8)
        return box.width * box.height - box.overlap(inside)
    }
}

/// The rectangle of a label or a point, in pixels from the top left.
struct LabelBox: Equatable {
    var left: Double
    var top: Double
    var width: Double
    var height: Double

    var middle: Double { top + height / 2 }

    /// Returns the distance in pixels from the box to a point, 0 for a point inside.
    func distance(to place: PlotFrame.Place) -> Double {
        let across = max(left - place.x, 0, place.x - left - width)
        let down = max(top - place.y, 0, place.y - top - height)
        return (across * across + down * down).squareRoot()
    }

    /// Returns the area that both cover.
    func overlap(_ other: LabelBox) -> Double {
        let across = min(left + width, other.left + other.width) - max(left, other.left)
        let down = min(top + height, other.top + other.height) - max(top, other.top)
        return across > 0 && down > 0 ? across * down : 0
    }

    /// Returns the end of the line from the label's point, or nil when the label is so near that it needs none.
    func leader(from place: PlotFrame.Place) -> PlotFrame.Place? {
        let end = PlotFrame.Place(x: min(max(place.x, left), left + width), y: min(max(place.y, top), top + height))
        return abs(end.x - place.x) + abs(end.y - place.y) > 26 ? end : nil
    }

    /// Returns whether a line crosses the box.
    func isCrossed(from start: PlotFrame.Place, to end: PlotFrame.Place) -> Bool {
        (0...20).contains { step in
            let share = Double(step) / 20
            let (x, y) = (start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share)
            return x > left && x < left + width && y > top && y < top + height
        }
    }
}
