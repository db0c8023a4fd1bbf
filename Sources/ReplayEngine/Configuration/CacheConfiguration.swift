import Basics
import CachePolicies
import HTTPCaching

/// A cache under test: the policies of its tiers, and its rules.
///
/// A specification is parsed once, into this value. The value is stored in results, sent to the process of a run,
/// compared, and printed in full by ``canonical(for:)-(CacheContext)``.
public struct CacheConfiguration: Codable, Sendable, Equatable {
    /// The name in results. Without another name, it is the specification as written.
    public var name: String
    public var memory: PolicySpec
    /// The command of a program that is the memory of the cache, in place of ``memory``; nil for a cache of this
    /// package. <doc:OwnCaches> describes the protocol.
    public var own: String?
    /// nil: the cache has no disk tier.
    public var disk: PolicySpec?
    public var memoryRules = MemoryRules()
    public var diskRules = DiskRules()
    public var pipeline = PipelineRules()
    /// The name of the preset that the cache is derived from.
    public private(set) var preset: String?
    /// The physical memory in bytes of the device that the preset assumes; nil without a preset.
    package private(set) var deviceMemory: Int?
    /// The values that a sweep has set, in order; see `sweeping(_:registry:)`.
    public internal(set) var swept: [SweptValue] = []
    /// The name without the swept values; nil for a cache without swept values.
    var baseName: String?
    /// The preset's memory is Darwin's NSCache.
    private(set) var presetRestsOnDarwinNSCache = false

    /// The model that the user chose for Darwin's NSCache; nil for the plausible ones, and without that class.
    public internal(set) var chosenNSCache: String?

    /// The rules that were set by name after the preset; see ``states(_:)``.
    private var stated = StatedRules()

    /// The stored members. The stated rules are no part of a cache.
    private enum CodingKeys: CodingKey {
        case name, memory, own, disk, memoryRules, diskRules, pipeline, preset, deviceMemory, swept, baseName
        case presetRestsOnDarwinNSCache, chosenNSCache
    }

    /// Whether the value of a rule was stated for this cache, also if the preset has the same one. A cache that was
    /// stored and read again does not know it.
    package func states(_ rule: Rule) -> Bool { stated.names.contains(rule.name) }

    /// The name without the values that a sweep has set.
    public var base: String { baseName ?? name }

    public init(name: String, memory: PolicySpec, disk: PolicySpec? = nil) {
        self.name = name
        self.memory = memory
        self.disk = disk
    }

    /// Parses a specification.
    ///
    /// It has one of these forms:
    /// - tiers and rules: `memory: lru(100MB); disk: ttl(lru(500MB), lifetime: 7d); connections: 4`,
    /// - a policy of the memory tier: `lru(100MB)`,
    /// - a program, and rules: `own: ./my-cache --limit 64; disk: lru(500MB)`.
    ///
    /// - Throws: `SpecError` that points at the mistake, or for a text above `PolicySpec.longest`.
    public init(_ text: String, name: String? = nil, registry: PolicyRegistry = .builtIn) throws {
        try self.init(text, name: name, registry: registry) { _ in nil }
    }

    /// Parses a specification that may begin with another cache.
    ///
    /// - Parameter base: Returns the cache that the parts begin with, and removes the parts that describe it; nil if
    ///   they begin with a policy. The parts that are left replace its tiers and rules.
    /// - Throws: `SpecError` that points at the mistake, or for a text above `PolicySpec.longest`.
    package init(
        _ text: String, name: String?, registry: PolicyRegistry,
        base: (_ parts: inout [SpecificationPart]) throws -> CacheConfiguration?
    ) throws {
        try PolicySpec.checkLength(text)
        var parts = SpecificationPart.parts(of: text)
        var written: Set<String> = []
        if let base = try base(&parts) {
            self = base
        } else {
            guard parts.contains(where: { $0.key == "memory" || $0.key == "own" }) else {
                // Another mistake explains more, such as a misspelt rule.
                var scratch = Self.defaults
                for part in parts { try scratch.set(part, in: text, registry) }
                throw SpecError(
                    "a cache needs a memory policy: write 'memory: none' for a cache without that tier", in: text)
            }
            self = Self.defaults
        }
        self.name = name ?? text
        for part in parts {
            guard written.insert(part.key).inserted else {
                let hint = part.key == "memory" ? "; a policy of the disk tier is written 'disk: …'" : ""
                throw SpecError("'\(part.key)' is given twice\(hint)", in: text, at: part.column)
            }
            try set(part, in: text, registry)
        }
        if own != nil, written.contains("memory") {
            throw SpecError(
                "'own' is the memory of the cache, so 'memory' has no effect; leave one of them out", in: text)
        }
        if preset == nil || !written.isDisjoint(with: ["memory", "disk", "memoryOnBackground", "memoryOnWarning"]) {
            try check(in: text, tiers: written, registry)
        }
        do { try checkRules() } catch {
            throw SpecError(error.message, in: text, at: parts.first { $0.key == error.rule }?.column ?? 0)
        }
    }

