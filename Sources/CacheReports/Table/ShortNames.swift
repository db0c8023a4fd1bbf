/// Names cut to a width, each still different from the others.
struct ShortNames {
    /// The printed text of each full name.
    private var shortened: [String: String] = [:]
    /// A line `[1] full name` for every name that was cut.
    private(set) var explanations: [String] = []

    /// Keeps names of at most `limit` columns. A longer name is cut and gets a number: `memory: split(… [1]`.
    init(_ names: [String], limit: Int) {
        for name in names where shortened[name] == nil {
            let printable = Self.printable(name)
            guard TextGrid.width(printable) > limit else {
                shortened[name] = printable
                continue
            }
            let mark = "… [\(explanations.count + 1)]"
            var cut = printable
            while TextGrid.width(cut) + TextGrid.width(mark) > limit, !cut.isEmpty { cut.removeLast() }
            shortened[name] = cut + mark
            explanations.append("[\(explanations.count + 1)] \(printable)")
        }
    }

    subscript(name: String) -> String { shortened[name] ?? Self.printable(name) }

    /// Replaces control characters by blanks. They would break a table or control the terminal.
    static func printable(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            text.unicodeScalars.append(isControl ? " " : scalar)
        }
        return text
    }
}
