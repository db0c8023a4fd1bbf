import Basics
import CachePolicies
import Foundation
import ReplayEngine
import Yams

/// A YAML file that says what to replay:
/// ```yaml
/// traces: [Traces/photo-feed.jsonl]     # from the current folder
/// repeat: 5
/// caches:
///   plain: {memory: lru(20MB)}
///   ours:
///     memory: "split(thumbnail: lru(100 objects), full: lru(20 objects))"
///     disk: {policy: "ttl(lru(500MB), lifetime: 7d)", layout: md5-fanout}
///     pipeline: {connections: 1, coalesce: true, store: memoryAndDisk}
///   kingfisher: {preset: kingfisher-8, ram: 4GB}
/// ```
/// Errors name the file and the line.
struct ConfigFile {
    private(set) var traces: [String] = []
    private(set) var repeats: Int?
    private(set) var caches: [CacheConfiguration] = []
    private let path: String

    init(contentsOf path: String) throws {
        self.path = path
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, "\(path): no such file, or not readable.")
        }
        let root: Node?
        do { root = try Yams.compose(yaml: String(decoding: data, as: UTF8.self)) } catch {
            throw CommandFailure(.badData, "\(path): not YAML: \(error)")
        }
        guard let root else { throw CommandFailure(.badData, "\(path): empty; expected the keys traces and caches.") }
        for (key, value) in try pairs(root, "the file") {
            switch key.string {
            case "traces":
                traces = try value.sequence.map { try $0.map { try text($0, "a trace") } } ?? [text(value, "traces")]
            case "repeat": repeats = try count(value, "repeat")
            case "caches": caches = try pairs(value, "caches").map { try cache(try text($0, "a name"), $1) }
            default: throw unknown(key, "the file", ["traces", "repeat", "caches"])
            }
        }
    }

    private func cache(_ name: String, _ node: Node) throws -> CacheConfiguration {
        let parts = try pairs(node, "cache \(name)")
        let known = ["preset", "memory", "disk", "pipeline"] + DeviceFact.all.map(\.name)
        for (key, _) in parts where !known.contains(key.string ?? "") { throw unknown(key, "cache \(name)", known) }
        var cache: CacheConfiguration
        if let preset = try preset(parts) {
            cache = try CacheConfiguration(preset, on: device(parts), name: name)
        } else {
            guard parts.contains(where: { $0.0.string == "memory" }) else {
                throw error(
                    node,
                    """
                    cache \(name) needs 'memory:', a policy such as lru(100MB), or none; or 'preset:', a name that \
                    `cachereplay caches` lists
                    """)
            }
            cache = CacheConfiguration(name: name, memory: .none)
        }
        for (key, value) in parts {
            switch key.string {
            case "preset": break
            case "memory": if let policy = try tier(.memory, of: &cache, value) { cache.memory = policy }
            case "disk": if let policy = try tier(.disk, of: &cache, value) { cache.disk = policy.ifNotNone }
            case "pipeline": try setRules(of: &cache, pairs(value, "pipeline"), .pipeline)
            case let name?:
                guard cache.preset != nil else { throw error(key, "\(name) is for presets: give 'preset:' too") }
            case nil: break
            }
        }
        return cache
    }

    private func preset(_ parts: [(Node, Node)]) throws -> CachePreset? {
        guard let value = parts.first(where: { $0.0.string == "preset" })?.1 else { return nil }
        do { return try CachePreset.named(text(value, "a preset")) } catch let spec as SpecError {
            throw error(value, spec.message)
        }
    }

    private func device(_ parts: [(Node, Node)]) throws -> Device {
        var device = Device()
        for fact in DeviceFact.all {
            guard let value = parts.first(where: { $0.0.string == fact.name })?.1 else { continue }
            guard fact.set(try text(value, fact.name), &device) else {
                throw error(value, "\(fact.name) is \(fact.values)")
            }
        }
        return device
    }

    /// Reads a tier, which is a policy alone, or a mapping of a policy and the tier's rules; sets the rules, and
    /// returns the policy. With a preset, the policy may be missing.
    private func tier(_ section: Rule.Section, of cache: inout CacheConfiguration, _ node: Node) throws -> PolicySpec? {
        guard node.mapping != nil else { return try policy(node) }
        let parts = try pairs(node, section.rawValue)
        let written = parts.first { $0.0.string == "policy" }?.1
        if written == nil, cache.preset == nil { throw error(node, "\(section.rawValue) needs 'policy:'") }
        try setRules(of: &cache, parts.filter { $0.0.string != "policy" }, section, besides: ["policy"])
        return try written.map(policy)
    }

    private func setRules(
        of cache: inout CacheConfiguration, _ parts: [(Node, Node)], _ section: Rule.Section, besides: [String] = []
    ) throws {
        for (key, value) in parts {
            guard let rule = key.string.flatMap(Rule.named), rule.section == section else {
                throw unknown(
                    key, section.rawValue, besides + Rule.all.filter { $0.section == section }.map(\.name))
            }
            do { try rule.set(try text(value, "a rule's value"), in: &cache) } catch let rule as RuleError {
                throw error(key, rule.message)
            }
        }
    }

    /// Parses a policy and checks that it can be created. Shares of a working set are resolved when the trace is known.
    private func policy(_ node: Node) throws -> PolicySpec {
        let text = try text(node, "a policy")
        let context = PolicyContext(
            workload: Workload(uniqueBytes: 1, objects: 1), registry: CacheReplay.policies)
        do {
            let spec = try PolicySpec(text)
            _ = try context.policy(spec, in: text)
            return spec
        } catch let spec as SpecError { throw error(node, spec.description) }
    }

    private func pairs(_ node: Node, _ what: String) throws -> [(Node, Node)] {
        guard let mapping = node.mapping else { throw error(node, "\(what): expected 'key: value' lines") }
        return mapping.map { ($0.key, $0.value) }
    }

    private func text(_ node: Node, _ what: String) throws -> String {
        guard let text = node.string, !text.isEmpty else { throw error(node, "expected \(what) as text") }
        return text
    }

    private func count(_ node: Node, _ what: String) throws -> Int {
        guard let count = node.int, count >= 1 else { throw error(node, "\(what) is a whole number from 1 on") }
        return count
    }

    private func unknown(_ key: Node, _ what: String, _ known: [String]) -> CommandFailure {
        let name = key.string ?? "?"
        let hint = nearestName(to: name, among: known).map { "; did you mean '\($0)'?" } ?? "."
        return error(key, "\(what) has no key '\(name)'\(hint) Allowed: \(known.joined(separator: ", "))")
    }

    private func error(_ node: Node, _ message: String) -> CommandFailure {
        let line = node.mark.map { ":\($0.line)" } ?? ""
        return CommandFailure(.badData, "\(path)\(line): \(message)")
    }
}
