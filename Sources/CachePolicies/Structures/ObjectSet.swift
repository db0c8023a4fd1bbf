/// A set of objects in an arbitrary order. Any object can be removed, and a random one can be drawn.
public struct ObjectSet {
    @usableFromInline static var absent: UInt32 { .max }

    /// The first `count` are members.
    @usableFromInline var members = UncheckedArray<UInt32>(repeating: 0)
    /// By object: where it stands in `members`, or `absent`.
    @usableFromInline var positions = UncheckedArray<UInt32>(repeating: .max)
    public private(set) var count = 0

    @inlinable public init() {}

    @inlinable public mutating func reserve(_ count: Int) {
        members.reserve(count)
        positions.reserve(count)
    }

    /// See ``CompiledPolicy/prefetch(_:)``.
    @inlinable @inline(__always) public func prefetch(_ object: Int) { positions.prefetch(object) }

    @inlinable @inline(__always) public func contains(_ object: Int) -> Bool { positions[object] != Self.absent }

    /// `position` is below ``count``.
    @inlinable public subscript(position: Int) -> Int { Int(members[position]) }

    /// The object must not be a member.
    @inline(__always) public mutating func insert(_ object: Int) {
        members[count] = UInt32(truncatingIfNeeded: object)
        positions[object] = UInt32(truncatingIfNeeded: count)
        count &+= 1
    }

    /// Where the object stands among the members; nil if it is none.
    @inline(__always) func position(of object: Int) -> Int? {
        let position = positions[object]
        return position == Self.absent ? nil : Int(position)
    }

    /// The object must be the member at `position`; the last one takes its place.
    @inline(__always) mutating func remove(_ object: Int, at position: Int) {
        count &-= 1
        let last = members[count]
        members[position] = last
        positions[Int(last)] = UInt32(truncatingIfNeeded: position)
        positions[object] = Self.absent
    }

    public mutating func removeAll() {
        for position in 0..<count { positions[Int(members[position])] = Self.absent }
        count = 0
    }
}
