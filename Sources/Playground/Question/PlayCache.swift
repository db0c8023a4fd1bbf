import Basics
import CachePolicies
import ImageLibraries
import ReplayEngine

/// A cache of a question, as `replay` replays it.
struct PlayCache: Sendable {
    /// The text that --cache takes.
    let option: String
    /// The cache of ``option``, with the rule of the app that it is held to.
    private(set) var configuration: CacheConfiguration
    let network: PlayOptions.Network
    /// The rule of the app that all libraries of the question have, if it changes this one; see ``holding(_:)``.
    private(set) var held: AppRules.Choice?

    /// The specification without a name.
    var specification: String { CacheOption(option).specification }

    /// Derives the cache of a question.
    ///
    /// The cache is read from a text, which the command of the page has too, so that both replay the same cache.
    /// - Parameters:
    ///   - place: Its place in the question, for errors.
    ///   - options: The networks, the policies and the programs that a question may name.
    /// - Throws: ``PlayFailure`` with the place, and the column of a mistake in the base.
    init(_ cache: PlayQuestion.Cache, at place: Int, _ options: PlayOptions) throws {
        guard let network = options.networks.first(where: { $0.name == cache.network }) else {
            let known = options.networks.map(\.name).joined(separator: ", ")
            throw PlayFailure(
                .badQuestion,
                "There is no network '\(VisibleText.line(cache.network))'; choose one of \(known).", cache: place)
        }
        self.network = network
        let base = try Self.base(cache.base, at: place, options)
        do {
            option =
                cache.rules.isEmpty
                ? cache.base : try Self.text(cache.base, base, cache.rules, options.registry)
            configuration =
                cache.rules.isEmpty ? base : try CacheOption(option).configuration(registry: options.registry)
        } catch let failure as PlayFailure {
            throw PlayFailure(.badQuestion, failure.description, cache: place)
        } catch {
            throw PlayFailure(.badQuestion, Self.sentence(error), cache: place)
        }
    }

    /// Returns the cache with the value of a rule of the app, if its preset assumes another one.
    ///
    /// The text of the cache stays, because `replay` has the same value for the same text.
    func holding(_ choice: AppRules.Choice?) -> PlayCache {
        guard let choice else { return self }
        let rules = AppRules(choice, in: [configuration])
        guard rules.change != nil, let first = rules.caches.first else { return self }
        var cache = self
        (cache.configuration, cache.held) = (first, choice)
        return cache
    }

    /// The specification with the rule that the cache is held to, for a replay of this cache alone.
    var standingSpecification: String {
        guard let held else { return specification }
        var parts = CacheParts(specification, hasPreset: configuration.preset != nil)
        parts.set(held.rule.name, to: held.value)
        return parts.text
    }

    /// Returns the message of a mistake, on one line that ends as a sentence.
    static func sentence(_ error: any Error) -> String {
        let text: String
        switch error {
        case let error as SpecError: text = VisibleText.line(error.message)
        case let error as RuleError: text = VisibleText.line(error.message)
        default: text = VisibleText.line("\(error)")
        }
        return text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
    }

    /// Reads the text that the cache begins with.
    private static func base(_ text: String, at place: Int, _ options: PlayOptions) throws -> CacheConfiguration {
        let option = CacheOption(text)
        guard option.name?.isEmpty != true else {
            throw PlayFailure(
                .badQuestion, "The name before '=' is empty; write NAME=SPECIFICATION, or leave '=' out.", cache: place,
                column: 1)
        }
        let cache: CacheConfiguration
        do { cache = try option.configuration(registry: options.registry) } catch let error as SpecError {
            let column = error.text == option.specification ? max(0, error.column + option.offset) + 1 : 1
            throw PlayFailure(.badQuestion, sentence(error), cache: place, column: column)
        }
        guard cache.own == nil || options.caches.contains(text) || options.offered.contains(text) else {
            // A page may not start programs that the user of the command has not named.
            throw PlayFailure(
                .badQuestion,
                """
                The page starts no programs but those that the command names; start it again with cachereplay play \
                --cache own=PATH.
                """, cache: place, column: 1)
        }
        guard cache.own == nil || options.parts != nil else {
            throw PlayFailure(
                .badQuestion,
                "No program is replayed with --expose; leave out --expose, or choose a preset or a specification.",
                cache: place, column: 1)
        }
        return cache
    }

    // MARK: Rules

    /// Whether the value of a rule replaces a part of the text as it is: a fact of a device, or a policy in full.
    private static func isText(_ rule: String, _ value: String) -> Bool {
        if DeviceFact.all.contains(where: { $0.name == rule }) { return true }
        guard rule == "memory" || rule == "disk" else { return false }
        return value != SweptValue.unlimited && (try? Size(value)) == nil
    }

