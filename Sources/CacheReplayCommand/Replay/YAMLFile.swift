import Basics
import CachePolicies
import Foundation
import Yams

/// A YAML file of mappings and texts. Errors name the file and the line.
struct YAMLFile {
    let path: String
    let root: Node

    /// - Parameter expected: What the file should hold, for the error about an empty file.
    init(contentsOf path: String, expected: String) throws {
        self.path = path
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, "\(path): no such file, or not readable.")
        }
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
        return text
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
