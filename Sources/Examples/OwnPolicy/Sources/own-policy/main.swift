import CachePolicies
import CacheReplayCommand

/// Second chance: first in, first out, but who was used since it came goes round once more.
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
        while !queue.fits(access), let oldest = queue.back {
            if wasUsed[oldest] == 1 {
                wasUsed[oldest] = 0
                queue.moveToFront(oldest)
            } else {
                queue.evictBack(&sink)
            }
        }
        wasUsed[access.object] = 0
        return queue.push(access, &sink)
    }
}

let entry = PolicyEntry(
    "second-chance", "First in, first out, with a second chance for who was used.", parameters: [.limits]
) {
    SecondChance(queue: BoundedQueue(limits: try $0.limits()))
}
CacheReplay.main(adding: [entry])
