/// Gives every object of another policy a lifetime.
///
/// An object expires `lifetime` after its admission, or after its last access if `extendOnAccess` is set. It is expired
/// from that microsecond on. Then:
/// - `checkOnRead`: a lookup of an expired object misses. If it is false, the lookup delivers the object: a stale hit,
///   which renews the object if accesses do (SDWebImage's files, YYMemoryCache's objects).
/// - `removeOnRead`: a lookup that misses because the object has expired also removes it. If it is false, the object
///   stays and takes up room until a sweep removes it, a new version replaces it, or the inner policy evicts it. The
///   lookup is not an access to the inner policy.
/// - `sweep`: everything expired is removed at every multiple of this interval of trace time.
///
/// `granularity`: expirations are rounded up to its multiples, as by a file system or an attribute that keeps whole
/// seconds. Trace time 0 counts as a whole second. Restored objects have dates that were rounded before.
///
/// The inner policy's timers and its work on the way to the background come before a sweep of the same moment, and
/// after a removal of expired objects that is asked for: YYDiskCache trims, then removes by age; Kingfisher and
/// SDWebImage remove what has expired, then trim.
///
/// Kingfisher 8.11 has a lifetime of 300 s in memory, renewed by accesses, checked but not removed by reads, and swept
/// every 120 s. On disk it has 7 d, in whole seconds, renewed and not removed by reads, and swept only on the way to
/// the background.
public struct TTL<Inner: TimedPolicy>: PolicyWrapper {
    @usableFromInline var inner: Inner
    @usableFromInline var expirations = UncheckedArray<Int64>(repeating: 0)
    /// Objects by expiration, the soonest at the back. All objects have one lifetime, except where a tier has set
    /// another, so a push to the front nearly always keeps the order.
    @usableFromInline var byExpiration = LinkedQueue()
    @usableFromInline var lastSweep: Int64 = 0
    /// The time that the inner policy has been advanced to, if it has timers. Sweeps that were missed before a relaunch
    /// do not turn it back.
    @usableFromInline var innerTime: Int64 = 0
    public let rules: ExpirationRules
    /// Whether the inner policy has timers. Code that is not compiled for the inner policy reads it here.
    @usableFromInline let advancesInner: Bool

    @inlinable public init(_ inner: Inner, _ rules: ExpirationRules) {
        self.inner = inner
        self.rules = rules
        advancesInner = Inner.hasTimers
    }

    public static var innerPolicies: [any CachePolicy.Type] { [Inner.self] }

    public var inners: [any CachePolicy] { [inner] }

    @inlinable public static var hasTimers: Bool { true }

    @inlinable public var nextTimer: Int64 {
        min(rules.sweep.map { lastSweep &+ $0 } ?? .max, advancesInner ? inner.nextTimer : .max)
    }

    @inlinable public var occupancy: Occupancy { inner.occupancy }

    @inlinable public func contains(_ object: Int) -> Bool { inner.contains(object) }

    @inlinable public func expiration(of object: Int) -> Int64? {
        guard byExpiration.contains(object) else { return nil }
        return min(expirations[object], inner.expiration(of: object) ?? .max)
    }

    @inlinable public mutating func reserve(_ count: Int) {
        inner.reserve(count)
        expirations.reserve(count)
        byExpiration.reserve(count)
    }

    @inlinable public func prefetch(_ object: Int) {
        inner.prefetch(object)
        byExpiration.prefetch(object)
    }

