import Foundation
import HTTPCaching

/// The fields of a message's head, in the order in which they were received, with their names as they were sent. A name
/// can occur several times. Names compare without regard to case (RFC 9110, section 5.1).
package struct HeaderFields: Sendable, RandomAccessCollection {
    private var fields: [HTTPField] = []

    package init() {}

    package init(_ pairs: [(String, String)]) {
        for (name, value) in pairs { append(name, value) }
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { fields.count }
    package subscript(index: Int) -> HTTPField { fields[index] }

    /// The fields as a recorded session has them: with names in lower case.
    package var recorded: [HTTPField] { fields.map { HTTPField($0.name.lowercased(), $0.value) } }

    /// The value of the first field of a name.
    package func first(_ name: String) -> String? { values(name).first }

    /// The values of all fields of a name, in their order.
    package func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The values of a name as one list (RFC 9110, section 5.3); nil if no field has the name.
    package func combined(_ name: String) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    package func contains(_ name: String) -> Bool { first(name) != nil }

    /// Adds a field. White space around a value has no meaning (RFC 9110, section 5.5).
    package mutating func append(_ name: String, _ value: String) {
        fields.append(HTTPField(name, value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))))
    }

    /// Replaces all fields of a name by one.
    package mutating func set(_ name: String, _ value: String) {
        let lowercased = name.lowercased()
        fields.removeAll { $0.name.lowercased() == lowercased }
        append(name, value)
    }
}

/// The head of a request, as a client makes it or as a cache sends it on.
package struct RequestHead: Sendable {
    package var method: String
    package var url: String
    package var fields: HeaderFields
    /// The client wants a stored response to be validated before its use, as in a reload: `no-cache` of the Fetch
    /// standard.
    package var isReload: Bool

    package init(_ url: String, method: String = "GET", fields: HeaderFields = HeaderFields(), isReload: Bool = false) {
        self.url = url
        self.method = method
        self.fields = fields
        self.isReload = isReload
    }
}

/// The head of a response.
package struct ResponseHead: Sendable {
    package var status: Int
    package var fields: HeaderFields

    package init(_ status: Int, _ fields: HeaderFields) {
        self.status = status
        self.fields = fields
    }
}
