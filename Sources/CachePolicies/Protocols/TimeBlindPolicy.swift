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

// The policies of the registry, except `ttl`, `trim` and `split`, which keep track of time.
extension ARC: TimeBlindPolicy {}
extension Belady: TimeBlindPolicy {}
extension BeladySize: TimeBlindPolicy {}
extension CAR: TimeBlindPolicy {}
extension Cacheus: TimeBlindPolicy {}
extension Clock: TimeBlindPolicy {}
extension ClockPro: TimeBlindPolicy {}
extension CorelibsNSCache: TimeBlindPolicy {}
extension FIFO: TimeBlindPolicy {}
extension FrequencyNSCache: TimeBlindPolicy {}
extension GDSF: TimeBlindPolicy {}
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
extension SecondChance: TimeBlindPolicy {}
extension Sieve: TimeBlindPolicy {}
extension SLRU: TimeBlindPolicy {}
extension TwoQ: TimeBlindPolicy {}
extension WTinyLFU: TimeBlindPolicy {}
extension WTinyLFULibCacheSim: TimeBlindPolicy {}
