import Basics
import ReplayEngine

/// The statements of a library.
struct LibrarySetting: Sendable {
    package let name: String
    let presets: [String]
    let language: SettingAsCode.Language
    let source: String
    /// The code of its caches. Its imports are part of all code.
    let caches: Code
    /// The code of its fetches, or of its disk, where that is not part of ``caches``.
    var fetches: Code?
    /// Why no statement sets a value, by what would be set: a tier and a kind of value, or a rule. A sentence that
    /// names the file of the library.
    var fixed: [String: String] = [:]

    /// Statements, and the lines around them.
    struct Code: Sendable {
        var before: [String] = []
        /// Arguments take the place of `@`, in the order of their labels.
        var after: [String] = []
        /// The statements by what they set: a tier and a kind of value, or a rule, followed by a word if they set only
        /// this one. `#` stands for a number, and `#60%` for 60 % of it. A lifetime is in seconds. A statement that
        /// begins with `@` is an argument.
        var statements: [String: String]
    }

    /// A statement, and the code that it is part of.
    struct Statement: Sendable {
        let text: String
        /// Whether the statement is part of ``LibrarySetting/caches``.
        let isOfCaches: Bool
    }

    /// Returns the statement that sets a limit or a lifetime of a tier; nil if none is known, or if the value is not a
    /// number.
    func statement(_ tier: String, _ value: TierValue) -> Statement? {
        let key = "\(tier) \(value.kind.rawValue)"
        if value.isNever { return statement(key, word: "never") }
        guard let number = value.number else { return nil }
        guard value.kind == .lifetime else { return statement(key, number: number) }
        // Fractions of a second would need another literal.
        return number % 1_000_000 == 0 ? statement(key, number: number / 1_000_000) : nil
    }

    /// Returns the statement that sets a rule; nil if none is known.
    func statement(_ rule: Rule, _ value: String) -> Statement? {
        Int64(value).map { statement(rule.name, number: $0) } ?? statement(rule.name, word: value)
    }

    /// Returns the sentence that a value of a tier is not set, with the reason if the library has one.
    func lack(_ tier: String, _ value: TierValue) -> String {
        lack("\(tier) \(value.kind.rawValue)", "the \(value.kind.rawValue) of \(tier): \(value.text)")
    }

    /// Returns the sentence that a rule is not set, with the reason if the library has one.
    func lack(_ rule: Rule, _ value: String) -> String { lack(rule.name, "\(rule.name): \(value)") }

    private func lack(_ key: String, _ text: String) -> String {
        guard let reason = fixed[key] else { return "No statement is known that sets \(text)." }
        return "No statement sets \(text). \(reason)"
    }

    private func statement(_ key: String, number: Int64) -> Statement? {
        find(key) {
            $0.replacing("#60%", with: "\(number / 5 * 3 + number % 5 * 3 / 5)").replacing("#", with: "\(number)")
        }
    }

    private func statement(_ key: String, word: String) -> Statement? { find("\(key) \(word)") { $0 } }

    private func find(_ key: String, _ filled: (String) -> String) -> Statement? {
        if let text = caches.statements[key] { return Statement(text: filled(text), isOfCaches: true) }
        return fetches?.statements[key].map { Statement(text: filled($0), isOfCaches: false) }
    }

    /// Returns the code with the statements, without imports of classes that it does not mention.
    func code(_ statements: [Statement]) -> String {
        let isImport = { (line: String) in line.hasPrefix("import ") }
        // Names of Dart do not tell from which package they are, so each part of the code has its own imports.
        var imports = language == .dart ? [] : caches.before.filter(isImport)
        var bodies: [String] = []
        for (code, isOfCaches) in [(caches, true), (fetches, false)] {
            let own = statements.filter { $0.isOfCaches == isOfCaches }.map(\.text).unique()
            guard let code, !own.isEmpty else { continue }
            imports += code.before.filter { isImport($0) && !imports.contains($0) }
            let arguments = own.filter { $0.hasPrefix("@") }.map { $0.dropFirst() }.sorted().joined()
            let lines = code.before.filter { !isImport($0) } + own.filter { !$0.hasPrefix("@") }
            bodies.append((lines + code.after.map { $0.replacing("@", with: arguments) }).joined(separator: "\n"))
        }
        let body = bodies.joined(separator: "\n\n")
        if language == .kotlin {
            imports = imports.filter { line in line.split(separator: ".").last.map { body.contains($0) } ?? false }
        }
        let head = imports.isEmpty ? [] : imports.sorted() + [""]
        return (head + [body]).joined(separator: "\n") + "\n"
    }
}
