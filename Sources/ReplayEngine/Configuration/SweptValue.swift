import Basics
import CachePolicies

/// One value of a parameter that a replay sweeps: `memory=64MB`.
public struct SweptValue: Codable, Sendable, Hashable {
    /// One of ``parameters``, or the name of a rule.
    public var parameter: String
    public var value: String

    public init(parameter: String, value: String) {
        self.parameter = parameter
        self.value = value
    }

    public var text: String { "\(parameter)=\(value)" }

    /// The value as a number: bytes, objects, microseconds, or a plain number. Nil for a share, a word, and
    /// ``unlimited``.
    public var number: Double? {
        if let size = try? Size(value) {
            switch size {
            case .bytes(let bytes): return Double(bytes)
            case .objects(let objects): return Double(objects)
            case .share: return nil
            }
        }
        return Double(value) ?? (try? TimeSpan.microseconds(value)).map(Double.init)
    }

    /// The value that stands for no limit.
    public static let unlimited = "unlimited"

    /// Returns the values of a sweep in the order of their sizes.
    ///
    /// Words, such as policies, keep their places in a list of words only; beside numbers they are behind, in the order
    /// given, and ``unlimited`` is the last.
    public static func ordered(_ values: [String]) -> [String] {
        let ranks = values.map(rank)
        return values.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { values[$0] }
    }

    /// The size by which a value is in order. Shares are below objects and bytes.
    private static func rank(_ value: String) -> Double {
        if value == unlimited { return .infinity }
        if case .share(let share)? = try? Size(value) { return share - 1e9 }
        return SweptValue(parameter: "", value: value).number ?? .greatestFiniteMagnitude
    }

    /// Returns the names of caches with the rows of each sweep in the order of its values, as ``ordered(_:)``.
    ///
    /// The rows of a cache come where its first one is: `app memory=256MB`, `b`, `app memory=32MB` becomes
    /// `app memory=32MB`, `app memory=256MB`, `b`. Other names keep their order.
    public static func ordered(names: [String]) -> [String] { bundles(names: names).flatMap(\.self) }

    /// Returns the names of caches as ``ordered(names:)``: the caches of one sweep together, others alone.
    package static func bundles(names: [String]) -> [[String]] {
        let parts = names.map(parts)
        var places: [[String]: Int] = [:]
        var groups: [[Int]] = []
        for (index, part) in parts.enumerated() {
            // A name without values is a group of its own.
            let key = part.values.isEmpty ? ["", names[index]] : [part.base] + part.values.map(\.parameter)
            if let place = places[key] {
                groups[place].append(index)
            } else {
                places[key] = groups.count
                groups.append([index])
            }
        }
        return groups.map { group -> [String] in
            let count = group.first.map { parts[$0].values.count } ?? 0
            // The place of each value among the values of its parameter.
            let ranks = (0..<count).map { column -> [String: Int] in
                var distinct: [String] = []
                var known: Set<String> = []
                for index in group where known.insert(parts[index].values[column].value).inserted {
                    distinct.append(parts[index].values[column].value)
                }
                return Dictionary(uniqueKeysWithValues: ordered(distinct).enumerated().map { ($1, $0) })
            }
            let keys = group.map { index in
                (0..<count).map { ranks[$0][parts[index].values[$0].value] ?? 0 } + [index]
            }
            return keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { $0.last.map { names[$0] } }
        }
    }

    /// Returns the name without the values of a sweep at its end, and these values: `app memory=100 objects disk=1GB`.
    private static func parts(of name: String) -> (base: String, values: [SweptValue]) {
        var base: [Substring] = []
        var values: [SweptValue] = []
        for word in name.split(separator: " ", omittingEmptySubsequences: false) {
            let sides = word.split(separator: "=", maxSplits: 1)
            if !base.isEmpty, sides.count == 2, isParameter(String(sides[0])) {
                values.append(SweptValue(parameter: String(sides[0]), value: String(sides[1])))
            } else if values.isEmpty {
                base.append(word)
            } else if word.first == "[", word.last == "]" {
                // The model of Darwin's NSCache: `app memory=32MB [lfu]` is beside `app memory=32MB`.
                continue
            } else {
                values[values.count - 1].value += " \(word)"
            }
        }
        return (base.joined(separator: " "), values)
    }

