/// A value of JSON, as the cases of the suite have them: the members of its lists have different types.
package enum CaseValue: Decodable, Sendable, Equatable {
    case null
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([CaseValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .list(try container.decode([CaseValue].self))
        }
    }

    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var number: Int? { if case .number(let number) = self { number } else { nil } }
    package var list: [CaseValue] { if case .list(let list) = self { list } else { [] } }
}

/// A field of a request or a response in a case. A number is a date: that many seconds from now.
package struct CaseField: Decodable, Sendable {
    package var name: String
    package var value: CaseValue
    /// Whether the client compares the field that it gets with that of the origin.
    package var isCompared: Bool

    package init(from decoder: any Decoder) throws {
        let parts = try CaseValue(from: decoder).list
        guard parts.count >= 2, let name = parts[0].text else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A field is a list of a name and a value."))
        }
        self.name = name
        value = parts[1]
        isCompared = parts.count < 3 || parts[2] == .flag(true)
    }
}
