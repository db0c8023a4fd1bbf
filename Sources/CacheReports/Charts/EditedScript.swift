import Foundation

/// The last line of a chart's script: a checksum that tells whether a user has edited the lines before it.
enum EditedScript {
    private static let prefix = "# checksum "

    /// Returns the line for a script.
    static func mark(of script: String) -> String { "\(prefix)\(checksum(script))\n" }

    /// Returns whether a user has changed a script since it was written.
    static func isEdited(_ text: String) -> Bool {
        guard let start = text.range(of: "\n\(prefix)", options: .backwards) else { return true }
        let script = text[..<text.index(after: start.lowerBound)]
        return String(script) + mark(of: String(script)) != text
    }

    /// Returns whether a file is a script that a user has changed.
    static func isEdited(file: String) -> Bool {
        guard file.hasSuffix(".gp"), let text = try? ResultFile.text(at: file) else { return false }
        return isEdited(text)
    }

    /// The 64-bit hash FNV-1a, which shows accidental changes (Fowler, Noll and Vo, RFC 9923).
    private static func checksum(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
