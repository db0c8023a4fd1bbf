import CachePolicies
import CacheReplayCommand

/// Second chance: first in, first out, with another round for objects that were used.
struct SecondChance: QueuePolicy {
    var queue: BoundedQueue
    var wasUsed = UncheckedArray<UInt8>(repeating: 0)

    mutating func reserve(_ count: Int) {
        queue.reserve(count)
        wasUsed.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard queue.contains(access.object) else { return .miss }
        wasUsed[access.object] = 1
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        queue.remove(access.object)
        guard queue.limits.fits(access.size, beside: Occupancy()) else { return false }
        while !queue.fits(access), evictNext(&sink) {}
        wasUsed[access.object] = 0
        return queue.push(access, &sink)
    }

    mutating func nextVictim() -> Int? {
        while let oldest = queue.back, wasUsed[oldest] == 1 {
            wasUsed[oldest] = 0
            queue.moveToFront(oldest)
        }
        return queue.back
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        _ = nextVictim()
        return queue.evictBack(&sink)
    }
}

let entry = PolicyEntry(
    "second-chance", "First in, first out, with a second chance for objects that were used.", parameters: [.limits]
) {
    SecondChance(queue: BoundedQueue(limits: try $0.limits()))
}
CacheReplay.main(adding: [entry])
