import Basics
import CachePolicies
import CacheReports
import Foundation
import ImageLibraries
import ReplayEngine
import SessionModel
import Yams

/// A YAML file that says what to replay:
/// ```yaml
/// traces: [Traces/photo-feed.jsonl]     # from the current folder
/// repeat: 5
/// caches:
///   plain: lru(20MB)
///   limited: "nuke-13; memory: 64MB"
///   ours:
///     memory: "split(thumbnail: lru(100 objects), full: lru(20 objects))"
///     disk: {policy: "ttl(lru(500MB), lifetime: 7d)", layout: md5-fanout}
///     pipeline: {connections: 1, coalesce: true, store: memoryAndDisk}
///   kingfisher: {preset: kingfisher-8, ram: 4GB}
/// costs: {disk_read: 50us}              # with modelled timing; see `CostsFile`
/// budgets: ["blank_ratio<2%", "memory_peak_bytes<64MB"]
/// allow: ["origin_bytes:5%", "hit_ratio:1pt"]             # of `gate` and `compare`, as is accept
/// accept: [{figure: blank_ratio, cache: ours, session: photo-feed, value: 9.7%, reason: "half the memory"}]
/// inject: {memory-warning-at: [30s, every 5min], background-at: "60s:20s", relaunch-at: 90s}
/// ```
/// Errors name the file and the line.
struct ConfigFile {
    private(set) var traces: [String] = []
    private(set) var repeats: Int?
    private(set) var caches: [CacheConfiguration] = []
    /// The caches as texts that --cache takes.
    private(set) var cacheTexts: [String] = []
    /// nil without the key `costs`.
    private(set) var costs: CostModel?
    /// The limits that the results of all caches have to keep; how much worse figures may get, and the changes that
    /// are accepted, where a command has a baseline.
    private(set) var limits = VerdictLimits()
    private(set) var keys: [String] = []
    /// The lines of the caches in the file, from 1.
    private(set) var cacheLines: [String: Int] = [:]
    private(set) var injected = InjectedEvents()
    private let yaml: YAMLFile

    init(contentsOf path: String) throws {
        yaml = try YAMLFile(contentsOf: path, expected: "the keys traces and caches")
        for (key, value) in try yaml.pairs(yaml.root, "the file") {
            keys += [key.string].compactMap(\.self)
            switch key.string {
            case "traces":
                traces =
                    try value.sequence.map { try $0.map { try yaml.text($0, "a trace") } }
                    ?? [yaml.text(value, "traces")]
            case "repeat": repeats = try yaml.count(value, "repeat")
            case "caches":
                let pairs = try yaml.pairs(value, "caches")
                guard pairs.count <= ReplayPlan.mostCaches else {
                    throw yaml.error(value, ReplayPlan.tooMany(pairs.count))
                }
                caches = try pairs.map { try cache(try yaml.text($0, "a name"), $1) }
                for (key, _) in pairs { if let name = key.string, let mark = key.mark { cacheLines[name] = mark.line } }
                cacheTexts = zip(caches, pairs).map { "\($0.name)=\(yaml.specification($1.1))" }
            case "costs": costs = try yaml.costs(value)
            case "budgets": limits.budgets = try yaml.budgets(value)
            case "allow": limits.allowances = try yaml.allowances(value)
            case "accept": limits.acceptances = try yaml.acceptances(value)
            case "inject": try inject(value)
            default: throw yaml.unknown(key, "the file", Self.knownKeys)
            }
        }
    }

    /// The caches as texts that --cache takes, without their names before them.
    var textsByName: [(name: String, text: String)] {
        zip(caches, cacheTexts).map { cache, text in
            (name: cache.name, text: text.dropping(start: "\(cache.name)=") ?? text)
        }
    }

    private static let knownKeys = ["traces", "repeat", "caches", "costs", "budgets", "allow", "accept", "inject"]
    /// The keys about verdicts. The first one needs no baseline.
    static let keysOfVerdicts = ["budgets", "allow", "accept"]

    /// Returns a sentence about keys of the file that have no effect at a place, such as `on the page`; nil for no
    /// keys.
    func remark(on unused: [String], _ place: String, _ path: String) -> String? {
        let found = keys.filter(unused.contains).map { "'\($0):'" }
        guard !found.isEmpty else { return nil }
        let names = NameList.text(found, most: found.count)
        return "\(path): \(names) \(found.count == 1 ? "has" : "have") no effect \(place)."
    }

    private mutating func inject(_ node: Node) throws {
        for (key, value) in try yaml.pairs(node, "inject") {
            guard let kind = key.string.flatMap(InjectedEvents.Kind.init) else {
                throw yaml.unknown(key, "inject", InjectedEvents.Kind.allCases.map(\.rawValue))
            }
            let texts = try (value.sequence.map(Array.init) ?? [value]).map { try yaml.text($0, "an event") }
            do { injected = try injected.adding(InjectedEvents(texts, kind)) } catch {
                throw yaml.error(value, error.description)
            }
        }
    }

