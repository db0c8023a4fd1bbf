/// Names that fit a place, each still telling its cache from the others.
struct ShortNames {
    /// What to print for each full name.
    private var shortened: [String: String] = [:]
    /// `[1] full name` for every name that did not fit.
    private(set) var explanations: [String] = []

    /// A name of at most `limit` columns stays; a longer one is cut and gets a number: `memory: split(… [1]`.
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

    /// Control characters, line breaks among them, would break a table or drive the terminal.
    static func printable(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            text.unicodeScalars.append(isControl ? " " : scalar)
        }
        return text
    }
}
