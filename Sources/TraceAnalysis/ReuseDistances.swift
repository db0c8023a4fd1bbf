/// The distribution of reuse distances: the number of other objects requested between two requests of the same object.
///
/// The distances are exact LRU stack distances (R. Mattson et al., "Evaluation techniques for storage hierarchies", IBM
/// Systems Journal 9, 1970). An LRU cache of k objects hits exactly the requests whose distance is below k, so the
/// cumulative distribution is the hit ratio of every such cache.
public struct ReuseDistances: Sendable, Equatable {
    /// The number of requests with each distance, from 0.
    public private(set) var counts: [Int] = []
    /// The number of first requests of objects, which have no distance and miss in any cache.
    public private(set) var firstUses = 0
    /// The number of other requests.
    public private(set) var reuses = 0

    /// Measures the distances of a log.
    ///
    /// - Complexity: O(n log N) for n requests of N objects, and 8 bytes per object.
    public init(_ log: RequestLog) {
        let unseen = UInt32.max
        var lastPosition = [UInt32](repeating: unseen, count: log.objectCount)
        var counts = [Int](repeating: 0, count: log.objectCount)
        // The position of the last request of each object is marked. When all positions are used, the marks are
        // compacted, at most once per three requests for each object.
        var marked = MarkedPositions(atLeast: 4 * log.objectCount)
        var next = 0
        for object in log.objects {
            if next == marked.capacity {
                for other in lastPosition.indices where lastPosition[other] != unseen {
                    lastPosition[other] = UInt32(marked.marks(before: Int(lastPosition[other])))
                }
                marked.markOnly(first: firstUses)
                next = firstUses
            }
            let last = lastPosition[Int(object)]
            if last == unseen {
                firstUses += 1
            } else {
                counts[firstUses - marked.marks(before: Int(last)) - 1] += 1
                marked.unmark(Int(last))
            }
            marked.mark(next)
            lastPosition[Int(object)] = UInt32(next)
            next += 1
        }
        if let longest = counts.lastIndex(where: { $0 > 0 }) { self.counts = Array(counts[...longest]) }
        reuses = log.count - firstUses
    }

    /// Returns the hits of an LRU cache of `capacity` objects.
    public func hits(capacity: Int) -> Int { counts.prefix(max(0, capacity)).reduce(0, +) }

    /// Returns the least distance that a `share` (0...1) of the reuses does not exceed; nil without reuses.
    public func quantile(_ share: Double) -> Int? {
        let rank = max(1, Int((share * Double(reuses)).rounded(.up)))
        var seen = 0
        return counts.firstIndex { count in
            seen += count
            return seen >= rank
        }
    }

    /// The mean distance of the reuses; nil without reuses.
    public var mean: Double? {
        guard reuses > 0 else { return nil }
        return counts.enumerated().reduce(0.0) { $0 + Double($1.offset) * Double($1.element) } / Double(reuses)
    }
}

/// A set of positions that counts its members before a position: a bit per position, and a Fenwick tree (P. Fenwick, "A
/// new data structure for cumulative frequency tables", 1994) over blocks of 512, which fits in the first-level cache.
struct MarkedPositions {
    private static let wordsPerBlock = 8
    private static let blockBits = 9

    /// Invariant: ``words`` has ``wordsPerBlock`` for each block, and ``tree`` one element more than there are blocks.
    private var words: [UInt64]
    private var tree: [UInt32]
    let capacity: Int

    init(atLeast positions: Int) {
        let blocks = max(2, (positions >> Self.blockBits) + 1)
        words = [UInt64](repeating: 0, count: blocks * Self.wordsPerBlock)
        tree = [UInt32](repeating: 0, count: blocks + 1)
        capacity = blocks << Self.blockBits
    }

    /// Marks a position below ``capacity`` that is not marked.
    @inline(__always)
    mutating func mark(_ position: Int) {
        words[position >> 6] |= 1 << UInt64(position & 63)
        add(1, position)
    }

    @inline(__always)
    mutating func unmark(_ position: Int) {
        words[position >> 6] &= ~(1 << UInt64(position & 63))
        add(.max, position)  // −1, wrapping.
    }

    @inline(__always)
    func marks(before position: Int) -> Int {
        let word = position >> 6
        var block = position >> Self.blockBits
        var count = (words[word] & (1 << UInt64(position & 63) &- 1)).nonzeroBitCount
        for index in block * Self.wordsPerBlock..<word { count &+= words[index].nonzeroBitCount }
        while block > 0 {
            count &+= Int(tree[block])
            block &= block &- 1
        }
        return count
    }

    /// Marks only the first `count` positions.
    mutating func markOnly(first count: Int) {
        for index in words.indices { words[index] = 0 }
        for index in tree.indices { tree[index] = 0 }
        for position in 0..<count { mark(position) }
    }

    @inline(__always)
    private mutating func add(_ amount: UInt32, _ position: Int) {
        var block = (position >> Self.blockBits) + 1
        while block < tree.count {
            tree[block] &+= amount
            block &+= block & -block
        }
    }
}
