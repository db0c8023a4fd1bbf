import Basics
import Runs

extension Document {
    /// A table of shares whose cells have the colour of their share, with bars for sizes beside them.
    ///
    /// All cells have one scale of colours, from 0 % to 100 %. It follows the square root, so that the few percent that
    /// most caches have can be told apart.
    package struct Matrix: Sendable {
        enum Kind: Equatable, Sendable {
            /// Shares with a colour.
            case share
            /// Shares without a colour.
            case plain
            case delay
            /// Bytes with a bar in the colour of a place: `memory`, `disk` or `network`.
            case bar(String)

            var unit: Unit {
                switch self {
                case .share, .plain: .ratio
                case .delay: .millisecondsPerSecond
                case .bar: .bytes
                }
            }
        }

        struct Column: Sendable {
            var title: RichText
            /// The text behind the title in smaller type.
            var about = ""
            /// The meaning of the column, in a sentence; empty for nothing.
            var meaning = ""
            var kind: Kind
        }

        struct Cell: Sendable {
            var text: RichText
            /// The figure of the text, in the unit of the column; nil for none.
            var value: Double?
            /// Whether the share is the best of its column, or ties with it.
            var isFramed = false
        }

        struct Row: Sendable {
            var head: RichText
            var cells: [Cell]
        }

        var caption: String
        /// The meaning of the rows and of the cells.
        var corner: String
        /// The meaning of the shares, in a sentence; empty for nothing.
        var meaning = ""
        var columns: [Column]
        var rows: [Row]
        /// Whether more is better, which has a colour of its own.
        var isHigherBetter = false
        /// The differences between rows that do not count.
        var tolerance = Tolerance.standard

        /// The texts alone.
        var grid: TextGrid {
            TextGrid(
                headings: [.text(corner)] + columns.map { .figure($0.title.plain) },
                rows: rows.map { row in [row.head.plain] + row.cells.map(\.text.plain) })
        }
    }
}

// MARK: A page

extension Document.Matrix {
    /// The share of the full colour that a cell of 100 % has, in per cent: text stays readable on it.
    private static let mostColour = 94.0

    /// The matrix as a table in a region that scrolls, also with the keyboard. Every text is escaped. The script of the
    /// page sorts it by its headings, with the better end of a column first.
    var html: String {
        func escaped(_ text: String) -> String { MarkupText.escaped(text) }
        let headings = columns.map { column -> String in
            let about = column.about.isEmpty ? "" : "<span>\(escaped(column.about))</span>"
            let unit = " data-unit=\"\(column.kind.unit.rawValue)\""
            let better = isHigherBetter && column.kind.unit == .ratio ? " data-better=\"higher\"" : ""
            let marks = unit + better + Self.style(of: column.kind) + Self.title(column.meaning)
            return "<th scope=\"col\"\(marks)>\(column.title.html)\(about)</th>"
        }
        let most = columns.indices.map { column in rows.compactMap { $0.cells[column].value }.max() ?? 0 }
        let body = rows.map { row -> String in
            let cells = columns.indices.map { Self.element(row.cells[$0], columns[$0].kind, most: most[$0]) }
            return "<tr><th scope=\"row\">\(row.head.html)</th>\(cells.joined())</tr>\n"
        }
        return """
            <div class="box" role="region" tabindex="0" aria-label="\(escaped("Table: " + caption))">\
            <table class="matrix\(isHigherBetter ? " higher" : "")" \
            data-points="\(tolerance.points)" data-percent="\(tolerance.percent)">
            <thead><tr><th scope="col"\(Self.title(meaning))>\(escaped(corner))</th>\(headings.joined())</tr></thead>
            <tbody>
            \(body.joined())</tbody>
            </table></div>

            """
    }

    private static func style(of kind: Kind) -> String { if case .bar = kind { " class=\"left\"" } else { "" } }

    private static func title(_ meaning: String) -> String {
        meaning.isEmpty ? "" : " title=\"\(MarkupText.escaped(meaning))\""
    }

    /// - Parameter most: The largest figure of the column, whose bar is the longest.
    private static func element(_ cell: Cell, _ kind: Kind, most: Double) -> String {
        let text = cell.text.html
        guard let value = cell.value else { return "<td\(style(of: kind))>\(text)</td>" }
        let figure = " data-value=\"\(value)\""
        switch kind {
        case .plain, .delay: return "<td class=\"mean\"\(figure)>\(text)</td>"
        case .bar(let place):
            let length = most > 0 ? value / most : 0
            let bar = "<span class=\"size \(place)\" style=\"--length:\(length.fixed(3))\"></span>"
            return "<td class=\"left\"\(figure)>\(value > 0 ? bar : "")\(text)</td>"
        case .share:
            let colour = Int((min(max(value, 0), 1).squareRoot() * mostColour).rounded())
            // What the frame says is read out too.
            let best = cell.isFramed ? "<span class=\"said\"> best</span>" : ""
            return """
                <td class="share\(cell.isFramed ? " tie" : "")" style="--colour:\(colour)%"\(figure)>\(text)\(best)</td>
                """
        }
    }
}
