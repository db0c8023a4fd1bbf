import Basics

/// The objects of a trace whose keys differ at most in their queries. The explained replays of a trace share them.
final class SimilarKeys: Sendable {
    private let keys: [String]
    private let made = Locked<[Int]?>(nil)

    init(_ keys: [String]) { self.keys = keys }

    /// By object: the first object whose key differs at most in its query, usually itself.
    var groups: [Int] {
        made.withLock { made in
            if let made { return made }
            var first: [Substring: Int] = [:]
            let groups = keys.enumerated().map { index, key in
                // Bytes, not characters: a question mark is one byte.
                let stem = Substring(key.utf8.prefix { $0 != UInt8(ascii: "?") })
                let group = first[stem] ?? index
                first[stem] = group
                return group
            }
            made = groups
            return groups
        }
    }
}
