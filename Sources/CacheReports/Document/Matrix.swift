import Basics

extension Document {
    /// A table of shares whose cells have the colour of their share, with bars for sizes beside them.
    ///
    /// All cells have one scale of colours, from 0 % to 100 %. It follows the square root, so that the few percent that
    /// most caches have can be told apart.
    package struct Matrix: Sendable {
        /// What a column shows.
        enum Kind: Equatable, Sendable {
            /// Shares with a colour.
            case share
            /// Figures without a colour.
            case plain
            /// Sizes with a bar in the colour of a place: `memory`, `disk` or `network`.
            case bar(String)
        }

        struct Column: Sendable {
            var title: RichText
            /// What follows the title in smaller type.
            var about = ""
            /// What the column is, in a sentence; empty for nothing.
            var meaning = ""
            var kind: Kind
        }

        struct Cell: Sendable {
            var text: RichText
            /// The share from 0 to 1, for the colour and for differences between rows, or the length of the bar. nil
            /// for neither.
            var amount: Double?
            /// Whether the share is the best of its column, or ties with it.
            var isFramed = false
        }

        struct Row: Sendable {
            var head: RichText
            var cells: [Cell]
        }

        var caption: String
        /// What the rows are, and what the cells say.
        var corner: String
        /// What the shares are, in a sentence; empty for nothing.
        var meaning = ""
        var columns: [Column]
        var rows: [Row]
        /// Whether more is better, which has a colour of its own.
        var isHigherBetter = false

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
    private static let mostColour = 96.0

    /// The matrix as a table in a region that scrolls, also with the keyboard. Every text is escaped.
    var html: String {
        func escaped(_ text: String) -> String { MarkupText.escaped(text) }
        let headings = columns.map { column -> String in
            let about = column.about.isEmpty ? "" : "<span>\(escaped(column.about))</span>"
            let marks = Self.style(of: column.kind) + Self.title(column.meaning)
            return "<th scope=\"col\"\(marks)>\(column.title.html)\(about)</th>"
        }
        let rows = rows.map { row in
            "<tr><th scope=\"row\">\(row.head.html)</th>" + zip(row.cells, columns).map { Self.html($0, $1) }.joined()
                + "</tr>\n"
        }
        return """
            <div class="box" role="region" tabindex="0" aria-label="\(escaped(caption))">\
            <table class="matrix\(isHigherBetter ? " higher" : "")">
            <thead><tr><th scope="col"\(Self.title(meaning))>\(escaped(corner))</th>\(headings.joined())</tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table></div>

            """
    }

    private static func style(of kind: Kind) -> String { if case .bar = kind { " class=\"left\"" } else { "" } }

    private static func title(_ meaning: String) -> String {
        meaning.isEmpty ? "" : " title=\"\(MarkupText.escaped(meaning))\""
    }

    private static func html(_ cell: Cell, _ column: Column) -> String {
        let share = min(max(cell.amount ?? 0, 0), 1)
        let text = cell.text.html
        switch column.kind {
        case .plain: return "<td class=\"mean\">\(text)</td>"
        case .bar(let place):
            let bar = share > 0 ? "<span class=\"size \(place)\" style=\"--share:\(share.fixed(3))\"></span>" : ""
            return "<td class=\"left\">\(bar)\(text)</td>"
        case .share:
            guard cell.amount != nil else { return "<td>\(text)</td>" }
            let colour = Int((share.squareRoot() * mostColour).rounded())
            // What the frame says is read out too.
            let best = cell.isFramed ? "<span class=\"said\"> best</span>" : ""
            return """
                <td class="share\(cell.isFramed ? " tie" : "")" style="--colour:\(colour)%" \
                data-share="\(share)">\(text)\(best)</td>
                """
        }
    }
}
