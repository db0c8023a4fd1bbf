/// A heap of object numbers, lowest key first, in which any object can be raised, lowered or removed.
///
/// Every node has four children, which lie side by side: half the depth of a binary heap, and with keys of 8 bytes the
/// children share a line of the processor's cache.
///
/// Invariants: the first `count` entries are the heap, no entry's key is below its parent's, and `positions[object]` is
/// the object's position among them, or `absent`.
public struct IndexedHeap<Key: Comparable & BitwiseCopyable> {
    @usableFromInline struct Entry: BitwiseCopyable {
        @usableFromInline var key: Key
        @usableFromInline var object: UInt32

        @inlinable init(key: Key, object: UInt32) {
            self.key = key
            self.object = object
        }
    }

    @usableFromInline static var absent: UInt32 { .max }

    @usableFromInline var entries: UncheckedArray<Entry>
    @usableFromInline var positions = UncheckedArray<UInt32>(repeating: .max)
    @usableFromInline var population = 0

    @inlinable public var count: Int { population }

    /// `filler` is any key: it stands where no object does.
    @inlinable public init(filler: Key) {
        entries = UncheckedArray(repeating: Entry(key: filler, object: 0))
    }

    @inlinable public mutating func reserve(_ count: Int) {
        entries.reserve(count)
        positions.reserve(count)
    }

    @inlinable public var lowest: Int? { count == 0 ? nil : Int(entries[0].object) }

    /// The object must be in the heap.
    @inlinable public func key(of object: Int) -> Key { entries[Int(positions[object])].key }

    @inlinable public func contains(_ object: Int) -> Bool { positions[object] != Self.absent }

    /// The object must not be in the heap. O(log n)
    @inlinable public mutating func insert(_ object: Int, _ key: Key) {
        population &+= 1
        siftUp(Entry(key: key, object: UInt32(truncatingIfNeeded: object)), from: count &- 1)
    }

    /// The object must be in the heap. O(log n)
    @inlinable public func update(_ object: Int, to key: Key) {
        let position = Int(positions[object])
        let entry = Entry(key: key, object: UInt32(truncatingIfNeeded: object))
        key < entries[position].key ? siftUp(entry, from: position) : siftDown(entry, from: position)
    }

    /// Returns the lowest object by keys that rise without a call of the heap. While the lowest entry's key is out of
    /// date, it is corrected, so a rise costs nothing until the object is about to be the lowest. `current` never falls
    /// for an object.
    @inlinable public func lowest(byRisen current: (Int) -> Key) -> Int? {
        guard count > 0 else { return nil }
        while true {
            let entry = entries[0]
            let key = current(Int(entry.object))
            guard entry.key < key else { return Int(entry.object) }
            siftDown(Entry(key: key, object: entry.object), from: 0)
        }
    }

    /// Removes the lowest object, and inserts one that is not in the heap, or that object again. The heap must not be
    /// empty. O(log n)
    @inlinable public func replaceLowest(with object: Int, _ key: Key) {
        positions[Int(entries[0].object)] = Self.absent
        siftDown(Entry(key: key, object: UInt32(truncatingIfNeeded: object)), from: 0)
    }

    /// The object must be in the heap. O(log n)
    @inlinable public mutating func remove(_ object: Int) {
        let hole = Int(positions[object])
        positions[object] = Self.absent
        population &-= 1
        guard hole < count else { return }
        let last = entries[count]
        if hole > 0, last.key < entries[(hole &- 1) / 4].key {
            siftUp(last, from: hole)
        } else {
            siftDown(last, from: hole)
        }
    }

    @inlinable public mutating func removeAll() {
        while count > 0 {
            population &-= 1
            positions[Int(entries[count].object)] = Self.absent
        }
    }

    @inlinable func siftUp(_ entry: Entry, from start: Int) {
        var hole = start
        while hole > 0 {
            let parent = (hole &- 1) / 4
            guard entry.key < entries[parent].key else { break }
            place(entries[parent], at: hole)
            hole = parent
        }
        place(entry, at: hole)
    }

    @inlinable func siftDown(_ entry: Entry, from start: Int) {
        var hole = start
        while true {
            let first = 4 &* hole &+ 1
            guard first < count else { break }
            var child = first
            if first &+ 4 <= count {
                // Two independent comparisons, and choices without branches, which could not be predicted.
                let one = entries[first &+ 1].key < entries[first].key ? first &+ 1 : first
                let other = entries[first &+ 3].key < entries[first &+ 2].key ? first &+ 3 : first &+ 2
                child = entries[other].key < entries[one].key ? other : one
            } else {
                for sibling in first &+ 1..<max(first &+ 1, count) where entries[sibling].key < entries[child].key {
                    child = sibling
                }
            }
            guard entries[child].key < entry.key else { break }
            place(entries[child], at: hole)
            hole = child
        }
        place(entry, at: hole)
    }

    @inlinable func place(_ entry: Entry, at position: Int) {
        entries[position] = entry
        positions[Int(entry.object)] = UInt32(truncatingIfNeeded: position)
    }
}

/// A key for an ``IndexedHeap``: first by `rank`, then by `tie`.
public struct RankAndTie<Rank: Comparable & BitwiseCopyable>: Comparable, BitwiseCopyable {
    public var rank: Rank
    public var tie: Int

    @inlinable public init(_ rank: Rank, tie: Int) {
        self.rank = rank
        self.tie = tie
    }

    @inlinable public static func < (one: Self, other: Self) -> Bool {
        one.rank < other.rank || (one.rank == other.rank && one.tie < other.tie)
    }
}
