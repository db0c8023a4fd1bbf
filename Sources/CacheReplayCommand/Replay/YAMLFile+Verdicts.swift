import CacheReports
import Yams

/// What a file of caches says about the verdict of `gate`.
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
