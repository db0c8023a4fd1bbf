/// How many other objects are requested between two requests of the same object: the LRU stack distance.
///
/// Of R. Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9, 1970. An LRU cache of
/// k objects hits exactly the requests whose distance is below k, so the cumulative distribution is the hit ratio of
/// every such cache. Exact; n requests cost O(n log N) and 8 bytes for each of the N objects.
public struct ReuseDistances: Sendable, Equatable {
    /// How many requests have each distance, from 0.
    public private(set) var counts: [Int] = []
    /// Requests of objects that were never requested before: no distance, a miss in any cache.
    public private(set) var firstUses = 0
    /// All others.
    public private(set) var reuses = 0

    public init(_ log: RequestLog) {
        let unseen = UInt32.max
        var lastPosition = [UInt32](repeating: unseen, count: log.objectCount)
        var counts = [Int](repeating: 0, count: log.objectCount)
        // Each object is marked where it was requested last. When the row is full it is closed up, which
        // happens once in three requests per object or more seldom.
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

    /// The hits of an LRU cache of so many objects.
    public func hits(capacity: Int) -> Int { counts.prefix(max(0, capacity)).reduce(0, +) }

    /// The least distance that a `share` (0...1) of the reuses does not exceed; nil where nothing is used twice.
    public func quantile(_ share: Double) -> Int? {
        let rank = max(1, Int((share * Double(reuses)).rounded(.up)))
        var seen = 0
        return counts.firstIndex { count in
            seen += count
            return seen >= rank
        }
    }

    /// The mean over the reuses.
    public var mean: Double? {
        guard reuses > 0 else { return nil }
        return counts.enumerated().reduce(0.0) { $0 + Double($1.offset) * Double($1.element) } / Double(reuses)
    }
}
