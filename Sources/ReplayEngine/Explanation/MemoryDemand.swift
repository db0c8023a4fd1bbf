import CachePolicies

/// What a replay asked its memory for, and what the memory lost without its policy's doing.
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
