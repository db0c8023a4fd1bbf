import Basics
import CIntrinsics
import Foundation

/// A sample of the objects of a trace: the spatial sampling of SHARDS (C. Waldspurger, N. Park, A. Garthwaite, I.
/// Ahmad, "Efficient MRC Construction with SHARDS", FAST 2015). A sample contains all requests of an object or none.
///
/// SHARDS selects an object by a hash of its key. Here the number of the object is hashed, by multiplication with the
/// golden ratio (D. Knuth, The Art of Computer Programming 3, 6.4), which spreads consecutive numbers evenly. Objects
/// are numbered in order of first appearance, in which popular objects come early, so the sample contains popular and
/// other objects in proportion.
public struct ObjectSample: Sendable, Equatable {
    /// Objects with a lower hash are in the sample.
    let threshold: Int64
    let seed: UInt32
    /// The share of the trace's objects that are in the sample.
    public let rate: Double
    /// The number of objects in the sample.
    public let objectCount: Int

    /// Creates a sample of a share of the objects, from 0 to 1.
    public init(rate: Double, of trace: DenseTrace, seed: UInt32 = Self.defaultSeed) {
        self.init(rate: rate, ofObjects: trace.objectCount, seed: seed)
    }

    init(rate: Double, ofObjects objects: Int, seed: UInt32) {
        threshold = Int64((min(max(rate, 0), 1) * 0x1p32).rounded(.up))
        self.seed = seed
        objectCount = Self.count(below: threshold, objects, seed)
        self.rate = objects == 0 ? 1 : Double(objectCount) / Double(objects)
    }

    /// Returns how many of the objects 0 to `objects - 1` have a hash below `threshold`.
    ///
    /// The quotients of n and of n - threshold by 2^32 differ by 1 exactly if the remainder of n is below the
    /// threshold. 2^32 is added to the latter, so that no term is negative.
    ///
    /// - Complexity: O(log `objects`).
    private static func count(below threshold: Int64, _ objects: Int, _ seed: UInt32) -> Int {
        let (terms, seed, all) = (UInt64(objects), UInt64(seed), UInt64(1) << 32)
        let whole = sumOfQuotients(terms, all, UInt64(multiplier), seed)
        let less = sumOfQuotients(terms, all, UInt64(multiplier), seed + all - UInt64(threshold))
        return Int(truncatingIfNeeded: whole &- less &+ terms)
    }

    /// Returns the sum of ⌊(factor · i + offset) / divisor⌋ for i from 0 to `terms - 1`, modulo 2^64, by a recursion
    /// like Euclid's algorithm. As many lattice points lie below a line as beside its inverse.
    ///
    /// The divisor is at most 2^32, `terms` less than 2^32, and the offset less than 2^33.
    private static func sumOfQuotients(
        _ terms: UInt64, _ divisor: UInt64, _ factor: UInt64, _ offset: UInt64
    ) -> UInt64 {
        var (terms, divisor, factor, offset) = (terms, divisor, factor, offset)
        var sum: UInt64 = 0
        while terms > 0 {
            sum &+= terms * (terms - 1) / 2 &* (factor / divisor) &+ terms &* (offset / divisor)
            factor %= divisor
            offset %= divisor
            // Columns of points become rows.
            let last = factor * terms + offset
            (terms, offset) = (last / divisor, last % divisor)
            (divisor, factor) = (factor, divisor)
        }
        return sum
    }

    public func contains(_ object: UInt32) -> Bool { Int64(Self.hash(object, seed)) < threshold }

    /// The seed of the hash. With 0, the first object would be in every sample.
    public static let defaultSeed: UInt32 = 0x2545_F491

    /// Returns the seed of a salt. Salt 0 has the default seed, and others have random numbers.
    ///
    /// A seed moves all hashes by the same amount. The samples of random seeds are therefore independent, and each
    /// keeps the even spread of the hash (R. Cranley, T. Patterson, "Randomization of number theoretic methods for
    /// multiple integration", SIAM Journal on Numerical Analysis 13, 1976).
    public static func seed(ofSalt salt: Int) -> UInt32 {
        salt == 0 ? defaultSeed : UInt32(truncatingIfNeeded: SplitMix64.hash(UInt64(max(0, salt))) >> 32)
    }

    static let multiplier: UInt32 = 0x9E37_79B1

    @inline(__always)
    private static func hash(_ object: UInt32, _ seed: UInt32) -> UInt32 { object &* multiplier &+ seed }
}

extension DenseTrace {
    /// Returns the accesses to the objects of a sample, with new numbers. Losses of memory keep their places.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - keepsTimes: Whether accesses keep their times. Otherwise all have the time 0, which is faster.
    public func sampled(_ sample: ObjectSample, keepsTimes: Bool = true) -> DenseTrace {
        sampledWithObjects(sample, keepsTimes: keepsTimes).trace
    }

