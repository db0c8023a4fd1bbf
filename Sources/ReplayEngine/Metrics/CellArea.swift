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

    /// The width of the screen. 1 to 10 columns divide it, so that their areas are exact.
    private static let width: Int32 = 5_040

    /// The area, as a part of the square of the width of the screen. Sums of areas are whole numbers, which do not
    /// depend on the order of cells.
    let size: Int
    /// Whether the cell is a full image that is opened over a list, and covers the cells of the list.
    let isOpened: Bool

    /// - Parameter columns: The number of cells in the row of the cell; above 0.
    init(columns: Int32, isOpened: Bool = false) {
        let side = Int(Self.width / min(columns, CellPlace.mostColumns))
        size = side * side
        self.isOpened = isOpened
    }

    /// Creates the area of a cell at a place. A cell of an image that its list does not contain is as large as the last
    /// cell of the list that it contains.
    init(_ place: CellPlace) {
        self.init(columns: place.columns, isOpened: place.isOpened)
    }

    /// Returns the width of the cell in pixels, on a screen whose width is `pixels`.
    func side(onScreenOf pixels: Int) -> Int { Int(Double(size).squareRoot()) * pixels / Int(Self.width) }

    /// Returns the areas of the cells of a trace, in order of appearance; none for a trace without `list` events.
    static func areas(of trace: Trace) -> [CellArea] { CellPlace.places(of: trace).map { CellArea($0) } }
}
