/// The files with the verdict of a gate, in its output folder.
public enum VerdictFiles {
    /// The first one shows that the others are not files of the user.
    private static let forms: [(ComparisonFormat, String)] = [
        (.json, "verdict.json"), (.markdown, "verdict.md"), (.junit, "junit.xml"), (.github, "annotations.txt"),
    ]

    private static let files = OwnFiles(forms.map(\.1), shownBy: "verdict.json", of: "an earlier gate") { folder in
        OwnFiles.isJSON("\(folder)/verdict.json", of: Mark.self)
    }

    /// The members by which a verdict is recognised.
    private struct Mark: Decodable {
        struct Member: Decodable {}

        var worse: Bool
        var verdict: String
        var findings: [Member]
    }

    /// Throws if a folder has files of the user under the names of the files.
    /// - Throws: ``ResultsError`` of kind `cannotCreate`.
    public static func refuseForeign(in folder: String) throws { try files.refuseForeign(in: folder) }

    /// Writes the files.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public static func write(_ comparison: Comparison, to folder: String) throws {
        for (form, name) in forms { try ResultFile.write(comparison.rendered(as: form), to: "\(folder)/\(name)") }
    }
}