    /// Creates the cache of a preset.
    ///
    /// - Parameters:
    ///   - deviceMemory: The physical memory of the device, in bytes.
    ///   - restsOnDarwinNSCache: Whether the memory tier is Darwin's NSCache.
    /// - Throws: `SpecError` that names the preset.
    package init(preset: String, specification: String, deviceMemory: Int, restsOnDarwinNSCache: Bool) throws {
        self = Self.defaults
        name = preset
        for part in SpecificationPart.parts(of: specification) {
            do { try set(part, in: specification, .builtIn) } catch let error as SpecError {
                throw SpecError("preset \(preset): \(error.message)", in: error.text, at: error.column)
            }
        }
        stated = StatedRules()
        self.preset = preset
        self.deviceMemory = deviceMemory
        presetRestsOnDarwinNSCache = restsOnDarwinNSCache
    }

    /// A cache with no tiers and the default of every rule.
    static let defaults = CacheConfiguration(name: "", memory: .none)

    /// Returns the cache in full for a trace of the given working set, with every default.
    public func canonical(for context: PolicyContext) throws -> String { try canonical(for: CacheContext(context)) }

    /// Returns the cache in full for the working sets of a trace, with every default.
    public func canonical(for context: CacheContext) throws -> String {
        try canonical(for: context, rules: canonicalRules)
    }

    /// The text of the rules, with every default. It does not depend on a trace.
    package var canonicalRules: String {
        Rule.all.map { "\($0.name): \($0.text(in: self))" }.joined(separator: "; ")
    }

    /// Returns the cache in full for the working sets of a trace, with every default.
    ///
    /// - Parameter rules: The cache's ``canonicalRules``, which a caller with many traces computes once.
    package func canonical(for context: CacheContext, rules: String) throws -> String {
        let memory = try own.map { "own: \($0)" } ?? "memory: \(try context.memory(memoryRules).canonical(memory))"
        return "\(memory); disk: \(try disk.map(context.encoded.canonical) ?? "none"); \(rules)"
    }

    /// Returns the limit in bytes of the memory policy for the working sets of a trace.
    ///
    /// Returns nil if the policy has no such limit or several, and if the limit does not bound the bytes in memory: if
    /// objects cost something else than they hold, or if there is a second memory of encoded bytes.
    /// - Throws: `SpecError` for a policy that cannot be created.
    public func memoryLimit(in context: CacheContext) throws -> Int? {
        guard costsAreBytes, own == nil else { return nil }
        return try context.memory(memoryRules).byteLimit(of: memory)
    }

    /// Whether the costs of images in memory are all the bytes that memory holds.
    var costsAreBytes: Bool {
        let costsWhatItHolds =
            switch memoryRules.cost {
            case .held: true
            case .decoded: memoryRules.holds == .decoded
            case .encoded: memoryRules.holds == .encoded
            case .encodedAndDecoded, .file, .none: false
            }
        return costsWhatItHolds && memoryRules.encodedMemory == nil
    }

    /// Whether figures depend on the pixel sizes of images.
    var needsPixels: Bool {
        memoryRules.cost == .decoded || memoryRules.cost == .encodedAndDecoded || memoryRules.holds == .decoded
            || diskRules.content != .original
    }

