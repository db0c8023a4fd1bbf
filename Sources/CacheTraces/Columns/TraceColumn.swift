import Basics
import Foundation

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

    /// Creates a column of zeros. Pages that nothing reads take no memory.
    init(zeroes count: Int) where Element: FixedWidthInteger {
        guard let memory = calloc(Swift.max(count, 1), MemoryLayout<Element>.stride) else {
            Memory.exhausted(count * MemoryLayout<Element>.stride)
        }
        let elements = UnsafePointer(memory.bindMemory(to: Element.self, capacity: count))
        self.init(UnsafeBufferPointer(start: elements, count: count), owner: ColumnMemory(memory))
    }

    /// Whether nothing keeps the memory alive but the creator of the column.
    var isBorrowed: Bool { owner == nil }

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

/// A column under construction, in huge pages if the system has them.
///
/// Large blocks grow by `realloc`, which on Linux moves pages instead of copying bytes. Unused reserved memory has no
/// pages.
///
/// Invariant: `base` has room for `capacity` elements, of which the first `count` are initialised.
struct ColumnBuilder<Element: BitwiseCopyable & Sendable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private(set) var capacity: Int

    init() {
        capacity = 0
        base = Self.grown(nil, to: 1)
        capacity = 1
    }

    deinit { free(base) }

    /// Reserves memory for `wanted` elements in total.
    mutating func reserve(_ wanted: Int) {
        guard wanted > capacity else { return }
        base = Self.grown(base, to: wanted)
        capacity = wanted
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { makeRoom(1) }
        base[count] = element
        count &+= 1
    }

    /// Appends `extra` elements, all of which `write` initialises.
    @inline(__always)
    mutating func append(_ extra: Int, _ write: (UnsafeMutablePointer<Element>) -> Void) {
        if capacity - count < extra { makeRoom(extra) }
        write(base + count)
        count &+= extra
    }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count)
            return base[index]
        }
        set {
            precondition(index >= 0 && index < count)
            base[index] = newValue
        }
    }

    var elements: UnsafeMutableBufferPointer<Element> { UnsafeMutableBufferPointer(start: base, count: count) }

    /// Returns the finished column and releases unused memory.
    consuming func finish() -> TraceColumn<Element> {
        let kept = Self.grown(base, to: max(count, 1))
        let elements = UnsafeBufferPointer(start: UnsafePointer(kept), count: count)
        discard self
        return TraceColumn(elements, owner: ColumnMemory(kept))
    }

    private mutating func makeRoom(_ extra: Int) { reserve(Swift.max(count + extra, capacity + capacity / 2, 1024)) }

    private static func grown(_ base: UnsafeMutablePointer<Element>?, to count: Int) -> UnsafeMutablePointer<Element> {
        // The loops that append cannot throw.
        guard let memory = realloc(base, count * MemoryLayout<Element>.stride) else {
            Memory.exhausted(count * MemoryLayout<Element>.stride)
        }
        HugePages.advise(memory, length: count * MemoryLayout<Element>.stride)
        return memory.bindMemory(to: Element.self, capacity: count)
    }
}

/// The owner of a column's memory, which it frees.
private final class ColumnMemory {
    private let memory: UnsafeMutableRawPointer

    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    deinit { free(memory) }
}

/// Requests huge pages (2 MiB) on Linux, which make first writes to large blocks and random reads from them faster.
enum HugePages {
    static let length = 2 << 20

    /// Advises the system to use huge pages for memory of the caller, which is neither read nor written.
    ///
    /// The advice includes the pages at both ends. Otherwise a block of `malloc` would consist of two mappings, which
    /// `realloc` could only copy.
    static func advise(_ memory: UnsafeMutableRawPointer, length: Int) {
        #if os(Linux)
        guard length >= Self.length * 2 else { return }
        let page = UInt(getpagesize())
        let start = UInt(bitPattern: memory) & ~(page - 1)
        let end = (UInt(bitPattern: memory) + UInt(length) + page - 1) & ~(page - 1)
        madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), Int32(MADV_HUGEPAGE))
        #endif
    }

    /// Returns zeroed memory, whose pages exist once they are written. ``release(_:length:)`` frees it.
    static func zeroes(length: Int) -> UnsafeMutableRawPointer {
        // The loops that number objects cannot throw.
        let page = Int(getpagesize())
        let wanted = (length + page - 1) & ~(page - 1)
        let slack = wanted >= Self.length * 2 ? Self.length : 0
        guard let memory = mmap(nil, wanted + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
            memory != MAP_FAILED
        else { Memory.exhausted(length) }
        // A block that begins with a huge page consists of them.
        let before = slack == 0 ? 0 : -Int(bitPattern: memory) & (slack - 1)
        if before > 0 { munmap(memory, before) }
        if slack > before { munmap(memory + (before + wanted), slack - before) }
        advise(memory + before, length: length)
        return memory + before
    }

    static func release(_ memory: UnsafeMutableRawPointer, length: Int) { munmap(memory, length) }

    /// Releases the pages that lie wholly within a block. Their addresses stay valid. Their content is lost, unless
    /// they belong to a mapped file, from which it is read again.
    static func discard(_ memory: UnsafeMutableRawPointer, length: Int) {
        let pages = wholePages(of: memory, length: length)
        if pages.count > 0 { madvise(pages.baseAddress, pages.count, Int32(MADV_DONTNEED)) }
    }

    private static func wholePages(of memory: UnsafeMutableRawPointer, length: Int) -> UnsafeMutableRawBufferPointer {
        let page = UInt(getpagesize())
        let start = (UInt(bitPattern: memory) + page - 1) & ~(page - 1)
        let end = (UInt(bitPattern: memory) + UInt(length)) & ~(page - 1)
        return UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(bitPattern: start), count: start < end ? Int(end - start) : 0)
    }
}
