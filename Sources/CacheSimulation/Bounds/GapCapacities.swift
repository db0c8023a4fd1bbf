import CachePolicies

/// The largest amount that a schedule can hold in each gap.
///
/// A schedule holds whole objects. So it holds at most the largest sum of sizes, up to the capacity, of some of the
/// intervals that cover the gap. Thumbnails of a grid have one size, of which 30 may take 15.55 of 16 MB: this capacity
/// gives bounds that the plain one does not.
///
/// Intervals of an object that follow each other form a *chain*; between two beginnings or ends of chains, all gaps
/// have the same sizes. These stretches are the leaves of a binary tree. A chain is added to the sums of at most two
/// nodes in each level, and a leaf has the sums of the nodes above it. Sums are sets of bits, in units of the greatest
/// common divisor of all sizes below a node. Where the capacity has more than ``mostUnits`` units, or after
/// ``mostWork`` words, the capacity of a gap is a multiple of the greatest common divisor of its sizes, which is never
/// too small either.
///
/// - Complexity: O(n) in the number of accesses, and O(c log c) words of the bit set in the number of chains.
struct GapCapacities: Sendable {
    /// By gap: the sum of the sizes of all intervals that cover it.
    let loads: [Int]
    /// By gap: the largest amount of them that a schedule can hold. It is equal to the load where all of them fit.
    let values: [Int]

    static let mostUnits = 200_000
    static let mostWork = 1 << 30

    struct Chain {
        /// The chain covers the gaps, or later the stretches, `start` ..< `end`.
        var start, end: Int
        /// Positive.
        var size: Int
    }
}

extension GapCapacities {
    init(_ reuse: ReuseIntervals) {
        let loads = reuse.loads
        guard loads.contains(where: { $0 > reuse.capacity }) else {
            self.init(loads: loads, values: loads)
            return
        }
        var chains = Self.chains(of: reuse)
        var isBoundary = [Bool](repeating: false, count: loads.count + 1)
        for chain in chains {
            isBoundary[chain.start] = true
            isBoundary[chain.end] = true
        }
        // By gap: the number of its stretch. One more than all gaps, for ends.
        var stretch = [Int](repeating: 0, count: loads.count + 1)
        var stretchLoads = [loads[0]]
        for gap in 1..<stretch.count {
            stretch[gap] = stretch[gap - 1] + (isBoundary[gap] ? 1 : 0)
            if isBoundary[gap], gap < loads.count { stretchLoads.append(loads[gap]) }
        }
        for index in chains.indices {
            chains[index].start = stretch[chains[index].start]
            chains[index].end = stretch[chains[index].end]
        }
        var sums = SubsetSums(chains, stretchLoads, limit: reuse.capacity)
        let capacities = sums.largest()
        self.init(loads: loads, values: loads.indices.map { capacities[stretch[$0]] })
    }

    private static func chains(of reuse: ReuseIntervals) -> [Chain] {
        var chains: [Chain] = []
        var last = [Int](repeating: -1, count: reuse.reserved.count)
        for interval in reuse.all where interval.size > 0 {
            let object = Int(interval.object)
            if last[object] >= 0, chains[last[object]].end == Int(interval.start) {
                chains[last[object]].end = Int(interval.end)
            } else {
                last[object] = chains.count
                chains.append(Chain(start: Int(interval.start), end: Int(interval.end), size: interval.size))
            }
        }
        return chains
    }
}

/// The largest sums of sizes in each stretch, by a walk over the tree of stretches.
private struct SubsetSums {
    private let chains: [GapCapacities.Chain]
    private let loads: [Int]
    private let limit: Int
    /// By level of the tree: the sums of the chains that cover the node on this level. Bit k is the sum of k units.
    ///
    /// Invariant: it has `mostWords` words for each level. The level of a node is below the number of levels, `words`
    /// is at most `mostWords`, and a size that is added has less than 64 `words` units.
    private let sums: UncheckedArray<UInt64>
    private let mostWords: Int
    /// The unit of the sums of the nodes on the way to the root; 0 if they have none.
    private var unit = 0
    /// The bit of the largest sum that fits.
    private var top = 0
    private var words = 0
    /// The chains that cover the nodes on the way to the root.
    private var covering: [Int] = []
    /// The chains that the nodes on the way to the root have left to their children.
    private var left: [Int]
    private var result: [Int]
    /// By stretch: how many stretches before it have more than fits.
    private var crowdedBefore: [Int] = [0]
    /// The words that were written.
    private var work = 0

