/// A policy with lifetimes or timers.
///
/// The order of the calls for one moment is: ``advance(to:_:)``, then the access. A tier holds every policy as a
/// `TimedPolicy`, see ``CachePolicy/timed()``.
public protocol TimedPolicy: CachePolicy {
    /// Whether passing time can change what the policy holds. If not, drivers need not call ``advance(to:_:)``.
    static var hasTimers: Bool { get }

    /// Runs the timers that are due by `time`, in microseconds.
    mutating func advance(to time: Int64, _ sink: inout some EvictionSink)

    /// ``advance(to:_:)`` with a sink of known type, as ``CompiledPolicy/liveLookup(_:_:)``.
    mutating func liveAdvance(to time: Int64, _ evictions: inout EvictionList)

    /// A time, in microseconds, before which ``advance(to:_:)`` has no effect, whatever else is called until then
    /// except ``relaunch(at:)``. The default, the smallest time, says nothing.
    var nextTimer: Int64 { get }

    /// Returns when the object expires, in microseconds, or nil if it never expires or is not held.
    func expiration(of object: Int) -> Int64?

    /// Replaces the expiration of an object that the policy holds. Policies without lifetimes ignore the call.
    mutating func setExpiration(of object: Int, to expiration: Int64)

    /// Admits an object as ``CompiledPolicy/liveAdmit(_:_:)`` does, with an expiration of its own.
    ///
    /// The default is an admission and ``setExpiration(of:to:)``. A policy that orders objects by expiration does both
    /// in one step, because the place of the policy's expiration can be far from the place of the object's own.
    ///
    /// - Parameters:
    ///   - access: The access that missed.
    ///   - expiration: The expiration of the object if the policy holds it afterwards, in microseconds; nil for the
    ///     policy's own.
    ///   - evictions: Receives the objects that leave.
    /// - Returns: Whether the policy holds the object.
    mutating func liveAdmit(_ access: Access, expiration: Int64?, _ evictions: inout EvictionList) -> Bool

    /// Notes that a policy around this one has given an object that this policy holds an expiration, which replaces an
    /// earlier one.
    mutating func noteOuterExpiration(of object: Int, at expiration: Int64)

    /// Removes the objects that have expired by `time`, and does the policy's other work on the way to the background,
    /// whether or not a timer is due.
    mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink)

    /// Takes back an object that was held before the app ended, and returns whether the policy holds it afterwards.
    /// Objects come in the order in which they would leave.
    ///
    /// - Parameters:
    ///   - access: The object, with the time of its last access if that is known, or else of the launch.
    ///   - expiration: The expiration that the object had, or nil if it had none.
    ///   - sink: Receives the objects that leave.
    mutating func restore(_ access: Access, expiration: Int64?, _ sink: inout some EvictionSink) -> Bool

    /// ``restore(_:expiration:_:)`` with a sink of known type, as ``CompiledPolicy/liveAdmit(_:_:)``.
    mutating func liveRestore(_ access: Access, expiration: Int64?, _ evictions: inout EvictionList) -> Bool

    /// Removes all objects, as ``CachePolicy/clear()`` does, and restarts the timers: the app starts again at `time`.
    mutating func relaunch(at time: Int64)
}

extension TimedPolicy {
    @inlinable public var nextTimer: Int64 { .min }

    @inlinable public mutating func liveAdvance(to time: Int64, _ evictions: inout EvictionList) {
        advance(to: time, &evictions)
    }

    @inlinable public mutating func liveAdmit(
        _ access: Access, expiration: Int64?, _ evictions: inout EvictionList
    ) -> Bool {
        let kept = liveAdmit(access, &evictions)
        if kept, let expiration { setExpiration(of: access.object, to: expiration) }
        return kept
    }

    @inlinable public mutating func liveRestore(
        _ access: Access, expiration: Int64?, _ evictions: inout EvictionList
    ) -> Bool { restore(access, expiration: expiration, &evictions) }
}

/// A policy without lifetimes and timers, as a ``TimedPolicy``.
///
/// This is the only place that decides what the calls of a timed policy mean for a policy that ignores time.
public struct Untimed<Inner: CachePolicy>: PolicyWrapper {
    @usableFromInline var inner: Inner

    @inlinable public init(_ inner: Inner) { self.inner = inner }

    public static var innerPolicies: [any CachePolicy.Type] { [Inner.self] }

    public var inners: [any CachePolicy] { [inner] }

    @inlinable public static var hasTimers: Bool { false }

    @inlinable public var occupancy: Occupancy { inner.occupancy }

    @inlinable public func contains(_ object: Int) -> Bool { inner.contains(object) }

    @inlinable public mutating func reserve(_ count: Int) { inner.reserve(count) }

    @inlinable public func prefetch(_ object: Int) { inner.prefetch(object) }

