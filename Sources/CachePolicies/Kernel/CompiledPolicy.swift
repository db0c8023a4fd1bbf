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
