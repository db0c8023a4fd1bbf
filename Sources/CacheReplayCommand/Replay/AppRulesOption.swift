import ArgumentParser
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
