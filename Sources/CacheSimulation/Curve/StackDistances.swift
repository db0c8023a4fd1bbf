import CacheTraces

/// The LRU stack of R. Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9, 1970.
/// For each access it returns how much was accessed since the last access to the same object.
///
/// Objects stand on a row of positions in the order of their last access. A full row is compacted, so that it is never
/// much longer than there are objects, and stays in the processor's caches however long the trace is.
///
/// Invariants: a live object stands at `places[object]`, where `owners` names it; positions below `next` without a live
/// object weigh nothing; objects are below the count given at the beginning.
struct LRUStack<Row: RecencyRow & ~Copyable>: ~Copyable {
    private var row: Row
    private let places: UnsafeMutablePointer<UInt32>
    private var owners: UnsafeMutablePointer<UInt32>
    private let objectCount: Int
    private var next = 0
    /// The places of removed objects, oldest first. A hole keeps its weight: the room that it leaves in a cache is
    /// filled by the next object that this cache stores.
    private var holes: [Int] = []

    private static var nowhere: UInt32 { .max }

    init(objectCount: Int) {
        self.objectCount = objectCount
        row = Row(capacity: 4_096)
        places = .allocate(capacity: max(1, objectCount))
        places.initialize(repeating: Self.nowhere, count: max(1, objectCount))
        owners = .allocate(capacity: row.capacity)
        owners.initialize(repeating: 0, count: row.capacity)
    }

    deinit {
        places.deallocate()
        owners.deallocate()
    }

    /// Notes an access, and returns the weight of the other objects that were accessed since the object's last access,
    /// or nil at its first. `weight` is evaluated only at the first.
    @inline(__always)
    mutating func access(_ object: Int, weight: () -> Int) -> (others: Int, own: Int)? {
        if next == row.capacity { compact() }
        if !holes.isEmpty { return accessAmongHoles(object, weight: weight()) }
        let place = places[object]
        places[object] = UInt32(truncatingIfNeeded: next)
        owners[next] = UInt32(truncatingIfNeeded: object)
        defer { next &+= 1 }
        guard place != Self.nowhere else {
            row.place(weight(), at: next)
            return nil
        }
        let others = row.weight(behind: Int(place))
        let own = row.clear(Int(place))
        row.place(own, at: next)
        return (others, own)
    }

    /// Removes an object, and leaves a hole in its place. Exact for objects of one size.
    mutating func remove(_ object: Int) {
        let place = places[object]
        guard place != Self.nowhere else { return }
        places[object] = Self.nowhere
        let index = holes.firstIndex { $0 > Int(place) } ?? holes.count
        holes.insert(Int(place), at: index)
    }

    /// The same as ``access(_:weight:)``. Caches that are too small for the object store it, and it fills the topmost
    /// hole; in those that hold it, the hole stays. So the hole moves to where the object was.
    @inline(never)
    private mutating func accessAmongHoles(_ object: Int, weight: Int) -> (others: Int, own: Int)? {
        let place = places[object]
        places[object] = UInt32(truncatingIfNeeded: next)
        owners[next] = UInt32(truncatingIfNeeded: object)
        defer { next &+= 1 }
        guard place != Self.nowhere else {
            if let top = holes.popLast() { _ = row.clear(top) }
            row.place(weight, at: next)
            return nil
        }
        let others = row.weight(behind: Int(place))
        let own = row.clear(Int(place))
        if let top = holes.last, top > Int(place) {
            holes.removeLast()
            _ = row.clear(top)
            row.place(own, at: Int(place))
            let index = holes.firstIndex { $0 > Int(place) } ?? holes.count
            holes.insert(Int(place), at: index)
        }
        row.place(own, at: next)
        return (others, own)
    }

    /// Forgets every object.
    mutating func removeAll() {
        holes = []
        places.update(repeating: Self.nowhere, count: max(1, objectCount))
        row.reset()
        next = 0
    }

    /// Removes the gaps between the objects, and moves to a longer row if they have become too many for this one.
    @inline(never)
    private mutating func compact() {
        var count = 0
        var hole = 0
        for position in 0..<next {
            let owner = owners[position]
            if hole < holes.count, holes[hole] == position {
                holes[hole] = count
                hole += 1
            } else {
                guard places[Int(owner)] == UInt32(truncatingIfNeeded: position) else { continue }
                places[Int(owner)] = UInt32(truncatingIfNeeded: count)
            }
            owners[count] = owner
            row.move(from: position, to: count)
            count &+= 1
        }
        next = count
        if count * 2 > row.capacity { grow(to: row.capacity * 2) }
        row.settle(count)
    }

    private mutating func grow(to capacity: Int) {
        let longer = Row(capacity: capacity)
        for position in 0..<next { row.move(from: position, to: position, of: longer) }
        row = longer
        let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: row.capacity)
        grown.initialize(repeating: 0, count: row.capacity)
        grown.update(from: owners, count: next)
        owners.deallocate()
        owners = grown
    }
}
