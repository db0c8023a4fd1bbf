/// Every policy that can be named: one line each feeds the grammar, the help, `cachereplay policies` and the
/// conformance tests.
public struct PolicyRegistry: Sendable {
    public private(set) var entries: [PolicyEntry]

    public static let builtIn = PolicyRegistry(basic + queues + adaptive + ranked + sampled + clairvoyant + admissions)

    /// What image caches are made of.
    private static let basic = [
        LRU.entry,
        FIFO.entry,
        TTLPolicy.entry,
        NSCachePolicy.entry,
        TrimPolicy.entry,
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
        QDLP.entry,
        MQ.entry,
        MRU.entry,
        RandomReplacement.entry,
    ]

    /// Those that learn from what they have let go.
    private static let adaptive: [PolicyEntry] = [
        ARC.entry,
        LIRS.entry,
        LRUK.entry,
        CAR.entry,
        WTinyLFU.entry,
        ClockPro.entry,
        LeCaR.entry,
        Cacheus.entry,
    ]

    /// Those that rank every object: by frequency, by cost, by size.
    private static let ranked = [
        LFU.entry,
        LFUDA.entry,
        GDSF.entry,
        GreedyDualSize.entry,
        LargestFirst.entry,
    ]

    /// Those that rank a few, drawn at random.
    private static let sampled = [
        Hyperbolic.entry,
        LHD.entry,
    ]

    /// Those that know the future.
    private static let clairvoyant = [
        Belady.entry,
        Belady.bypassEntry,
        BeladySize.entry,
    ]

    /// Those that stand before another policy and say who may enter.
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

    /// This registry with a policy of one's own; one of the same name is replaced.
    public func adding(_ entry: PolicyEntry) -> PolicyRegistry {
        PolicyRegistry(entries.filter { $0.name != entry.name } + [entry])
    }

    public subscript(name: String) -> PolicyEntry? { entries.first { $0.name == name } }
}
