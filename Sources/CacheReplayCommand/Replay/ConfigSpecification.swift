import ImageLibraries
import ReplayEngine
import Yams

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

    /// Returns the rules of a section, without its policy.
    private static func rules(_ node: Node) -> [String] {
        guard let mapping = node.mapping else { return [] }
        return mapping.filter { $0.key.string != "policy" }.map { "\($0.key.string ?? ""): \($0.value.string ?? "")" }
    }
}
