import SessionModel

/// The part of the screen that a visible cell takes up, as far as the trace records it.
///
/// `list` events have positions and rows, and no heights. So cells count as squares, and each row as filling the width
/// of the screen: in a grid with three columns, a cell has a ninth of the area of a cell in a list with one column.
/// A full image that is opened over thumbnails takes up the whole screen. In a trace without `list` events, all cells
/// have the same area.
struct CellArea: Sendable, Equatable {
    /// The area of a cell whose trace does not record it.
    static let equal = CellArea(columns: 1)

    /// The largest number of columns that an area reflects. A row with more columns counts as a row with this number.
    private static let mostColumns: Int32 = 64
    /// The width of the screen. 1 to 10 columns divide it, so that their areas are exact.
    private static let width: Int32 = 5_040

    /// The area, as a part of the square of the width of the screen. Sums of areas are whole numbers, which do not
    /// depend on the order of cells.
    let size: Int
    /// Whether the cell is a full image that is opened over a list, and covers the cells of the list.
    let isOpened: Bool

    /// - Parameter columns: The number of cells in the row of the cell; above 0.
    init(columns: Int32, isOpened: Bool = false) {
        let side = Int(Self.width / min(columns, Self.mostColumns))
        size = side * side
        self.isOpened = isOpened
    }

    /// Returns the width of the cell in pixels, on a screen whose width is `pixels`.
    func side(onScreenOf pixels: Int) -> Int { Int(Double(size).squareRoot()) * pixels / Int(Self.width) }

    /// Returns the areas of the cells of a trace, in order of appearance; none for a trace without `list` events.
    ///
    /// A cell of an image that its list does not contain is as large as the last cell of the variant that it contains.
    /// A full image is opened over a list if the trace lists thumbnails only, or if the thumbnails before it were in a
    /// row with several columns.
    ///
    /// Complexity: O(n) for n events, with up to 64 columns.
    static func areas(of trace: Trace) -> [CellArea] {
        let lists = ListOrder(trace)
        let listed = Variant.allCases.filter { !lists.changes($0).isEmpty }
        guard !listed.isEmpty else { return [] }
        var cursors = Variant.allCases.map { lists.cursor($0) }
        var columns = Variant.allCases.map { _ in Int32(1) }
        return trace.events.compactMap { event in
            guard case .appear(let object, let variant) = event.action else { return nil }
            let list = Int(variant.rawValue)
            cursors[list].advance(to: event.time)
            if let position = cursors[list].position(of: object) {
                columns[list] = cursors[list].columns(at: position, most: mostColumns)
            }
            let isOverList = listed == [.thumbnail] || columns[Int(Variant.thumbnail.rawValue)] > 1
            return CellArea(columns: columns[list], isOpened: variant == .full && isOverList)
        }
    }
}

extension ListOrder.Cursor {
    /// Returns the number of positions in the row of a position, up to `most`. The last row of a list need not be
    /// filled, and counts as wide as the row before it.
    fileprivate func columns(at position: Int32, most: Int32) -> Int32 {
        guard let row = self[position]?.row else { return 1 }
        var first = position
        while first > 0, position - first < most, self[first - 1]?.row == row { first -= 1 }
        var end = position + 1
        while end - first < most, self[end]?.row == row { end += 1 }
        let isLast = end > lastPosition && first > 0
        return isLast ? max(end - first, columns(at: first - 1, most: most)) : end - first
    }
}