    /// Returns the accesses to the objects of a sample, and the weight of each of its objects: how many objects of the
    /// whole trace it stands for.
    ///
    /// A sample of a few hundred objects has some frequently requested objects too many or too few, which shifts an
    /// estimate by points. The objects are therefore divided into classes by the number of their accesses, two to each
    /// doubling, and an object stands for its share of the objects of its class (post-stratification; W. Cochran,
    /// Sampling Techniques, 5A.9). Neighbouring classes are joined until each has at least
    /// `leastObjectsOfClass` objects of the sample.
    ///
    /// - Complexity: O(n) in the number of accesses.
    public func weightedSample(_ sample: ObjectSample) -> (trace: DenseTrace, weights: [Double]) {
        let (trace, chosen) = sampledWithObjects(sample, keepsTimes: true)
        var accesses = [UInt32](repeating: 0, count: objectCount)
        objects.withUnsafeBufferPointer { objects in
            // Invariant: objects are below `objectCount`.
            accesses.withUnsafeMutableBufferPointer { accesses in
                for object in objects { accesses[Int(object)] &+= 1 }
            }
        }
        return (trace, Self.weights(of: chosen, accesses: accesses))
    }

    /// Returns the weight of each object of a sample.
    ///
    /// - Parameter accesses: By object of the whole trace: the number of its accesses.
    static func weights(of chosen: [UInt32], accesses: [UInt32]) -> [Double] {
        // With 32 bits, there are 64 classes.
        func place(_ count: UInt32) -> Int { Int((2 * log2(Double(max(count, 1)))).rounded(.down)) }
        var (all, sampled) = ([Double](repeating: 0, count: 64), [Double](repeating: 0, count: 64))
        for count in accesses { all[place(count)] += 1 }
        for object in chosen { sampled[place(accesses[Int(object)])] += 1 }
        var weights = [Double](repeating: 1, count: 64)
        var joined = 64..<64
        func weigh(_ places: Range<Int>) {
            let (all, sampled) = (all[places].reduce(0, +), sampled[places].reduce(0, +))
            for place in places { weights[place] = sampled > 0 ? all / sampled : 1 }
        }
        var last = joined
        for place in (0..<64).reversed() {
            joined = place..<joined.upperBound
            guard sampled[joined].reduce(0, +) >= Double(leastObjectsOfClass) else { continue }
            weigh(joined)
            last = joined
            joined = place..<place
        }
        // The rest joins the last class.
        if !joined.isEmpty { weigh(joined.lowerBound..<last.upperBound) }
        return chosen.map { weights[place(accesses[Int($0)])] }
    }

    /// The number of objects of the sample from which a class of ``weightedSample(_:)`` has a weight of its own.
    static let leastObjectsOfClass = 5

    private func sampledWithObjects(_ sample: ObjectSample, keepsTimes: Bool) -> (trace: DenseTrace, objects: [UInt32])
    {
        let (positions, found) = accesses(of: sample)
        return keeping(positions, found, objects: sample.objectCount, keepsTimes: keepsTimes)
    }

    /// Returns some of the accesses, at rising positions, with new numbers of their objects, and the earlier number of
    /// each object.
    ///
    /// - Parameter keepsTimes: Whether accesses keep their times. Otherwise all have the time 0.
    func keeping(
        _ positions: [UInt32], _ found: [UInt32], objects most: Int, keepsTimes: Bool
    ) -> (trace: DenseTrace, objects: [UInt32]) {
        var numbers = Renumbering(atMost: most, of: objectCount)
        var kept = ColumnBuilder<UInt32>()
        kept.reserve(found.count)
        for object in found { kept.append(numbers.number(of: object)) }
        let times =
            keepsTimes && hasTimes
            ? TraceColumn(positions.lazy.map { ticks[Int($0)] }) : TraceColumn(zeroes: positions.count)
        let chosen = numbers.objects
        let exceptions = exceptions.compactMap { exception -> Exception? in
            let place = Self.count(positions, below: exception.position)
            if exception.kind.isAccess, place == positions.count || Int(positions[place]) != exception.position {
                return nil
            }
            if case .removal(let object) = exception.kind {
                return numbers.existing(object).map { Exception(position: place, kind: .removal(object: $0)) }
            }
            return Exception(position: place, kind: exception.kind)
        }
        let requestSizes = requestSizes.map { sizes in TraceColumn(positions.map { sizes[Int($0)] }) }
        var requestBytes =
            requestSizes?.reduce(0, &+) ?? (sizes == nil ? positions.count : found.reduce(0) { $0 &+ size(of: $1) })
        for exception in exceptions {
            guard case .access(isRequest: false, _, _) = exception.kind else { continue }
            requestBytes &-= requestSizes?[exception.position] ?? size(of: found[exception.position])
        }
        var trace = DenseTrace(
            objects: kept.finish(), ticks: times, epochs: epochs(of: positions), objectCount: chosen.count,
            uniqueBytes: chosen.reduce(0) { $0 &+ size(of: $1) }, requestBytes: requestBytes)
        trace.sizes = sizes.map { sizes in TraceColumn(chosen.map { sizes[Int($0)] }) }
        trace.requestSizes = requestSizes
        trace.variants = variants.map { variants in TraceColumn(chosen.map { variants[Int($0)] }) }
        trace.exceptions = exceptions
        trace.lacksSizes = lacksSizes
        return (trace, chosen)
    }

