import Basics
import ReplayEngine

extension CachePreset {
    /// Whether the preset's own code, or its documentation, decides a rule of the app. Then the value is a fact of the
    /// library. Otherwise the preset assumes it.
    ///
    /// The fact `cancelling` decides cancelOnDisappear, and `prefetch distance` decides prefetch.
    public func decides(_ rule: Rule) -> Bool {
        let subjects = ["cancelOnDisappear": "cancelling", "prefetch": "prefetch distance"]
        guard let subject = subjects[rule.name] else { return false }
        return facts.contains { fact in
            guard fact.parameter == subject else { return false }
            return switch fact.certainty {
            case .executed, .exact, .documented: true
            case .believed, .assumed: false
            }
        }
    }
}

/// The rules that all presets of a comparison have in common because it is the app that decides them, so that libraries
/// are compared, and not assumptions about apps.
public struct AppRules: Sendable {
    public struct Choice: Sendable {
        public let rule: Rule
        public let value: String

        /// The rule and its value: `cancelOnDisappear: true`.
        public var text: String { "\(rule.name): \(value)" }

        /// Reads `cancelOnDisappear: true`.
        ///
        /// - Throws: `RuleError` if the text has another form, if the app has no such rule, or if the rule does not
        ///   accept the value.
        public init(_ text: String) throws {
            let parts = SpecificationPart.parts(of: text)
            guard parts.count == 1, let rule = Rule.named(parts[0].key), rule.isOfApp else {
                let names = Rule.all.filter(\.isOfApp).map(\.name).joined(separator: ", ")
                throw RuleError(
                    rule: text, message: "'\(text)' is no rule of the app with a value; write RULE: VALUE, of \(names)")
            }
            var scratch = CacheConfiguration(name: "", memory: .none)
            try rule.set(parts[0].value, in: &scratch)
            (self.rule, value) = (rule, rule.text(in: scratch))
        }

        fileprivate init(_ rule: Rule, _ value: String) { (self.rule, self.value) = (rule, value) }
    }

    /// The caches, with the value of each rule in the presets that assume one.
    public private(set) var caches: [CacheConfiguration]
    /// The change, in a sentence; nil if nothing was changed.
    public private(set) var change: String?
    /// The rule that was held equal; nil if nothing was.
    private var rule: Rule?

    /// The change, and how an option changes it otherwise, in sentences; nil if nothing was changed.
    public var sentences: String? {
        guard let change, let rule else { return nil }
        return """
            \(change) --app "\(rule.name): VALUE" sets another value, and --app own leaves each preset its own.
            """
    }

    /// Holds libraries equal whose presets differ in a rule of the app.
    ///
    /// A cell that disappears cancels its request, as the documentation of most libraries recommends. This value is for
    /// the libraries that assume one; those whose code decides it keep theirs. So does a preset with a value after its
    /// name, also if it is the preset's own; a design that is written by hand, whose cells are a part of it; and a
    /// cache without a preset.
    public init(equalIn caches: [CacheConfiguration]) {
        self.init(caches)
        if let choice = Self.choice(equalIn: caches) { hold(choice) }
    }

    /// Returns the value that ``init(equalIn:)`` gives libraries; nil if the caches do not differ in a rule of the app.
    public static func choice(equalIn caches: [CacheConfiguration]) -> Choice? {
        guard let rule = Rule.named("cancelOnDisappear") else { return nil }
        let values = Set(caches.filter { hasOwnValue($0, rule) }.map { rule.text(in: $0) })
        return values.count > 1 ? Choice(rule, "true") : nil
    }

    /// Gives all libraries whose presets assume the rule the chosen value.
    public init(_ choice: Choice, in caches: [CacheConfiguration]) {
        self.init(caches)
        hold(choice)
    }

    /// Returns whether the preset of one of the caches assumes the rule, so that a choice has an effect.
    public static func isAssumed(_ choice: Choice, in caches: [CacheConfiguration]) -> Bool {
        caches.contains { assumes($0, choice.rule) }
    }

    private init(_ caches: [CacheConfiguration]) { self.caches = caches }

    private mutating func hold(_ choice: Choice) {
        var changed: [String] = []
        for place in caches.indices where Self.assumes(caches[place], choice.rule) {
            guard choice.rule.text(in: caches[place]) != choice.value else { continue }
            // The value was accepted before.
            try? choice.rule.set(choice.value, in: &caches[place])
            changed.append(caches[place].name)
        }
        guard !changed.isEmpty else { return }
        rule = choice.rule
        change = """
            \(choice.rule.name): \(choice.value) for all libraries whose presets assume it, here for \
            \(changed.unique().joined(separator: ", ")): it is a rule of the app, so libraries are held equal.
            """
    }

    /// Whether the value comes from a library's preset, and is not written after its name.
    private static func hasOwnValue(_ cache: CacheConfiguration, _ rule: Rule) -> Bool {
        guard let preset = preset(of: cache), preset.family != .handWritten, !cache.states(rule),
            let own = try? CacheConfiguration(preset)
        else { return false }
        return rule.text(in: cache) == rule.text(in: own)
    }

    private static func assumes(_ cache: CacheConfiguration, _ rule: Rule) -> Bool {
        hasOwnValue(cache, rule) && preset(of: cache)?.decides(rule) == false
    }

    private static func preset(of cache: CacheConfiguration) -> CachePreset? {
        cache.preset.flatMap { try? CachePreset.named($0) }
    }
}
