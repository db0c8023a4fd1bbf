/// Every policy that can be named: one line each feeds the grammar, the help, `cachereplay policies` and the conformance tests.
public struct PolicyRegistry: Sendable {
    public private(set) var entries: [PolicyEntry]

    public static let builtIn = PolicyRegistry([
        LRU.entry,
        FIFO.entry,
        TTLPolicy.entry,
        NSCachePolicy.entry,
        SplitPolicy.entry,
        UnboundedPolicy.entry,
        NoCache.entry,
    ])

    public init(_ entries: [PolicyEntry]) {
        self.entries = entries
    }

    /// This registry with a policy of one's own; one of the same name is replaced.
    public func adding(_ entry: PolicyEntry) -> PolicyRegistry {
        PolicyRegistry(entries.filter { $0.name != entry.name } + [entry])
    }

    public subscript(name: String) -> PolicyEntry? { entries.first { $0.name == name } }
}
