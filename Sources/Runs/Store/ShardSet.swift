import Foundation

public struct ShardSet<Kind: StoreKind>: Sendable {
    /// The manifest of the whole.
    public let manifest: Manifest<Kind.Facts>
    /// In order of their numbers.
    private let stores: [Store<Kind>]

    /// Opens the folders, and checks that they are all shards of one command, each complete.
    ///
    /// - Throws: ``ResultsError`` that names the folder, and the remedy.
    public init(_ paths: [String]) throws {
        let all = try paths.map { try Store<Kind>.open($0, asShard: true) }
        var manifests: [Manifest<Kind.Facts>] = []
        var places: [Int: Int] = [:]
        for (place, store) in all.enumerated() {
            guard let manifest = store.manifest, let shard = manifest.shard else {
                throw ResultsError(
                    .badData, file: store.path,
                    "not made by `\(Kind.command) --shard`; name the folders of all shards")
            }
            manifests.append(manifest)
            if let difference = Self.difference(manifest, manifests[0]) {
                throw ResultsError(
                    .badData, file: store.path,
                    """
                    has other \(difference) than \(all[0].path); make both shards with the same \(Kind.command) command
                    """)
            }
            if let other = places[shard.number] {
                throw ResultsError(
                    .badData, file: store.path,
                    "shard \(shard.number) of \(shard.count), as is \(all[other].path); name one of the two")
            }
            guard manifest.end != nil, store.state.withLock({ Kind.isComplete($0) }) else {
                throw ResultsError(
                    .badData, file: store.path,
                    "shard \(shard.number) of \(shard.count) is not complete; run its command again with --resume")
            }
            places[shard.number] = place
        }
        guard var joined = manifests.first, let shard = joined.shard else {
            throw ResultsError(.notFound, file: "merge", "no shard is named; name the folders of all shards")
        }
        let missing = (1...shard.count).filter { places[$0] == nil }
        guard missing.isEmpty else {
            let names = missing.prefix(20).map { "\($0)" }.joined(separator: ", ")
            throw ResultsError(
                .notFound, file: all[0].path,
                """
                \(missing.count) of \(shard.count) shards are missing: \(names)\(missing.count > 20 ? " …" : ""); name \
                their folders too, or make them with --shard NUMBER/\(shard.count)
                """)
        }
        let order = places.sorted { $0.key < $1.key }.map(\.value)
        stores = order.map { all[$0] }
        joined = manifests[order[0]]
        joined.shard = nil
        joined.command = Self.whole(joined.command)
        joined.start = manifests.map(\.start).min() ?? joined.start
        joined.end = manifests.compactMap(\.end).max()
        // Each shard of a simulation reads all traces.
        let skipped = order.flatMap { manifests[$0].skipped ?? [] }
        let first = skipped.indices.filter { skipped.firstIndex(of: skipped[$0]) == $0 }
        joined.skipped = first.isEmpty ? nil : first.map { skipped[$0] }
        try Kind.join(stores, &joined, traces: shard.traces)
        manifest = joined
    }

    /// Adds the results of all shards to a store.
    ///
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError` or `badData`.
    public func join(into target: Store<Kind>, progress: () -> Void) throws {
        try Kind.join(stores, into: target, progress: progress)
    }

    /// Returns a fact that shows that two manifests come from different commands, or nil.
    private static func difference(_ one: Manifest<Kind.Facts>, _ other: Manifest<Kind.Facts>) -> String? {
        guard one.versions["cachereplay"] == other.versions["cachereplay"] else { return "versions of cachereplay" }
        guard one.inputs == other.inputs else { return "programs, plugins or bodies" }
        guard one.facts.costsChecksum == other.facts.costsChecksum else { return "costs" }
        let budgets = [one, other].map { $0.facts.budgets?.mapValues { $0.sorted() } }
        guard budgets[0] == budgets[1] else { return "budgets" }
        guard one.shard?.plan == other.shard?.plan, one.shard?.count == other.shard?.count else {
            return "traces, caches, settings or numbers of shards"
        }
        return nil
    }

    private static func whole(_ command: [String]) -> [String] {
        var whole: [String] = []
        var isValue = false
        for argument in command {
            defer { isValue = argument == "--shard" }
            if !isValue, argument != "--shard", !argument.hasPrefix("--shard=") { whole.append(argument) }
        }
        return whole
    }
}

extension ShardSet where Kind == ReplayRuns {
    /// Checks that all shards have one relevance threshold.
    ///
    /// It changes no figure, so that shards with different ones can be joined after a choice.
    /// - Throws: ``ResultsError`` of kind `badData` that names two shards.
    public func checkRelevanceThreshold() throws {
        func threshold(_ store: ReplayStore) -> Tolerance { store.manifest?.relevanceThreshold ?? .standard }
        guard let first = stores.first, let other = stores.first(where: { threshold($0) != threshold(first) }) else {
            return
        }
        throw ResultsError(
            .badData, file: other.path,
            """
            has the relevance threshold \(threshold(other)), and \(first.path) has \(threshold(first)); state the one \
            of the joined results with `merge --relevance-threshold`
            """)
    }
}
