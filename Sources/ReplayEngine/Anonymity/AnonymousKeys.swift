import CacheTiers
import SessionModel

/// The keys that replace a trace's own keys, and with which every cache does the same.
///
/// If two keys of one form share a host, a path, both, the text before the query, or every fifth character, their
/// replacements share it too. Caches and connections compare nothing else. A replacement also keeps whether a layout of
/// disks can name the file of a full image after the key, and the ending of a picture.
///
/// The replacement of a URL with a path has groups of five characters. The first character of a group, or the second
/// from the query on, is the same in every key of this form:
///
///     xs://~hhhh~hhh/~pppp~pppp~pppp~.jpg?~kkkf~kkkf~kkk…
///
/// - `s`: the scheme.
/// - `h`: the host and the port. Five characters that end in `@` precede them if the original is spelled in an unusual
///   way, such as with a user name.
/// - `p`: the path. Characters in the place of `.jpg` if the original is no picture by its name.
/// - `k`: the whole key.
/// - `f`: every fifth character of the original. These stand in the places 40, 45 and so on.
///
/// Six successive characters always have a tilde. They are therefore hardly ever six characters of an original.
struct AnonymousKeys {
    private let names: Pseudonyms
    private var hosts: [String: [UInt8]] = [:]

    init(_ names: Pseudonyms) { self.names = names }

    private static let tilde = UInt8(ascii: "~")
    /// The places of ``Pseudonyms/Kind/everyFifth`` in a key.
    private static let fifths = 10
    /// Layouts can name a file after every shorter key.
    private static let shortKey = 80

    /// Characters that make a key as long as needed.
    private struct Padding {
        /// Groups of slashes in the path.
        var slashes = 0
        /// Groups of tildes in the path.
        var tildes = 0
        /// Tildes behind the query.
        var query = 0
    }

    mutating func replacement(of key: String) -> String {
        var padding = Padding()
        var replacement = replacement(of: key, padding)
        guard key.utf8.count > Self.shortKey else { return replacement }
        // In the path, only whole groups keep the places of every fifth character. They are too long for the three
        // characters by which the name of a thumbnail is longer.
        let steps: [(DiskLayout, WritableKeyPath<Padding, Int>, Int, variants: [UInt8])] = [
            (.path, \.slashes, 1, [1]), (.hostPath, \.tildes, 1, [1]), (.escaped, \.query, 1, [0, 1]),
            (.everyFifth, \.query, 5, [0, 1]),
        ]
        for (layout, path, step, variants) in steps {
            func nameless(_ key: String) -> Int { variants.count { layout.name(of: key, variant: $0) == nil } }
            let wanted = nameless(key)
            while nameless(replacement) < wanted {
                padding[keyPath: path] += step
                replacement = self.replacement(of: key, padding)
            }
        }
        return replacement
    }

    private mutating func replacement(of key: String, _ padding: Padding) -> String {
        let bytes = Array(key.utf8)
        let (authority, path) = DiskLayout.parts(bytes)
        let host = host(RecordedHosts.name(key))
        // A host that only the query has.
        var suffix: [UInt8] = []
        var result = Array("x".utf8)
        if let authority {
            // The path begins at the end of a group, also without a host.
            if host.isEmpty { result = [] }
            result.append(scheme(bytes[..<(authority.startIndex - 3)]))
            result += Array("://".utf8) + host
        } else if Self.hasDoubleSlash(path) {
            result += Array("--//".utf8) + host + [UInt8(ascii: "/")]
        } else if !host.isEmpty {
            suffix = Array((key.contains("://") ? "~x://" : "~x--//").utf8) + host + [UInt8(ascii: "/")]
        }
        if !path.isEmpty {
            if authority != nil { result.append(UInt8(ascii: "/")) }
            let characters = names.characters(String(decoding: path, as: UTF8.self), .path)
            Self.fill(&result, characters[...], groups: 3)
            for (count, filling) in [(padding.slashes, "~////"), (padding.tildes, "~~~~~")] {
                for _ in 0..<count { result += Array(filling.utf8) }
            }
            result += Trace.hasImageEnding(key) ? Array("~.jpg".utf8) : [Self.tilde] + characters.suffix(4)
        } else if authority == nil {
            result = []
        }
        appendQuery(of: key, delimiter: path.endIndex < bytes.endIndex ? bytes[path.endIndex] : nil, to: &result)
        result += Array(repeating: Self.tilde, count: padding.query) + suffix
        return String(decoding: result, as: UTF8.self)
    }

    /// Appends what tells keys of one path apart.
    private func appendQuery(of key: String, delimiter: UInt8?, to result: inout [UInt8]) {
        let digits = names.characters(key, .key)
        let fifths = names.characters(DiskLayout.everyFifth(key), .everyFifth)
        var next = 0
        func append(_ result: inout [UInt8]) {
            result.append(result.count % 5 == 1 ? Self.tilde : digits[next % digits.count])
            next += 1
        }
        result.append(delimiter ?? UInt8(ascii: "?"))
        while result.count % 5 != 0 { append(&result) }
        for fifth in fifths.prefix(Self.fifths) {
            result.append(fifth)
            for _ in 0..<4 { append(&result) }
        }
    }

    /// Appends characters up to the end of a group, and then whole groups. The first of each five characters of the
    /// result is a tilde.
    private static func fill(_ result: inout [UInt8], _ characters: ArraySlice<UInt8>, groups: Int) {
        var characters = characters
        let end = (result.count + 4) / 5 * 5 + groups * 5
        while result.count < end {
            result.append(result.count % 5 == 0 ? tilde : characters.popFirst() ?? tilde)
        }
    }

    private func scheme(_ bytes: ArraySlice<UInt8>) -> UInt8 {
        switch String(decoding: bytes, as: UTF8.self) {
        case "http": UInt8(ascii: "h")
        case "https": UInt8(ascii: "s")
        case let other: names.characters(other, .scheme)[0]
        }
    }

    /// Returns the replacement of a host; empty for the keys without one.
    private mutating func host(_ text: Substring) -> [UInt8] {
        guard !text.isEmpty else { return [] }
        let text = String(text)
        if let known = hosts[text] { return known }
        // Name, port and an empty path, as URLCache distinguishes hosts.
        let canonical = DiskLayout.hostAndPath("x://\(text)")
        var replacement: [UInt8] = []
        if canonical.split(separator: ",").joined(separator: ":") != text {
            replacement.append(Self.tilde)
            replacement += names.characters(text, .authority).prefix(3)
            replacement.append(UInt8(ascii: "@"))
        }
        let characters = names.characters(canonical, .host)
        for group in [characters[0..<4], characters[4..<7]] {
            replacement.append(Self.tilde)
            replacement += group
        }
        hosts[text] = replacement
        return replacement
    }

    private static func hasDoubleSlash(_ bytes: ArraySlice<UInt8>) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
    }
}
