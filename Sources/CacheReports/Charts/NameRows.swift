/// Charts with one row per cache: the names stand left of the rows, wrapped, where even long ones can be read.
struct NameRows {
    private static let lineLength = 34
    private static let lineHeight = 19
    private static let mostLines = 4
    /// Pixels of a character at the size of the labels, on the safe side.
    private static let characterWidth = 8.6

    private let wrapped: [[String]]
    let rowHeight: Int
    /// Above and below the rows: title, axis, legend.
    private static let frame = 190

    init(_ names: [String]) {
        wrapped = names.map { Self.wrap($0) }
        let lines = wrapped.map(\.count).max() ?? 1
        rowHeight = max(46, lines * Self.lineHeight + 14)
    }

    var height: Int { max(340, wrapped.count * rowHeight + Self.frame) }

    /// Axis from the first row at the top to the last, and the names beside it.
    var settings: [String] {
        let longest = wrapped.joined().map { TextGrid.width($0) }.max() ?? 0
        let margin = (Double(longest) * Self.characterWidth + 30) / Double(ChartContent.width)
        let labels = wrapped.enumerated().map { index, lines in
            // gnuplot sets the first line at the given height, so the others have to lift it.
            let lift = Double(lines.count - 1) * 0.5
            return "set label \(GnuplotText.quoted(lines.joined(separator: "\n"))) right at graph 0, first \(index + 1) "
                + "offset character -1, character \(GnuplotText.number(lift))"
        }
        return ["set lmargin at screen \(GnuplotText.number(margin))", "set yrange [\(Double(wrapped.count) + 0.6):0.4]", "unset ytics"]
            + labels
    }

    /// Breaks after blanks where it can; what does not fit in four lines ends in an ellipsis.
    static func wrap(_ name: String, at length: Int = lineLength, mostLines: Int = mostLines) -> [String] {
        var lines: [String] = [""]
        for word in ShortNames.printable(name).split(separator: " ") {
            var rest = Substring(word)
            let separator = lines[lines.count - 1].isEmpty ? "" : " "
            if lines[lines.count - 1].count + separator.count + rest.count <= length {
                lines[lines.count - 1] += separator + rest
                continue
            }
            if !separator.isEmpty { lines.append("") }
            while rest.count > length {
                lines[lines.count - 1] = String(rest.prefix(length))
                lines.append("")
                rest = rest.dropFirst(length)
            }
            lines[lines.count - 1] = String(rest)
        }
        guard lines.count > mostLines else { return lines }
        return lines.prefix(mostLines - 1) + [lines[mostLines - 1].prefix(length - 1) + "…"]
    }
}
