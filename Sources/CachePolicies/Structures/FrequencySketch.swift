import Basics

/// An approximate count of recent requests per object: a count-min sketch of 4-bit counters that are halved from time
/// to time.
///
/// Counters are in blocks of 64 bytes, one line of the processor's cache. An object has two blocks and four counters:
/// in the first and third quarter of one block, and in the second and fourth of the other. Its estimate is the lowest
/// of the four: never below the number of its records since the last halving, unless that is above 15, and above it
/// only if other objects share all four. After `sample` records for each object that the sketch is made for, all
/// counters are halved, so that past popularity is forgotten. A record counts towards that number only if it raised a
/// counter: requests of the most popular objects, whose counters are full, do not age the others.
///
/// A sketch for a cache of a known number of objects has its full width as soon as the cache holds more than 1/256 of
/// them, and begins to count then: a cache that stays nearly empty costs no memory. Other sketches grow with the number
/// of objects, see ``expect(_:)``, without losing anything: the doubled table holds the old one twice.
///
/// Sources: Einziger, Friedman, Manes, TinyLFU: A Highly Efficient Cache Admission Policy, ACM Transactions on Storage
/// 13(4), 2017. Width and halving, without the paper's doorkeeper and without minimal increments, follow the
/// cache library Caffeine 2.6.2. There the four counters lie anywhere; in Caffeine 3 all four lie in one block, which
/// makes estimates less accurate: 0.1 % more of the requests of ARC's OLTP trace miss.
public struct FrequencySketch {
    /// Estimates stop here.
    public static var highest: Int { 15 }

    /// 16 counters in each word, a power of two of blocks of 8 words.
    @usableFromInline var words = UncheckedArray<UInt64>(repeating: 0)
    /// The number of blocks in use, minus 1.
    @usableFromInline var mask = 0
    /// The records that raised a counter since the last halving, and about half of those before.
    @usableFromInline var records = 0
    /// The number of records that leads to a halving.
    public private(set) var period = 0
    /// The number of objects above which the sketch grows.
    @usableFromInline var objects = 0
    /// Added to the numbers of objects before they are hashed.
    @usableFromInline let offset: UInt64
    let sample: Int
    let cacheObjects: Int?

    /// - Parameters:
    ///   - sample: The records for each object of the cache between two halvings; at least 1.
    ///   - cacheObjects: The number of objects of the cache if its limit says it, or nil for the number that the sketch
    ///     has been made for, a power of two.
    ///   - seed: Decides which objects share counters.
    public init(sample: Int = 10, cacheObjects: Int? = nil, seed: UInt64 = 0) {
        precondition(sample >= 1, "the sample must be at least 1")
        self.sample = sample
        self.cacheObjects = cacheObjects
        offset = 1 &+ seed &* 0xD1B5_4A32_D192_ED03
        words.reserve(8)
        begin()
    }

    /// Makes room for the counters of `count` objects. The sketch never shrinks.
    @inlinable public mutating func expect(_ count: Int) {
        if count > objects { grow(count) }
    }

    @inlinable public mutating func record(_ object: Int) {
        var (block, other, bits) = places(of: object)
        var raised: UInt64 = 0
        for _ in 0..<4 {
            let word = block &+ Int(truncatingIfNeeded: bits & 1)
            let shift = (bits & 30) &<< 1
            let counters = words[word]
            let step: UInt64 = (counters &>> shift) & 15 == 15 ? 0 : 1
            words[word] = counters &+ (step &<< shift)
            raised |= step
            (block, other) = (other &+ 2, block &+ 2)
            bits &>>= 8
        }
        records &+= Int(truncatingIfNeeded: raised)
        if records >= period { halve() }
    }

    /// From 0 to ``highest``.
    @inlinable public func estimate(_ object: Int) -> Int {
        var (block, other, bits) = places(of: object)
        var lowest: UInt64 = 15
        for _ in 0..<4 {
            let counter = words[block &+ Int(truncatingIfNeeded: bits & 1)] &>> ((bits & 30) &<< 1) & 15
            lowest = min(lowest, counter)
            (block, other) = (other &+ 2, block &+ 2)
            bits &>>= 8
        }
        return Int(lowest)
    }

    /// Forgets everything.
    public mutating func removeAll() { begin() }

    /// The first words of the object's blocks, and for each quarter of a block 8 bits, of which the lowest five choose
    /// the counter. The first block has the counters of the first and third quarter, the second the others.
    @inlinable func places(of object: Int) -> (first: Int, second: Int, bits: UInt64) {
        // SplitMix64's function. With weaker ones, objects of one block share counters more often than by chance.
        let bits = SplitMix64.finished(
            (UInt64(truncatingIfNeeded: object) &+ offset) &* SplitMix64.increment)
        let second = bits &* 0xD6E8_FEB8_6659_FD93
        return (
            (Int(truncatingIfNeeded: bits &>> 32) & mask) &<< 3, (Int(truncatingIfNeeded: second &>> 32) & mask) &<< 3,
            bits
        )
    }

    mutating func begin() {
        makeEmpty(words: 8)
        guard let cacheObjects else { return }
        objects = cacheObjects / 256
        if objects == 0 { expect(1) }
    }

    @usableFromInline @inline(never) mutating func grow(_ count: Int) {
        if let cacheObjects { return makeEmpty(words: Self.powerOfTwo(atLeast: max(count, cacheObjects, 8))) }
        let used = (mask &+ 1) &* 8
        let needed = Self.powerOfTwo(atLeast: max(count, 8))
        words.reserve(needed)
        for start in stride(from: used, to: needed, by: used) {
            for word in 0..<used { words[start &+ word] = words[word] }
        }
        setWidth(needed)
    }

    private mutating func makeEmpty(words count: Int) {
        words.reserve(count)
        words.reset()
        records = 0
        setWidth(count)
    }

    /// Uses `count` words, a power of two and at least 8.
    private mutating func setWidth(_ count: Int) {
        mask = count / 8 &- 1
        objects = count
        let (product, isTooLarge) = max(cacheObjects ?? count, 1).multipliedReportingOverflow(by: sample)
        period = isTooLarge ? .max : product
    }

    @usableFromInline @inline(never) mutating func halve() {
        var odd = 0
        for word in 0..<((mask &+ 1) &* 8) {
            let counters = words[word]
            odd &+= (counters & 0x1111_1111_1111_1111).nonzeroBitCount
            words[word] = (counters &>> 1) & 0x7777_7777_7777_7777
        }
        // Each record raised four counters, of which the odd ones lose half a record more.
        records = max(0, records / 2 &- odd / 4)
    }

    static func powerOfTwo(atLeast count: Int) -> Int {
        count <= 1 ? 1 : 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
    }
}
