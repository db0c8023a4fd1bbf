/// Numbers in one block of memory that never change: a column of a ``DenseTrace``, in memory of its own or in that of a
/// mapped file.
///
/// `@unchecked Sendable`: nobody writes to the memory once a column is made of it.
/// Invariant: `elements` are initialised and stay in place for as long as `owner` lives.
public struct TraceColumn<Element: BitwiseCopyable & Sendable>: RandomAccessCollection, @unchecked Sendable {
    private let elements: UnsafeBufferPointer<Element>
    private let owner: AnyObject?

    /// `owner` keeps the memory alive.
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
            index >= 0 && index < elements.count, "a column has \(elements.count) elements, and no element \(index)")
        return elements[index]
    }

    /// Lends the memory, for loops that check no index.
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
