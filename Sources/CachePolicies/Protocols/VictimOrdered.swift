/// A policy that can name the object that it evicts next.
///
/// A policy may have no such order: which object a ``Split`` evicts depends on the object that comes, and a plugin has
/// no function for it. Such a policy cannot be trimmed.
public protocol VictimOrdered: CachePolicy {
    /// Returns the object that leaves next if a new object of average size needs room, or nil if no held object would
    /// leave.
    ///
    /// The answer stands until the next call that changes the policy. The call itself may move a hand or draw a random
    /// number, as the eviction would do.
    mutating func nextVictim() -> Int?

    /// Evicts the object that ``nextVictim()`` names, as a new object that needs room would, and returns whether there
    /// was one.
    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool
}

extension VictimOrdered {
    /// Evicts objects until the held objects cost at most `bytes`, or until no further object would leave.
    @inlinable public mutating func trim(to bytes: Int, _ sink: inout some EvictionSink) {
        while occupancy.bytes > bytes, evictNext(&sink) {}
    }

    /// Removes the next victim and reports it, for policies that remember nothing about evicted objects.
    @inlinable @inline(__always) mutating func removeNextVictim(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        remove(victim)
        sink.evicted(victim, .capacity)
        return true
    }
}

extension CachePolicy {
    /// Whether the policy is ``VictimOrdered``, and can therefore be trimmed.
    public var namesVictims: Bool { self is any VictimOrdered }
}

/// A policy that knows future accesses from ``Access/next``. It can be simulated, but no live tier can use it.
public protocol ClairvoyantPolicy: CachePolicy {}

/// A policy around one or more other policies.
///
/// A wrapper is always a ``TimedPolicy``, so that the compiler demands every call that an inner policy may need. Inner
/// policies without lifetimes are enclosed in ``Untimed``.
public protocol PolicyWrapper: TimedPolicy {
    static var innerPolicies: [any CachePolicy.Type] { get }
    /// The inner policies as they are now.
    var inners: [any CachePolicy] { get }
}

extension CachePolicy {
    /// Whether this policy, or a policy inside it, knows future accesses.
    public static var usesFuture: Bool {
        if let wrapper = self as? any PolicyWrapper.Type { return wrapper.innerPolicies.contains { $0.usesFuture } }
        return self is any ClairvoyantPolicy.Type
    }
}
