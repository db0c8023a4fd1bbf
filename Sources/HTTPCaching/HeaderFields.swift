/// A field of a message's head. The value has no white space around it.
public struct HeaderField: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = String(value.trimmed)
    }
}

/// The fields of a message's head, in the order in which they were received. A name can occur several times. Names
/// compare without regard to case (RFC 9110, section 5.1).
public struct HeaderFields: Sendable, Hashable, RandomAccessCollection, ExpressibleByArrayLiteral {
    private var fields: [HeaderField]

    public init(_ fields: [HeaderField] = []) { self.fields = fields }

    public init(arrayLiteral elements: HeaderField...) { fields = elements }

    public init(_ pairs: [(String, String)]) { fields = pairs.map { HeaderField($0.0, $0.1) } }

    public var startIndex: Int { 0 }
    public var endIndex: Int { fields.count }
    public subscript(index: Int) -> HeaderField { fields[index] }

    /// The value of the first field of a name.
    public func first(_ name: String) -> String? { fields.first { isSame($0.name, name) }?.value }

    /// The values of all fields of a name, in their order.
    public func values(_ name: String) -> [String] { fields.filter { isSame($0.name, name) }.map(\.value) }

    /// The values of a name as one list (RFC 9110, section 5.3); nil if no field has the name.
    public func combined(_ name: String) -> String? {
        guard contains(name) else { return nil }
        return values(name).joined(separator: ", ")
    }

    public func contains(_ name: String) -> Bool { fields.contains { isSame($0.name, name) } }

    public mutating func append(_ name: String, _ value: String) { fields.append(HeaderField(name, value)) }

    /// Replaces all fields of a name by one.
    public mutating func set(_ name: String, _ value: String) {
        remove(name)
        append(name, value)
    }

    public mutating func remove(_ name: String) { fields.removeAll { isSame($0.name, name) } }

    /// Removes the fields that concern one connection (RFC 9110, section 7.6.1), which a cache does not store
    /// (RFC 9111, section 3.1).
    public var withoutConnectionFields: HeaderFields {
        let listed = combined("Connection").map { listItems($0) } ?? []
        return HeaderFields(
            fields.filter { field in
                !Self.ofConnections.contains { isSame($0, field.name) } && !listed.contains { isSame($0, field.name) }
            })
    }

    private static let ofConnections = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    ]
}

/// Whether two names of fields are equal without regard to the case of ASCII letters.
func isSame(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lowercase($0) == lowercase($1) }
}

func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

/// The members of a comma-separated list (RFC 9110, section 5.6.1), without white space around them. A comma within
/// quotation marks separates nothing. Empty members are left out.
func listItems(_ text: String) -> [String] {
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
        } else if scalar == "\\", isQuoted {
            isEscaped = true
        } else if scalar == "\"" {
            isQuoted.toggle()
        }
    }
    finish()
    return items
}

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
