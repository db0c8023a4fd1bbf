import Basics
import ReplayEngine
import ResultColumns
import Runs

/// A note in the appendix of a table: one line on what limits the meaning of figures.
public struct ResultNote: Sendable, Equatable {
    public var group: String
    public var text: String
}

/// The notes below a table of results: each once, grouped by subject.
enum ResultNotes {
    static func notes(_ results: [RunResult]) -> [ResultNote] {
        let results = namingNetworks(results)
        let notes = shared(results) + Caveats.notes(results)
        let groups = RunNote.Subject.allCases.map(\.rawValue) + [Caveats.group]
        return groups.flatMap { group in notes.filter { $0.group == group } }
    }

    /// Returns results whose traces are named with their networks where there are several.
    private static func namingNetworks(_ results: [RunResult]) -> [RunResult] {
        let several = results.tracesOverSeveralNetworks { ($0.identity.trace, $0.identity.network) }
        return results.map { result in
            guard several.contains(result.identity.trace) else { return result }
            var result = result
            result.identity.trace = RepeatedRun.place(result.identity.trace, result.identity.network)
            return result
        }
    }

    /// Returns sentences on where the sessions come from, unless people made them.
    static func sessionOrigins(_ results: [RunResult]) -> [String] {
        let traces = results.map(\.identity.trace).unique()
        let origins: [(note: RunNote, one: String, several: String)] = [
            (
                .sessionScripted, "The session comes from a scripted browser, not from a person.",
                "come from a scripted browser, not from people."
            ),
            (.sessionSynthetic, "The session is generated, not recorded.", "are generated, not recorded."),
        ]
        return origins.compactMap { origin in
            let concerned = results.filter { $0.notes.contains(origin.note) }.map(\.identity.trace).unique()
            guard !concerned.isEmpty else { return nil }
            if traces.count == 1 { return origin.one }
            if concerned.count == traces.count {
                return "\(NameList.all(traces.count, begins: true)) sessions \(origin.several)"
            }
            let isOne = concerned.count == 1
            let several =
                isOne
                ? origin.several.replacing("come ", with: "comes ").replacing("are ", with: "is ") : origin.several
            return "\(concerned.count) of \(traces.count) sessions \(several)"
        }
    }

    /// Returns a sentence on the traces that do not record when cells disappear, or none.
    static func stayingCells(_ results: [RunResult]) -> [String] {
        let texts = shared(
            results.map { result in
                var result = result
                result.notes = result.notes.filter { $0 == .cellsStay }
                return result
            })
        return texts.map(\.text)
    }

