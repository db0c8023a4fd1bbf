import Basics
import CIntrinsics
import Foundation

/// A growing array without bounds checks and without copy-on-write, usually indexed by object number. Copies share
/// storage.
///
/// Invariant: `base` points to `count` initialised elements for as long as `storage` lives. Indices are below the
/// reserved count, as the driver of a ``CachePolicy`` guarantees.
public struct UncheckedArray<Element: BitwiseCopyable> {
    @usableFromInline var base: UnsafeMutablePointer<Element>
    @usableFromInline var storage: Storage
    public let initial: Element

    @inlinable public var count: Int { storage.count }

    @inlinable public init(repeating initial: Element, count: Int = 0) {
        storage = Storage(count: count)
        base = storage.base
        self.initial = initial
        base.initialize(repeating: initial, count: count)
    }

    @inlinable public subscript(index: Int) -> Element {
        get { base[index] }
        nonmutating set { base[index] = newValue }
    }

    /// Starts to load an element that will be read soon into the processor's cache.
    @inlinable public func prefetch(_ index: Int) { cachereplay_prefetch(base + index) }

    /// Grows to at least `count` elements; new ones are `initial`.
    @inlinable public mutating func reserve(_ count: Int) {
        guard count > storage.count else { return }
        let grown = Storage(count: count)
        grown.base.update(from: base, count: storage.count)
        (grown.base + storage.count).initialize(repeating: initial, count: count - storage.count)
        storage = grown
        base = grown.base
    }

    @inlinable public func reset() {
        base.update(repeating: initial, count: storage.count)
    }

    @usableFromInline final class Storage {
        @usableFromInline let base: UnsafeMutablePointer<Element>
        @usableFromInline let count: Int

        @usableFromInline init(count: Int) {
            // The alignment of `malloc` suffices for numbers and for structures of them.
            base = Memory.allocated(max(count, 1) * MemoryLayout<Element>.stride).bindMemory(
                to: Element.self, capacity: max(count, 1))
            self.count = count
        }

        deinit { free(base) }
    }
}
