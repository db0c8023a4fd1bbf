/// A model of NSCache in which frequency counts beside recency. It is one plausible reading of one sentence.
///
/// The man page of libcache (OS X 10.8), on which Darwin's NSCache is believed to be built, says that values used
/// recently and frequently are less likely to be evicted, without a rule. In this model, the candidates are the least
/// recently used quarter of the objects, at most eight of them. The candidate with the fewest uses since it was stored
/// leaves; of equals, the least recently used. Each less recently used candidate loses a use, so that old uses do not
/// protect an object forever. An object that is stored again starts with no uses. Without hits the model is first in,
/// first out, as experiments with insertions observed. With fewer than eight objects, the new one included, it is LRU.
struct FrequencyNSCache: QueuePolicy {
    var queue: BoundedQueue
    private var uses = UncheckedArray<UInt32>(repeating: 0)

    /// The inverse of the share of the objects that are candidates, and the largest number of candidates.
    private static let share = 4
    private static let mostCandidates = 8

    init(_ limits: Limits) { queue = BoundedQueue(limits: limits) }

    mutating func reserve(_ count: Int) {
        queue.reserve(count)
        uses.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard queue.contains(access.object) else { return .miss }
        queue.moveToFront(access.object)
        uses[access.object] &+= 1
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        queue.remove(access.object)
        queue.insert(access)
        uses[access.object] = 0
        while !queue.isWithinLimits, let victim = leastUsed(of: queue.objects) { evict(victim, &sink) }
        return queue.contains(access.object)
    }

    /// Returns the victim that is chosen when one more object is held.
    mutating func nextVictim() -> Int? { leastUsed(of: queue.objects + 1) }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        evict(victim, &sink)
        return true
    }

    private mutating func evict(_ victim: Int, _ sink: inout some EvictionSink) {
        age(from: queue.back, to: victim)
        queue.remove(victim)
        sink.evicted(victim, .capacity)
    }

    private func leastUsed(of objects: Int) -> Int? {
        guard var victim = queue.back else { return nil }
        var candidate = victim
        for _ in 1..<max(1, min(Self.mostCandidates, objects / Self.share)) {
            guard let next = queue.queue.ahead(of: candidate) else { break }
            candidate = next
            if uses[candidate] < uses[victim] { victim = candidate }
        }
        return victim
    }

    /// Takes a use from each object that is older than the victim. Each has more uses than the victim, so at least one.
    private func age(from oldest: Int?, to victim: Int) {
        var passed = oldest
        while let object = passed, object != victim {
            uses[object] &-= 1
            passed = queue.queue.ahead(of: object)
        }
    }
}

extension BoundedQueue {
    var isWithinLimits: Bool { bytes <= limits.bytes && objects <= limits.objects }
}
