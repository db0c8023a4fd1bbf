/// Segmented LRU: objects enter the lowest of several LRU segments, and each hit lifts them by one segment. A segment
/// above its share moves its least recently used object to the one below. Victims leave from the lowest segment.
///
/// Ramakrishna Karedla, J. Spencer Love, Bradley G. Wherry, "Caching Strategies to Improve Disk System Performance",
/// IEEE Computer 27(3), 1994. The paper has two segments, a probationary and a protected one; here are `segments` of
/// equal shares. As in the paper, the upper segments are bounded, and the lowest takes the rest of the capacity.
///
/// - `compat: libcachesim`: every segment has the share ⌊capacity / segments⌋, also the lowest; larger objects are
///   refused. A new object enters the lowest segment that has room, or else the lowest, which then exceeds its share
///   until objects sink into it.
/// - ``S4LRU`` bounds the lowest segment as well, and new objects enter only there.
///
/// With bytes, an object that is larger than a segment's share is not lifted into it: a hit then makes it the most
/// recent of its own segment.
struct SLRU: SegmentedPolicy {
    var queues: QueueSet
    let budget: Budget
    let compat: Compatibility
    /// Whether the lowest segment is bounded too, as in ``S4LRU``.
    let boundsLowest: Bool
    /// The number of segments.
    let residentQueues: Int
    /// The share of each segment but the lowest, in the budget's measure.
    let share: Int
    let lowestShare: Int

    /// `segments` is from 1 to 15.
    init(_ limits: Limits, segments: Int = 4, boundsLowest: Bool = false, compat: Compatibility = .paper) {
        queues = QueueSet(queues: segments)
        budget = Budget(limits)
        self.compat = compat
        self.boundsLowest = boundsLowest
        residentQueues = segments
        share = budget.capacity / segments
        lowestShare =
            if boundsLowest {
                budget.capacity - share * (segments - 1)
            } else {
                compat == .paper ? budget.capacity : share
            }
    }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let segment = queues.place(of: access.object)
        guard segment < residentQueues else { return .miss }
        let above = segment &+ 1
        if above < residentQueues, budget.measure(queues.size(of: access.object)) <= share {
            queues.move(access.object, from: segment, to: above)
            settle(above, &sink)
        } else {
            queues.moveToFront(access.object, in: segment)
        }
        return .hit
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        let size = budget.measure(access.size)
        guard budget.fitsAlone(access.size), size <= lowestShare else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        var segment = 0
        if boundsLowest {
            while held(0) > lowestShare &- size, evictNext(&sink) {}
        } else if compat != .paper {
            segment = (0..<residentQueues).first { held($0) <= share &- size } ?? 0
        }
        queues.pushFront(access.object, size: access.size, segment)
        return true
    }

    @inline(__always) mutating func nextVictim() -> Int? {
        for segment in 0..<residentQueues {
            if let oldest = queues.back(segment) { return oldest }
        }
        return nil
    }

    @inline(__always) private func held(_ segment: Int) -> Int { queues.held(segment, budget) }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        queues.remove(victim)
        sink.evicted(victim, .capacity)
        return true
    }

    /// Moves the objects that exceed the share of a segment to the segment below, and so on downwards.
    @inline(__always) private mutating func settle(_ highest: Int, _ sink: inout some EvictionSink) {
        var segment = highest
        while segment > 0, held(segment) > share {
            while held(segment) > share, let oldest = queues.back(segment) {
                queues.move(oldest, from: segment, to: segment &- 1)
            }
            segment &-= 1
        }
        while segment == 0, held(0) > lowestShare, evictNext(&sink) {}
    }
}

extension SLRU {
    static let entry = PolicyEntry(
        "slru", "Segmented LRU: a hit lifts an object by one segment, and victims come from the lowest.",
        parameters: [
            .limits, .integer("segments", default: 4), .compat,
        ]
    ) {
        SLRU(
            try $0.limits(), segments: try $0.integer("segments", in: 1...15),
            compat: try $0.compat())
    }
}

/// S4LRU: four LRU segments of a quarter of the cache each. Objects enter the lowest, and each hit lifts them by one.
/// The least recently used object of a full segment sinks to the one below, and leaves the cache from the lowest.
///
/// Qi Huang, Ken Birman, Robbert van Renesse, Wyatt Lloyd, Sanjeev Kumar, Harry C. Li, "An Analysis of Facebook Photo
/// Caching", SOSP 2013, section 6.1. Unlike in ``SLRU``, new objects have only a quarter of the cache even while the
/// other three are empty: objects leave though everything would fit.
///
/// The quarters are rounded down, and the lowest has the rest, so that a cache of one object works. With bytes, an
/// object larger than the lowest quarter is refused.
enum S4LRU {
    static let entry = PolicyEntry(
        "s4lru", "Four LRU segments of a quarter each; a hit lifts an object by one, as in Facebook's photo caches.",
        parameters: [.limits]
    ) { SLRU(try $0.limits(), segments: 4, boundsLowest: true) }
}
