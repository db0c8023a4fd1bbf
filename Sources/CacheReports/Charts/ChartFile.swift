/// The endings of the files in `charts/`.
public enum ChartFormat: String, Sendable, CaseIterable {
    case svg
    case png
    case pdf
}

enum ChartFile {
    /// Whether a file in `charts/` is one that charts are made of, and may be removed with them.
    static func isOurs(_ name: String) -> Bool {
        let endings = ["gp", "csv"] + ChartFormat.allCases.map(\.rawValue)
        return endings.contains { ending in
            ChartKind.allCases.contains { name.hasSuffix("-\($0.rawValue).\(ending)") }
        }
    }
}
