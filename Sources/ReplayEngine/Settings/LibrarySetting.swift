/// The statements of a library.
struct LibrarySetting: Sendable {
    let name: String
    let presets: [String]
    let language: SettingAsCode.Language
    let source: String
    /// The lines before the statements, and after them.
    let before: [String]
    let after: [String]
    /// The statements with `#` in place of a number, and `#60%` in place of 60 % of it, by tier and kind. A lifetime is
    /// in seconds.
    let statements: [String: String]

    /// Returns the statement that sets a value; nil if none is known, or if the value is not a number.
    func statement(_ tier: String, _ value: TierValue) -> String? {
        guard let statement = statements["\(tier) \(value.kind.rawValue)"], let number = value.number else {
            return nil
        }
        if value.kind == .lifetime {
            // Fractions of a second would need another literal.
            guard number % 1_000_000 == 0 else { return nil }
            return statement.replacing("#", with: "\(number / 1_000_000)")
        }
        return statement.replacing("#60%", with: "\(number / 5 * 3 + number % 5 * 3 / 5)")
            .replacing("#", with: "\(number)")
    }

    /// Returns the code with the statements, without imports of classes that it does not mention.
    func code(_ lines: [String]) -> String {
        let body = (before + lines + after).filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
        let imports = before.filter { line in
            guard line.hasPrefix("import "), language == .kotlin else { return line.hasPrefix("import ") }
            return line.split(separator: ".").last.map { body.contains($0) } ?? false
        }
        return (imports + [body]).joined(separator: "\n") + "\n"
    }
}