    private static func isParameter(_ name: String) -> Bool { parameters.contains(name) || Rule.named(name) != nil }

    /// The parameters that are no rules:
    ///
    /// | Parameter | Value |
    /// |---|---|
    /// | `memory`, `disk` | the limit of that tier: a size, or ``unlimited`` |
    /// | `thumbnails` | the share of the limit of memory that a `split` gives thumbnails: `25%` |
    /// | `lifetime` | the lifetime of each `ttl` in memory and on disk: `7d`, or `never` |
    /// | `policy` | a policy that takes the place of the one in memory, with its limit: `sieve` |
    public static let parameters = ["memory", "disk", "thumbnails", "lifetime", "policy"]
}

extension CacheConfiguration {
    /// Returns the same cache with another value of a parameter, and with a name that has the value.
    ///
    /// - Throws: `SpecError` or ``RuleError`` if the cache has no such parameter, or refuses the value.
    public func sweeping(_ swept: SweptValue, registry: PolicyRegistry = .builtIn) throws -> CacheConfiguration {
        try sweeping([swept], registry: registry)
    }

    /// Returns the same cache with other values of some parameters, and with a name that has the values.
    ///
    /// Values apply in order, with two exceptions. `policy` comes first, because another policy may have a limit where
    /// the present one has none. `memory` and `thumbnails` apply together, whatever limits the policies had before. If
    /// those were limits of objects, and objects cost nothing, objects then cost what memory holds of them: without
    /// costs, a limit in bytes would have no effect.
    ///
    /// - Throws: `SpecError` or ``RuleError`` if the cache has no such parameter, or refuses a value.
    public func sweeping(_ values: [SweptValue], registry: PolicyRegistry = .builtIn) throws -> CacheConfiguration {
        var cache = self
        let isPolicy = { (swept: SweptValue) in swept.parameter == "policy" }
        let size = values.last { $0.parameter == "memory" }
        let share = values.last { $0.parameter == "thumbnails" }
        for swept in values.filter(isPolicy) + values.filter({ !isPolicy($0) }) {
            switch swept.parameter {
            case "memory", "thumbnails":
                if let size, let share {
                    try cache.divideMemory(size, share, registry)
                } else {
                    try cache.setMemory(swept, registry)
                }
            case "disk":
                guard let disk = cache.disk else {
                    throw SpecError("'\(name)' has no disk tier to sweep", in: swept.text)
                }
                cache.disk = try disk.limited(to: Self.limit(swept), registry: registry)
            case "lifetime": try cache.setLifetimes(swept)
            case "policy":
                cache.memory = try cache.memory.replacingInnermost(with: swept.value, registry: registry)
                try cache.check(in: "", tiers: [], registry)
            default: try cache.set(swept.parameter, to: swept.value)
            }
        }
        try cache.checkRules()
        guard !values.isEmpty else { return cache }
        cache.baseName = base
        cache.swept = self.swept + values
        cache.name = ([name] + values.map(\.text)).joined(separator: " ")
        return cache
    }

    /// Sets the limit of memory, or the share of thumbnails in the present limit.
    private mutating func setMemory(_ swept: SweptValue, _ registry: PolicyRegistry) throws {
        memory =
            swept.parameter == "memory"
            ? try memory.limited(to: Self.limit(swept), registry: registry)
            : try memory.sharing(thumbnails: Self.share(swept), registry: registry)
    }

    /// Sets the limit of memory and the share of thumbnails in it.
    private mutating func divideMemory(_ size: SweptValue, _ share: SweptValue, _ registry: PolicyRegistry) throws {
        let earlier = memory
        let limit = try Self.limit(size)
        memory = try memory.limited(to: limit, thumbnails: Self.share(share), registry: registry)
        if memoryRules.cost == .none, !earlier.limitsBytes(registry), memory.limitsBytes(registry) {
            memoryRules.cost = .held
        }
    }

