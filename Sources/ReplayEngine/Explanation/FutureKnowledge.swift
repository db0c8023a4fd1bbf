import CachePolicies
import SessionModel

/// Compares a tier with a cache of the same size that knows the future: Belady's policy, which may also refuse an
/// object (`belady-bypass`). For objects of one size no policy has fewer misses; with different sizes some can.
enum FutureKnowledge {
    /// Returns, for each request, whether the knowing cache holds the image at the request's lookup in the tier.
    ///
    /// - Parameters:
    ///   - accesses: The lookups in the tier, and what emptied it.
    ///   - bytes: The size of the cache: the most bytes that the tier held.
    ///   - requests: The number of requests.
    /// - Complexity: O(n log n) in the number of accesses.
    static func hits(_ accesses: [ReplayRecorder.TierAccess], bytes: Int, requests: Int) throws -> [Bool] {
        var hits = [Bool](repeating: false, count: requests)
        guard bytes > 0 else { return hits }
        var policy = try PolicyContext().policy("belady-bypass(\(bytes)B)")
        let largest =
            accesses.lazy.map { access -> Int in
                switch access {
                case .lookup(let number, _, _), .removal(let number): number
                case .clear: 0
                }
            }.max() ?? 0
        policy.reserve(largest + 1)
        let next = next(accesses, largest + 1)
        var evictions = EvictionList()
        for (position, access) in accesses.enumerated() {
            switch access {
            case .clear: policy.clear()
            case .removal(let number): policy.remove(number)
            case .lookup(let number, let size, let request):
                let access = Access(object: number, size: size, position: position, next: next[position])
                let found = policy.liveLookup(access, &evictions)
                if found.isHit {
                    if request >= 0 { hits[request] = true }
                } else {
                    _ = policy.liveAdmit(access, &evictions)
                }
                evictions.victims.removeAll(keepingCapacity: true)
            }
        }
        return hits
    }

    /// Returns the position of the next lookup of the same object; `Int.max` if there is none.
    private static func next(_ accesses: [ReplayRecorder.TierAccess], _ numbers: Int) -> [Int] {
        var following = [Int](repeating: .max, count: numbers)
        var next = [Int](repeating: .max, count: accesses.count)
        for position in accesses.indices.reversed() {
            guard case .lookup(let number, _, _) = accesses[position] else { continue }
            next[position] = following[number]
            following[number] = position
        }
        return next
    }
}
