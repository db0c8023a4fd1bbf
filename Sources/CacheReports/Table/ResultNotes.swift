import ReplayEngine

/// The notes below a table of results, each once.
enum ResultNotes {
    static func notes(_ results: [RunResult]) -> [String] { shared(results) + Caveats.notes(results) }

    /// Returns the notes of the runs in the order in which they first occur. A note that does not concern all runs
    /// starts with the names of the runs that it concerns.
    static func shared(_ results: [RunResult]) -> [String] {
        var order: [RunNote] = []
        var concerned: [RunNote: [RunIdentity]] = [:]
        for result in results {
            for note in result.notes {
                if concerned[note] == nil { order.append(note) }
                if concerned[note]?.last != result.identity { concerned[note, default: []].append(result.identity) }
            }
        }
        let all = results.map(\.identity)
        return order.map { note in
            let runs = concerned[note] ?? []
            return runs.count == all.count ? note.text : "\(names(of: runs, among: all)): \(note.text)"
        }
    }

    /// Returns the names of runs: of a whole trace its name, otherwise the first three caches.
    private static func names(of runs: [RunIdentity], among all: [RunIdentity]) -> String {
        let traces = all.map(\.trace).unique()
        let names = traces.flatMap { trace -> [String] in
            let caches = runs.filter { $0.trace == trace }.map(\.cache).unique()
            let isWhole =
                traces.count > 1 && caches.count == all.filter { $0.trace == trace }.map(\.cache).unique().count
            if isWhole { return [trace] }
            return caches.map { traces.count > 1 ? "\($0) on \(trace)" : $0 }
        }
        let shown = names.prefix(3).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }
}

/// The notes that limit what the figures mean: rows that depend on a model of an unpublished algorithm, and hits that
/// delivered a wrong or stale image.
enum Caveats {
    static func notes(_ results: [RunResult]) -> [String] {
        unboundModels(results) + modelSpreads(results) + wrongPictures(results) + staleHits(results)
    }

    /// Returns a note for the caches whose NSCache never evicted: no figure depends on the model.
    private static func unboundModels(_ results: [RunResult]) -> [String] {
        let modelled = results.filter { $0.nsCacheModel != nil }
        let bound = Set(modelled.filter { $0.tiers.memoryEvictions > 0 }.map(\.identity.cache))
        let names = modelled.map(\.identity.cache).unique().filter { !bound.contains($0) }
        guard !names.isEmpty else { return [] }
        return [
            """
            \(names.joined(separator: ", ")): the memory is Darwin's NSCache, whose eviction order is not published. \
            None of its limits was reached, so nothing in these rows depends on that order.
            """
        ]
    }

    /// Returns, for each trace and cache whose NSCache evicted, how far the plausible models are apart.
    private static func modelSpreads(_ results: [RunResult]) -> [String] {
        let modelled = results.filter { $0.nsCacheModel != nil && $0.tiers.memoryEvictions > 0 }
        let places = modelled.map { Place(trace: $0.identity.trace, cache: baseName($0)) }.unique()
        return places.map { place in
            let rows = modelled.filter { Place(trace: $0.identity.trace, cache: baseName($0)) == place }
            let shares = rows.map { Double($0.counts.memoryHits) / Double(max(1, $0.counts.requests)) }
            let models = rows.compactMap(\.nsCacheModel?.rawValue).unique().joined(separator: ", ")
            return """
                \(place.cache) on \(place.trace): the memory is Darwin's NSCache, and a limit of it was reached. Apple \
                documents neither its eviction order nor how strict its limits are. With the plausible models \
                \(models), \(HumanText.share(shares.min() ?? 0)) to \(HumanText.share(shares.max() ?? 0)) of the \
                requests hit memory. The real figure is not known more precisely.
                """
        }
    }

    private static func wrongPictures(_ results: [RunResult]) -> [String] {
        most(results, \.counts.wrong).map { place, count in
            """
            \(place.cache) on \(place.trace): \(HumanText.count(Double(count))) requests got the picture of another \
            key. They are no hits, and their cells count as blank.
            """
        }
    }

    private static func staleHits(_ results: [RunResult]) -> [String] {
        most(results, \.counts.staleHits).map { place, count in
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

    /// Returns the largest count of the repeats of each trace and cache, without those of 0.
    private static func most(_ results: [RunResult], _ count: KeyPath<RunResult, Int>) -> [(Place, Int)] {
        results.map { Place(trace: $0.identity.trace, cache: $0.identity.cache) }.unique().compactMap { place in
            let counts = results.filter { $0.identity.trace == place.trace && $0.identity.cache == place.cache }
            let most = counts.map { $0[keyPath: count] }.max() ?? 0
            return most > 0 ? (place, most) : nil
        }
    }

    /// Returns the cache's name without the name of the model that follows it.
    private static func baseName(_ result: RunResult) -> String {
        let suffix = " [\(result.nsCacheModel?.rawValue ?? "")]"
        return result.identity.cache.hasSuffix(suffix)
            ? String(result.identity.cache.dropLast(suffix.count)) : result.identity.cache
    }
}

extension Sequence where Element: Hashable {
    /// Returns the elements without repetition, in the order in which they first occur.
    func unique() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