    /// Sets a rule by its name.
    ///
    /// - Throws: ``RuleError`` if the rule does not exist or does not accept the value.
    public mutating func set(_ name: String, to value: String) throws(RuleError) {
        guard let rule = Rule.named(name) else {
            let names = ["memory", "own", "disk"] + Rule.all.map(\.name)
            let hint =
                nearestName(to: name, among: names).map { "did you mean '\($0)'?" }
                ?? "known: \(names.joined(separator: ", "))"
            throw RuleError(rule: name, message: "there is no rule '\(name)'; \(hint)")
        }
        try rule.set(value, in: &self)
        stated.names.insert(rule.name)
    }

    private mutating func set(_ part: SpecificationPart, in text: String, _ registry: PolicyRegistry) throws {
        do {
            switch part.key {
            case "memory": memory = try policy(part, limiting: memory, registry)
            case "disk": disk = try policy(part, limiting: disk, registry).ifNotNone
            case "own":
                guard !part.value.isEmpty else {
                    throw SpecError("'own' needs a command, such as own: ./my-cache", in: part.value)
                }
                own = part.value
                memory = .none
            default: try set(part.key, to: part.value)
            }
        } catch let error as RuleError {
            throw SpecError(error.message, in: text, at: part.column)
        } catch let error as SpecError {
            throw error.within(text, at: part.valueColumn)
        }
    }

    /// Returns the policy of a tier: the one that is written, or the preset's own with the limit that is written.
    private func policy(_ part: SpecificationPart, limiting own: PolicySpec?, _ registry: PolicyRegistry) throws
        -> PolicySpec
    {
        let isUnlimited = preset != nil && part.value == SweptValue.unlimited
        guard isUnlimited || (try? Size(part.value)) != nil else {
            return try PolicySpec(part.value, offset: part.valueColumn)
        }
        guard preset != nil else {
            throw SpecError("a policy is expected, such as lru(\(part.value))", in: part.value)
        }
        guard let own else {
            throw SpecError(
                "the preset has no \(part.key) tier; write a policy, such as lru(200MB)", in: part.value)
        }
        let limit = isUnlimited ? nil : try Size(part.value)
        return try own.limited(to: limit, registry: registry)
    }

    /// Creates the policies, so that a mistake is found before anything runs. Shares of a working set are resolved when
    /// the trace is known.
    func check(in text: String, tiers: Set<String>, _ registry: PolicyRegistry) throws {
        let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1), registry: registry)
        for (tier, spec) in [("memory", memory), ("disk", disk ?? .none)] {
            let policy = try context.policy(spec, in: tiers.contains(tier) ? text : nil)
            if type(of: policy).usesFuture {
                throw SpecError(
                    """
                    this policy knows the future, so it cannot run in a tier; compare with it in `cachereplay simulate`
                    """,
                    in: text, at: spec.column)
            }
            guard tier == "memory", !policy.namesVictims else { continue }
            for (rule, action) in [
                ("memoryOnBackground", memoryRules.onBackground), ("memoryOnWarning", memoryRules.onWarning),
            ] where action.needsVictims {
                throw SpecError(
                    """
                    \(rule): \(RuleType<PressureAction>.pressureAction.text(action)) needs a policy that names its \
                    next victim, and this one names none; write \(rule): clear, or another policy, such as lru
                    """, in: text, at: tiers.contains("memory") ? spec.column : 0)
            }
        }
    }
}

extension PolicySpec {
    /// The policy that keeps nothing.
    public static let none = PolicySpec(named: "none")

    /// nil for the policy that keeps nothing.
    public var ifNotNone: PolicySpec? { self == .none ? nil : self }
}