    @inlinable @inline(__always) public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink)
        -> Lookup
    {
        guard byExpiration.contains(access.object) else { return .miss }
        if expirations[access.object] <= access.time {
            guard rules.checkOnRead else {
                let found = forwarding(&sink) { inner, sink in inner.lookup(access, &sink) }
                if rules.extendOnAccess, found.isHit {
                    schedule(access.object, at: rules.expiration(from: access.time))
                }
                return found.isHit ? .staleHit : .miss
            }
            if rules.removeOnRead { expire(access.object, &sink) }
            return .miss
        }
        let found = forwarding(&sink) { inner, sink in inner.lookup(access, &sink) }
        if rules.extendOnAccess, found.isHit { schedule(access.object, at: rules.expiration(from: access.time)) }
        return found
    }

    @inlinable @inline(__always) public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        admit(access, expiration: nil, &sink)
    }

    @inlinable @inline(__always) mutating func admit(
        _ access: Access, expiration: Int64?, _ sink: inout some EvictionSink
    ) -> Bool {
        let kept = forwarding(&sink) { inner, sink in inner.admit(access, &sink) }
        kept ? schedule(access.object, at: expiration ?? rules.expiration(from: access.time)) : forget(access.object)
        return kept
    }

    @inlinable @inline(__always) public mutating func restore(
        _ access: Access, expiration: Int64?, _ sink: inout some EvictionSink
    ) -> Bool {
        innerTime = max(innerTime, access.time)
        let kept = forwarding(&sink) { inner, sink in inner.restore(access, expiration: nil, &sink) }
        kept ? schedule(access.object, at: expiration ?? rules.expiration(from: access.time)) : forget(access.object)
        return kept
    }

    @inlinable @inline(__always) public mutating func advance(to time: Int64, _ sink: inout some EvictionSink) {
        guard let interval = rules.sweep else { return advanceInner(to: time, &sink) }
        if Inner.hasTimers { takeTurns(to: time, sweepingEvery: interval, &sink) }
        // The last sweep was at a multiple of the interval: before the next multiple, nothing is due.
        guard time &- lastSweep >= interval else { return }
        let tick = time - time % interval
        lastSweep = tick
        removeOwnExpired(at: tick, &sink)
    }

    @inlinable @inline(__always) mutating func advanceInner(to time: Int64, _ sink: inout some EvictionSink) {
        guard Inner.hasTimers else { return }
        innerTime = max(innerTime, time)
        let time = innerTime
        forwarding(&sink) { inner, sink in inner.advance(to: time, &sink) }
    }

    /// Advances the inner policy, with each sweep at its moment, so that the number of steps in which time passes makes
    /// no difference. Sweeps that would find nothing are skipped.
    @inlinable mutating func takeTurns(to time: Int64, sweepingEvery interval: Int64, _ sink: inout some EvictionSink) {
        while let soonest = byExpiration.back() {
            let due = max(expirations[soonest], lastSweep &+ 1)
            let tick = due.roundedUp(toMultipleOf: interval)
            guard tick <= time else { break }
            advanceInner(to: tick, &sink)
            removeOwnExpired(at: tick, &sink)
            lastSweep = tick
        }
        advanceInner(to: time, &sink)
    }

    @inlinable public mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {
        removeOwnExpired(at: time, &sink)
        forwarding(&sink) { inner, sink in inner.removeExpired(at: time, &sink) }
    }

    @inlinable public mutating func setExpiration(of object: Int, to expiration: Int64) {
        if byExpiration.contains(object) { schedule(object, at: expiration) }
    }

    @inlinable public mutating func noteOuterExpiration(of object: Int, at expiration: Int64) {
        inner.noteOuterExpiration(
            of: object, at: byExpiration.contains(object) ? min(expiration, expirations[object]) : expiration)
    }

    @inlinable mutating func removeOwnExpired(at time: Int64, _ sink: inout some EvictionSink) {
        while let soonest = byExpiration.back(), expirations[soonest] <= time { expire(soonest, &sink) }
    }

    @inlinable public mutating func remove(_ object: Int) {
        inner.remove(object)
        forget(object)
    }

    @inlinable public mutating func clear() {
        inner.clear()
        byExpiration.removeAll()
    }

    @inlinable public mutating func relaunch(at time: Int64) {
        inner.relaunch(at: time)
        byExpiration.removeAll()
        lastSweep = 0
        innerTime = time
    }

    // The sink is known here, so that its type need not be looked up at each call.
    @inlinable public mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup {
        lookup(access, &evictions)
    }

    @inlinable public mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool {
        admit(access, &evictions)
    }

    @inlinable public mutating func liveAdmit(
        _ access: Access, expiration: Int64?, _ evictions: inout EvictionList
    ) -> Bool { admit(access, expiration: expiration, &evictions) }

    @inlinable public mutating func liveAdvance(to time: Int64, _ evictions: inout EvictionList) {
        guard advancesInner || rules.sweep.map({ time &- lastSweep >= $0 }) ?? false else { return }
        advance(to: time, &evictions)
    }

    @inlinable public mutating func liveRestore(
        _ access: Access, expiration: Int64?, _ evictions: inout EvictionList
    ) -> Bool { restore(access, expiration: expiration, &evictions) }

    public mutating func run(_ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts) {
        run(wrapping: Inner.self, requests, range, into: &counts)
    }

    @inlinable @inline(__always) mutating func expire(_ object: Int, _ sink: inout some EvictionSink) {
        remove(object)
        sink.evicted(object, .expired)
    }

    @inlinable @inline(__always) func forget(_ object: Int) {
        if byExpiration.contains(object) { byExpiration.remove(object) }
    }

    @inlinable mutating func schedule(_ object: Int, at expiration: Int64) {
        expirations[object] = expiration
        forget(object)
        if let last = byExpiration.front(), expirations[last] > expiration {
            insert(object, behind: last)
        } else {
            byExpiration.pushFront(object)
        }
        inner.noteOuterExpiration(of: object, at: expiration)
    }

    /// Inserts the object behind all objects that expire later. `last` is the object that expires last, later than
    /// `object`.
    @usableFromInline @inline(never) func insert(_ object: Int, behind last: Int) {
        var later = last
        while let next = byExpiration.behind(later), expirations[next] > expirations[object] { later = next }
        byExpiration.push(object, behind: later)
    }

    /// Calls the inner policy with a sink that also forgets the expirations of evicted objects.
    @inlinable @inline(__always) mutating func forwarding<Sink: EvictionSink, Result>(
        _ sink: inout Sink, _ body: (inout Inner, inout ForgettingSink<Sink>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &sink) { base in
            var forgetting = ForgettingSink(base: base, byExpiration: byExpiration)
            return body(&inner, &forgetting)
        }
    }
}

