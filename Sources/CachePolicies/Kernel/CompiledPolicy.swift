/// The entry points of a policy that are compiled for its concrete type.
///
/// Every entry point has an implementation that is correct for every policy. A policy replaces one to save time, never
/// to change a result.
public protocol CompiledPolicy {
    /// Fetches the memory that a lookup of the object reads, and changes nothing. The kernel calls it some requests
    /// before the lookup.
    func prefetch(_ object: Int)

    /// Runs requests through the policy. A simulation holds `any CachePolicy` and enters this loop once per run.
    mutating func run(_ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts)

    /// ``CachePolicy/lookup(_:_:)`` with a sink of known type. A live tier holds `any TimedPolicy`, and these calls
    /// skip the generic dispatch.
    mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup
    /// ``CachePolicy/admit(_:_:)`` with a sink of known type.
    mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool
}

extension CachePolicy {
    @inlinable public func prefetch(_ object: Int) {}

    @inlinable public mutating func run(
        _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) { loop(requests, range, into: &counts) { _, _, _ in } }

    @inlinable public mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup {
        lookup(access, &evictions)
    }

    @inlinable public mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool {
        admit(access, &evictions)
    }
}

extension TimedPolicy {
    @inlinable public mutating func run(
        _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) { timedLoop(requests, range, into: &counts) }

    /// The per-access loop, in which time passes before each access.
    @inlinable @inline(__always) mutating func timedLoop(
        _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) {
        loop(requests, range, into: &counts) { policy, time, sink in
            if Self.hasTimers { policy.advance(to: time, &sink) }
        }
    }
}

/// A policy for which the runs of the wrappers below are compiled.
///
/// A wrapper around a policy that was named at run time is one piece of generic code for all policies. It looks up the
/// inner policy's functions at every access, which costs several times as much as the access itself. Here the wrapper
/// asks the inner policy once per run for a loop that was compiled for both types. Other combinations, and wrappers
/// around wrappers, run correctly and slowly.
protocol SpecialisedWrappers: CachePolicy {
    /// Runs requests through the wrapper if it is one of the known ones, and returns whether it is.
    static func run(
        _ wrapper: inout any TimedPolicy, _ requests: RequestColumns, _ range: Range<Int>,
        into counts: inout SimulationCounts
    ) -> Bool
}

// The compiler makes one copy of each wrapper for each policy in this list: list only policies that are often wrapped.
extension LRU: SpecialisedWrappers {}
extension FIFO: SpecialisedWrappers {}
extension NSCacheQueue: SpecialisedWrappers {}
extension WTinyLFU: SpecialisedWrappers {}

extension Untimed: SpecialisedWrappers where Inner: SpecialisedWrappers {
    static func run(
        _ wrapper: inout any TimedPolicy, _ requests: RequestColumns, _ range: Range<Int>,
        into counts: inout SimulationCounts
    ) -> Bool { Inner.run(&wrapper, requests, range, into: &counts) }
}

extension SpecialisedWrappers where Self: VictimOrdered {
    static func run(
        _ wrapper: inout any TimedPolicy, _ requests: RequestColumns, _ range: Range<Int>,
        into counts: inout SimulationCounts
    ) -> Bool {
        attempt(TTL<Untimed<Self>>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<TinyLFU<Untimed<Self>>>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<BloomAdmission<Untimed<Self>>>.self, &wrapper, requests, range, &counts)
            || attempt(MaxSize<Untimed<Self>>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<ProbabilisticAdmission<Untimed<Self>>>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<AdaptSize<Untimed<Self>>>.self, &wrapper, requests, range, &counts)
    }

    private static func attempt<Known: TimedPolicy>(
        _ known: Known.Type, _ wrapper: inout any TimedPolicy, _ requests: RequestColumns, _ range: Range<Int>,
        _ counts: inout SimulationCounts
    ) -> Bool {
        guard var policy = wrapper as? Known else { return false }
        policy.timedLoop(requests, range, into: &counts)
        wrapper = policy
        return true
    }
}

extension TimedPolicy {
    /// Runs a wrapper by the loop that the inner policy has for it, or else by generic code.
    mutating func run<Inner: CachePolicy>(
        wrapping inner: Inner.Type, _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) {
        var wrapper: any TimedPolicy = self
        if let known = inner as? any SpecialisedWrappers.Type, known.run(&wrapper, requests, range, into: &counts),
            let policy = wrapper as? Self
        {
            self = policy
        } else {
            timedLoop(requests, range, into: &counts)
        }
    }
}
