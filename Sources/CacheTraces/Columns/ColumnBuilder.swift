import Basics
import Foundation

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
