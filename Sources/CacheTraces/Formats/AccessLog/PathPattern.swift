/// A pattern for the paths of URLs, such as `/images/*.{jpg,png}`.
///
/// `*` stands for any text, also with slashes; `?` for one character; `{a,b}` for one of its parts. The other
/// characters stand for themselves, letters in both cases. A pattern is compared with the whole path, with and without
/// the query.
public struct PathPattern: Sendable, Equatable, CustomStringConvertible {
    public let text: String
    /// The patterns without braces, in lower case.
    private let alternatives: [[UInt8]]

    /// The largest number of patterns for which one with braces may stand.
    static let maximumAlternatives = 256

    /// - Throws: ``Malformed``, which says how to write a pattern.
    public init(_ text: String) throws {
        guard let alternatives = Self.expanded(Array(text.lowercased().utf8)) else {
            throw Malformed(
                text,
                "braces have the form {a,b}, are not nested, and stand for up to \(Self.maximumAlternatives) patterns")
        }
        guard alternatives.allSatisfy({ $0.first.map("/*?".utf8.contains) == true }) else {
            throw Malformed(text, "a path begins with /, so a pattern begins with /, * or ?; write '*\(text)'")
        }
        self.text = text
        self.alternatives = alternatives
    }

    public var description: String { text }

    /// Returns whether the path of a URL matches. `url` is a path, an absolute URL, or a host and a path.
    func matches(_ url: String) -> Bool {
        let target = Self.target(Array(url.lowercased().utf8))
        let path = target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return alternatives.contains {
            Self.matches($0, path) || path.count < target.count && Self.matches($0, target)
        }
    }

    private static func target(_ url: [UInt8]) -> ArraySlice<UInt8> {
        var rest = url[...]
        if let slash = url.firstIndex(of: UInt8(ascii: "/")), slash > 0, url[slash - 1] == UInt8(ascii: ":"),
            slash + 1 < url.count, url[slash + 1] == UInt8(ascii: "/")
        {
            rest = url[(slash + 2)...]
        }
        return rest.firstIndex(of: UInt8(ascii: "/")).map { rest[$0...] } ?? rest
    }

    /// Compares a pattern of `*`, `?` and other bytes, in time proportional to the product of both lengths at most.
    private static func matches(_ pattern: [UInt8], _ text: ArraySlice<UInt8>) -> Bool {
        var place = 0
        var index = text.startIndex
        // The last `*`, and where the text that it stands for may next end.
        var star: Int?
        var resume = index
        while index < text.endIndex {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = place
                resume = index
                place += 1
            } else if place < pattern.count, pattern[place] == UInt8(ascii: "?") || pattern[place] == text[index] {
                place += 1
                index += 1
            } else if let star {
                resume += 1
                index = resume
                place = star + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Returns the patterns for which one with braces stands, or nil if the braces are malformed.
    private static func expanded(_ pattern: [UInt8]) -> [[UInt8]]? {
        var results: [[UInt8]] = [[]]
        var rest = pattern[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "{"):
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
                let inner = rest[..<end]
                guard !inner.contains(UInt8(ascii: "{")) else { return nil }
                let parts = inner.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                guard results.count * parts.count <= maximumAlternatives else { return nil }
                results = results.flatMap { start in parts.map { start + $0 } }
                rest = rest[(end + 1)...]
            case UInt8(ascii: "}"): return nil
            default:
                for index in results.indices { results[index].append(byte) }
            }
        }
        return results
    }

    /// A text that is not a pattern.
    public struct Malformed: Error, CustomStringConvertible {
        public let description: String

        init(_ text: String, _ reason: String) { description = "'\(text)' is not a pattern: \(reason)" }
    }
}
