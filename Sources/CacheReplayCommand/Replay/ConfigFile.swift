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
/// Every mistake is told with its line.
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
        var cache = CacheConfiguration(name: name, memory: "")
        if let preset = try preset(parts) { cache = try CacheConfiguration(preset, on: device(parts), name: name) }
        for (key, value) in parts {
            switch key.string {
            case "preset": break
            case "ram":
                guard cache.preset != nil else { throw error(key, "ram is for presets: give 'preset:' too") }
            case "memory": try setTier(of: &cache, "memory", value, rules: MemoryRules.names)
            case "disk": try setTier(of: &cache, "disk", value, rules: DiskRules.names)
            case "pipeline": try setRules(of: &cache, pairs(value, "pipeline"), "pipeline", rules: PipelineRules.names)
            default: throw unknown(key, "cache \(name)", ["preset", "ram", "memory", "disk", "pipeline"])
            }
        }
        guard !cache.memory.isEmpty else {
            throw error(
                node,
                """
                cache \(name) needs 'memory:', a policy such as lru(100MB), or none; or 'preset:', a name that \
                `cachereplay caches` lists
                """
            )
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
        guard let value = parts.first(where: { $0.0.string == "ram" })?.1 else { return Device() }
        guard case .bytes(let memory)? = try? Size(text(value, "ram")), memory > 0 else {
            throw error(value, "ram is a size such as 4GB")
        }
        return Device(memory: memory)
    }

    /// A policy alone, or a mapping of a policy and the tier's rules. With a preset, the policy may be left out.
    private func setTier(of cache: inout CacheConfiguration, _ tier: String, _ node: Node, rules: [String]) throws {
        guard node.mapping != nil else { return try setPolicy(of: &cache, tier, node) }
        let parts = try pairs(node, tier)
        for (key, value) in parts where key.string == "policy" { try setPolicy(of: &cache, tier, value) }
        try setRules(of: &cache, parts.filter { $0.0.string != "policy" }, tier, rules: rules, besides: ["policy"])
        if tier == "disk", cache.disk == nil, cache.preset == nil { throw error(node, "disk needs 'policy:'") }
    }

    private func setPolicy(of cache: inout CacheConfiguration, _ tier: String, _ node: Node) throws {
        let text = try policy(node)
        do { try cache.set(tier, to: text) } catch let rule as RuleError { throw error(node, rule.message) }
    }

    private func setRules(
        of cache: inout CacheConfiguration, _ parts: [(Node, Node)], _ what: String, rules: [String],
        besides: [String] = []
    ) throws {
        for (key, value) in parts {
            guard let name = key.string, rules.contains(name) else { throw unknown(key, what, besides + rules) }
            do { try cache.set(name, to: try text(value, "a rule's value")) } catch let rule as RuleError {
                throw error(key, rule.message)
            }
        }
    }

    /// A policy that parses; shares of a working set are resolved later.
    private func policy(_ node: Node) throws -> String {
        let text = try text(node, "a policy")
        let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1), registry: CacheReplay.policies)
        do { _ = try context.policy(text) } catch let spec as SpecError { throw error(node, spec.description) }
        return text
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
