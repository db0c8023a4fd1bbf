/// What a simulation counts.
public struct SimulationCounts: Sendable, Equatable {
    public var requests = 0
    public var misses = 0
    /// A property of the trace, not of the policy: whoever runs a trace fills it in, see ``RequestColumns/bytes(of:)``.
    public var requestBytes = 0
    public var missBytes = 0
    public var staleHits = 0
    public var evictions = 0
    public var expirations = 0

    @inlinable public init() {}
}

/// Counts victims and forgets them.
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

/// How many requests ahead memory is fetched: so many that it has come by then, and so few that it is still there.
@inlinable var prefetchDistance: Int { 16 }

extension RequestColumns {
    /// The same columns, of which the optimiser does not know that they are: it would else read at every access what
    /// misses alone need.
    @usableFromInline @inline(never) func unrelated() -> RequestColumns { self }
}

extension CachePolicy {
    @inlinable public mutating func run(
        _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) { loop(requests, range, into: &counts) }

    /// The per-access loop: a lookup, and on a miss an admission at once, as if every fetch took no time.
    ///
    /// The policy is copied into a local, where the optimiser can keep its fields in registers; columns share storage,
    /// so nothing large moves. Counters wrap instead of trapping: 2^63 of anything is out of reach.
    ///
    /// Columns by object are read where they are needed alone: a policy whose lookup asks for no size pays for it, with
    /// a place in the processor's cache, at misses only. That is why bytes of requests are not counted here.
    @inlinable public mutating func loop(
        _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) {
        var policy = self
        let columnsAtMisses = requests.unrelated()
        var sink = EvictionCounter()
        var misses = 0
        var missBytes = 0
        var staleHits = 0
        // The last ones are prefetched in vain: a request is there to name.
        let last = range.upperBound &- 1
        for index in range {
            policy.prefetch(Int(requests.objects[Swift.min(index &+ prefetchDistance, last)]))
            let access = requests[index]
            if Self.usesTime { policy.advance(to: access.time, &sink) }
            switch policy.lookup(access, &sink) {
            case .hit: break
            case .staleHit: staleHits &+= 1
            case .miss:
                let fetched = columnsAtMisses[index]
                misses &+= 1
                missBytes &+= fetched.size
                _ = policy.admit(fetched, &sink)
            }
        }
        self = policy
        counts.requests &+= range.count
        counts.misses &+= misses
        counts.missBytes &+= missBytes
        counts.staleHits &+= staleHits
        counts.evictions &+= sink.evictions
        counts.expirations &+= sink.expirations
    }
}
