/// The size of each object, for as long as all are equal in one number: where objects are counted, a policy then asks
/// the memory for none.
///
/// Invariant: while `isUniform`, every size that was set is `uniform`; from then on `column` has a place for each of
/// the `reserved` objects.
public struct SizeTable {
    @usableFromInline var column = UncheckedArray<Int>(repeating: 0)
    @usableFromInline var reserved = 0
    @usableFromInline var isUniform = true
    /// Nothing was set yet where it is negative.
    @usableFromInline var uniform = -1

    @inlinable public init() {}

    @inlinable public mutating func reserve(_ count: Int) {
        reserved = Swift.max(reserved, count)
        if !isUniform { column.reserve(reserved) }
    }

    /// Of an object whose size was set, and never negative.
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

    /// Whether they are still one number; if not, gives each object its own.
    @usableFromInline @inline(never) mutating func keepsUniform(_ size: Int) -> Bool {
        guard uniform >= 0 else {
            uniform = size
            return true
        }
        column = UncheckedArray(repeating: uniform, count: reserved)
        return false
    }
}
