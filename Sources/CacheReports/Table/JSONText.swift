/// JSON whose keys keep their order, and whose numbers have no exponent.
indirect enum JSONText {
    case object([(String, JSONText)])
    case array([JSONText])
    case string(String)
    /// The digits of a number.
    case number(String)
    case bool(Bool)
    case null

    /// Returns a figure as a number with the digits of its unit, or null when there is none.
    static func figure(_ value: Double?, _ unit: Unit) -> JSONText {
        guard let value, value.isFinite else { return .null }
        // The median of an even number of counts can end in .5.
        let isWhole = unit.places == 0 && value == value.rounded()
        return .number(isWhole ? Unit.count.written(.real(value)) : Unit.ratio.written(.real(value)))
    }

    func rendered(indent: String = "") -> String {
        switch self {
        case .object(let members):
            block(members.map { "\(Self.quoted($0.0)): \($0.1.rendered(indent: indent + "  "))" }, "{", "}", indent)
        case .array(let items): block(items.map { $0.rendered(indent: indent + "  ") }, "[", "]", indent)
        case .string(let text): Self.quoted(text)
        case .number(let digits): digits
        case .bool(let value): value ? "true" : "false"
        case .null: "null"
        }
    }

    private func block(_ items: [String], _ open: String, _ close: String, _ indent: String) -> String {
        guard !items.isEmpty else { return open + close }
        return "\(open)\n\(indent)  " + items.joined(separator: ",\n\(indent)  ") + "\n\(indent)\(close)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
