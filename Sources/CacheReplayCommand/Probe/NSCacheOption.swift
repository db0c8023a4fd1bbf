import ArgumentParser
import Foundation
import ReplayEngine

/// The option `--nscache`: the model of Darwin's NSCache.
struct NSCacheOption: ParsableArguments {
    @Option(
        name: .customLong("nscache"),
        help: ArgumentHelp(
            """
            The model of caches that rest on Darwin's NSCache, in place of all plausible ones: lru, fifo, frequency, \
            corelibs, gnustep, platform (the class of this machine), or a file of `cachereplay probe nscache`.
            """,
            valueName: "model|file"), completion: .file(extensions: ["json"]))
    var model: String?

    private static let models = ["lru", "fifo", "frequency", "corelibs", "gnustep", "platform"]

    /// Returns the caches with the model.
    ///
    /// - Throws: ``CommandFailure`` if the model is unknown, if the file cannot be read or names no model, and if none
    ///   of the caches rests on Darwin's NSCache.
    func applied(to caches: [CacheConfiguration]) throws -> [CacheConfiguration] {
        guard let model else { return caches }
        let chosen = try choice(model)
        let changed = caches.map { $0.choosing(chosen) }
        guard changed.contains(where: { $0.chosenNSCache != nil }) else {
            throw CommandFailure(
                .usage,
                """
                --nscache \(model): none of the caches rests on Darwin's NSCache with a model that is open; \
                kingfisher-8 does. Write other caches as "nscache(…, model: \(chosen.model))".
                """)
        }
        return changed
    }

    private func choice(_ text: String) throws -> ChosenNSCache {
        if Self.models.contains(text) { return ChosenNSCache(model: text) }
        guard FileManager.default.fileExists(atPath: text) else {
            throw CommandFailure(
                text.contains("/") || text.contains(".") ? .noInput : .usage,
                """
                --nscache \(text): is neither a model (\(Self.models.joined(separator: ", "))) nor a file of \
                `cachereplay probe nscache`.
                """)
        }
        let record: ProbeRecord
        do { record = try ProbeRecord(contentsOf: text) } catch let failure as ProbeFailure {
            throw CommandFailure(.badData, "--nscache \(failure).")
        }
        guard let best = record.best else {
            throw CommandFailure(
                .badData,
                """
                --nscache \(text): the probe found no model (\(record.verdict)), so it cannot be used; name a model, \
                or use platform on the machine that was probed.
                """)
        }
        let source = "the probe of \(record.subject) on \(record.platform.name) \(record.platform.version)"
        switch best {
        case "gnustep-discardable": return ChosenNSCache(model: "gnustep", isDiscardable: true, source: source)
        case _ where Self.models.contains(best): return ChosenNSCache(model: best, source: source)
        default:
            throw CommandFailure(
                .badData,
                """
                --nscache \(text): the class that was probed follows \(best), which is not a model of NSCache; write a \
                cache with a policy of that kind instead.
                """)
        }
    }
}
