import Basics
import Foundation

/// What a command says, as a value: findings, sentences, tables, pictures.
///
/// The renderers are pure functions from a document to text: ``styled(width:)`` for a terminal, ``markdown()`` for a
/// comment on a change, and ``html()`` for a page. JSON is not a form of a document: the types of the results write it.
package struct Document: Sendable {
    /// A part of a document.
    package enum Block: Sendable {
        /// The title of what follows. Level 2 is a section, level 3 a part of it.
        case heading(String, level: Int = 2)
        /// Blocks under a title of level 2, to which links lead by an identifier.
        case section(String, id: String, [Block])
        /// Sentences, each on a line of its own. A table can name the one sentence with an identifier.
        case sentences([RichText], as: Weight = .plain, id: String? = nil)
        /// What is said, each with its figures on demand. Links lead from the names of traces to their sections. A
        /// terminal shows the bullet.
        case findings([Finding], sections: [String: String] = [:], bullet: String = "* ")
        /// Items of a list.
        case list([RichText])
        /// Terms, each with its meanings.
        case terms([(term: RichText, meanings: [RichText])])
        case table(Table)
        case matrix(Matrix)
        /// Findings side by side, each group under a title of level 3, with links from the names of traces to their
        /// sections.
        case boxes([Box], sections: [String: String] = [:])
        /// Statements of a program.
        case code(String)
        /// A picture that a page shows. Other forms leave it out: they are read beside the folder of pictures.
        case picture(Picture)
        /// A picture in the text of a page, with its title.
        case drawing(SVGText)
        /// Blocks that a page shows on demand.
        case details(RichText, as: Fold = Fold(), [Block])
        /// The place of the charts that the script of the page draws.
        case interactive
    }

    /// Findings under a title, or what would lead to some.
    package struct Box: Sendable {
        var title: String
        var findings: [Finding]
        /// What stands in the place of findings.
        var remark: RichText = ""
    }

    /// How much sentences stand out.
    package enum Weight: Sendable { case plain, remark, notice }

    /// How a page shows blocks on demand.
    package struct Fold: Sendable {
        package enum State: Sendable {
            case closed
            case open
            /// Closed by the script of the page, so that all can be read without it.
            case folded
        }

        var state = State.closed
        /// The level of the title as a heading; nil for none.
        var level: Int?
        /// What links lead to.
        var id: String?
        /// What follows the title, in smaller type.
        var about = ""
    }

    /// A picture in SVG.
    package struct Picture: Sendable {
        package var title: String
        /// How to read the picture, in a sentence or two.
        package var caption: String
        /// The bytes of the file.
        package var svg: Data
    }

    /// An element `svg` that a page contains as it is. Its maker escapes each text in it.
    package struct SVGText: Sendable { var element: String }

    /// The program of a page. It may run nothing else.
    struct Script: Sendable {
        var code: String
        /// The figures that it reads, as JSON without names.
        var data: String
    }

    /// What the page is of: one word, by which the command knows its own pages.
    package var kind: String
    /// The name of the page.
    package var title: String
    /// The first line of the page.
    package var headline: String
    /// What follows the first line, in a sentence or two; empty for nothing.
    package var context = ""
    /// What a page shows before its sections, without a link in its bar.
    package var lead: [Block] = []
    package var blocks: [Block]
    /// nil for a page that runs nothing.
    var script: Script?

    package init(_ kind: String, title: String, headline: String, _ blocks: [Block] = []) {
        (self.kind, self.title, self.headline, self.blocks) = (kind, title, headline, blocks)
    }
}

extension Document {
    /// Returns the document with its first finding as the title, if it begins with findings: for a page. What made the
    /// difference, if that is next, stands below the title of an answer without a context. A terminal shows no title.
    func titledByAnswer() -> Document {
        guard case .findings(let findings, let sections, let bullet)? = blocks.first, let answer = findings.first else {
            return self
        }
        var page = self
        page.headline = answer.headline.isEmpty ? answer.text : answer.headline
        var rest = Array(findings.dropFirst())
        page.context = answer.context
        if answer.context.isEmpty, rest.first?.subject == .difference { page.context = rest.removeFirst().text }
        if rest.isEmpty {
            page.blocks.removeFirst()
        } else {
            page.blocks[0] = .findings(rest, sections: sections, bullet: bullet)
        }
        return page
    }
}

extension Document.Block {
    /// Returns the pictures of charts. Their captions begin with a capital letter.
    static func pictures(_ pictures: [Chart.Picture]) -> [Self] {
        pictures.map { chart, svg in
            let caption = chart.caption.prefix(1).uppercased() + chart.caption.dropFirst()
            return .picture(Document.Picture(title: chart.title, caption: caption, svg: svg))
        }
    }

    package static func sentences(_ texts: [String], as weight: Document.Weight = .plain) -> Self {
        .sentences(texts.map { RichText($0) }, as: weight)
    }

    package static func list(_ items: [String]) -> Self { .list(items.map { RichText($0) }) }

    /// - Parameters:
    ///   - caption: What the table shows.
    ///   - dispensable: The columns that a narrow terminal leaves out, the first one first.
    package static func table(_ grid: TextGrid, _ caption: String = "", dispensable: [String] = []) -> Self {
        .table(Document.Table(grid, caption, dispensable: dispensable))
    }

    /// - Parameter headings: The titles, with what their columns hold.
    static func table(_ caption: String, _ headings: [TextGrid.Heading], _ rows: [[RichText]]) -> Self {
        .table(Document.Table(caption, headings, rows))
    }
}

extension Document {
    /// Rows of texts and figures. The first cell of a row is its heading.
    package struct Table: Sendable {
        struct Cell: Sendable {
            var text: RichText
            /// The figure of the text, in the unit of the column.
            var value: Double?
            /// Whether the figure is among the best of its column.
            var isBest = false
            /// Whether the figure is of wrong pictures.
            var isWrong = false
            /// What charts call the row of this heading; nil for its text.
            var name: String?
            /// What links to the row of this heading lead to.
            var id: String?
        }

        /// What the table shows. A page reads it out, and a terminal shows it above the table.
        var caption: String
        /// What a page calls the table, where neither the caption nor the first heading and its section name one table.
        var label: String?
        var headings: [TextGrid.Heading]
        var rows: [[Cell]]
        /// The columns that a narrow terminal leaves out, the first one first.
        var dispensable: [String] = []
        /// The identifier of the sentence that describes the table; nil for none.
        var about: String?
        /// The columns behind the first one, for a table whose rows a page sorts, filters and draws.
        var figures: [ResultsTable.Entry] = []
    }
}

extension Document.Table {
    init(_ caption: String, _ headings: [TextGrid.Heading], _ rows: [[RichText]]) {
        self.init(caption: caption, headings: headings, rows: rows.map { $0.map { Cell(text: $0) } })
    }

    init(_ grid: TextGrid, _ caption: String, dispensable: [String]) {
        self.init(caption, grid.headings, grid.rows.map { $0.map { RichText($0) } })
        self.dispensable = dispensable
    }

    /// The texts alone.
    var grid: TextGrid { TextGrid(headings: headings, rows: rows.map { $0.map(\.text.plain) }) }
}
