/// A wrapper around one policy. It passes on every call that it does not implement.
///
/// The calls for which a wrapper exists have no default: lookups, admissions and restorations. A wrapper that
/// implements
/// ``TimedPolicy/advance(to:_:)`` also implements ``TimedPolicy/liveAdvance(to:_:)``, which would pass it by.
///
/// The defaults are always inlined into the wrapper. Otherwise, in a run that is not compiled for its types
/// (``SpecialisedWrappers``), each call would first look up the type of `inner`: such a run then takes up to 1.6 times
/// as long.
protocol ForwardingWrapper: PolicyWrapper {
    associatedtype Inner: TimedPolicy

    var inner: Inner { get set }
}

extension ForwardingWrapper {
    static var innerPolicies: [any CachePolicy.Type] { [Inner.self] }

    var inners: [any CachePolicy] { [inner] }

    @inline(__always) static var hasTimers: Bool { Inner.hasTimers }

    @inline(__always) var nextTimer: Int64 { inner.nextTimer }

    @inline(__always) var occupancy: Occupancy { inner.occupancy }

    @inline(__always) func contains(_ object: Int) -> Bool { inner.contains(object) }

    @inline(__always) func expiration(of object: Int) -> Int64? { inner.expiration(of: object) }

    @inline(__always) mutating func reserve(_ count: Int) { inner.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { inner.prefetch(object) }

    @inline(__always) mutating func setExpiration(of object: Int, to expiration: Int64) {
        inner.setExpiration(of: object, to: expiration)
    }

    @inline(__always) mutating func noteOuterExpiration(of object: Int, at expiration: Int64) {
        inner.noteOuterExpiration(of: object, at: expiration)
    }

    @inline(__always) mutating func advance(to time: Int64, _ sink: inout some EvictionSink) {
        inner.advance(to: time, &sink)
    }

    @inline(__always) mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {
        inner.removeExpired(at: time, &sink)
    }

    @inline(__always) mutating func remove(_ object: Int) { inner.remove(object) }

    @inline(__always) mutating func clear() { inner.clear() }

    @inline(__always) mutating func relaunch(at time: Int64) { inner.relaunch(at: time) }

    @inline(__always) mutating func liveAdvance(to time: Int64, _ evictions: inout EvictionList) {
        inner.liveAdvance(to: time, &evictions)
    }

    mutating func run(_ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts) {
        run(wrapping: Inner.self, requests, range, into: &counts)
    }
}

extension ForwardingWrapper where Inner: VictimOrdered {
    @inline(__always) mutating func nextVictim() -> Int? { inner.nextVictim() }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { inner.evictNext(&sink) }
}
