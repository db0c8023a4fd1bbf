import Basics
import CachePolicies
import CacheReports
import Foundation
import ImageLibraries
import ReplayEngine
import Yams

/// A YAML file of mappings and texts. Errors name the file and the line.
struct YAMLFile {
    let path: String
    let root: Node

    /// The largest file in bytes: more than a million lines with a path each.
    static let largest = 64 << 20
    static let longestText = 65_536

    /// - Parameter expected: What the file should hold, for the error about an empty file.
    /// - Throws: ``CommandFailure`` for a file that cannot be read, is above ``largest``, or is not YAML.
    /// - Complexity: O(*n*) for a file of *n* bytes.
    init(contentsOf path: String, expected: String) throws {
        self.path = path
        let data = try Self.bytes(of: path)
        let root: Node?
        do { root = try Yams.compose(yaml: String(decoding: data, as: UTF8.self)) } catch {
            throw CommandFailure(.badData, "\(path): not YAML: \(error)")
        }
        guard let root else { throw CommandFailure(.badData, "\(path): empty; expected \(expected).") }
        self.root = root
    }

    func pairs(_ node: Node, _ what: String) throws -> [(Node, Node)] {
        guard let mapping = node.mapping else { throw error(node, "\(what): expected 'key: value' lines") }
        return mapping.map { ($0.key, $0.value) }
    }

    func text(_ node: Node, _ what: String) throws -> String {
        guard let text = node.string, !text.isEmpty else { throw error(node, "expected \(what) as text") }
        guard text.utf8.count <= Self.longestText else {
            throw error(node, "\(what) has at most \(Self.longestText) bytes, and this text has \(text.utf8.count)")
        }
        return text
    }

    private static func bytes(of path: String) throws -> Data {
        let missing = CommandFailure(.noInput, "\(path): no such file, or not readable.")
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw missing }
        defer { close(descriptor) }
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw missing }
            if count == 0 { return data }
            data.append(contentsOf: chunk[..<count])
            guard data.count <= largest else {
                throw CommandFailure(
                    .badData, "\(path): a YAML file has at most \(largest >> 20) MiB; is it the right file?")
            }
        }
    }

    func count(_ node: Node, _ what: String) throws -> Int {
        guard let count = node.int, count >= 1 else { throw error(node, "\(what) is a whole number from 1 on") }
        return count
    }

    /// Returns the error for a key that does not exist, with the nearest one that does.
    func unknown(_ key: Node, _ what: String, _ known: [String]) -> CommandFailure {
        let name = key.string ?? "?"
        let hint = nearestName(to: name, among: known).map { "; did you mean '\($0)'?" } ?? "."
        return error(key, "\(what) has no key '\(name)'\(hint) Allowed: \(known.joined(separator: ", "))")
    }

    func error(_ node: Node, _ message: String) -> CommandFailure {
        let line = node.mark.map { ":\($0.line)" } ?? ""
        return CommandFailure(.badData, "\(path)\(line): \(message)")
    }
}

/// A YAML file with costs of modelled timing, one constant a line, each with its unit:
/// ```yaml
/// disk_read: 50us
/// disk_read_rate: 2GB/s
/// jpeg_decode_rate: 300MP/s
/// ```
/// Constants that the file does not name keep their standard values. Errors name the file and the line.
struct CostsFile {
    let costs: CostModel

    init(contentsOf path: String) throws {
        let yaml = try YAMLFile(
            contentsOf: path, expected: "constants such as 'disk_read: 50us', as `cachereplay calibrate` writes them")
        costs = try yaml.costs(yaml.root)
    }
}

extension YAMLFile {
    /// Reads a mapping of constants to values, over the standard costs.
    func costs(_ node: Node) throws -> CostModel {
        var costs = CostModel.standard
        for (key, value) in try pairs(node, "costs") {
            guard let constant = key.string.flatMap(CostModel.Constant.named) else {
                throw unknown(key, "costs", CostModel.Constant.all.map(\.name))
            }
            guard let text = value.string, !text.isEmpty else {
                throw error(value, "\(constant.name): expected \(constant.unit.expectation)")
            }
            do { constant.set(try constant.unit.value(text), in: &costs) } catch {
                throw self.error(value, "\(constant.name): \(error.message)")
            }
        }
        return costs
    }
}

/// The entries of a file of caches about the verdict of `gate`.
extension YAMLFile {
    /// Reads the key `allow`: a text, or a list of texts, as `--allow` takes them.
    func allowances(_ node: Node) throws -> [Allowance] {
        let entries: [Node] = node.sequence.map(Array.init) ?? [node]
        var allowances: [Allowance] = []
        for entry in entries {
            let written = try text(entry, "an amount such as origin_bytes:5%")
            let allowance: Allowance
            do { allowance = try Allowance(written) } catch let wrong as AllowanceError {
                throw error(entry, wrong.description)
            }
            guard !allowances.contains(where: { $0.metric == allowance.metric }) else {
                throw error(entry, "allow names \(allowance.metric) more than once; give it one amount")
            }
            allowances.append(allowance)
        }
        return allowances
    }

    /// Reads the key `accept`: a list of changes that are accepted, each with its figure, cache, value and reason.
    func acceptances(_ node: Node) throws -> [Acceptance] {
        guard let entries = node.sequence else {
            throw error(node, "accept is a list of entries such as \(Self.exampleOfAcceptance)")
        }
        return try entries.map { try acceptance($0) }
    }

    private static let exampleOfAcceptance =
        "{figure: hit_ratio, cache: app, session: feed, value: 71.5%, reason: \"less memory on old phones\"}"

    private func acceptance(_ node: Node) throws -> Acceptance {
        let known = ["figure", "cache", "session", "value", "reason"]
        var texts: [String: String] = [:]
        for (key, value) in try pairs(node, "an entry of accept") {
            guard let name = key.string, known.contains(name) else {
                throw unknown(key, "an entry of accept", known)
            }
            texts[name] = try text(value, name)
        }
        for name in known where name != "session" && texts[name] == nil {
            throw error(node, "an entry of accept needs '\(name)', such as \(Self.exampleOfAcceptance)")
        }
        do {
            return try Acceptance(
                figure: texts["figure"] ?? "", cache: texts["cache"] ?? "", session: texts["session"],
                value: texts["value"] ?? "", reason: texts["reason"] ?? "")
        } catch let wrong as AllowanceError { throw error(node, wrong.description) }
    }
}

extension YAMLFile {
    /// Returns the text that --cache takes for a cache of a configuration file, which was read without an error.
    ///
    /// A value with a semicolon, such as the command of a program, has no such form. The caller reads the text to find
    /// out.
    func specification(_ node: Node) -> String {
        guard let mapping = node.mapping else { return node.string ?? "" }
        var base: [String] = []
        var parts: [String] = []
        for (key, value) in mapping {
            let name = key.string ?? ""
            switch name {
            case "preset": base.append(value.string ?? "")
            case "pipeline": parts += Self.rules(value)
            case "memory", "disk":
                let written = value.mapping?.first { $0.key.string == "policy" }?.value
                let policy = value.mapping == nil ? value : written
                if let policy { parts.append("\(name): \(policy.string ?? "")") }
                parts += Self.rules(value)
            default: parts.append("\(name): \(value.string ?? "")")
            }
        }
        return (base + parts).joined(separator: "; ")
    }

    private static func rules(_ node: Node) -> [String] {
        guard let mapping = node.mapping else { return [] }
        return mapping.filter { $0.key.string != "policy" }.map { "\($0.key.string ?? ""): \($0.value.string ?? "")" }
    }
}
