import SessionModel

/// The order of a session's lists: which object stands at which position, and in which row. Thumbnails and full images
/// have lists of their own.
struct CellOrder {
    /// Indexed by ``Variant``.
    private var lists = [List](repeating: List(), count: Variant.allCases.count)

    fileprivate struct List {
        /// By position: the object, or -1 where none is known.
        var objects: [ObjectID] = []
        /// By position.
        var rows: [Int32] = []
        /// By object: its positions, in rising order.
        var positions: [ObjectID: [Int32]] = [:]
    }

    init() {}

    /// Whether no position is known.
    var isEmpty: Bool { lists.allSatisfy(\.objects.isEmpty) }

    /// The number of positions of a list.
    func count(_ variant: Variant) -> Int { lists[Int(variant.rawValue)].objects.count }

    /// Notes that an object stands at a position. Another object that stood there does not any more.
    mutating func place(_ object: ObjectID, _ variant: Variant, at position: Int, row: Int) {
        lists[Int(variant.rawValue)].place(object, at: position, row: row)
    }

    /// Returns the position of an object; of several, the one that is nearest to `position`. Nil if it has none.
    func position(of object: ObjectID, _ variant: Variant, near position: Int) -> Int? {
        lists[Int(variant.rawValue)].positions[object]?.min { abs(Int($0) - position) < abs(Int($1) - position) }
            .map(Int.init)
    }

    /// Returns the object at a position; nil if none is known.
    func object(at position: Int, _ variant: Variant) -> ObjectID? {
        let objects = lists[Int(variant.rawValue)].objects
        guard objects.indices.contains(position), objects[position] >= 0 else { return nil }
        return objects[position]
    }

    /// Returns the row of a position that is known.
    func row(of position: Int, _ variant: Variant) -> Int { Int(lists[Int(variant.rawValue)].rows[position]) }
}

extension CellOrder.List {
    /// The highest position: a list of a million cells.
    static let highest = 999_999

    fileprivate mutating func place(_ object: ObjectID, at position: Int, row: Int) {
        guard (0...Self.highest).contains(position) else { return }
        while objects.count <= position {
            rows.append(Int32(clamping: objects.count))
            objects.append(-1)
        }
        let place = Int32(position)
        if objects[position] >= 0 { positions[objects[position]]?.removeAll { $0 == place } }
        objects[position] = object
        rows[position] = Int32(clamping: row)
        var own = positions[object] ?? []
        own.insert(place, at: own.firstIndex { $0 > place } ?? own.count)
        positions[object] = own
    }
}
