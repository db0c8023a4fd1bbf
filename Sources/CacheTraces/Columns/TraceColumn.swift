/// A constant column of numbers in one block of memory, which the column owns or which belongs to a mapped file.
///
/// `@unchecked Sendable`: the memory is not written after the column has been created.
/// Invariant: `elements` are initialised and stay in place for as long as `owner` lives.
public struct TraceColumn<Element: BitwiseCopyable & Sendable>: RandomAccessCollection, @unchecked Sendable {
    private let elements: UnsafeBufferPointer<Element>
    private let owner: AnyObject?

    /// Creates a column of existing memory, which `owner` keeps alive.
    init(_ elements: UnsafeBufferPointer<Element>, owner: AnyObject?) {
        self.elements = elements
        self.owner = owner
    }

    init(_ elements: some Collection<Element>) {
        var builder = ColumnBuilder<Element>()
        builder.reserve(elements.count)
        for element in elements { builder.append(element) }
        self = builder.finish()
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count }

    public subscript(index: Int) -> Element {
        precondition(
            index >= 0 && index < elements.count,
            "the index \(index) is outside of the column of \(elements.count) elements")
        return elements[index]
    }

    /// Calls `body` with the memory, for loops without bounds checks.
    @inline(__always)
    public func withUnsafeBufferPointer<R, E: Error>(_ body: (UnsafeBufferPointer<Element>) throws(E) -> R) throws(E)
        -> R
    {
        defer { withExtendedLifetime(owner) {} }
        return try body(elements)
    }

    public func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<Element>) throws -> R) rethrows -> R? {
        defer { withExtendedLifetime(owner) {} }
        return try body(elements)
    }
}

extension TraceColumn: Equatable where Element: Equatable {
    public static func == (one: Self, other: Self) -> Bool { one.elementsEqual(other) }
}
