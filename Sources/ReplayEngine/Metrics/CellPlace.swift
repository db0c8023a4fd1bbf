import SessionModel

/// The place of a visible cell in its list, as far as the trace records it.
public struct CellPlace: Sendable, Equatable {
    /// The largest number of columns. A row with more columns counts as a row with this number.
    public static let mostColumns: Int32 = 64

    /// The row, from 0; nil if the list does not contain the image of the cell.
    public var row: Int32?
    /// The number of positions in the row that are before the cell.
    public var column: Int32
    /// The number of positions in the row, from 1. For a cell without a row, it is the number of the last cell of the
    /// list with a row.
    public var columns: Int32
    /// Whether the cell is a full image that is opened over a list, and covers the cells of the list.
    public var isOpened: Bool

    public init(row: Int32?, column: Int32 = 0, columns: Int32 = 1, isOpened: Bool = false) {
        self.row = row
        self.column = column
        self.columns = columns
        self.isOpened = isOpened
    }

    /// Returns the places of the cells of a trace, in order of appearance; none for a trace without `list` events.
    ///
    /// A full image is opened over a list if the trace lists thumbnails only, or if the thumbnails before it were in a
    /// row with several columns.
    ///
    /// Complexity: O(n) for n events, with up to ``mostColumns`` columns.
    static func places(of trace: Trace) -> [CellPlace] {
        let lists = ListOrder(trace)
        let listed = Variant.allCases.filter { !lists.changes($0).isEmpty }
        guard !listed.isEmpty else { return [] }
        var cursors = Variant.allCases.map { lists.cursor($0) }
        var columns = Variant.allCases.map { _ in Int32(1) }
        return trace.events.compactMap { event in
            guard case .appear(let object, let variant) = event.action else { return nil }
            let list = Int(variant.rawValue)
            cursors[list].advance(to: event.time)
            var place = CellPlace(row: nil)
            if let position = cursors[list].position(of: object) {
                columns[list] = min(cursors[list].columns(at: position), mostColumns)
                place.row = cursors[list][position]?.row
                place.column = min(position - cursors[list].start(ofRowAt: position), columns[list] - 1)
            }
            place.columns = columns[list]
            let isOverList = listed == [.thumbnail] || columns[Int(Variant.thumbnail.rawValue)] > 1
            place.isOpened = variant == .full && isOverList
            return place
        }
    }
}

extension ListOrder.Cursor {
    /// Returns the first position in the row of a position, or one of the positions between them if they are more than
    /// `CellPlace.mostColumns` apart.
    fileprivate func start(ofRowAt position: Int32) -> Int32 {
        guard let row = self[position]?.row else { return position }
        var first = position
        while first > 0, position - first < CellPlace.mostColumns, self[first - 1]?.row == row { first -= 1 }
        return first
    }

    /// Returns the number of positions in the row of a position. The last row of a list need not be filled, and counts
    /// as wide as the row before it.
    fileprivate func columns(at position: Int32) -> Int32 {
        guard let row = self[position]?.row else { return 1 }
        let first = start(ofRowAt: position)
        var end = position + 1
        while end - first < CellPlace.mostColumns, self[end]?.row == row { end += 1 }
        let isLast = end > lastPosition && first > 0
        return isLast ? max(end - first, columns(at: first - 1)) : end - first
    }
}

/// The places of the first cells of a trace, in order of appearance. A ``Film`` has the same cells.
public struct CellPlaces: Codable, Sendable, Equatable {
    public private(set) var places: [CellPlace]

    public init(_ places: [CellPlace]) {
        self.places = places
    }
}

/// Places are stored as one list of whole numbers, three for each cell: the row minus the row of the cell before, the
/// column, and the number of columns, which is negative for a cell that is opened over a list. The row before the first
/// cell is 0, and -1 is the row of a cell without one.
extension CellPlaces {
    public var numbers: [Int64] {
        var previous: Int64 = 0
        return places.flatMap { place in
            let row = place.row.map { Int64($0) } ?? -1
            defer { previous = row }
            let columns = Int64(place.columns)
            return [row - previous, Int64(place.column), place.isOpened ? -columns : columns]
        }
    }

    /// - Returns: nil if the numbers are no places.
    public init?(numbers: [Int64]) {
        guard numbers.count.isMultiple(of: 3) else { return nil }
        var places: [CellPlace] = []
        places.reserveCapacity(numbers.count / 3)
        var row: Int64 = 0
        for index in stride(from: 0, to: numbers.count, by: 3) {
            let (next, overflows) = row.addingReportingOverflow(numbers[index])
            let columns = Int32(clamping: numbers[index + 2].magnitude)
            guard !overflows, next >= -1, next <= Int64(Int32.max), columns >= 1, columns <= CellPlace.mostColumns,
                let column = Int32(exactly: numbers[index + 1]), column >= 0, column < columns
            else { return nil }
            row = next
            places.append(
                CellPlace(
                    row: next < 0 ? nil : Int32(next), column: column, columns: columns,
                    isOpened: numbers[index + 2] < 0))
        }
        self.places = places
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.singleValueContainer()
        guard let places = CellPlaces(numbers: try values.decode([Int64].self)) else {
            throw DecodingError.dataCorruptedError(in: values, debugDescription: "The numbers are not those of places.")
        }
        self = places
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.singleValueContainer()
        try values.encode(numbers)
    }
}
