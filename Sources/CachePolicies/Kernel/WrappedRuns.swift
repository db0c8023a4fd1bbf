/// A policy whose runs inside the wrappers below are compiled for the pair.
///
/// A wrapper of a policy that was named at run time is one generic piece of code for all policies: at every access it
/// looks up what the inner policy is and does, which costs several times the access itself. Here instead the inner
/// policy is asked once per run, and answers with a loop that was compiled where both types are known. What is not
/// listed runs too, slowly; so do wrappers of wrappers.
protocol WrappedRuns: CachePolicy {
    /// Runs requests through the wrapper, if it is one of those that are known; returns whether it is.
    static func run(
        _ wrapper: inout any CachePolicy, _ requests: RequestColumns, _ range: Range<Int>,
        into counts: inout SimulationCounts
    ) -> Bool
}

// Every policy is compiled once for each wrapper: list those that people wrap.
extension LRU: WrappedRuns {}
extension FIFO: WrappedRuns {}
extension NSCacheQueue: WrappedRuns {}
extension WTinyLFU: WrappedRuns {}

extension WrappedRuns {
    static func run(
        _ wrapper: inout any CachePolicy, _ requests: RequestColumns, _ range: Range<Int>,
        into counts: inout SimulationCounts
    ) -> Bool {
        attempt(TTL<Self>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<TinyLFU, Self>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<BloomAdmission, Self>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<MaxSizeAdmission, Self>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<ProbabilisticAdmission, Self>.self, &wrapper, requests, range, &counts)
            || attempt(Admission<AdaptSize, Self>.self, &wrapper, requests, range, &counts)
    }

    private static func attempt<Known: CachePolicy>(
        _ known: Known.Type, _ wrapper: inout any CachePolicy, _ requests: RequestColumns, _ range: Range<Int>,
        _ counts: inout SimulationCounts
    ) -> Bool {
        guard var policy = wrapper as? Known else { return false }
        policy.loop(requests, range, into: &counts)
        wrapper = policy
        return true
    }
}

extension CachePolicy {
    /// A run of a wrapper, by the loop that the inner policy has for it, if it has one.
    mutating func run<Inner: CachePolicy>(
        wrapping inner: Inner.Type, _ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts
    ) {
        var wrapper: any CachePolicy = self
        if let known = inner as? any WrappedRuns.Type, known.run(&wrapper, requests, range, into: &counts),
            let policy = wrapper as? Self
        {
            self = policy
        } else {
            loop(requests, range, into: &counts)
        }
    }
}
