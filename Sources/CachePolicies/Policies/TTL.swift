/// Gives every object of another policy a lifetime.
///
/// An object expires `lifetime` after it was admitted, or after its last access where `extendOnAccess` says so. It is
/// expired from that very microsecond on. What happens then:
/// - `checkOnRead`: a lookup removes it and misses. Without, the lookup delivers it: a stale hit. It is not renewed by that.
/// - `sweep`: at every multiple of this interval of trace time, everything expired is removed.
///
/// Kingfisher 8.11 has a lifetime of 300 s in memory, renewed by access, checked on read, swept every 120 s.
public struct TTL<Inner: CachePolicy>: CachePolicy {
    @usableFromInline var inner: Inner
    @usableFromInline var expirations = Column<Int64>(repeating: 0)
    /// Objects by expiration, soonest at the back. The lifetime is one for all, so pushing in front keeps the order.
    @usableFromInline var byExpiration = LinkedQueue()
    @usableFromInline var lastSweep: Int64 = 0
    public let rules: ExpirationRules

    @inlinable public init(_ inner: Inner, _ rules: ExpirationRules) {
        self.inner = inner
        self.rules = rules
    }

    @inlinable public static var usesTime: Bool { true }

    @inlinable public static var usesFuture: Bool { Inner.usesFuture }

    @inlinable public mutating func nextVictim() -> Int? { inner.nextVictim() }

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

    @inlinable public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard byExpiration.contains(access.object) else { return .miss }
        if expirations[access.object] <= access.time {
            guard rules.checkOnRead else {
                return forwarding(&sink) { inner, sink in inner.lookup(access, &sink) }.isHit ? .staleHit : .miss
            }
            expire(access.object, &sink)
            return .miss
        }
        let found = forwarding(&sink) { inner, sink in inner.lookup(access, &sink) }
        if rules.extendOnAccess, found.isHit { schedule(access.object, at: access.time &+ rules.lifetime) }
        return found
    }

    @inlinable public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let kept = forwarding(&sink) { inner, sink in inner.admit(access, &sink) }
        kept ? schedule(access.object, at: access.time &+ rules.lifetime) : forget(access.object)
        return kept
    }

    @inlinable public mutating func restore(
        _ access: Access, expiration: Int64?, _ sink: inout some EvictionSink
    ) -> Bool {
        let kept = forwarding(&sink) { inner, sink in inner.restore(access, expiration: nil, &sink) }
        if kept { schedule(access.object, at: expiration ?? access.time &+ rules.lifetime) }
        return kept
    }

    @inlinable public mutating func advance(to time: Int64, _ sink: inout some EvictionSink) {
        if Inner.usesTime { forwarding(&sink) { inner, sink in inner.advance(to: time, &sink) } }
        guard let interval = rules.sweep else { return }
        let tick = time - time % interval
        guard tick > lastSweep else { return }
        lastSweep = tick
        removeOwnExpired(at: tick, &sink)
    }

    @inlinable public mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {
        forwarding(&sink) { inner, sink in inner.removeExpired(at: time, &sink) }
        removeOwnExpired(at: time, &sink)
    }

    @inlinable mutating func removeOwnExpired(at time: Int64, _ sink: inout some EvictionSink) {
        while let soonest = byExpiration.back(), expirations[soonest] <= time { expire(soonest, &sink) }
    }

    @inlinable public mutating func remove(_ object: Int) {
        inner.remove(object)
        forget(object)
    }

    @inlinable public mutating func removeAll() {
        inner.removeAll()
        byExpiration.removeAll()
        lastSweep = 0
    }

    public mutating func run(_ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts) {
        run(wrapping: Inner.self, requests, range, into: &counts)
    }

    @inlinable mutating func expire(_ object: Int, _ sink: inout some EvictionSink) {
        remove(object)
        sink.evicted(object, .expired)
    }

    @inlinable func forget(_ object: Int) {
        if byExpiration.contains(object) { byExpiration.remove(object) }
    }

    @inlinable func schedule(_ object: Int, at expiration: Int64) {
        expirations[object] = expiration
        forget(object)
        byExpiration.pushFront(object)
    }

    /// Calls the inner policy with a sink that also forgets the expiration of whoever leaves.
    @inlinable mutating func forwarding<Sink: EvictionSink, Result>(
        _ sink: inout Sink, _ body: (inout Inner, inout ForgettingSink<Sink>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &sink) { base in
            var forgetting = ForgettingSink(base: base, byExpiration: byExpiration)
            return body(&inner, &forgetting)
        }
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
    /// nil: nobody sweeps.
    public var sweep: Int64?
    public var checkOnRead: Bool
    public var extendOnAccess: Bool

    public init(lifetime: Int64, sweep: Int64? = nil, checkOnRead: Bool = true, extendOnAccess: Bool = false) {
        self.lifetime = lifetime
        self.sweep = sweep
        self.checkOnRead = checkOnRead
        self.extendOnAccess = extendOnAccess
    }
}

enum TTLPolicy {
    static let entry = PolicyEntry(
        "ttl", "Objects of another policy expire.",
        parameters: [
            .policy(nil), .duration("lifetime"), .duration("sweep", default: "never"), .flag("checkOnRead", default: true),
            .flag("extendOnAccess", default: false),
        ]
    ) { arguments in
        let rules = ExpirationRules(
            lifetime: try arguments.duration("lifetime") ?? .max / 4, sweep: try arguments.duration("sweep"),
            checkOnRead: try arguments.flag("checkOnRead"), extendOnAccess: try arguments.flag("extendOnAccess"))
        func wrap(_ inner: some CachePolicy) -> any CachePolicy { TTL(inner, rules) }
        return wrap(try arguments.policy(nil))
    }
}
