import CachePolicies
import CacheReports
import ReplayEngine

/// One difference between two caches of a question.
enum PlayChange: Sendable, Equatable {
    /// The text that the cache begins with.
    case base(String)
    /// A rule; nil for the value of the base.
    case rule(String, String?)
    /// The value of --network.
    case network(String)

    /// Returns the differences between two caches: the base, the rules in the order of the controls, the network.
    static func changes(from one: PlayQuestion.Cache, to other: PlayQuestion.Cache) -> [PlayChange] {
        var changes: [PlayChange] = []
        if one.base != other.base { changes.append(.base(other.base)) }
        let rules = Set(one.rules.keys).union(other.rules.keys)
        for rule in PlayControls.ordered(Array(rules)) where one.rules[rule] != other.rules[rule] {
            changes.append(.rule(rule, other.rules[rule]))
        }
        if one.network != other.network { changes.append(.network(other.network)) }
        return changes
    }

    func applied(to cache: PlayQuestion.Cache) -> PlayQuestion.Cache {
        var changed = cache
        switch self {
        case .base(let text): changed.base = text
        case .rule(let rule, let value): changed.rules[rule] = value
        case .network(let name): changed.network = name
        }
        return changed
    }

    /// Returns the change in a few words: `memory: 64MB → 48MB`.
    ///
    /// - Parameters:
    ///   - one: The cache without the change.
    ///   - other: The cache with the change.
    func label(from one: PlayCache, to other: PlayCache, registry: PolicyRegistry) -> String {
        func value(_ rule: String, _ cache: PlayCache) -> String {
            PlayControls.value(rule, in: cache.configuration, cache.specification, registry: registry) ?? "its own"
        }
        switch self {
        case .base: return "\(NameList.name(one.option)) → \(NameList.name(other.option))"
        case .rule(let rule, _): return "\(rule): \(value(rule, one)) → \(value(rule, other))"
        case .network: return "network: \(one.network.label) → \(other.network.label)"
        }
    }

    /// Returns the words that follow "With", or "Over" for a network, in a sentence about the only change; for example
    /// `two rows prefetched` of the list of levers.
    func words(from one: PlayCache, to other: PlayCache, levers: [Lever], registry: PolicyRegistry) -> String {
        switch self {
        case .base:
            let (before, after) = (one.configuration.name, other.configuration.name)
            return "With \(NameList.name(after)) in place of \(NameList.name(before))"
        case .network: return "Over \(other.network.label) instead of \(one.network.label)"
        case .rule(let rule, _):
            let value = PlayControls.value(rule, in: other.configuration, other.specification, registry: registry)
            let lever = levers.first { $0.setting.parameter == rule && $0.setting.value == value }
            return "With \(lever?.title ?? "\(rule): \(value ?? "its own")")"
        }
    }
}