extension TTL: VictimOrdered where Inner: VictimOrdered {
    @inlinable public mutating func nextVictim() -> Int? { inner.nextVictim() }

    @inlinable public mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        forwarding(&sink) { inner, sink in inner.evictNext(&sink) }
    }
}

@usableFromInline struct ForgettingSink<Base: EvictionSink>: EvictionSink {
    /// Valid for as long as the call that made this sink runs.
    @usableFromInline let base: UnsafeMutablePointer<Base>
    @usableFromInline let byExpiration: LinkedQueue

    @inlinable init(base: UnsafeMutablePointer<Base>, byExpiration: LinkedQueue) {
        self.base = base
        self.byExpiration = byExpiration
    }

    @inlinable mutating func evicted(_ object: Int, _ reason: EvictionReason) {
        if byExpiration.contains(object) { byExpiration.remove(object) }
        base.pointee.evicted(object, reason)
    }
}

/// The rules of ``TTL``; times in microseconds.
public struct ExpirationRules: Sendable, Equatable {
    public var lifetime: Int64
    /// The interval of sweeps, or nil for none.
    public var sweep: Int64?
    public var checkOnRead: Bool
    public var extendOnAccess: Bool
    /// Whether a read that finds an object expired removes it.
    public var removeOnRead: Bool
    /// The unit of expirations; at least 1.
    public var granularity: Int64

    public init(
        lifetime: Int64, sweep: Int64? = nil, checkOnRead: Bool = true, extendOnAccess: Bool = false,
        removeOnRead: Bool = true,
        granularity: Int64 = 1
    ) {
        self.lifetime = lifetime
        self.sweep = sweep
        self.checkOnRead = checkOnRead
        self.extendOnAccess = extendOnAccess
        self.removeOnRead = removeOnRead
        self.granularity = granularity
    }

    /// Returns the expiration of an object that is stored or renewed at `time`.
    @inlinable func expiration(from time: Int64) -> Int64 {
        let end = time &+ lifetime
        return granularity == 1 ? end : end.roundedUp(toMultipleOf: granularity)
    }
}

extension Int64 {
    /// Returns the least multiple of `unit`, which is positive, that is not below this time. Times within a `unit` of
    /// the largest number stay as they are.
    @usableFromInline @inline(never) func roundedUp(toMultipleOf unit: Int64) -> Int64 {
        let rest = self % unit
        let missing = rest > 0 ? unit &- rest : 0 &- rest
        return self > .max &- missing ? self : self &+ missing
    }
}

enum TTLPolicy {
    static let entry = PolicyEntry(
        "ttl", "Gives the objects of another policy a lifetime.",
        parameters: [
            .policy(nil), .duration("lifetime"), .duration("sweep", default: "never"),
            .flag("checkOnRead", default: true),
            .flag("extendOnAccess", default: false), .flag("removeOnRead", default: true),
            .duration("granularity", default: "1us"),
        ]
    ) { arguments in
        let rules = ExpirationRules(
            lifetime: try arguments.duration("lifetime") ?? .max / 4, sweep: try arguments.duration("sweep"),
            checkOnRead: try arguments.flag("checkOnRead"), extendOnAccess: try arguments.flag("extendOnAccess"),
            removeOnRead: try arguments.flag("removeOnRead"), granularity: try arguments.granularity())
        func wrap(_ inner: some TimedPolicy) -> any CachePolicy { TTL(inner, rules) }
        return wrap(try arguments.policy(nil).timed())
    }
}
