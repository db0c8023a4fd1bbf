/// A JSON value. The members of objects keep their order.
package indirect enum JSONValue: Sendable {
    case object([(String, JSONValue)])
    case array([JSONValue])
    case string(String)
    case number(String)
    case bool(Bool)
    case null

    /// Returns the value as text without a line break at the end.
    package func text(_ layout: JSONWriter.Layout) -> String { String(decoding: bytes(layout), as: UTF8.self) }

    package func bytes(_ layout: JSONWriter.Layout) -> [UInt8] {
        var writer = JSONWriter(layout, escapes: layout == .indented ? .breaks : .all)
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.key(name)
                value.write(to: &writer)
            }
            writer.endObject()
        case .array(let values): writer.array(values) { $1.write(to: &$0) }
        case .string(let text): writer.string(text)
        case .number(let digits): writer.number(digits)
        case .bool(let value): writer.boolean(value)
        case .null: writer.null()
        }
    }
}
