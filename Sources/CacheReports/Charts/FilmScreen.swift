import ReplayEngine

/// What the user saw of a visible cell. The raw values are part of the data of charts and of the colours of pages.
enum FilmState: String, Sendable, CaseIterable {
    case memory, disk, network
    /// From a cache, past the lifetime of the object.
    case stale
    case blank, failed, wrong

    init(_ cell: Film.Cell, at time: Int64) {
        guard let delivered = cell.delivered else {
            switch cell.source {
            case .failed: self = .failed
            case .wrong: self = .wrong
            case .memoryHit, .diskHit, .origin, .coalesced, .deferred, .cancelled: self = .blank
            }
            return
        }
        guard delivered <= time else {
            self = .blank
            return
        }
        guard !cell.isStale else {
            self = .stale
            return
        }
        switch cell.source {
        case .memoryHit: self = .memory
        case .diskHit: self = .disk
        case .origin, .coalesced: self = .network
        case .deferred, .cancelled: self = .blank
        case .failed: self = .failed
        case .wrong: self = .wrong
        }
    }

    var fill: Fill {
        switch self {
        case .memory: .memory
        case .disk: .disk
        case .network: .network
        case .stale: .violet
        case .blank: .late
        case .failed: .never
        case .wrong: .wrong
        }
    }

    /// The text of the legend.
    var title: String {
        switch self {
        case .memory: "from memory"
        case .disk: "from disk"
        case .network: "from the network"
        case .stale: "from a cache, past its lifetime"
        case .blank: "blank, and for how long"
        case .failed: "blank: the fetch failed"
        case .wrong: "blank: the picture of another key"
        }
    }
}

/// The cells that are visible at a moment, in their rows and columns. An image that is opened over a list hides the
/// cells of the list.
struct FilmScreen {
    struct Cell: Equatable {
        var state: FilmState
        /// The time in microseconds for which the cell has waited, or had waited when its image came.
        var waited: Int64
        /// The row on the screen, from 0.
        var row: Int
        /// The place in the row, from 0.
        var column: Int
        /// The number of places in the row.
        var columns: Int
    }

    /// By row and column.
    let cells: [Cell]
    /// Whether the cells are images that are opened over a list, and fill the screen.
    let isOpened: Bool

    /// - Parameters:
    ///   - places: The places of the cells in their list; nil if the list was not recorded. The cells are then in order
    ///     of appearance.
    ///   - time: In microseconds.
    ///   - columns: The number of cells in a row, if the list was not recorded.
    init(_ film: Film, _ places: CellPlaces?, at time: Int64, columns: Int) {
        let visible = film.cells.indices.filter { film.cells[$0].isVisible(at: time) }
        func cell(_ index: Int, row: Int, column: Int, of columns: Int) -> Cell {
            let cell = film.cells[index]
            let end = min(time, cell.delivered ?? .max)
            return Cell(
                state: FilmState(cell, at: time), waited: max(0, end - cell.appeared), row: row, column: column,
                columns: columns)
        }
        guard let places = places?.places, visible.allSatisfy({ $0 < places.count }) else {
            cells = visible.enumerated().map { number, index in
                cell(index, row: number / columns, column: number % columns, of: columns)
            }
            isOpened = false
            return
        }
        let opened = visible.filter { places[$0].isOpened }
        guard opened.isEmpty else {
            cells = opened.enumerated().map { number, index in cell(index, row: number, column: 0, of: 1) }
            isOpened = true
            return
        }
        let spots = Self.spots(visible, places)
        let placed = spots.map { cell($0.index, row: $0.row, column: $0.column, of: $0.columns) }
        cells = placed.sorted { ($0.row, $0.column) < ($1.row, $1.column) }
        isOpened = false
    }

    /// A place on the screen.
    private struct Spot {
        var index: Int
        var row: Int
        var column: Int
        var columns: Int
    }

    /// Returns the places on the screen of the visible cells of a list. Cells of images that the list does not have
    /// come last. Of two cells at one place, the second one takes the first free place.
    private static func spots(_ visible: [Int], _ places: [CellPlace]) -> [Spot] {
        func listRow(_ index: Int) -> Int32 { places[index].row ?? .max }
        let order = visible.sorted { one, other in
            let (oneRow, otherRow) = (listRow(one), listRow(other))
            return oneRow != otherRow ? oneRow < otherRow : one < other
        }
        var spots: [Spot] = []
        var (row, columns) = (-1, 1)
        var taken: Set<Int> = []
        for (number, index) in order.enumerated() {
            if number == 0 || listRow(index) != listRow(order[number - 1]) {
                row += 1
                columns = max(1, Int(places[index].columns))
                taken = []
            }
            var column = Int(places[index].column)
            if places[index].row == nil || column >= columns || taken.contains(column) {
                column = 0
                while taken.contains(column) { column += 1 }
            }
            if column >= columns {
                row += 1
                column = 0
                taken = []
            }
            taken.insert(column)
            spots.append(Spot(index: index, row: row, column: column, columns: columns))
        }
        return spots
    }
}
