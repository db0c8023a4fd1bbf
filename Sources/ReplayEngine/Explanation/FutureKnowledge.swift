import CachePolicies

/// Compares a tier with a cache of the same bounds that knows the future: Belady's policy, which may also refuse an
/// object (`belady-bypass`). It says which misses a policy could have avoided, and bounds their number only for objects
/// of one size: see ``MemoryDemand`` for a bound.
struct FutureKnowledge {
    /// By request; shorter if nothing is known of the last ones.
    private var known: [Bool] = []

    /// - Parameters:
    ///   - accesses: The lookups in the tier, and what emptied it.
    ///   - cache: The cache that knows the future.
    ///   - wanted: The requests that ``hits(_:)`` is asked about, in rising order. Without any, nothing is computed.
    /// - Complexity: O(n log n) in the number of accesses.
    init(_ accesses: [ReplayRecorder.TierAccess], in cache: KnowingCache, wanted: [Int]) {
        guard let last = wanted.last, let bounds = cache.bounds else { return }
        known = Array(repeating: false, count: last + 1)
        var isWanted = known
        for request in wanted { isWanted[request] = true }
        // Accesses behind the last lookup that is asked about matter only as the future.
        let stop = accesses.lastIndex { $0.request >= 0 && $0.request <= last && isWanted[Int($0.request)] } ?? -1
        var largest = 0
        let images = accesses.map { access -> (number: Int, size: Int) in
            guard access.imageKey >= 0 else { return (0, 0) }
            let image = cache.identity(cache.imageKey(number: access.imageKey))
            largest = max(largest, image.number)
            return image
        }
        var following = [Int](repeating: .max, count: largest + 1)
        var next = [Int](repeating: .max, count: stop + 1)
        for position in accesses.indices.reversed() where accesses[position].isLookup {
            if position <= stop { next[position] = following[images[position].number] }
            following[images[position].number] = position
        }
        var policy = bounds.knowingPolicy
        policy.reserve(largest + 1)
        var evictions = EvictionList()
        var fetches = cache.fetches
        // By image: the size that was admitted last. A larger view of an image that serves smaller ones alone misses.
        var admitted = [Int](repeating: 0, count: largest + 1)
        for position in 0..<stop + 1 {
            let (number, size) = images[position]
            if accesses[position].isLookup {
                let imageKey = cache.imageKey(number: accesses[position].imageKey)
                let access = Access(
                    object: number, size: size, variant: imageKey.variant, position: position, next: next[position])
                if admitted[number] > 0, admitted[number] < size { policy.remove(number) }
                if policy.liveLookup(access, &evictions).isHit {
                    let request = Int(accesses[position].request)
                    if request >= 0, request <= last { known[request] = true }
                } else if fetches.succeeds(imageKey.object) {
                    admitted[number] = size
                    _ = policy.liveAdmit(access, &evictions)
                }
                if !evictions.victims.isEmpty { evictions.victims.removeAll(keepingCapacity: true) }
            } else if accesses[position].imageKey >= 0 {
                policy.remove(number)
            } else {
                policy.clear()
            }
        }
    }

    /// Whether the knowing cache holds the image of a request that was asked about at the request's lookup.
    func hits(_ request: Int) -> Bool { request < known.count && known[request] }
}

/// The requests of a replay to its memory, and the losses of the memory that its policy did not cause.
///
/// Another policy with the same memory would be asked for the same if fetches took no time.
package struct MemoryDemand: Sendable {
    package enum Step: Sendable, Equatable {
        /// An image was looked up, for a request or for a prefetch. `size` is what it takes of the capacity, and `key`
        /// the number of what is fetched.
        case lookup(image: Int, size: Int, key: Int, isRequest: Bool)
        case removal(image: Int)
        /// Everything was lost.
        case loss
    }

    package private(set) var steps: [Step] = []
    /// Images are numbers below this one.
    package private(set) var imageCount = 0
    /// The limit of the memory; its peak if that is larger, or if the limit is not known.
    package let capacity: Int
    /// By key with a fetch that failed: whether its fetches succeed, in order. Later ones are as the last one.
    package let outcomes: [Int: [Bool]]

    /// Fails for a memory that held nothing.
    init?(_ accesses: [ReplayRecorder.TierAccess], in cache: KnowingCache) {
        guard let room = cache.room else { return nil }
        capacity = room.value
        outcomes = cache.fetches.outcomes
        steps.reserveCapacity(accesses.count)
        for access in accesses {
            guard access.imageKey >= 0 else {
                steps.append(.loss)
                continue
            }
            let key = cache.imageKey(number: access.imageKey)
            let image = cache.identity(key)
            imageCount = max(imageCount, image.number + 1)
            guard access.isLookup else {
                steps.append(.removal(image: image.number))
                continue
            }
            let size = room.unit == .bytes ? image.size : 1
            steps.append(.lookup(image: image.number, size: size, key: key.object, isRequest: access.request >= 0))
        }
    }
}
