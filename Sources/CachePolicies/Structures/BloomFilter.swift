import Basics

/// A set of objects in a few bits each, that forgets no member and takes some other objects for members.
///
/// Source: Bloom, Space/Time Trade-offs in Hash Coding with Allowable Errors, Communications of the ACM 13(7), 1970.
/// The bits of an object come from two hashes (Kirsch and Mitzenmacher, Less Hashing, Same Performance, ESA 2006).
public struct BloomFilter {
    @usableFromInline let words: UncheckedArray<UInt64>
    @usableFromInline let bits: UInt64
    @usableFromInline let hashes: Int

    /// The error rates that a filter can have.
    public static let errors = 1e-9...0.5

    /// Creates a filter that takes the share `error` of other objects for members once it holds `objects` objects.
    ///
    /// - Precondition: `error` is within ``errors``.
    public init(objects: Int, error: Double) {
        precondition(Self.errors.contains(error), "the error rate must be from 1e-9 to 0.5")
        let ln2 = PortableMath.log(2)
        let perObject = -PortableMath.log(error) / (ln2 * ln2)
        hashes = max(1, Int((perObject * ln2).rounded()))
        // Smaller filters would exceed the error rate: the hashes of an object are not independent.
        bits = UInt64(min(max(Double(objects) * perObject, 4096), 0x1p40))
        words = UncheckedArray(repeating: 0, count: Int(bits / 64) + 1)
    }

    public func contains(_ object: Int) -> Bool {
        var (hash, step) = Self.hashes(of: object)
        for _ in 0..<hashes {
            let bit = hash.multipliedFullWidth(by: bits).high
            if words[Int(bit &>> 6)] &>> (bit & 63) & 1 == 0 { return false }
            hash &+= step
        }
        return true
    }

    public func insert(_ object: Int) {
        var (hash, step) = Self.hashes(of: object)
        for _ in 0..<hashes {
            let bit = hash.multipliedFullWidth(by: bits).high
            words.base[Int(bit &>> 6)] |= 1 &<< (bit & 63)
            hash &+= step
        }
    }

    public func removeAll() { words.reset() }

    private static func hashes(of object: Int) -> (UInt64, UInt64) {
        let hash = SplitMix64.hash(UInt64(truncatingIfNeeded: object))
        return (hash, hash &* SplitMix64.increment | 1)
    }
}

/// A set of recently inserted objects: two Bloom filters, of which the older is emptied when the younger holds `window`
/// objects.
///
/// It remembers at least the last `window` different objects, and at most twice as many.
public struct RotatingBloomFilter {
    private var younger: BloomFilter
    private var older: BloomFilter
    private var inserted = 0
    let window: Int

    /// Creates a filter. `window` is at least 1, and `error` within ``BloomFilter/errors``.
    public init(window: Int, error: Double) {
        precondition(window >= 1, "the window must be at least 1")
        self.window = window
        younger = BloomFilter(objects: self.window, error: error)
        older = BloomFilter(objects: self.window, error: error)
    }

    public func contains(_ object: Int) -> Bool { younger.contains(object) || older.contains(object) }

    /// Inserts an object, and returns whether it seemed to be a member already.
    public mutating func insert(_ object: Int) -> Bool {
        if younger.contains(object) { return true }
        let wasThere = older.contains(object)
        if inserted == window {
            (younger, older) = (older, younger)
            younger.removeAll()
            inserted = 0
        }
        younger.insert(object)
        inserted += 1
        return wasThere
    }

    public mutating func removeAll() {
        younger.removeAll()
        older.removeAll()
        inserted = 0
    }
}
