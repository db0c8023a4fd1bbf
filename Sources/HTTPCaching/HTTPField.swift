/// One header field of a response or a request.
public struct HTTPField: Sendable, Equatable, Codable {
    /// In lower case.
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [HTTPField] {
    /// The value of the first field of a name, without white space around it.
    ///
    /// A field that occurs twice although it has one value counts as it occurs first (RFC 9111, section 4.2.1).
    func first(_ name: String) -> Substring? { first { $0.name == name }.map { $0.value.trimmed } }

    /// The values of a name as one list (RFC 9110, section 5.3); empty if no field has the name.
    func combined(_ name: String) -> String {
        lazy.filter { $0.name == name }.map(\.value).joined(separator: ",")
    }

    func contains(_ name: String) -> Bool { contains { $0.name == name } }
}

/// The members of a comma-separated list (RFC 9110, section 5.6.1), without white space around them. A comma within
/// quotation marks separates nothing. Empty members are left out.
///
/// - Parameter hasEscapes: Whether a backslash within quotation marks takes the meaning of the next character. Entity
///   tags have no such escapes (section 8.8.3).
func listItems(_ text: String, hasEscapes: Bool = true) -> [String] {
    var items: [String] = []
    var item = ""
    var (isQuoted, isEscaped) = (false, false)
    func finish() {
        let trimmed = item.trimmed
        if !trimmed.isEmpty { items.append(String(trimmed)) }
        item = ""
    }
    for scalar in text.unicodeScalars {
        if scalar == ",", !isQuoted {
            finish()
            continue
        }
        item.unicodeScalars.append(scalar)
        if isEscaped {
            isEscaped = false
        } else if scalar == "\\", isQuoted, hasEscapes {
            isEscaped = true
        } else if scalar == "\"" {
            isQuoted.toggle()
        }
    }
    finish()
    return items
}

/// Seconds (RFC 9111, section 1.2.2); nil if the text is no such number. A number that is too large becomes 2^31.
func deltaSeconds(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return min(Int64(text) ?? .max, 1 << 31)
}

/// Returns a letter of ASCII in lower case, and any other byte as it is.
func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

extension StringProtocol {
    /// Without spaces and tabs at the ends, the white space of header fields (RFC 9110, section 5.6.3).
    var trimmed: SubSequence {
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        guard let start = unicodeScalars.firstIndex(where: { !isSpace($0) }),
            let last = unicodeScalars.lastIndex(where: { !isSpace($0) })
        else { return self[endIndex...] }
        return self[start..<unicodeScalars.index(after: last)]
    }
}