    private func cache(_ name: String, _ node: Node) throws -> CacheConfiguration {
        if node.mapping == nil, let text = node.string, !text.isEmpty {
            do {
                return try CacheConfiguration(specification: text, name: name, registry: CacheReplay.policies)
            } catch let spec
                as SpecError
            {
                throw yaml.error(node, "cache \(name): \(spec.description)")
            }
        }
        let parts = try yaml.pairs(node, "cache \(name)")
        let known = ["preset", "memory", "own", "disk", "pipeline"] + DeviceFact.all.map(\.name)
        for (key, _) in parts where !known.contains(key.string ?? "") {
            if let rule = key.string.flatMap(Rule.named) {
                throw yaml.error(
                    key,
                    "\(rule.name) belongs under '\(rule.section.rawValue):' of cache \(name), one level below")
            }
            throw yaml.unknown(key, "cache \(name)", known)
        }
        var cache: CacheConfiguration
        if let preset = try preset(parts) {
            cache = try CacheConfiguration(preset, on: device(parts), name: name)
        } else {
            guard parts.contains(where: { $0.0.string == "memory" || $0.0.string == "own" }) else {
                throw yaml.error(
                    node,
                    """
                    cache \(name) needs 'memory:', a policy such as lru(100MB), or none; or 'preset:', a name that \
                    `cachereplay list caches` lists
                    """)
            }
            cache = CacheConfiguration(name: name, memory: .none)
        }
        for (key, value) in parts {
            switch key.string {
            case "preset": break
            case "own":
                guard let command = value.string, !command.isEmpty, !parts.contains(where: { $0.0.string == "memory" })
                else {
                    throw yaml.error(
                        value, "own: is the command of a program that is the memory of cache \(name), without 'memory:'"
                    )
                }
                cache.own = command
                cache.memory = .none
            case "memory": if let policy = try tier(.memory, of: &cache, value) { cache.memory = policy }
            case "disk": if let policy = try tier(.disk, of: &cache, value) { cache.disk = policy.ifNotNone }
            case "pipeline": try setRules(of: &cache, yaml.pairs(value, "pipeline"), .pipeline)
            case let name?:
                guard cache.preset != nil else { throw yaml.error(key, "\(name) is for presets: give 'preset:' too") }
            case nil: break
            }
        }
        do { try cache.checkRules() } catch { throw yaml.error(node, "cache \(name): \(error.message)") }
        return cache
    }

    private func preset(_ parts: [(Node, Node)]) throws -> CachePreset? {
        guard let value = parts.first(where: { $0.0.string == "preset" })?.1 else { return nil }
        do { return try CachePreset.named(yaml.text(value, "a preset")) } catch let spec as SpecError {
            throw yaml.error(value, spec.message)
        }
    }

    private func device(_ parts: [(Node, Node)]) throws -> Device {
        var device = Device()
        for fact in DeviceFact.all {
            guard let value = parts.first(where: { $0.0.string == fact.name })?.1 else { continue }
            guard fact.set(try yaml.text(value, fact.name), &device) else {
                throw yaml.error(value, "\(fact.name) is \(fact.values)")
            }
        }
        return device
    }

    /// Reads a tier, which is a policy alone, or a mapping of a policy and the tier's rules; sets the rules, and
    /// returns the policy. With a preset, the policy may be missing.
    private func tier(_ section: Rule.Section, of cache: inout CacheConfiguration, _ node: Node) throws -> PolicySpec? {
        guard node.mapping != nil else { return try policy(node) }
        let parts = try yaml.pairs(node, section.rawValue)
        let written = parts.first { $0.0.string == "policy" }?.1
        if written == nil, cache.preset == nil { throw yaml.error(node, "\(section.rawValue) needs 'policy:'") }
        try setRules(of: &cache, parts.filter { $0.0.string != "policy" }, section, besides: ["policy"])
        return try written.map(policy)
    }

    private func setRules(
        of cache: inout CacheConfiguration, _ parts: [(Node, Node)], _ section: Rule.Section, besides: [String] = []
    ) throws {
        for (key, value) in parts {
            let named = key.string.flatMap(Rule.named)
            if let named, named.section != section {
                throw yaml.error(
                    key, "\(named.name) belongs under '\(named.section.rawValue):', not under '\(section.rawValue):'")
            }
            guard let rule = named else {
                throw yaml.unknown(
                    key, section.rawValue, besides + Rule.all.filter { $0.section == section }.map(\.name))
            }
            do { try rule.set(try yaml.text(value, "a rule's value"), in: &cache) } catch let rule as RuleError {
                throw yaml.error(key, rule.message)
            }
        }
    }

    /// Parses a policy and checks that it can be created. Shares of a working set are resolved when the trace is known.
    private func policy(_ node: Node) throws -> PolicySpec {
        let text = try yaml.text(node, "a policy")
        let context = PolicyContext(
            workload: Workload(uniqueBytes: 1, objects: 1), registry: CacheReplay.policies)
        do {
            let spec = try PolicySpec(text)
            _ = try context.policy(spec, in: text)
            return spec
        } catch let spec as SpecError { throw yaml.error(node, spec.description) }
    }
}
