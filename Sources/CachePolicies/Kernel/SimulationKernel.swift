import CIntrinsics

public struct SimulationCounts: Sendable, Equatable {
    public var requests = 0
    public var misses = 0
    /// A property of the trace, not of the policy. The caller of the kernel fills it in with
    /// ``RequestColumns/bytes(of:)``.
    public var requestBytes = 0
    public var missBytes = 0
    /// The misses of a sample, each times the weight of its object; 0 without ``RequestColumns/weights``.
    public var weightedMisses = 0.0
    public var weightedMissBytes = 0.0
    public var staleHits = 0
    public var evictions = 0
    public var expirations = 0
    /// The ``CachePolicy/hasLearnedModel`` of the policy at the end. The caller of the kernel fills it in.
    public var hasLearnedModel: Bool?

    @inlinable public init() {}

    /// Returns the difference from earlier counts of the same simulation.
    public func since(_ earlier: SimulationCounts) -> SimulationCounts {
        var counts = self
        counts.requests -= earlier.requests
        counts.misses -= earlier.misses
        counts.requestBytes -= earlier.requestBytes
        counts.missBytes -= earlier.missBytes
        counts.weightedMisses -= earlier.weightedMisses
        counts.weightedMissBytes -= earlier.weightedMissBytes
        counts.staleHits -= earlier.staleHits
        counts.evictions -= earlier.evictions
        counts.expirations -= earlier.expirations
        return counts
    }
}

/// An eviction sink that only counts.
@usableFromInline struct EvictionCounter: EvictionSink {
    @usableFromInline var evictions = 0
    @usableFromInline var expirations = 0

    @inlinable init() {}

    @inlinable mutating func evicted(_ object: Int, _ reason: EvictionReason) {
        switch reason {
        case .capacity: evictions &+= 1
        case .expired: expirations &+= 1
        }
    }
}

/// The number of requests by which a prefetch precedes its lookup: enough for the memory to arrive, and few enough that
/// it has not left the processor's cache again.
@inlinable var prefetchDistance: Int { 16 }

extension RequestColumns {
    /// Returns the same columns in a way that the optimiser cannot see through. Otherwise it would read at every access
    /// what only misses need.
    @usableFromInline @inline(never) func hiddenFromOptimiser() -> RequestColumns { self }
}

extension CachePolicy {
    /// The per-access loop: a lookup, and an immediate admission on a miss, as if a fetch took no time.
    ///
    /// The policy is copied into a local variable, where the optimiser can keep its fields in registers. Arrays share
    /// their storage, so the copy is small. Counters wrap instead of trapping: 2^63 is out of reach.
    ///
    /// Columns by object are read only where they are needed. A policy whose lookup does not use the size therefore
    /// reads it at misses only. For the same reason the bytes of requests are not counted here.
    @inlinable @inline(__always) mutating func loop(
        _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts,
        advance: (inout Self, Int64, inout EvictionCounter) -> Void
    ) {
        var policy = self
        let columnsAtMisses = requests.hiddenFromOptimiser()
        var sink = EvictionCounter()
        var misses = 0
        var missBytes = 0
        var weightedMisses = 0.0
        var weightedMissBytes = 0.0
        var staleHits = 0
        // Near the end the last request is prefetched repeatedly, so that the index needs no check.
        let last = range.upperBound &- 1
        for index in range {
            let ahead = Int(requests.objects[Swift.min(index &+ prefetchDistance, last)])
            policy.prefetch(ahead)
            if let sizes = requests.sizes { cachereplay_prefetch_to_read(sizes + ahead) }
            let access = requests[index]
            advance(&policy, access.time, &sink)
            switch policy.lookup(access, &sink) {
            case .hit: break
            case .staleHit: staleHits &+= 1
            case .miss:
                let fetched = columnsAtMisses[index]
                misses &+= 1
                missBytes &+= fetched.size
                if let weights = columnsAtMisses.weights {
                    weightedMisses += weights[fetched.object]
                    weightedMissBytes += weights[fetched.object] * Double(fetched.size)
                }
                _ = policy.admit(fetched, &sink)
            }
        }
        self = policy
        counts.requests &+= range.count
        counts.misses &+= misses
        counts.missBytes &+= missBytes
        counts.weightedMisses += weightedMisses
        counts.weightedMissBytes += weightedMissBytes
        counts.staleHits &+= staleHits
        counts.evictions &+= sink.evictions
        counts.expirations &+= sink.expirations
    }
}
