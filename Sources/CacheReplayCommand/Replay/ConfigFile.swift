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
            case "traces": traces = try value.sequence.map { try $0.map { try text($0, "a trace") } } ?? [text(value, "traces")]
            case "repeat": repeats = try count(value, "repeat")
            case "caches": caches = try pairs(value, "caches").map { try cache(try text($0, "a name"), $1) }
            default: throw unknown(key, "the file", ["traces", "repeat", "caches"])
            }
        }
    }

    private func cache(_ name: String, _ node: Node) throws -> CacheConfiguration {
        var cache = CacheConfiguration(name: name, memory: "")
        for (key, value) in try pairs(node, "cache \(name)") {
            switch key.string {
            case "memory": cache.memory = try policy(value)
            case "disk": cache.disk = try disk(value)
            case "pipeline": try setRules(of: &cache, value)
            default: throw unknown(key, "cache \(name)", ["memory", "disk", "pipeline"])
            }
        }
        guard !cache.memory.isEmpty else { throw error(node, "cache \(name) needs 'memory:', a policy such as lru(100MB), or none") }
        return cache
    }

    private func disk(_ node: Node) throws -> String? {
        guard node.mapping != nil else { return try policy(node) == "none" ? nil : policy(node) }
        var policy: String?
        for (key, value) in try pairs(node, "disk") {
            switch key.string {
            case "policy": policy = try self.policy(value)
            case "layout":
                guard value.string == "md5-fanout" else { throw error(value, "the only layout is md5-fanout") }
            default: throw unknown(key, "disk", ["policy", "layout"])
            }
        }
        guard let policy else { throw error(node, "disk needs 'policy:'") }
        return policy
    }

    private func setRules(of cache: inout CacheConfiguration, _ node: Node) throws {
        for (key, value) in try pairs(node, "pipeline") {
            do { try cache.pipeline.set(try text(key, "a rule"), to: try text(value, "a rule's value")) } catch let rule as RuleError {
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
