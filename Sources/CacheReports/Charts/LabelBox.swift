/// The rectangle of a label or a point, in pixels from the top left.
struct LabelBox: Equatable {
    var left: Double
    var top: Double
    var width: Double
    var height: Double

    var middle: Double { top + height / 2 }

    /// The area that both cover.
    func overlap(_ other: LabelBox) -> Double {
        let across = min(left + width, other.left + other.width) - max(left, other.left)
        let down = min(top + height, other.top + other.height) - max(top, other.top)
        return across > 0 && down > 0 ? across * down : 0
    }

    /// Where a line from the label's point ends; nil when the label is so near that it needs none.
    func leader(from place: PlotFrame.Place) -> PlotFrame.Place? {
        let end = PlotFrame.Place(x: min(max(place.x, left), left + width), y: min(max(place.y, top), top + height))
        return abs(end.x - place.x) + abs(end.y - place.y) > 26 ? end : nil
    }

    func isCrossed(from start: PlotFrame.Place, to end: PlotFrame.Place) -> Bool {
        (0...20).contains { step in
            let share = Double(step) / 20
            let (x, y) = (start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share)
            return x > left && x < left + width && y > top && y < top + height
        }
    }
}
