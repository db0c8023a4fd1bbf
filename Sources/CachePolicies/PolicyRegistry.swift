import Basics

/// The policies that a specification can name. One line each feeds the grammar, the help, `cachereplay list policies`
/// and the conformance tests.
public struct PolicyRegistry: Sendable {
    public private(set) var entries: [PolicyEntry]

    public static let builtIn = PolicyRegistry(basic + queues + adaptive + ranked + sampled + clairvoyant + admissions)

    /// The components of image caches.
    private static let basic = [
        LRU.entry,
        FIFO.entry,
        TTLPolicy.entry,
        NSCachePolicy.entry,
        TrimPolicy.entry,
        IdleTrimPolicy.entry,
        SplitPolicy.entry,
        UnboundedPolicy.entry,
        NoCache.entry,
    ]

    /// Queues, clocks and segments.
    private static let queues = [
        Clock.entry,
        SecondChance.entry,
        Sieve.entry,
        SLRU.entry,
        S4LRU.entry,
        TwoQ.entry,
        S3FIFO.entry,
        S4FIFO.entry,
        Clock2QPlus.entry,
        QDLP.entry,
        MQ.entry,
        MRU.entry,
        RandomReplacement.entry,
    ]

    /// Policies that learn: from evicted objects, or from hits and misses.
    private static let adaptive: [PolicyEntry] = [
        ARC.entry,
        LIRS.entry,
        LRUK.entry,
        CAR.entry,
        WTinyLFU.entry,
        ClockPro.entry,
        LeCaR.entry,
        Cacheus.entry,
        AdaptiveClimb.entry,
        ThreeLCache.entry,
    ]

    /// Policies that rank every object: by frequency, by cost, by size.
    private static let ranked = [
        LFU.entry,
        LFUDA.entry,
        GDSF.entry,
        GDSFMAD.entry,
        GreedyDualSize.entry,
        CAMP.entry,
        GDWheel.entry,
        LargestFirst.entry,
    ]

    /// Policies that rank a few objects, drawn at random.
    private static let sampled = [
        Hyperbolic.entry,
        LHD.entry,
        LRUMAD.entry,
    ]

    /// Policies that know future accesses.
    private static let clairvoyant = [
        Belady.entry,
        Belady.bypassEntry,
        BeladySize.entry,
    ]

    /// Policies in front of another policy that decide which objects enter.
    private static let admissions: [PolicyEntry] = [
        TinyLFUPolicy.entry,
        BloomPolicy.entry,
        MaxSizePolicy.entry,
        ProbabilityPolicy.entry,
        AdaptSizePolicy.entry,
    ]

    public init(_ entries: [PolicyEntry]) {
        self.entries = entries
    }

    /// Returns this registry with a further policy, which replaces one of the same name.
    public func adding(_ entry: PolicyEntry) -> PolicyRegistry {
        PolicyRegistry(entries.filter { $0.name != entry.name } + [entry])
    }

    public subscript(name: String) -> PolicyEntry? { entries.first { $0.name == name } }

    /// Returns the message for a name that no policy has, with the nearest name.
    func unknown(_ name: String) -> String {
        let names = entries.map(\.name)
        let hint =
            nearestName(to: name, among: names).map { "did you mean '\($0)'?" }
            ?? "known: \(names.joined(separator: ", "))"
        return "there is no policy '\(name)'; \(hint)"
    }
}
