import ReplayEngine

/// What must be said below a table, so that no figure in it is taken for more than it is: rows that rest on a model
/// that is only believed, and hits that delivered the wrong thing.
enum Doubts {
    static func notes(_ results: [RunResult]) -> [String] {
        unboundModels(results) + spreads(results) + wrongHits(results) + staleHits(results)
    }

    /// Caches whose NSCache never evicted: for them nothing depends on what is not known.
    private static func unboundModels(_ results: [RunResult]) -> [String] {
        let modelled = results.filter { $0.nsCacheModel != nil }
        let bound = Set(modelled.filter { $0.tiers.memoryEvictions > 0 }.map(\.identity.cache))
        let names = unique(modelled.map(\.identity.cache)).filter { !bound.contains($0) }
        guard !names.isEmpty else { return [] }
        return [
            """
            \(names.joined(separator: ", ")): the memory is Darwin's NSCache, whose order of eviction is not \
            published. No limit of it has bound here, so \
            nothing in these rows depends on it.
            """
        ]
    }

    /// Caches whose NSCache evicted, by trace: how far apart its plausible models are.
    private static func spreads(_ results: [RunResult]) -> [String] {
        let modelled = results.filter { $0.nsCacheModel != nil && $0.tiers.memoryEvictions > 0 }
        let places = unique(modelled.map { Place(trace: $0.identity.trace, cache: baseName($0)) })
        return places.map { place in
            let rows = modelled.filter { Place(trace: $0.identity.trace, cache: baseName($0)) == place }
            let shares = rows.map { Double($0.counts.memoryHits) / Double(max(1, $0.counts.requests)) }
            let models = unique(rows.compactMap(\.nsCacheModel?.rawValue)).joined(separator: ", ")
            return """
                \(place.cache) on \(place.trace): the memory is Darwin's NSCache, and its limit has bound. Apple \
                documents neither its order of eviction nor \
                how strict its limits are. With the plausible models \(models), \(HumanText.share(shares.min() ?? 0)) \
                to \
                \(HumanText.share(shares.max() ?? 0)) of the requests hit memory: that is what is known.
                """
        }
    }

    private static func wrongHits(_ results: [RunResult]) -> [String] {
        sums(results, \.counts.wrongHits).map { place, count in
            """
            \(place.cache) on \(place.trace): \(HumanText.count(Double(count))) requests were shown another key's \
            image. Those count as hits, and are none.
            """
        }
    }

    private static func staleHits(_ results: [RunResult]) -> [String] {
        sums(results, \.counts.staleHits).map { place, count in
            """
            \(place.cache) on \(place.trace): \(HumanText.count(Double(count))) requests were shown an image past its \
            lifetime.
            """
        }
    }

    private struct Place: Hashable {
        var trace: String
        var cache: String
    }

    /// The most of any repeat, where it is not 0.
    private static func sums(_ results: [RunResult], _ count: KeyPath<RunResult, Int>) -> [(Place, Int)] {
        unique(results.map { Place(trace: $0.identity.trace, cache: $0.identity.cache) }).compactMap { place in
            let most =
                results.filter { $0.identity.trace == place.trace && $0.identity.cache == place.cache }.map {
                    $0[keyPath: count]
                }.max() ?? 0
            return most > 0 ? (place, most) : nil
        }
    }

    /// The cache's name without the model behind it.
    private static func baseName(_ result: RunResult) -> String {
        let suffix = " [\(result.nsCacheModel?.rawValue ?? "")]"
        return result.identity.cache.hasSuffix(suffix)
            ? String(result.identity.cache.dropLast(suffix.count)) : result.identity.cache
    }

    private static func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
        var seen: Set<Value> = []
        return values.filter { seen.insert($0).inserted }
    }
}
