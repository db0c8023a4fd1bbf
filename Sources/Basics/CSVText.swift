/// Writes RFC 4180 text: fields with a comma, a quote or a line break are quoted, and quotes are doubled.
///
/// Lines end in a line feed alone, which Unix tools expect and every CSV reader accepts.
package enum CSVText {
    package static func line(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\n"
    }

    /// Returns a field, in quotes if it must be.
    package static func field(_ text: String) -> String {
        // Bytes, not characters: "\r\n" is one Character and would slip through.
        text.utf8.contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D } ? quoted(text) : text
    }

    /// Returns a field in quotes.
    package static func quoted(_ text: String) -> String {
        "\"" + text.replacing(scalars: ["\"": "\"\""]) + "\""
    }
}

/// How texts are written to CSV files.
public enum CSVStyle: Sendable {
    /// Every text as it is.
    case exact
    /// A text that a spreadsheet program could take for a formula has a single quote in front.
    ///
    /// These are texts that begin with `=`, `+`, `-`, `@` or one of their full-width forms, with a tab or a line break
    /// (OWASP, "CSV Injection"), and, so that the text can be read again, with a single quote. Numbers such as `-3.5`
    /// remain.
    case safe

    package init(isSafe: Bool) { self = isSafe ? .safe : .exact }

    /// Returns the content of a field.
    public func written(_ text: String) -> String {
        guard self == .safe, Self.isMarked(text), !Self.isNumber(text) else { return text }
        return "'" + text
    }

    package func read(_ field: String) -> String {
        guard self == .safe, let text = field.dropping(start: "'"), Self.isMarked(text) else { return field }
        return text
    }

    private static func isMarked(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return "=+-@＝＋－＠\t\r\n'".unicodeScalars.contains(first)
    }

    /// Returns whether a text is a decimal number, with or without an exponent.
    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func skip(_ bytes: String) -> Bool {
            guard let first = rest.first, bytes.utf8.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func skipDigits() -> Bool {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest = rest.dropFirst(digits.count)
            return !digits.isEmpty
        }
        _ = skip("+-")
        guard skipDigits() else { return false }
        if skip(".") { _ = skipDigits() }
        if skip("eE") {
            _ = skip("+-")
            guard skipDigits() else { return false }
        }
        return rest.isEmpty
    }
}
