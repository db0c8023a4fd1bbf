/// The size of each object, or of what stands in each slot of a ring. While all sizes are equal it is one number, so a
/// policy that counts objects reads no memory for sizes.
///
/// Invariant: while `isUniform`, every size that was set is `uniform`; from then on `column` has a place for each of
/// the `reserved` objects.
public struct SizeTable {
    @usableFromInline var column = UncheckedArray<Int>(repeating: 0)
    @usableFromInline var reserved = 0
    @usableFromInline var isUniform = true
    /// Negative until a size is set.
    @usableFromInline var uniform = -1

    @inlinable public init() {}

    @inlinable public mutating func reserve(_ count: Int) {
        reserved = Swift.max(reserved, count)
        if !isUniform { column.reserve(reserved) }
    }

    /// Gives an object the size of another one. The sizes of both must have been set before.
    @inline(__always) func copy(from old: Int, to new: Int) {
        if !isUniform { column[new] = column[old] }
    }

    /// Returns a table of `count` objects for the same sizes in another order. The caller must set each size.
    func emptied(reserving count: Int) -> SizeTable {
        var table = self
        table.reserved = count
        if !isUniform { table.column = UncheckedArray(repeating: 0, count: count) }
        return table
    }

    /// See ``CompiledPolicy/prefetch(_:)``.
    @inlinable @inline(__always) public func prefetch(_ object: Int) {
        if !isUniform { column.prefetch(object) }
    }

    /// The size of an object whose size was set; never negative.
    @inlinable public subscript(object: Int) -> Int {
        get { isUniform ? uniform : column[object] }
        set {
            if isUniform {
                if newValue == uniform { return }
                isUniform = keepsUniform(newValue)
                if isUniform { return }
            }
            column[object] = newValue
        }
    }

    /// Returns whether all sizes are still equal. If not, gives each object its own size.
    @usableFromInline @inline(never) mutating func keepsUniform(_ size: Int) -> Bool {
        guard uniform >= 0 else {
            uniform = size
            return true
        }
        column = UncheckedArray(repeating: uniform, count: reserved)
        return false
    }
}