    /// Sets the lifetime of each `ttl`. A lifetime that HTTP headers state stays.
    private mutating func setLifetimes(_ swept: SweptValue) throws {
        guard ([memory] + [disk].compactMap(\.self)).contains(where: { $0.first(named: "ttl") != nil }) else {
            throw SpecError(
                "'\(name)' has no lifetimes; write a policy with one, such as ttl(lru(64MB), lifetime: 7d)",
                in: swept.text)
        }
        if swept.value != "never" {
            let lifetime: Int64
            do { lifetime = try TimeSpan.microseconds(swept.value) } catch {
                throw SpecError("lifetime is a duration such as 300s or 7d, or never: \(error.message)", in: swept.text)
            }
            guard lifetime > 0 else {
                throw SpecError("lifetime is longer than 0; write never for none", in: swept.text)
            }
        }
        memory = memory.setting("lifetime", to: swept.value, inPoliciesNamed: "ttl")
        disk = disk?.setting("lifetime", to: swept.value, inPoliciesNamed: "ttl")
    }

    /// nil for no limit.
    private static func limit(_ swept: SweptValue) throws -> Size? {
        swept.value == SweptValue.unlimited ? nil : try Size(swept.value)
    }

    /// The share of thumbnails, above 0 and below 1.
    private static func share(_ swept: SweptValue) throws -> Double {
        guard case .share(let share)? = try? Size(swept.value), share > 0, share < 1 else {
            throw SpecError(
                "thumbnails is a share above 0% and below 100%, such as 25%, not '\(swept.value)'", in: swept.text)
        }
        return share
    }
}

/// A parameter of a cache besides its limits, and other values of it that are worth a replay.
public struct TunableRule: Sendable, Equatable {
    /// A parameter of ``SweptValue``.
    public let parameter: String
    /// The values, in a fixed order. The cache's own value is not among them.
    public let values: [String]

    public init(parameter: String, values: [String]) {
        self.parameter = parameter
        self.values = values
    }
}

extension CacheConfiguration {
    /// Returns the parameters of this cache that an app can choose, besides the limits of memory and disk.
    ///
    /// The cache accepts each value alone, and each gives another cache. `lifetime` is among them only if the policy of
    /// a tier determines lifetimes; beside HTTP headers, it is an assumption of the replay and not a setting.
    public func tunableRules(registry: PolicyRegistry = .builtIn) -> [TunableRule] {
        let isOther = self.isOther(registry)
        return candidates.compactMap { rule in
            let values = rule.values.filter { value in
                isOther { try sweeping(SweptValue(parameter: rule.parameter, value: value), registry: registry) }
            }
            return values.isEmpty ? nil : TunableRule(parameter: rule.parameter, values: values)
        }
    }

    /// Returns a function that says whether a changed cache is accepted, and is not this one.
    func isOther(_ registry: PolicyRegistry) -> (() throws -> CacheConfiguration) -> Bool {
        let context = PolicyContext(workload: Workload(uniqueBytes: 1 << 40, objects: 1 << 20), registry: registry)
        let own = try? canonical(for: context)
        return { changed in
            guard let text = try? changed().canonical(for: context) else { return false }
            return text != own
        }
    }

    private var candidates: [TunableRule] {
        var rules: [TunableRule] = []
        if memory.first(named: "split") != nil {
            rules.append(
                TunableRule(parameter: "thumbnails", values: ["10%", "20%", "30%", "40%", "50%", "60%", "75%"]))
        }
        let lifetimes = [(memory, memoryRules.lifetime), (disk ?? .none, diskRules.lifetime)]
        if lifetimes.contains(where: { $0.first(named: "ttl") != nil && $1 == .policy }) {
            rules.append(TunableRule(parameter: "lifetime", values: ["5min", "1h", "1d", "7d", "30d", "never"]))
        }
        rules.append(
            TunableRule(parameter: connectionLimit.rule, values: ["2", "4", "6", "8", "12", "16", "32"]))
        rules.append(TunableRule(parameter: "order", values: FetchOrder.allCases.map(\.rawValue)))
        let policies = PolicyRegistry.builtIn.entries.filter(\.needsOnlyLimits)
        rules.append(TunableRule(parameter: "policy", values: policies.map(\.name)))
        rules.append(
            TunableRule(
                parameter: "prefetch",
                values: ["none", "next(6)", "next(12)", "rows(2)", "rows(4)", "velocity(250ms)", "velocity(500ms)"]))
        return rules
    }
}
