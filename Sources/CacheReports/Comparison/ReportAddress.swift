/// The address of the report, or of the run of a pipeline that keeps it, to which a verdict links.
public struct ReportAddress: Sendable, Equatable {
    /// The address, of characters that need no escape in a link of Markdown between angle brackets.
    public let text: String

    /// - Returns: nil for a text that does not begin with `https://` or `http://` and a host, that has characters which
    ///   an address cannot have, or that is longer than 2,000 bytes.
    public init?(_ text: String) {
        let schemes: [String] = ["https://", "http://"]
        guard let scheme = schemes.first(where: { text.hasPrefix($0) }), text.utf8.count <= 2_000,
            text.utf8.allSatisfy({ Self.isPermitted($0) })
        else { return nil }
        let place = text.dropFirst(scheme.count)
        guard let first = place.first, first.isLetter || first.isNumber else { return nil }
        self.text = text
    }

    /// Whether a byte is part of an address (RFC 3986, 2.2 and 2.3). Brackets and quotes are not: they could end a
    /// link, and addresses of pipelines do not have them.
    private static func isPermitted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%:/?#@!$&()*+,;=".utf8.contains(byte)
        }
    }
}