    init(_ chains: [GapCapacities.Chain], _ loads: [Int], limit: Int) {
        self.chains = chains
        self.loads = loads
        self.limit = limit
        result = loads
        left = Array(chains.indices)
        for load in loads { crowdedBefore.append(crowdedBefore[crowdedBefore.count - 1] + (load > limit ? 1 : 0)) }
        let levels = Int.bitWidth - loads.count.leadingZeroBitCount + 2
        mostWords = min(limit, GapCapacities.mostUnits) / 64 + 1
        sums = UncheckedArray(repeating: 0, count: mostWords * levels)
    }

    /// Returns the largest sum up to the limit of each stretch.
    mutating func largest() -> [Int] {
        defer { withExtendedLifetime(sums) {} }
        visit(loads.indices, left.indices, level: 0, divisor: 0)
        return result
    }

    private var hasSums: Bool { unit > 0 && work < GapCapacities.mostWork }

    /// - Parameters:
    ///   - candidates: The places in ``left`` of the chains that no node on the way to the root has.
    ///   - level: The level of the node, whose sums belong to the parent.
    ///   - divisor: The greatest common divisor of the sizes of ``covering``.
    private mutating func visit(_ stretches: Range<Int>, _ candidates: Range<Int>, level: Int, divisor: Int) {
        guard crowdedBefore[stretches.upperBound] > crowdedBefore[stretches.lowerBound] else { return }
        let (firstLeft, firstCovering) = (left.count, covering.count)
        var (divisor, common) = (divisor, divisor)
        for place in candidates {
            let chain = chains[left[place]]
            guard chain.start < stretches.upperBound, chain.end > stretches.lowerBound else { continue }
            common = greatestCommonDivisor(common, chain.size)
            if chain.start <= stretches.lowerBound, chain.end >= stretches.upperBound {
                divisor = greatestCommonDivisor(divisor, chain.size)
                covering.append(left[place])
            } else {
                left.append(left[place])
            }
        }
        let begins = unit == 0 && limit / common <= GapCapacities.mostUnits
        if begins { begin(common, level) }
        for place in (begins ? 0 : firstCovering)..<covering.count where hasSums {
            add(chains[covering[place]].size / unit, level)
        }
        settle(stretches, firstLeft..<left.count, level, divisor)
        left.removeSubrange(firstLeft...)
        covering.removeSubrange(firstCovering...)
        if begins { unit = 0 }
    }

    /// States the largest sums of a node, or visits its children.
    private mutating func settle(_ stretches: Range<Int>, _ open: Range<Int>, _ level: Int, _ divisor: Int) {
        if hasSums, sums[level * mostWords + top / 64] >> UInt64(top % 64) & 1 == 1 {
            for stretch in stretches where loads[stretch] > limit { result[stretch] = top * unit }
        } else if stretches.count == 1 {
            result[stretches.lowerBound] = hasSums ? largestSum(level) : limit / divisor * divisor
        } else {
            let middle = stretches.lowerBound + stretches.count / 2
            for half in [stretches.lowerBound..<middle, middle..<stretches.upperBound] {
                if hasSums {
                    let parent = level * mostWords
                    for word in parent..<parent + words { sums[word + mostWords] = sums[word] }
                    work += words
                }
                visit(half, open, level: level + 1, divisor: divisor)
            }
        }
    }

    /// Begins with the empty sum. All sizes below the node are multiples of `unit`.
    private mutating func begin(_ unit: Int, _ level: Int) {
        self.unit = unit
        top = limit / unit
        words = top / 64 + 1
        let first = level * mostWords
        for word in first..<first + words { sums[word] = 0 }
        sums[first] = 1
        work += words
    }

    /// Adds a size, of at most `top` units, to the sums of a level.
    private mutating func add(_ size: Int, _ level: Int) {
        let first = level * mostWords
        let (distance, shift) = (size / 64, UInt64(size % 64))
        // From the largest sum down, so that no sum has the size twice.
        for word in stride(from: first + words - 1, through: first + distance, by: -1) {
            var moved = sums[word - distance] << shift
            if shift > 0, word > first + distance { moved |= sums[word - distance - 1] >> (64 - shift) }
            sums[word] |= moved
        }
        if top % 64 < 63 { sums[first + words - 1] &= 1 << UInt64(top % 64 + 1) - 1 }
        work += words
    }

    private func largestSum(_ level: Int) -> Int {
        let first = level * mostWords
        // The empty sum is in the first word.
        var word = words - 1
        while word > 0, sums[first + word] == 0 { word -= 1 }
        return (word * 64 + 63 - sums[first + word].leadingZeroBitCount) * unit
    }
}

/// Returns the greatest common divisor of two numbers that are not negative; the divisor of 0 and a number is the
/// number.
func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
    var (one, other) = (one, other)
    while other != 0 { (one, other) = (other, one % other) }
    return one
}
