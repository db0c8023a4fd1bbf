import Basics

/// Names cut to a width, each still different from the others.
struct ShortNames {
    /// The printed text of each full name.
    private var shortened: [String: String] = [:]
    /// A line `[1] full name` for every name that was cut.
    private(set) var explanations: [String] = []

    /// Keeps names of at most `limit` columns. A longer name is cut and gets a number: `memory: split(… [1]`.
    init(_ names: [String], limit: Int) {
        for name in names where shortened[name] == nil {
            let printable = VisibleText.printable(name)
            guard TextGrid.width(printable) > limit else {
                shortened[name] = printable
                continue
            }
            let mark = "… [\(explanations.count + 1)]"
            shortened[name] = TextGrid.prefix(printable, width: limit - TextGrid.width(mark)) + mark
            explanations.append("[\(explanations.count + 1)] \(printable)")
        }
    }

    subscript(name: String) -> String { shortened[name] ?? VisibleText.printable(name) }
}
