import CachePolicies

/// The book-keeping of a tier: drives the policy, and says who must go. Holds no payload and no file; objects are
/// numbers.
///
/// The memory tier and the disk tier are each a ledger with real things behind it. A modelled replay uses the ledger
/// alone.
///
/// What an object **costs**, the policy's measure, and what it **takes up**, in bytes, may differ: a cache that is
/// never told a cost holds real memory all the same.
public struct TierLedger {
    private var policy: any CachePolicy
    private let entryRule: EntryRule?
    private var evicted = EvictionList()
    private var reserved = 0
    /// By object: the bytes that it takes up; 0 where it is not held.
    private var taken: [Int] = []
    private var takenBytes = 0
    public private(set) var counts = TierCounts()

    public init(_ policy: any CachePolicy, entryRule: EntryRule? = nil) {
        self.policy = policy
        self.entryRule = entryRule
    }

    /// Objects held, and the bytes that they take up.
    public var occupancy: Occupancy { Occupancy(objects: policy.occupancy.objects, bytes: takenBytes) }

    public func contains(_ object: Int) -> Bool { object < reserved && policy.contains(object) }

    public func expiration(of object: Int) -> Int64? { object < reserved ? policy.expiration(of: object) : nil }

    /// A lookup that counts as an access.
    public mutating func lookup(_ access: Access) -> Lookup {
        reserve(access.object)
        let found = policy.liveLookup(access, &evicted)
        settle()
        return found
    }

    /// Whether storing an object of this cost changes nothing at all, what is held under its name included.
    public func ignores(cost: Int) -> Bool { entryRule.map { $0.oversize == .ignored && !$0.admits(cost) } ?? false }

    /// Whether the object is held in the end; it may itself be among the victims. It takes up `bytes`, by default what
    /// it costs. `expiration`: when it expires in place of when the policy would have it expire.
    public mutating func admit(_ access: Access, expiration: Int64? = nil, taking bytes: Int? = nil) -> Bool {
        reserve(access.object)
        if let entryRule, !entryRule.admits(access.size) {
            if entryRule.oversize == .removed { remove(access.object) }
            return contains(access.object)
        }
        let kept = policy.liveAdmit(access, &evicted)
        if kept, let expiration { policy.setExpiration(of: access.object, to: expiration) }
        take(access.object, kept ? bytes ?? access.size : 0)
        settle(except: access.object)
        return kept
    }

    /// Takes back an object that was held before a restart. It takes up what it costs.
    public mutating func restore(_ access: Access, expiration: Int64?) -> Bool {
        reserve(access.object)
        let kept = policy.restore(access, expiration: expiration, &evicted)
        take(access.object, kept ? access.size : 0)
        settle(except: access.object)
        return kept
    }

    /// Lets the policy's next victims leave until what is held costs no more than `cost`; nobody, where the policy
    /// names no victims.
    public mutating func trim(to cost: Int) {
        policy.trim(to: cost, &evicted)
        settle()
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
        take(object, 0)
    }

    public mutating func removeAll() {
        policy.removeAll()
        for object in taken.indices { taken[object] = 0 }
        takenBytes = 0
    }

    /// Calls `body` with each object that has left since the last call, in order.
    public mutating func drainVictims(_ body: (Int) -> Void) {
        guard !evicted.victims.isEmpty else { return }
        for victim in evicted.victims { body(victim.object) }
        evicted.victims.removeAll(keepingCapacity: true)
        settled = 0
    }

    /// Victims already counted.
    private var settled = 0

    /// Counts who has left. `admitted` has had its bytes noted already.
    private mutating func settle(except admitted: Int = -1) {
        while settled < evicted.victims.count {
            let victim = evicted.victims[settled]
            switch victim.reason {
            case .capacity: counts.evictions += 1
            case .expired: counts.expirations += 1
            }
            if victim.object != admitted { take(victim.object, 0) }
            settled += 1
        }
        counts.peakBytes = max(counts.peakBytes, takenBytes)
    }

    private mutating func take(_ object: Int, _ bytes: Int) {
        takenBytes += bytes - taken[object]
        taken[object] = bytes
    }

    private mutating func reserve(_ object: Int) {
        guard object >= reserved else { return }
        reserved = max(64, object + 1, reserved * 2)
        policy.reserve(reserved)
        taken.append(contentsOf: repeatElement(0, count: reserved - taken.count))
    }
}

/// What a tier has counted since it was made.
public struct TierCounts: Sendable, Equatable {
    public var evictions = 0
    public var expirations = 0
    /// The most bytes that were taken up at once.
    public var peakBytes = 0

    public init() {}
}