    @inlinable @inline(__always) public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink)
        -> Lookup
    { inner.lookup(access, &sink) }

    @inlinable @inline(__always) public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        inner.admit(access, &sink)
    }

    @inlinable public mutating func remove(_ object: Int) { inner.remove(object) }

    @inlinable public mutating func clear() { inner.clear() }

    @inlinable public mutating func advance(to time: Int64, _ sink: inout some EvictionSink) {}

    @inlinable public func expiration(of object: Int) -> Int64? { nil }

    @inlinable public mutating func setExpiration(of object: Int, to expiration: Int64) {}

    @inlinable public mutating func noteOuterExpiration(of object: Int, at expiration: Int64) {}

    @inlinable public mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {}

    @inlinable public mutating func restore(
        _ access: Access, expiration: Int64?, _ sink: inout some EvictionSink
    ) -> Bool { inner.admit(access, &sink) }

    @inlinable public mutating func relaunch(at time: Int64) { inner.clear() }

    @inlinable public mutating func run(
        _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) { inner.run(requests, range, into: &counts) }

    @inlinable public mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup {
        inner.liveLookup(access, &evictions)
    }

    @inlinable public mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool {
        inner.liveAdmit(access, &evictions)
    }

    @inlinable public mutating func liveRestore(
        _ access: Access, expiration: Int64?, _ evictions: inout EvictionList
    ) -> Bool { inner.liveAdmit(access, &evictions) }
}

extension Untimed: VictimOrdered where Inner: VictimOrdered {
    @inlinable public mutating func nextVictim() -> Int? { inner.nextVictim() }

    @inlinable public mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { inner.evictNext(&sink) }
}

extension CachePolicy {
    /// Returns this policy if it is a ``TimedPolicy``, or else ``Untimed`` around it.
    public func timed() -> any TimedPolicy { self as? any TimedPolicy ?? Untimed(self) }

    /// Whether passing time can change what the policy holds.
    public static var usesTime: Bool { (self as? any TimedPolicy.Type)?.hasTimers ?? false }
}

/// A policy that never reads ``Access/time``, so that it can run over a trace whose times were not loaded.
///
/// The conformance is a promise that the compiler cannot check. A test runs every built-in policy with and without
/// times. A policy of a plugin or of another package is assumed to read times.
public protocol TimeBlindPolicy: CachePolicy {}

extension CachePolicy {
    /// Whether this policy, or a policy inside it, may read the time of an access.
    public static var readsTime: Bool { !(self is any TimeBlindPolicy.Type) }
}

extension Untimed: TimeBlindPolicy where Inner: TimeBlindPolicy {}

extension Admission: TimeBlindPolicy where Rule.Inner: TimeBlindPolicy {}

extension MaxSize: TimeBlindPolicy where Inner: TimeBlindPolicy {}

// The policies of the registry, except `ttl`, `trim`, `idle-trim` and `split`, which keep track of time, `lru-mad` and
// `gdsf-mad`.
extension AdaptiveClimb: TimeBlindPolicy {}
extension ARC: TimeBlindPolicy {}
extension Belady: TimeBlindPolicy {}
extension BeladySize: TimeBlindPolicy {}
extension CAMP: TimeBlindPolicy {}
extension CAR: TimeBlindPolicy {}
extension Cacheus: TimeBlindPolicy {}
extension Clock: TimeBlindPolicy {}
extension ClockPro: TimeBlindPolicy {}
extension CorelibsNSCache: TimeBlindPolicy {}
extension CountingSieve: TimeBlindPolicy {}
extension FIFO: TimeBlindPolicy {}
extension FrequencyNSCache: TimeBlindPolicy {}
extension GDSF: TimeBlindPolicy {}
extension GDWheel: TimeBlindPolicy {}
extension GNUstepNSCache: TimeBlindPolicy {}
extension GreedyDualSize: TimeBlindPolicy {}
extension Hyperbolic: TimeBlindPolicy {}
extension LargestFirst: TimeBlindPolicy {}
extension LeCaR: TimeBlindPolicy {}
extension LFU: TimeBlindPolicy {}
extension LFUDA: TimeBlindPolicy {}
extension LHD: TimeBlindPolicy {}
extension LIRS: TimeBlindPolicy {}
extension LRU: TimeBlindPolicy {}
extension LRUK: TimeBlindPolicy {}
extension MQ: TimeBlindPolicy {}
extension MRU: TimeBlindPolicy {}
extension NoCache: TimeBlindPolicy {}
extension NSCacheQueue: TimeBlindPolicy {}
extension QDLP: TimeBlindPolicy {}
extension RandomReplacement: TimeBlindPolicy {}
extension S3FIFO: TimeBlindPolicy {}
extension S4FIFO: TimeBlindPolicy {}
extension SecondChance: TimeBlindPolicy {}
extension Sieve: TimeBlindPolicy {}
extension SLRU: TimeBlindPolicy {}
extension ThreeLCache: TimeBlindPolicy {}
extension TwoQ: TimeBlindPolicy {}
extension WTinyLFU: TimeBlindPolicy {}
extension WTinyLFULibCacheSim: TimeBlindPolicy {}

/// A policy that is another one until it has learned a model, as `3l-cache` is LRU.
public protocol LearningPolicy: CachePolicy {
    /// Whether a model decides by now.
    var hasModel: Bool { get }
}

extension CachePolicy {
    /// Whether a model decides by now, in this policy and in all policies inside it that learn one; nil if none does.
    public var hasLearnedModel: Bool? {
        if let learner = self as? any LearningPolicy { return learner.hasModel }
        let inner = (self as? any PolicyWrapper)?.inners.compactMap(\.hasLearnedModel) ?? []
        return inner.isEmpty ? nil : inner.allSatisfy { $0 }
    }
}