    private func epochs(of positions: [UInt32]) -> [Epoch] {
        var kept: [Epoch] = []
        for epoch in epochs {
            let start = Self.count(positions, below: epoch.start)
            guard start < positions.count else { break }
            // An epoch without a sampled access is replaced by the next.
            if kept.last?.start == start { kept.removeLast() }
            kept.append(Epoch(start: start, time: epoch.time))
        }
        return kept
    }

    /// Returns the number of `positions`, which rise, that are below `position`.
    static func count(_ positions: [UInt32], below position: Int) -> Int {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(positions[middle]) < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the positions and objects of the accesses in a sample.
    ///
    /// Hashes are computed sixteen at a time. At low rates most groups contain no sampled object and are skipped.
    ///
    /// - Parameter usesAVX2: Whether to use instructions that not every x86-64 processor has. The result is the same.
    func accesses(
        of sample: ObjectSample, usesAVX2: Bool = cachereplay_has_avx2() != 0
    ) -> (positions: [UInt32], objects: [UInt32]) {
        guard sample.threshold < 1 << 32 else { return (Array(0..<UInt32(objects.count)), Array(objects)) }
        var found: [UInt32] = []
        // Room for all accesses: pages that are never written take no memory.
        let room = objects.count + Self.lanes
        let positions = [UInt32](unsafeUninitializedCapacity: room) { positions, count in
            found = [UInt32](unsafeUninitializedCapacity: room) { found, foundCount in
                count = write(sample, usesAVX2, positions, found)
                foundCount = count
            }
        }
        return (positions, found)
    }

    /// Writes the positions and objects of the accesses in a sample, and returns their number.
    ///
    /// The buffers have room for ``lanes`` more than all accesses.
    private func write(
        _ sample: ObjectSample, _ usesAVX2: Bool, _ positions: UnsafeMutableBufferPointer<UInt32>,
        _ found: UnsafeMutableBufferPointer<UInt32>
    ) -> Int {
        guard let positions = positions.baseAddress, let found = found.baseAddress else { return 0 }
        var count = 0
        objects.withUnsafeBufferPointer { objects in
            /// Appends the accesses of a range that are in the sample. Every access is written behind the last one, and
            /// only those that are in the sample count: the processor need not guess which.
            func append(_ range: Range<Int>) {
                // Invariant: `count` is at most the start of the range.
                for index in range {
                    let object = objects[index]
                    positions[count] = UInt32(truncatingIfNeeded: index)
                    found[count] = object
                    count &+= sample.contains(object) ? 1 : 0
                }
            }
            var index = 0
            // For thresholds up to 2^31, a hash is below the threshold if its highest bit is 0 and the highest bit of
            // (hash − threshold) is 1.
            if sample.threshold <= 1 << 31, let base = UnsafeRawPointer(objects.baseAddress) {
                if usesAVX2, let objects = objects.baseAddress {
                    index = self.objects.count / Self.lanes * Self.lanes
                    count = cachereplay_sample_avx2(
                        objects, index, ObjectSample.multiplier, sample.seed, UInt32(sample.threshold), positions, found
                    )
                }
                let (multiplier, seed) = (
                    SIMD16<UInt32>(repeating: ObjectSample.multiplier), SIMD16<UInt32>(repeating: sample.seed)
                )
                let threshold = SIMD16<UInt32>(repeating: UInt32(sample.threshold))
                while index &+ Self.lanes <= objects.count {
                    let hashes =
                        base.loadUnaligned(fromByteOffset: index &* 4, as: SIMD16<UInt32>.self) &* multiplier &+ seed
                    let isIn = (hashes &- threshold) & ~hashes
                    let eight = isIn.lowHalf | isIn.highHalf
                    let four = eight.lowHalf | eight.highHalf
                    if (four.x | four.y | four.z | four.w) >> 31 != 0 { append(index..<index &+ Self.lanes) }
                    index &+= Self.lanes
                }
            }
            append(index..<objects.count)
        }
        return count
    }

    /// The number of hashes that are computed at a time.
    private static let lanes = 16
}
