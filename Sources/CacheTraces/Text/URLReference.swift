/// A URL or a relative reference, split into its five components (RFC 3986, section 3 and appendix B). Any text has
/// components, so no text is an error.
struct URLReference: Equatable {
    private(set) var scheme: Substring?
    private(set) var authority: Substring?
    private(set) var path: Substring
    private(set) var query: Substring?

    /// Splits a text. The fragment is dropped, because it is not sent to a server.
    init(_ text: String) {
        var rest = text[...].prefix { $0 != "#" }
        let name = rest.prefix { $0 != ":" && $0 != "/" && $0 != "?" }
        if name.endIndex < rest.endIndex, rest[name.endIndex] == ":", name.first?.isLetter == true,
            name.utf8.allSatisfy(Self.isSchemeByte)
        {
            scheme = name
            rest = rest[name.endIndex...].dropFirst()
        }
        if rest.hasPrefix("//") {
            let name = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
            authority = name
            rest = rest[name.endIndex...]
        }
        path = rest.prefix { $0 != "?" }
        query = path.endIndex < rest.endIndex ? rest[path.endIndex...].dropFirst() : nil
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Returns the reference as seen from a base URL (RFC 3986, section 5.2.2).
    func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                } else if !path.hasPrefix("/") {
                    let folder = base.path.lastIndex(of: "/").map { base.path[...$0] }
                    target.path = (folder ?? (base.authority == nil ? "" : "/")) + path
                }
            }
        }
        target.path = Self.withoutDots(target.path)
        return target
    }

    /// Removes the segments `.` and `..` of an absolute path (RFC 3986, section 5.2.4).
    private static func withoutDots(_ path: Substring) -> Substring {
        guard path.hasPrefix("/"), path.contains("/.") else { return path }
        var segments: [Substring] = []
        let all = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in all where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        if all.last == "." || all.last == ".." { segments.append("") }
        return "/" + segments.joined(separator: "/")
    }

    /// The URL as text, for comparison: scheme and host in lower case, `/` as the empty path, and percent-encoding for
    /// the characters that browsers encode when they make a request (RFC 3986, section 6.2; WHATWG URL, section 1.3).
    var compared: String {
        var text = ""
        if let scheme { text += scheme.lowercased() + ":" }
        if let authority { text += "//" + authority.lowercased() }
        text += path.isEmpty && authority != nil ? "/" : Self.encoded(path)
        if let query { text += "?" + Self.encoded(query) }
        return text
    }

    private static func encoded(_ text: Substring) -> String {
        guard text.utf8.contains(where: mustBeEncoded) else { return String(text) }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if mustBeEncoded(byte) {
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func mustBeEncoded(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<")
            || byte == UInt8(ascii: ">")
    }
}
