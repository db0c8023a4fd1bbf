import CachePolicies

/// The book-keeping of a tier: drives the policy, and says who must go. Holds no payload and no file; objects are numbers.
///
/// The memory tier and the disk tier are each a ledger with real things behind it. A modelled replay uses the ledger alone.
public struct TierLedger {
    private var policy: any CachePolicy
    private var evicted = EvictionList()
    private var reserved = 0
    public private(set) var counts = TierCounts()

    public init(_ policy: any CachePolicy) {
        self.policy = policy
    }

    public var occupancy: Occupancy { policy.occupancy }

    public func contains(_ object: Int) -> Bool { object < reserved && policy.contains(object) }

    public func expiration(of object: Int) -> Int64? { object < reserved ? policy.expiration(of: object) : nil }

    /// A lookup that counts as an access.
    public mutating func lookup(_ access: Access) -> Lookup {
        reserve(access.object)
        let found = policy.liveLookup(access, &evicted)
        settle()
        return found
    }

    /// Whether the object is held in the end; it may itself be among the victims.
    public mutating func admit(_ access: Access) -> Bool {
        reserve(access.object)
        let kept = policy.liveAdmit(access, &evicted)
        settle()
        return kept
    }

    /// Takes back an object that was held before a restart.
    public mutating func restore(_ access: Access, expiration: Int64?) -> Bool {
        reserve(access.object)
        let kept = policy.restore(access, expiration: expiration, &evicted)
        settle()
        return kept
    }

    public mutating func advance(to time: Int64) {
        policy.advance(to: time, &evicted)
        settle()
    }

    public mutating func removeExpired(at time: Int64) {
        policy.removeExpired(at: time, &evicted)
        settle()
    }

    /// For an object that the tier has lost: neither an eviction nor an expiration.
    public mutating func remove(_ object: Int) {
        guard object < reserved else { return }
        policy.remove(object)
    }

    public mutating func removeAll() { policy.removeAll() }

    /// Calls `body` with each object that has left since the last call, in order.
    public mutating func drainVictims(_ body: (Int) -> Void) {
        guard !evicted.victims.isEmpty else { return }
        for victim in evicted.victims { body(victim.object) }
        evicted.victims.removeAll(keepingCapacity: true)
        settled = 0
    }

    /// Victims already counted.
    private var settled = 0

    private mutating func settle() {
        while settled < evicted.victims.count {
            switch evicted.victims[settled].reason {
            case .capacity: counts.evictions += 1
            case .expired: counts.expirations += 1
            }
            settled += 1
        }
        counts.peakBytes = max(counts.peakBytes, policy.occupancy.bytes)
    }

    private mutating func reserve(_ object: Int) {
        guard object >= reserved else { return }
        reserved = max(64, object + 1, reserved * 2)
        policy.reserve(reserved)
    }
}

/// What a tier has counted since it was made.
public struct TierCounts: Sendable, Equatable {
    public var evictions = 0
    public var expirations = 0
    /// The most bytes held at once, by the policy's own account.
    public var peakBytes = 0

    public init() {}
}
