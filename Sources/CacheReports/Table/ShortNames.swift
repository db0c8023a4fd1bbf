import Basics

/// Names in a width, each still different from the others.
struct ShortNames {
    /// The printed text of each full name.
    private var shortened: [String: String] = [:]
    /// A line `[1] full name` for every name that is not printed in full.
    private(set) var explanations: [String] = []

    /// Keeps names of at most `limit` columns. Others lose the words with which all of them begin, then their middle,
    /// and get a number: `…lru(64MB)…00MB) [1]`.
    ///
    /// - Parameter count: The names that have numbers already.
    init(_ names: [String], limit: Int, after count: Int = 0) {
        let printed = names.unique().map { (name: $0, text: VisibleText.printable($0)) }
        let start = Self.commonWords(printed.map(\.text).filter { TextGrid.width($0) > limit })
        for (name, text) in printed {
            guard TextGrid.width(text) > limit else {
                shortened[name] = text
                continue
            }
            let mark = "[\(count + explanations.count + 1)]"
            let own = start == 0 ? text : "…\(text.dropFirst(start))"
            shortened[name] = TextGrid.withoutMiddle(own, width: limit - TextGrid.width(mark) - 1) + " \(mark)"
            explanations.append("\(mark) \(text)")
        }
    }

    subscript(name: String) -> String { shortened[name] ?? VisibleText.printable(name) }

    /// Returns the number of characters in the words with which several names begin.
    private static func commonWords(_ names: [String]) -> Int {
        guard let first = names.first, names.count > 1 else { return 0 }
        let common = names.dropFirst().reduce(first) { common, name in
            String(zip(common, name).prefix { $0 == $1 }.map(\.0))
        }
        return common.lastIndex(of: " ").map { common.distance(from: common.startIndex, to: $0) + 1 } ?? 0
    }
}
