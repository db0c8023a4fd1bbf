/// The order of the lists that a session showed, from its `list` events.
///
/// A session has at most one list for each variant: the list of thumbnails, and the list of full images. A ``Cursor``
/// has the content of one of them at a time.
public struct ListOrder: Sendable, Equatable {
    /// An object that the list shows.
    public struct Item: Sendable, Equatable {
        /// The position in the list, from 0.
        public var position: Int32
        /// The row of the position, from 0. A list with one column has the position as its row.
        public var row: Int32
        public var object: ObjectID

        public init(position: Int32, row: Int32, object: ObjectID) {
            self.position = position
            self.row = row
            self.object = object
        }
    }

    /// A time at which the list began to show an object at a position.
    public struct Change: Sendable, Equatable {
        /// Microseconds since the start of the trace.
        public var time: Int64
        public var item: Item

        public init(time: Int64, item: Item) {
            self.time = time
            self.item = item
        }
    }

    /// The changes of each variant's list, in order of time; changes with equal times have the order of the trace.
    private var changes: [[Change]]

    public init(_ trace: Trace) {
        changes = Variant.allCases.map { _ in [] }
        for event in trace.events {
            guard case .list(let object, let variant, let position, let row) = event.action else { continue }
            let item = Item(position: position, row: row, object: object)
            changes[Int(variant.rawValue)].append(Change(time: event.time, item: item))
        }
    }

    /// Creates the order of a list that was not recorded, such as an inferred one.
    ///
    /// - Parameter changes: By variant, in order of time.
    public init(changes: [Variant: [Change]]) {
        self.changes = Variant.allCases.map { changes[$0] ?? [] }
    }

    /// Returns the changes of a list, in order of time; none if the list was not recorded.
    public func changes(_ variant: Variant) -> [Change] { changes[Int(variant.rawValue)] }

    /// Returns the list of a variant before its first change.
    public func cursor(_ variant: Variant) -> Cursor { Cursor(changes(variant)) }

    /// The content of a list at a time that only advances.
    ///
    /// The last change of a position that is not later than the time counts. A position that was never named has no
    /// item. An advance takes time proportional to the changes that it passes.
    public struct Cursor: Sendable {
        private let changes: [Change]
        private var next = 0
        private var items: [Int32: Item] = [:]
        /// The positions of an object, the one that was named last behind the others.
        private var positions: [ObjectID: [Int32]] = [:]
        /// The largest position that was named so far; -1 if none was.
        public private(set) var lastPosition: Int32 = -1

        fileprivate init(_ changes: [Change]) { self.changes = changes }

        public var count: Int { items.count }

        /// The item at a position; nil if no change named the position so far.
        public subscript(position: Int32) -> Item? { items[position] }

        /// Returns the position that shows an object: the position of the last change if there are several; nil if the
        /// list does not show the object.
        public func position(of object: ObjectID) -> Int32? { positions[object]?.last }

        /// Returns the position that shows an object: the nearest to another one if there are several, and of those
        /// that are equally near the one that was named first; nil if the list does not show the object.
        public func position(of object: ObjectID, near other: Int32) -> Int32? {
            positions[object]?.min { abs(Int($0) - Int(other)) < abs(Int($1) - Int(other)) }
        }

        /// Applies the changes up to and including `time`, in microseconds, and returns them.
        @discardableResult
        public mutating func advance(to time: Int64) -> ArraySlice<Change> {
            let start = next
            while next < changes.count, changes[next].time <= time {
                apply(changes[next].item)
                next += 1
            }
            return changes[start..<next]
        }

        private mutating func apply(_ item: Item) {
            let former = items.updateValue(item, forKey: item.position)
            if let former { positions[former.object]?.removeAll { $0 == item.position } }
            positions[item.object, default: []].append(item.position)
            lastPosition = max(lastPosition, item.position)
        }
    }
}

extension ListOrder {
    /// How often a session contradicts its recorded lists.
    public struct Contradictions: Sendable, Equatable {
        /// Requests of objects that the list of their variant did not show at that time. Requests of a variant without
        /// a list are not counted.
        public var unlisted = 0
        /// Positions whose row was less than the row before, or greater than the row behind.
        /// Changes of one time are one change of the list.
        public var unorderedRows = 0

        public init(unlisted: Int = 0, unorderedRows: Int = 0) {
            self.unlisted = unlisted
            self.unorderedRows = unorderedRows
        }

        public var total: Int { unlisted + unorderedRows }
    }

    /// Counts the contradictions between the lists and a session. They are no errors: a list may have been changed
    /// without a record of it.
    public func contradictions(in trace: Trace) -> Contradictions {
        var result = Contradictions()
        for variant in Variant.allCases where !changes(variant).isEmpty {
            var cursor = cursor(variant)
            for event in trace.events {
                switch event.action {
                case .list(_, variant, _, _):
                    let changed = cursor.advance(to: event.time)
                    result.unorderedRows += Set(changed.map(\.item.position)).count { cursor.isUnordered($0) }
                case .appear(let object, variant):
                    if cursor.position(of: object) == nil { result.unlisted += 1 }
                default: break
                }
            }
        }
        return result
    }
}

extension ListOrder.Cursor {
    fileprivate func isUnordered(_ position: Int32) -> Bool {
        guard let row = self[position]?.row else { return false }
        if position > 0, let before = self[position - 1], before.row > row { return true }
        return self[position + 1].map { $0.row < row } ?? false
    }
}

extension Trace {
    public var recordsLists: Bool { events.contains { if case .list = $0.action { true } else { false } } }

    public var recordsSources: Bool { events.contains { if case .served = $0.action { true } else { false } } }

    public var recordsCosts: Bool { events.contains { if case .cost = $0.action { true } else { false } } }
}
