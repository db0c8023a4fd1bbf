/// Which cells of a list are in view: rows of equal height, as many columns as fit.
struct ListGeometry: Sendable, Equatable {
    var columns: Int
    /// Points, as all lengths.
    var rowHeight: Double
    var viewport: Double
    /// How far beyond the viewport cells already appear.
    var overscan: Double
    /// `.max` for a list without an end.
    var count: Int

    /// The largest offset.
    var end: Double {
        guard count < .max else { return .infinity }
        return max(0, Double((count + columns - 1) / columns) * rowHeight - viewport)
    }

    /// The places that are in view at an offset.
    func visible(at offset: Double) -> Range<Int> {
        let first = ((offset - overscan) / rowHeight).rounded(.down)
        let last = ((offset + viewport + overscan) / rowHeight).rounded(.up)
        return places(rows: Int(first), Int(last))
    }

    /// The places of the rows from `first` up to `last`, as far as there are any.
    func places(rows first: Int, _ last: Int) -> Range<Int> {
        let low = min(count, max(0, first) * columns)
        return low..<min(count, max(low, max(0, last) * columns))
    }
}