/// One part of a specification, between semicolons: `key: value`. A part without a key is the memory policy.
package struct SpecificationPart {
    package var key: String
    package var value: String
    /// The place of the part in the text.
    package var column: Int
    /// The place of the value in the text.
    package var valueColumn: Int

    package static func parts(of text: String) -> [SpecificationPart] {
        var start = 0
        return text.split(separator: ";", omittingEmptySubsequences: false).compactMap { part in
            defer { start += part.count + 1 }
            let trimmed = part.drop(while: \.isWhitespace)
            guard !trimmed.isEmpty else { return nil }
            let key = trimmed.prefix { $0.isLetter }
            let rest = trimmed.dropFirst(key.count).drop(while: \.isWhitespace)
            let column = start + part.count - trimmed.count
            guard rest.first == ":" else {
                return SpecificationPart(
                    key: "memory", value: trimmed.trimmingTrailingSpaces, column: column, valueColumn: column)
            }
            let value = rest.dropFirst().drop(while: \.isWhitespace)
            return SpecificationPart(
                key: String(key), value: value.trimmingTrailingSpaces, column: column,
                valueColumn: start + part.count - value.count)
        }
    }
}

extension Substring {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension CacheConfiguration {
    /// The same cache, in which objects never expire: neither by its policies nor by headers.
    public var withoutLifetimes: CacheConfiguration {
        var cache = self
        cache.memory = memory.setting("lifetime", to: "never", inPoliciesNamed: "ttl")
        cache.disk = disk?.setting("lifetime", to: "never", inPoliciesNamed: "ttl")
        cache.memoryRules.lifetime = .policy
        cache.diskRules.lifetime = .policy
        cache.memoryRules.revalidate = .never
        cache.diskRules.revalidate = .never
        return cache
    }
}

// Lifetimes by HTTP headers, in policies that have none.
extension CacheConfiguration {
    /// The policy that runs in memory: the specified one, within a `ttl` if HTTP headers state lifetimes and
    /// the policy has none. Objects without such headers then stay as long as the policy keeps them.
    func runningMemory(_ registry: PolicyRegistry) throws -> PolicySpec {
        try Self.needsLifetimes(memoryRules.lifetime, memoryRules.revalidate)
            ? memory.keepingLifetimes(registry) : memory
    }

    /// The policy that runs on disk, with lifetimes as in memory; nil without a disk tier.
    func runningDisk(_ registry: PolicyRegistry) throws -> PolicySpec? {
        try Self.needsLifetimes(diskRules.lifetime, diskRules.revalidate)
            ? disk?.keepingLifetimes(registry) : disk
    }

    /// A tier that validates its objects keeps them past their lifetimes, and needs no policy for that.
    private static func needsLifetimes(_ lifetime: LifetimeRule, _ revalidate: RevalidationRule) -> Bool {
        lifetime != .policy && revalidate == .never
    }
}

extension PolicySpec {
    /// Returns a policy in which each object can have a lifetime: this one if a `ttl` is in it, or else this one within
    /// a `ttl` that is longer than any session. Of a `split`, each half is considered apart.
    func keepingLifetimes(_ registry: PolicyRegistry) throws -> PolicySpec {
        guard name != PolicySpec.none.name else { return self }
        let inner = policyArguments(registry)
        guard inner.count > 1 else { return hasLifetimes(registry) ? self : try withLongLifetime() }
        var spec = self
        for index in inner {
            guard case .spec(let policy) = arguments[index].value else { continue }
            spec.arguments[index].value = .spec(try policy.keepingLifetimes(registry))
        }
        return spec
    }

    private func hasLifetimes(_ registry: PolicyRegistry) -> Bool {
        if name == "ttl" { return true }
        return policyArguments(registry).contains { index in
            guard case .spec(let policy) = arguments[index].value else { return false }
            return policy.hasLifetimes(registry)
        }
    }

    /// Fifty years. With `never`, files would have one date, and no order after a relaunch.
    private func withLongLifetime() throws -> PolicySpec { try PolicySpec("ttl(\(self), lifetime: 18250d)") }

    /// The places of the arguments that are policies.
    private func policyArguments(_ registry: PolicyRegistry) -> [Int] {
        let parameters = registry[name]?.parameters ?? []
        return arguments.indices.filter { index in
            parameters.contains { $0.kind == .policy && $0.label == arguments[index].label }
        }
    }
}

/// The names of the rules that a text states. All are equal, because two texts that describe one cache are equal.
private struct StatedRules: Sendable, Equatable {
    var names: Set<String> = []

    static func == (one: StatedRules, other: StatedRules) -> Bool { true }
}
