import CPrefetch

/// A growing array indexed by object number, without bounds checks and without copy-on-write: copies share storage.
///
/// Invariant: `base` points to `count` initialised elements for as long as `storage` lives. Who indexes a column has
/// been promised a number below the reserved count (see ``CachePolicy``).
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

    /// Fetches an element that will be asked for soon, without waiting for it.
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
            base = .allocate(capacity: max(count, 1))
            self.count = count
        }

        deinit { base.deallocate() }
    }
}
