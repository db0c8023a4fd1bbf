import Basics
import CachePolicies
import ImageLibraries
import ReplayEngine
import Runs

/// One cache of a report, with the known facts about it.
struct ReportCache {
    var name: String
    /// The names of the same cache with other models of Darwin's NSCache, and with swept values.
    var variants: [String] = []
    /// Whether the variants come from a sweep.
    var isSwept = false
    /// The canonical text by the name of the trace, in the order of the results.
    var specifications: [(trace: String, text: String)] = []
    var preset: CachePreset?

    /// Returns the caches of results in the order in which they first occur.
    static func all(_ runs: [RunResult], _ manifest: Manifest<ReplayFacts>?) -> [ReportCache] {
        var caches: [ReportCache] = []
        var places: [String: Int] = [:]
        for run in runs {
            let name = baseName(run)
            let index = places[name, default: caches.count]
            if index == caches.count {
                places[name] = index
                let preset = manifest?.caches.first { $0.name == name || $0.name == run.identity.cache }?.preset
                caches.append(
                    ReportCache(name: name, preset: CachePreset.all.first { $0.name == preset }))
            }
            if run.identity.cache != name, !caches[index].variants.contains(run.identity.cache) {
                caches[index].variants.append(run.identity.cache)
            }
            if run.identity.base != nil { caches[index].isSwept = true }
            // The variants differ in a word or a value.
            guard run.identity.cache == name || caches[index].specifications.isEmpty else { continue }
            if !caches[index].specifications.contains(where: { $0.trace == run.identity.trace }) {
                caches[index].specifications.append((run.identity.trace, run.identity.specification))
            }
        }
        return caches
    }

    /// Returns the name without swept values, and without the name of the model of NSCache.
    private static func baseName(_ run: RunResult) -> String {
        if let base = run.identity.base { return base }
        guard let model = run.nsCacheModel, model != .lru else { return run.identity.cache }
        return run.identity.cache.dropping(ending: " [\(model.rawValue)]") ?? run.identity.cache
    }

    /// The canonical texts, each once, with the traces that have it; no traces if all have the same one.
    var texts: [(traces: [String], text: String)] {
        let texts = specifications.map(\.text).unique()
        guard texts.count > 1 else { return texts.map { ([], $0) } }
        return texts.map { text in (specifications.filter { $0.text == text }.map(\.trace), text) }
    }

    /// A description of the cache in a sentence: the summary of its preset, or its difference from the preset. Empty
    /// for a cache without a preset.
    var summary: String {
        guard let preset else { return "" }
        let changes = changes(from: preset)
        guard !changes.isEmpty else { return preset.summary }
        return "\(preset.name) with another \(changes.joined(separator: ", "))"
    }

    /// Returns the differences from a preset on the device that presets assume: tiers and rules, by their names.
    private func changes(from preset: CachePreset) -> [String] {
        let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1))
        guard let cache = configuration,
            let text = try? CacheConfiguration(preset).canonical(for: context),
            let whole = try? CacheConfiguration(text)
        else { return [] }
        var changes = cache.memory.description == whole.memory.description ? [] : ["memory"]
        if cache.disk?.description != whole.disk?.description { changes.append("disk") }
        return changes + Rule.all.filter { $0.text(in: cache) != $0.text(in: whole) }.map(\.name)
    }

    /// The cache of the first trace; nil if it names a policy of a plugin.
    var configuration: CacheConfiguration? { specifications.first.flatMap { try? CacheConfiguration($0.text) } }
}
