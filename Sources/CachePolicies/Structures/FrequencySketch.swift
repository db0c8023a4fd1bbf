/// An approximate count of recent requests per object: a count-min sketch of 4-bit counters that are halved from time
/// to time.
///
/// An object has four counters, one in each quarter of a block of 64 bytes, so that it touches one line of the
/// processor's cache. Its estimate is the lowest of the four: never below the number of its records since the last
/// halving, unless that is above 15, and above it only if other objects share all four. After every `sample` records
/// for each object that the sketch is made for, all counters are halved, so that past popularity is forgotten.
///
/// It grows with the number of objects (see ``expect(_:)``) without losing anything: the doubled table holds the old
/// one twice.
///
/// Sources: Einziger, Friedman, Manes, TinyLFU: A Highly Efficient Cache Admission Policy, ACM Transactions on Storage
/// 13(4), 2017. The layout, without the paper's doorkeeper and without minimal increments, is that of the cache library
/// Caffeine.
public struct FrequencySketch {
    /// Estimates stop here.
    public static var highest: Int { 15 }

    /// 16 counters in each word, a power of two of blocks of 8 words.
    @usableFromInline var words = UncheckedArray<UInt64>(repeating: 0)
    /// The number of blocks in use, minus 1.
    @usableFromInline var mask = 0
    /// The records since the last halving, and half of those before.
    @usableFromInline var records = 0
    /// The number of records that leads to a halving.
    public private(set) var period = 0
    /// The number of objects that the sketch is made for now.
    @usableFromInline var objects = 0
    let sample: Int
    let cacheObjects: Int?

    /// Creates a sketch.
    ///
    /// - Parameters:
    ///   - sample: The records for each object of the cache between two halvings; at least 1.
    ///   - cacheObjects: The number of objects of the cache if its limit says it, or nil for the number that the sketch
    ///     has been made for, a power of two.
    public init(sample: Int = 10, cacheObjects: Int? = nil) {
        precondition(sample >= 1, "the sample must be at least 1")
        self.sample = sample
        self.cacheObjects = cacheObjects
        words.reserve(8)
        begin()
    }

    /// Makes room for the counters of `count` objects. The sketch never shrinks.
    @inlinable public mutating func expect(_ count: Int) {
        if count > objects { grow(count) }
    }

    /// Records one request.
    @inlinable public mutating func record(_ object: Int) {
        var (block, bits) = place(of: object)
        for _ in 0..<4 {
            let word = block &+ Int(truncatingIfNeeded: bits & 1)
            let shift = (bits & 30) &<< 1
            let counters = words[word]
            let isFull = (counters &>> shift) & 15 == 15
            words[word] = counters &+ ((isFull ? 0 : 1) &<< shift)
            block &+= 2
            bits &>>= 8
        }
        records &+= 1
        if records >= period { halve() }
    }

    /// From 0 to ``highest``.
    @inlinable public func estimate(_ object: Int) -> Int {
        var (block, bits) = place(of: object)
        var lowest: UInt64 = 15
        for _ in 0..<4 {
            let counter = words[block &+ Int(truncatingIfNeeded: bits & 1)] &>> ((bits & 30) &<< 1) & 15
            lowest = min(lowest, counter)
            block &+= 2
            bits &>>= 8
        }
        return Int(lowest)
    }

    /// Forgets everything.
    public mutating func removeAll() {
        words.reset()
        begin()
    }

    /// The first word of the object's block, and for each quarter of the block 8 bits, of which the lowest five choose
    /// the counter.
    @inlinable func place(of object: Int) -> (block: Int, bits: UInt64) {
        let hash = UInt64(truncatingIfNeeded: object &+ 1) &* 0x9E37_79B9_7F4A_7C15
        let mixed = (hash ^ (hash &>> 32)) &* 0xD6E8_FEB8_6659_FD93
        return ((Int(truncatingIfNeeded: mixed &>> 32) & mask) &<< 3, mixed ^ (mixed &>> 29))
    }

    mutating func begin() {
        mask = 0
        records = 0
        objects = 0
        expect(1)
    }

    @usableFromInline @inline(never) mutating func grow(_ count: Int) {
        objects = Self.powerOfTwo(atLeast: max(count, 8))
        let used = (mask &+ 1) &* 8
        words.reserve(objects)
        for start in stride(from: used, to: objects, by: used) {
            for word in 0..<used { words[start &+ word] = words[word] }
        }
        mask = objects / 8 &- 1
        let (product, isTooLarge) = max(cacheObjects ?? objects, 1).multipliedReportingOverflow(by: sample)
        period = isTooLarge ? .max : product
    }

    @usableFromInline @inline(never) mutating func halve() {
        for word in 0..<((mask &+ 1) &* 8) { words[word] = (words[word] &>> 1) & 0x7777_7777_7777_7777 }
        records /= 2
    }

    static func powerOfTwo(atLeast count: Int) -> Int {
        count <= 1 ? 1 : 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
    }
}
