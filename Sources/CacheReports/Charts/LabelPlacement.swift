import Basics

/// Finds a place for each point's label where it covers no point and no other label.
///
/// Each label takes the cheapest of the places around its point, nearer ones first. Then each chooses again with the
/// others in place. The result is not always the optimum, but it is readable and deterministic.
struct LabelPlacement {
    private let frame: PlotFrame
    private let points: [PlotFrame.Place]
    private let drawn: [PlotFrame.Place]
    /// The boxes that the points cover.
    private let marks: [LabelBox]

    private static let characterWidth = 8.4
    private static let lineHeight = 19.0
    private static let pointSize = 18.0
    private static let rounds = 4
    /// The most labels for which several orders are tried. The work grows with the square of the labels, and more of
    /// them cover each other in any order.
    private static let mostForAllOrders = 30

    /// - Parameter drawn: All points of the picture.
    init(frame: PlotFrame, points: [PlotFrame.Place], marks drawn: [PlotFrame.Place]) {
        self.frame = frame
        self.points = points
        self.drawn = drawn
        let size = Self.pointSize
        marks = drawn.map { LabelBox(left: $0.x - size / 2, top: $0.y - size / 2, width: size, height: size) }
    }

    func place(_ texts: [String]) -> [LabelBox] {
        let candidates = zip(points, texts).map {
            self.candidates(around: $0, width: Double(TextGrid.width($1)) * Self.characterWidth)
        }
        // The first label gets the best place, so several orders are tried.
        let given = Array(points.indices)
        let upward = given.sorted { points[$0].y > points[$1].y }
        let rightward = given.sorted { points[$0].x < points[$1].x }
        let orders = [given, given.reversed(), upward, upward.reversed(), rightward, rightward.reversed()]
        var best: (cost: Double, boxes: [LabelBox]) = (.infinity, [])
        for order in points.count > Self.mostForAllOrders ? [given] : orders {
            let (cost, boxes) = settle(candidates, in: order)
            if cost < best.cost { best = (cost, boxes) }
        }
        return best.boxes
    }

    private func settle(_ candidates: [[LabelBox]], in order: [Int]) -> (cost: Double, boxes: [LabelBox]) {
        var placed: [LabelBox?] = points.map { _ in nil }
        var paid = points.map { _ in 0.0 }
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
    /// lines through points.
    private func cost(_ box: LabelBox, of index: Int, _ labels: [(Int, LabelBox)]) -> Double {
        var cost = marks.reduce(0) { $0 + box.overlap($1) * 10 }
        let leader = box.leader(from: points[index])
        // A label belongs to the point that is nearest to it.
        let own = box.distance(to: points[index])
        cost += drawn.contains { $0.distance(to: points[index]) > 9 && box.distance(to: $0) <= own } ? 900 : 0
        for (other, label) in labels {
            cost += box.overlap(label) * 10
            if let leader, label.isCrossed(from: points[index], to: leader) { cost += 400 }
            if let end = label.leader(from: points[other]), box.isCrossed(from: points[other], to: end) { cost += 400 }
        }
        if let leader {
            let crossed = marks.indices.count {
                !(drawn[$0].x == points[index].x && drawn[$0].y == points[index].y)
                    && marks[$0].isCrossed(from: points[index], to: leader)
            }
            cost += Double(crossed) * 60
        }
        return cost
    }

    /// Returns the places right, left, above, below and at the corners, then the same further away.
    private func candidates(around point: PlotFrame.Place, width: Double) -> [LabelBox] {
        [0.0, 22, 44, 66, 88, 110].flatMap { distance in
            let (near, half) = (12.0, Self.lineHeight / 2)
            let right = point.x + near + distance * 0.5
            let left = point.x - near - distance * 0.5 - width
            let middle = point.x - width / 2
            let above = point.y - near - distance - Self.lineHeight
            let below = point.y + near + distance
            let beside = distance == 0 ? [(right, point.y - half), (left, point.y - half)] : []
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

    func nearest(to place: PlotFrame.Place) -> PlotFrame.Place {
        PlotFrame.Place(x: min(max(place.x, left), left + width), y: min(max(place.y, top), top + height))
    }

    func distance(to place: PlotFrame.Place) -> Double { nearest(to: place).distance(to: place) }

    /// Returns the area that both cover.
    func overlap(_ other: LabelBox) -> Double {
        let across = min(left + width, other.left + other.width) - max(left, other.left)
        let down = min(top + height, other.top + other.height) - max(top, other.top)
        return across > 0 && down > 0 ? across * down : 0
    }

    /// Returns the end of the line from the label's point, or nil when the label is so near that it needs none.
    func leader(from place: PlotFrame.Place) -> PlotFrame.Place? {
        let end = nearest(to: place)
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