    /// Returns the text of a cache with other values of rules.
    ///
    /// - Throws: ``PlayFailure``, `SpecError` or `RuleError` for a rule that does not exist, or a value that it or the
    ///   cache refuses.
    private static func text(
        _ base: String, _ own: CacheConfiguration, _ rules: [String: String], _ registry: PolicyRegistry
    ) throws -> String {
        let option = CacheOption(base)
        var parts = CacheParts(option.specification, hasPreset: own.preset != nil)
        let names = PlayControls.ordered(Array(rules.keys))
        var changed: [String] = []
        var swept: [SweptValue] = []
        for name in names {
            guard let value = rules[name] else { continue }
            guard !value.isEmpty, !value.contains(where: { ";=".contains($0) || $0.isNewline }) else {
                throw PlayFailure(
                    .badQuestion, "\(name) is '\(VisibleText.line(value))'; expected is one value, such as 48MB.")
            }
            if own.own != nil, name == "memory" || name == "policy" || name == "own" {
                throw PlayFailure(.badQuestion, "The program is the memory of the cache; leave \(name) as it is.")
            }
            guard name != "own" else {
                throw PlayFailure(.badQuestion, "A program is no rule; choose it as the base of the cache.")
            }
            changed.append("\(name): \(value)")
            if isText(name, value) {
                // Some policies begin with a digit too: 2q.
                if let tier = ["memory", "disk"].first(where: { $0 == name }), value.first?.isNumber == true,
                    registry.entry(written: String(value.prefix { $0 != "(" })) == nil
                {
                    throw PlayFailure(
                        .badQuestion,
                        "\(tier) is a size such as 48MB, unlimited, or a policy, not '\(VisibleText.line(value))'.")
                }
                parts.set(name, to: value)
            } else {
                swept.append(SweptValue(parameter: name, value: value))
            }
        }
        let written = try parsed(parts, registry)
        let target = try written.sweeping(swept, registry: registry)
        let limits = swept.filter { $0.value != SweptValue.unlimited && own.preset != nil }
        for value in limits where value.parameter == "memory" || value.parameter == "disk" {
            // The preset's own policy with another limit, unless the text has another policy.
            let earlier = parts.value(of: value.parameter)
            if earlier.map({ (try? Size($0)) != nil }) ?? true { parts.set(value.parameter, to: value.value) }
        }
        for value in swept {
            if let rule = Rule.named(value.parameter) { parts.set(rule.name, to: rule.text(in: target)) }
        }
        try complete(&parts, target, registry)
        guard let name = option.name else { return parts.text }
        // A program's name is its text; another name tells the caches apart, and has no '='.
        return own.own != nil ? parts.text : "\(name); \(changed.joined(separator: "; "))=\(parts.text)"
    }

    private static func parsed(_ parts: CacheParts, _ registry: PolicyRegistry) throws -> CacheConfiguration {
        try CacheConfiguration(specification: parts.text, registry: registry)
    }

    /// Completes the text of a cache.
    private static func complete(
        _ parts: inout CacheParts, _ target: CacheConfiguration, _ registry: PolicyRegistry
    ) throws {
        // The text may be incomplete until the policies are written.
        var result = try? parsed(parts, registry)
        if target.own == nil, result?.memory != target.memory {
            parts.set("memory", to: target.memory.description)
            result = try? parsed(parts, registry)
        }
        if result == nil || result?.disk != target.disk {
            let disk = target.disk ?? PolicySpec.none
            parts.set("disk", to: disk.description)
        }
        let complete = try parsed(parts, registry)
        for rule in Rule.all where rule.text(in: complete) != rule.text(in: target) {
            parts.set(rule.name, to: rule.text(in: target))
        }
    }
}

/// The parts of a specification, which can be replaced one by one.
struct CacheParts {
    private struct Part {
        var key: String
        var value: String
        /// Whether the part is written without its key: a preset, or a policy of memory.
        var isBare: Bool
    }

    private var parts: [Part]
    /// Whether the first part is the name of a preset.
    private let hasPreset: Bool

    init(_ specification: String, hasPreset: Bool) {
        parts = SpecificationPart.parts(of: specification).map { part in
            Part(key: part.key, value: part.value, isBare: part.column == part.valueColumn)
        }
        self.hasPreset = hasPreset
    }

    /// The specification.
    var text: String {
        parts.map { part in part.isBare ? part.value : "\(part.key): \(part.value)" }.joined(separator: "; ")
    }

    /// Returns the value of a part; nil if the specification has none. The name of a preset is no part.
    func value(of key: String) -> String? { place(of: key).map { parts[$0].value } }

    /// Replaces a part, or adds it at the end.
    mutating func set(_ key: String, to value: String) {
        if let place = place(of: key) {
            parts[place].value = value
        } else {
            parts.append(Part(key: key, value: value, isBare: false))
        }
    }

    private func place(of key: String) -> Int? {
        parts.indices.first { place in parts[place].key == key && !(hasPreset && place == 0) }
    }
}
