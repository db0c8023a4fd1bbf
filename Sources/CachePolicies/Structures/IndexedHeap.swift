/// A binary heap of object numbers, lowest priority first, from which any object can be removed.
///
/// Priorities are compared as pairs: first `rank`, then `tie`.
public struct IndexedHeap {
    @usableFromInline struct Entry: BitwiseCopyable {
        @usableFromInline var rank: Int
        @usableFromInline var tie: Int
        @usableFromInline var object: Int

        @inlinable init(rank: Int, tie: Int, object: Int) {
            self.rank = rank
            self.tie = tie
            self.object = object
        }

        @inlinable func precedes(_ other: Entry) -> Bool {
            rank != other.rank ? rank < other.rank : tie < other.tie
        }
    }

    @usableFromInline var entries: [Entry] = []
    /// Where each object stands in `entries`; -1 where it does not.
    @usableFromInline var positions = Column<Int>(repeating: -1)

    @inlinable public init() {}

    @inlinable public mutating func reserve(_ count: Int) { positions.reserve(count) }

    @inlinable public var lowest: Int? { entries.first?.object }

    @inlinable public func contains(_ object: Int) -> Bool { positions[object] >= 0 }

    /// The object must not be in the heap. O(log n)
    @inlinable public mutating func insert(_ object: Int, rank: Int, tie: Int) {
        entries.append(Entry(rank: rank, tie: tie, object: object))
        siftUp(entries.count - 1)
    }

    /// The object must be in the heap. O(log n)
    @inlinable public mutating func remove(_ object: Int) {
        let hole = positions[object]
        positions[object] = -1
        let last = entries.removeLast()
        guard hole < entries.count else { return }
        entries[hole] = last
        positions[last.object] = hole
        siftDown(hole)
        siftUp(positions[last.object])
    }

    @inlinable public mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        positions.reset()
    }

    @inlinable mutating func siftUp(_ start: Int) {
        let entry = entries[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.precedes(entries[parent]) else { break }
            place(entries[parent], at: index)
            index = parent
        }
        place(entry, at: index)
    }

    @inlinable mutating func siftDown(_ start: Int) {
        let entry = entries[start]
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
            guard entries[child].precedes(entry) else { break }
            place(entries[child], at: index)
            index = child
        }
        place(entry, at: index)
    }

    @inlinable mutating func place(_ entry: Entry, at index: Int) {
        entries[index] = entry
        positions[entry.object] = index
    }
}
