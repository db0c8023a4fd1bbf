/// The plot's rectangle in the picture, in pixels from the top left.
struct PlotFrame {
    var left: Double
    var right: Double
    var top: Double
    var bottom: Double
    var width: Int
    var height: Int

    struct Place {
        var x: Double
        var y: Double
    }

    func place(_ x: Double, _ y: Double) -> Place {
        let across = Double(width) - left - right
        let down = Double(height) - top - bottom
        return Place(x: left + x * across, y: top + (1 - y) * down)
    }

    /// gnuplot's coordinates of a pixel; `extra` is what the picture is higher than the frame, at its bottom.
    func screen(_ x: Double, _ y: Double, extra: Int) -> String {
        let total = Double(height + extra)
        return "screen \(GnuplotText.number(x / Double(width))), screen \(GnuplotText.number((total - y) / total))"
    }

    func settings(extra: Int) -> [String] {
        let total = Double(height + extra)
        return [
            "set lmargin at screen \(GnuplotText.number(left / Double(width)))",
            "set rmargin at screen \(GnuplotText.number(1 - right / Double(width)))",
            "set tmargin at screen \(GnuplotText.number(1 - top / total))",
            "set bmargin at screen \(GnuplotText.number((bottom + Double(extra)) / total))",
        ]
    }
}

/// Finds a place for each point's label where it covers no point and no other label.
///
/// Greedy: each label in turn takes the cheapest of the places around its point, nearer ones first. That is not
/// the optimum, but with the dozen points of a comparison it leaves nothing unreadable, and it is the same every time.
struct LabelPlacement {
    struct Box {
        var left: Double
        var top: Double
        var width: Double
        var height: Double

        var middle: Double { top + height / 2 }

        func overlap(_ other: Box) -> Double {
            let across = min(left + width, other.left + other.width) - max(left, other.left)
            let down = min(top + height, other.top + other.height) - max(top, other.top)
            return across > 0 && down > 0 ? across * down : 0
        }

        func nearest(to place: PlotFrame.Place) -> PlotFrame.Place {
            .init(x: min(max(place.x, left), left + width), y: min(max(place.y, top), top + height))
        }

        /// So far that a line has to say which point it belongs to.
        func isFar(from place: PlotFrame.Place) -> Bool {
            let near = nearest(to: place)
            return abs(near.x - place.x) + abs(near.y - place.y) > 26
        }
    }

    var frame: PlotFrame
    var points: [PlotFrame.Place]

    private static let characterWidth = 8.4
    private static let lineHeight = 19.0
    private static let pointSize = 18.0

    func place(_ texts: [String]) -> [Box] {
        let marks = points.map {
            Box(left: $0.x - Self.pointSize / 2, top: $0.y - Self.pointSize / 2, width: Self.pointSize, height: Self.pointSize)
        }
        var placed: [Box] = []
        for (text, point) in zip(texts, points) {
            let width = Double(TextGrid.width(text)) * Self.characterWidth
            let candidates = candidates(around: point, width: width)
            let costs = candidates.enumerated().map { rank, box in
                let covered = (marks + placed).reduce(0) { $0 + box.overlap($1) }
                return covered * 10 + outside(box) * 10 + Double(rank)
            }
            let cheapest = costs.indices.min { costs[$0] < costs[$1] } ?? 0
            placed.append(candidates[cheapest])
        }
        return placed
    }

    /// Right, left, above, below and the corners, then the same further away.
    private func candidates(around point: PlotFrame.Place, width: Double) -> [Box] {
        [0.0, 22, 44, 66, 88, 110].flatMap { distance in
            let (near, half) = (12.0, Self.lineHeight / 2)
            let right = point.x + near + distance * 0.5
            let left = point.x - near - distance * 0.5 - width
            let middle = point.x - width / 2
            let above = point.y - near - distance - Self.lineHeight
            let below = point.y + near + distance
            let beside = distance == 0 ? [(right, point.y - half), (left, point.y - half)] : []
            return (beside + [(middle, above), (middle, below), (right, above), (right, below), (left, above), (left, below)])
                .map { Box(left: $0.0, top: $0.1, width: width, height: Self.lineHeight) }
        }
    }

    /// How much of a box lies outside of the plot.
    private func outside(_ box: Box) -> Double {
        let inside = Box(
            left: frame.left + 4, top: frame.top + 4, width: Double(frame.width) - frame.left - frame.right + 40,
            height: Double(frame.height) - frame.top - frame.bottom - 8)
        return box.width * box.height - box.overlap(inside)
    }
}
