import ArgumentParser
import Basics
import ImageLibraries
import ReplayEngine

/// The option `--app`: a rule of the app, for all libraries whose presets only assume it.
struct AppRulesOption: ParsableArguments {
    @Option(
        name: .customLong("app"),
        help: ArgumentHelp(
            """
            A rule of the app, such as "cancelOnDisappear: false", for all libraries whose presets assume it; or own: \
            each preset keeps its own. By default libraries that differ in cancelOnDisappear have true. `list caches \
            NAME` says what a preset assumes.
            """,
            valueName: "rule"))
    var rule: String?

    /// Returns the caches with the rule. Says on standard error what was changed.
    ///
    /// - Throws: ``CommandFailure`` for a text that is no rule of the app with a value, and for a rule that no preset
    ///   assumes.
    func applied(to caches: [CacheConfiguration]) throws -> [CacheConfiguration] {
        let held: AppRules
        switch rule {
        case nil: held = AppRules(equalIn: caches)
        case "own": return caches
        case .some(let text):
            let choice: AppRules.Choice
            do { choice = try AppRules.Choice(text) } catch let error as RuleError {
                throw CommandFailure(.usage, "--app: \(error.message). Or write --app own.")
            }
            guard AppRules.isAssumed(choice, in: caches) else {
                throw CommandFailure(
                    .usage,
                    """
                    --app "\(text)" changes no cache: no preset of them assumes this rule. Write it behind a cache \
                    itself, as in --cache "lru(20MB); \(text)".
                    """)
            }
            held = AppRules(choice, in: caches)
        }
        if let sentences = held.sentences { printToStandardError(sentences) }
        return held.caches
    }
}

/// The option `--nscache`: the model of Darwin's NSCache.
struct NSCacheOption: ParsableArguments {
    @Option(
        name: .customLong("nscache"),
        help: ArgumentHelp(
            """
            The model of caches that rest on Darwin's NSCache, in place of all plausible ones: lru, fifo, frequency, \
            corelibs, gnustep, or platform (the class of this machine).
            """,
            valueName: "model"), completion: .list(Self.models))
    var model: String?

    private static let models = ["lru", "fifo", "frequency", "corelibs", "gnustep", "platform"]

    /// Returns the caches with the model.
    ///
    /// - Throws: ``CommandFailure`` if the model is unknown, and if none of the caches rests on Darwin's NSCache.
    func applied(to caches: [CacheConfiguration]) throws -> [CacheConfiguration] {
        guard let model else { return caches }
        guard Self.models.contains(model) else {
            let hint = nearestName(to: model, among: Self.models).map { " Did you mean '\($0)'?" } ?? ""
            let models = Self.models.joined(separator: ", ")
            throw CommandFailure(.usage, "--nscache \(model): is no model of NSCache.\(hint) The models: \(models).")
        }
        let changed = caches.map { $0.choosing(model) }
        guard changed.contains(where: { $0.chosenNSCache != nil }) else {
            throw CommandFailure(
                .usage,
                """
                --nscache \(model): none of the caches rests on Darwin's NSCache with a model that is open; \
                kingfisher-8 does. Write other caches as "nscache(…, model: \(model))".
                """)
        }
        return changed
    }
}