    /// Returns the notes of the runs, one line for those that differ in figures only. A note that does not concern all
    /// runs starts with the names of the runs that it concerns.
    static func shared(_ results: [RunResult]) -> [ResultNote] {
        var kinds: [(notes: [RunNote], runs: [RunIdentity])] = []
        for result in results {
            for note in result.notes {
                let place = kinds.firstIndex { $0.notes[0].isLike(note) }
                if let place {
                    kinds[place].notes.append(note)
                    if kinds[place].runs.last != result.identity { kinds[place].runs.append(result.identity) }
                } else {
                    kinds.append(([note], [result.identity]))
                }
            }
        }
        let all = results.map(\.identity)
        return kinds.map { notes, runs in
            let text = RunNote.text(ofLike: notes)
            return ResultNote(
                group: notes[0].subject.rawValue,
                text: runs.count == all.count ? text : "\(names(of: runs, among: all)): \(text)")
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
    static let group = "nscache"

    static func notes(_ results: [RunResult]) -> [ResultNote] {
        let delivery = RunNote.Subject.delivery.rawValue
        return (unboundModels(results) + modelSpreads(results)).map { ResultNote(group: group, text: $0) }
            + (wrongPictures(results) + staleHits(results)).map { ResultNote(group: delivery, text: $0) }
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

    /// Returns one note for all rows whose NSCache evicted: how far the plausible models are apart at most.
    private static func modelSpreads(_ results: [RunResult]) -> [String] {
        let modelled = results.filter { $0.nsCacheModel != nil && $0.tiers.memoryEvictions > 0 }
        let places = modelled.map { Place(trace: $0.identity.trace, cache: baseName($0)) }.unique()
        let spreads = places.map { place in
            let shares = modelled.filter { Place(trace: $0.identity.trace, cache: baseName($0)) == place }
                .map { Double($0.counts.memoryHits) / Double(max(1, $0.counts.requests)) }
            return (place: place, least: shares.min() ?? 0, most: shares.max() ?? 0)
        }
        guard let widest = spreads.max(by: { $0.most - $0.least < $1.most - $1.least }) else { return [] }
        let models = modelled.compactMap(\.nsCacheModel?.rawValue).unique().joined(separator: ", ")
        let traces = places.map(\.trace).unique()
        let isOne = Set(results.map(\.identity.trace)).count == 1
        let place = isOne ? "" : " on \(names(traces))"
        let spread = "\(HumanText.share(widest.least)) to \(HumanText.share(widest.most)) of the requests hit memory"
        let example =
            spreads.count == 1
            ? "with the plausible models \(models), \(spread)"
            : """
            the plausible models \(models) differ most for \(widest.place.cache)\
            \(isOne ? "" : " on \(widest.place.trace)"): \(spread)
            """
        return [
            """
            \(names(places.map(\.cache).unique()))\(place): the memory is Darwin's NSCache, and a limit of it was \
            reached. Apple documents neither its eviction order nor how strict its limits are: \(example).
            """
        ]
    }

    private static func names(_ names: [String]) -> String { NameList.text(names) }

    private static func wrongPictures(_ results: [RunResult]) -> [String] {
        line(results, \.counts.wrong) { count in
            "\(count) requests got the picture of another key. They are no hits, and their cells count as blank."
        }
    }

    private static func staleHits(_ results: [RunResult]) -> [String] {
        line(results, \.counts.staleHits) { "\($0) requests were shown an image past its lifetime." }
    }

    private struct Place: Hashable {
        var trace: String
        var cache: String
    }

    /// Returns one line for all traces and caches with such requests, or none. `sentence` takes a number of requests.
    private static func line(
        _ results: [RunResult], _ count: KeyPath<RunResult, Int>, _ sentence: (String) -> String
    ) -> [String] {
        let places = most(results, count)
        guard let largest = places.max(by: { $0.1 < $1.1 }) else { return [] }
        let number = HumanText.count(Double(largest.1))
        let isOne = Set(results.map(\.identity.trace)).count == 1
        let caches = NameList.text(places.map(\.0.cache).unique())
        let place = isOne ? "" : " on \(NameList.text(places.map(\.0.trace).unique()))"
        return ["\(caches)\(place): \(sentence(places.count == 1 ? number : "up to \(number)"))"]
    }

    /// Returns the largest count of the repeats of each trace and cache, without counts of 0.
    private static func most(_ results: [RunResult], _ count: KeyPath<RunResult, Int>) -> [(Place, Int)] {
        var most: [Place: Int] = [:]
        var places: [Place] = []
        for result in results {
            let place = Place(trace: result.identity.trace, cache: result.identity.cache)
            let earlier = most[place]
            if earlier == nil { places.append(place) }
            most[place] = max(earlier ?? 0, result[keyPath: count])
        }
        return places.compactMap { place in most[place].flatMap { $0 > 0 ? (place, $0) : nil } }
    }

    /// Returns the cache's name without the name of the model that follows it.
    private static func baseName(_ result: RunResult) -> String {
        let suffix = " [\(result.nsCacheModel?.rawValue ?? "")]"
        return result.identity.cache.hasSuffix(suffix)
            ? String(result.identity.cache.dropLast(suffix.count)) : result.identity.cache
    }
}
