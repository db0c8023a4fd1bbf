import Basics
import Foundation
import ResultColumns

/// The output of a command as a value: findings, sentences, tables, pictures.
///
/// The renderers are pure functions from a document to text: ``styled(width:)`` for a terminal, ``markdown()`` for a
/// comment on a change, and ``html()`` for a page. JSON is not a form of a document: the types of the results write it.
package struct Document: Sendable {
    package enum Block: Sendable {
        /// The title of the following blocks. Level 2 is a section, level 3 a part of it.
        case heading(String, level: Int = 2)
        /// Blocks under a title of level 2, to which links lead by an identifier.
        case section(String, id: String, [Block])
        /// Sentences, each on a line of its own. A table can name the one sentence with an identifier.
        case sentences([RichText], as: Weight = .plain, id: String? = nil)
        /// Findings, each with its figures on demand. Links lead from the names of traces to their sections. A terminal
        /// shows the bullet.
        case findings([Finding], sections: [String: String] = [:], bullet: String = "* ")
        case list([RichText])
        /// Terms, each with its meanings.
        case terms([(term: RichText, meanings: [RichText])])
        case table(Table)
        case matrix(Matrix)
        /// Findings side by side, each group under a title of level 3, with links from the names of traces to their
        /// sections.
        case boxes([Box], sections: [String: String] = [:])
        case code(String)
        /// A picture that a page shows. Other forms leave it out: they are read beside the folder of pictures.
        case picture(Picture)
        /// Blocks that a page shows on demand.
        case details(RichText, as: Fold = Fold(), [Block])
        /// The place of the charts that the script of the page draws.
        case interactive
    }

    /// Findings under a title, or what would lead to some.
    package struct Box: Sendable {
        var title: String
        var findings: [Finding]
        /// The text in the place of findings.
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
        /// The identifier for links.
        var id: String?
        /// The text behind the title, in smaller type.
        var about = ""
    }

    package struct Picture: Sendable {
        package var title: String
        /// How to read the picture, in a sentence or two.
        package var caption: String
        package var svg: Data
    }

    /// The program of a page. It may run nothing else.
    struct Script: Sendable {
        var code: String
        /// The figures that it reads, as JSON without names.
        var data: String
    }

    /// The subject of the page: one word, by which the command knows its own pages.
    package var kind: String
    package var title: String
    package var headline: String
    /// The text behind the first line, in a sentence or two; empty for nothing.
    package var context = ""
    /// The blocks before the sections of a page, without a link in its bar.
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

    /// - Parameter dispensable: The columns that a narrow terminal leaves out, the first one first.
    package static func table(_ grid: TextGrid, _ caption: String = "", dispensable: [String] = []) -> Self {
        .table(Document.Table(grid, caption, dispensable: dispensable))
    }

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
            /// The name of the row of this heading in charts; nil for its text.
            var name: String?
            /// The identifier of the row of this heading, for links.
            var id: String?
        }

        /// The description of the table. A page reads it out, and a terminal shows it above the table.
        var caption: String
        /// The page's name of the table, if neither the caption nor the first heading and its section name one table.
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

// MARK: A terminal

extension Document {
    /// Returns the output of a command on results: findings, tables but the empty ones, and notes below them, with a
    /// title if `areTitled`.
    static func results(_ findings: [Finding], _ tables: [Table], notes: [String], areTitled: Bool) -> Document {
        var document = Document("results", title: "Results", headline: "Which cache?")
        let tables = tables.filter { !$0.rows.isEmpty }.map { Block.table($0) }
        guard !tables.isEmpty else {
            document.blocks = [.sentences(["No results."])]
            return document
        }
        let title = areTitled ? [Block.heading("Notes", level: 3)] : []
        document.blocks = [.findings(findings)] + tables + title + [.sentences(notes, as: .remark)]
        return document
    }

    /// Returns the document for a terminal, without its headline and without styles.
    package func plain(width: Int? = nil) -> String { styled(width: width).plain }

    /// Returns the document for a terminal, without its headline. Empty lines divide the blocks.
    ///
    /// - Parameter width: The widest line of sentences and tables, in columns; nil for any. Tables leave out columns
    ///   that do not fit, of those that they can do without.
    package func styled(width: Int? = nil) -> StyledText { Self.styled(lead + blocks, width) }

    private static func styled(_ blocks: [Block], _ width: Int?) -> StyledText {
        var text = StyledText()
        // Sentences of a part follow its title at once.
        var followsTitle = true
        for block in blocks {
            guard let part = styled(block, width) else { continue }
            if !text.isEmpty, !(followsTitle && block.isText) { text.append("\n") }
            text.append(part)
            followsTitle = if case .heading(_, 3...) = block { true } else { false }
        }
        return text
    }

    /// Returns nil for a block that only a page shows.
    private static func styled(_ block: Block, _ width: Int?) -> StyledText? {
        var text = StyledText()
        func append(_ line: String, _ style: StyledText.Style? = nil, indent: String = "  ") {
            text.append(TextGrid.wrapped(line, width: width, indent: indent) + "\n", style)
        }
        switch block {
        case .heading(let title, _): text.append(VisibleText.printable(title) + "\n")
        case .section(let title, _, let blocks): return styled([.heading(title)] + blocks, width)
        case .sentences(let texts, let weight, _):
            for sentence in texts { append(sentence.plain, weight.style) }
        case .findings(let findings, _, let bullet):
            for finding in findings {
                append(
                    bullet + VisibleText.printable(finding.text), finding.subject == .wrongPictures ? .red : nil,
                    indent: bullet == "  " ? "    " : "  ")
            }
        case .list(let items):
            for item in items { append("  \(item.plain)", indent: "    ") }
        case .terms(let terms):
            for (term, meanings) in terms {
                append(term.plain)
                for meaning in meanings { append("  \(meaning.plain)", indent: "    ") }
            }
        case .table(let table):
            if !table.caption.isEmpty { append(table.caption, indent: "") }
            let fitted = width.map { table.fitted(to: $0) } ?? (tables: [table], names: [])
            for (place, part) in fitted.tables.enumerated() {
                if place > 0 { text.append("\n") }
                text.append(part.styled)
            }
            for name in fitted.names { append(name, .dim) }
        case .code(let code): text.append(indented(code))
        case .details(_, _, let blocks): return styled(blocks, width)
        case .matrix(let matrix): text.append(matrix.grid.plain())
        case .boxes(let boxes, let sections): return styled(unboxed(boxes, sections), width)
        case .picture, .interactive: return nil
        }
        return text
    }

    /// Returns the blocks of boxes, one under the other.
    private static func unboxed(_ boxes: [Box], _ sections: [String: String]) -> [Block] {
        boxes.flatMap { box -> [Block] in
            [
                .heading(box.title, level: 3),
                box.findings.isEmpty ? .sentences([box.remark]) : .findings(box.findings, sections: sections),
            ]
        }
    }

    /// Returns lines behind four blanks, which no line of code can end.
    private static func indented(_ code: String) -> String {
        let lines = code.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return (lines.last == "" ? lines.dropLast() : lines).map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
    }
}

extension Document.Block {
    /// Whether the block is lines of text.
    fileprivate var isText: Bool {
        switch self {
        case .sentences, .list, .findings, .terms: true
        default: false
        }
    }
}

extension Document.Weight {
    /// How a terminal shows the sentences.
    fileprivate var style: StyledText.Style? {
        switch self {
        case .plain: nil
        case .remark: .dim
        case .notice: .bold
        }
    }
}

extension Document.Table {
    /// The table for a terminal: the best figures in bold, wrong pictures in red.
    fileprivate var styled: StyledText {
        grid.styled { row, column in
            let cell = rows[row][column]
            return cell.isWrong ? .red : cell.isBest ? .bold : nil
        }
    }

    /// The columns to which names are shortened at most.
    private static let leastNames = 16

    /// Returns the table in a width: without columns that it can do without, then with shorter names, and then, if all
    /// columns but the first one are figures, as several tables. A table that needs more room is wider.
    ///
    /// - Returns: The tables, and what shortened names stand for.
    fileprivate func fitted(to width: Int) -> (tables: [Self], names: [String]) {
        var table = self
        for title in dispensable where table.grid.plainWidth > width {
            table = table.columns(table.headings.indices.filter { table.headings[$0].title != title })
        }
        var names: [String] = []
        for column in table.headings.indices where table.headings[column].alignment == .left {
            names += table.shorten(column, to: width, after: names.count)
        }
        return (table.divided(by: width), names)
    }

    private func columns(_ places: [Int]) -> Self {
        var table = self
        table.headings = places.map { headings[$0] }
        table.rows = rows.map { row in places.map { row[$0] } }
        return table
    }

    /// Shortens the names of a column if the table is too wide.
    ///
    /// - Returns: The full text of each short name.
    private mutating func shorten(_ column: Int, to width: Int, after count: Int) -> [String] {
        let texts = rows.map { $0[column].text.plain }
        let widest = texts.map { TextGrid.width(VisibleText.printable($0)) }.max() ?? 0
        let limit = max(Self.leastNames, widest - (grid.plainWidth - width))
        guard limit < widest else { return [] }
        let names = ShortNames(texts, limit: limit, after: count)
        for row in rows.indices { rows[row][column].text = RichText(names[texts[row]]) }
        return names.explanations
    }

    /// Returns tables with as many columns as fit, each of which begins with the first column.
    private func divided(by width: Int) -> [Self] {
        let figures = headings.indices.dropFirst()
        guard grid.plainWidth > width, !figures.isEmpty,
            figures.allSatisfy({ headings[$0].alignment == .right })
        else { return [self] }
        var parts: [[Int]] = []
        for column in figures {
            if let last = parts.last, columns(last + [column]).grid.plainWidth <= width {
                parts[parts.count - 1].append(column)
            } else {
                parts.append([0, column])
            }
        }
        return parts.map(columns)
    }
}

// MARK: Markdown

extension Document {
    /// Returns the document as GitHub's Markdown, without its headline.
    ///
    /// No text becomes an element of HTML, a link in brackets, code, emphasis, or a cell of a table. Links to other
    /// pages are links in brackets. What GitHub makes of `~~`, of addresses, of mentions and of numbers of issues is
    /// not escaped, and neither is `#` or `1.` at the beginning of an item.
    package func markdown() -> String { Self.markdown(lead + blocks) }

    /// An empty line follows each block. After a list it is written only if another block follows.
    private static func markdown(_ blocks: [Block]) -> String {
        var text = ""
        var endsInItem = false
        for block in blocks {
            let part = markdown(block)
            guard !part.isEmpty else { continue }
            text += (endsInItem && part.first != "\n" ? "\n" : "") + part
            endsInItem = block.isList
        }
        return text
    }

    private static func markdown(_ block: Block) -> String {
        func escaped(_ text: RichText) -> String { text.markdown }
        func paragraph(_ text: String) -> String { text + "\n\n" }
        switch block {
        case .heading(let title, let level):
            return paragraph("\(String(repeating: "#", count: level)) \(TextGrid.markdown(title))")
        case .section(let title, _, let blocks): return markdown([.heading(title)] + blocks)
        case .sentences(let texts, let weight, _):
            let mark = weight == .notice ? "**" : ""
            return texts.map { paragraph(mark + escaped($0) + mark) }.joined()
        case .findings(let findings, _, _): return findings.map { "- \(TextGrid.markdown($0.text))\n" }.joined()
        case .list(let items): return items.map { "- \(escaped($0))\n" }.joined()
        case .terms(let terms):
            return terms.map { term, meanings in
                "- **\(escaped(term))**\(meanings.map { ": \(escaped($0))" }.joined())\n"
            }.joined()
        case .table(let table): return table.grid.markdown() + "\n"
        case .matrix(let matrix): return matrix.grid.markdown() + "\n"
        case .boxes(let boxes, let sections): return markdown(unboxed(boxes, sections))
        case .code(let code): return indented(code) + "\n"
        case .details(let title, _, let blocks):
            return "\n<details><summary>\(MarkupText.escaped(title.plain))</summary>\n\n\(markdown(blocks))</details>\n"
        case .picture, .interactive: return ""
        }
    }
}

extension Document.Block {
    /// Whether the block ends without an empty line in Markdown.
    fileprivate var isList: Bool {
        switch self {
        case .list, .findings, .terms, .details: true
        default: false
        }
    }
}

extension Document {
    /// Returns the document as a page that needs no other file and no network, and runs nothing but its own script.
    ///
    /// A bar at the top has links to all sections.
    package func html() -> String {
        let sections = Self.sections(blocks)
        var writer = PageWriter(title: headline)
        let body = writer.html(lead + sections)
        let links = sections.compactMap(\.link).map { "<li>\($0.html)</li>\n" }
        return Self.beginning(kind) + """
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
            style-src 'unsafe-inline'\(script.map { "; script-src '\($0.hash)'" } ?? "")">
            <title>CacheReplay · \(MarkupText.escaped(title))</title>
            <style>
            \(PageFiles.style)</style>
            <nav class="bar" aria-label="Contents">
            <a class="brand" href="#top">CacheReplay</a>
            <ul>
            \(links.joined())</ul>
            </nav>
            <header id="top">
            <h1>\(MarkupText.escaped(headline))</h1>
            \(context.isEmpty ? "" : "<p class=\"context\">\(MarkupText.escaped(context))</p>\n")</header>
            <main>
            \(body)</main>
            \(script?.elements ?? "")</html>

            """
    }

    /// Returns the blocks with each title of level 2 and what follows it as a section.
    private static func sections(_ blocks: [Block]) -> [Block] {
        var sections: [Block] = []
        var isOpen = false
        for block in blocks {
            switch block {
            case .heading(let title, 2):
                isOpen = true
                sections.append(.section(title, id: "s\(sections.count + 1)", []))
            case .section:
                isOpen = false
                sections.append(block)
            default:
                if isOpen, case .section(let title, let id, let own)? = sections.last {
                    sections[sections.count - 1] = .section(title, id: id, own + [block])
                } else {
                    sections.append(block)
                }
            }
        }
        return sections
    }

    /// Returns the first lines of each page of a kind. They tell it from other files.
    static func beginning(_ kind: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="generator" content="cachereplay \(kind)">
        <meta name="viewport" content="width=device-width">

        """
    }
}

extension Document.Script {
    /// The source of a content security policy that permits the script: no name can become another one.
    fileprivate var hash: String {
        "sha256-" + Data(Digest.of(Array(code.utf8), .sha256)).base64EncodedString()
    }

    fileprivate var elements: String {
        """
        <script type="application/json" id="data">
        \(data)
        </script>
        <script>\(code)</script>

        """
    }
}

extension Document.Block {
    /// The link to a section, or to a part on demand that has an identifier.
    fileprivate var link: RichText? {
        switch self {
        case .section(let title, let id, _): "\(link: title, to: id)"
        case .details(let title, let fold, _): fold.id.map { "\(link: title.plain, to: $0)" }
        default: nil
        }
    }
}

/// Writes the blocks of a page. Every text is escaped here or by ``RichText/html``.
private struct PageWriter {
    /// The title of the section, which names tables without a caption.
    var title: String

    mutating func html(_ blocks: [Document.Block]) -> String { blocks.map { html($0) }.joined() }

    private mutating func html(_ block: Document.Block) -> String {
        switch block {
        case .heading(let title, let level):
            if level == 2 { self.title = title }
            return "<h\(level)>\(escaped(title))</h\(level)>\n"
        case .section(let title, let id, let blocks):
            self.title = title
            return """
                <section id="\(id)" aria-labelledby="\(id)-title">
                <h2 id="\(id)-title">\(escaped(title))</h2>
                \(html(blocks))</section>

                """
        case .sentences(let texts, let weight, let id):
            let style =
                switch weight {
                case .plain: ""
                case .remark: "quiet"
                case .notice: "notice"
                }
            let marks = attribute("class", style) + attribute("id", id ?? "")
            return texts.map { "<p\(marks)>\($0.html)</p>\n" }.joined()
        case .findings(let findings, let sections, _):
            let items = findings.map { escaped($0.text) + evidence($0.evidence, sections) }
            return list(items, class: " class=\"findings\"")
        case .list(let items): return list(items.map(\.html))
        case .terms(let terms):
            let rows = terms.map { term, meanings in
                "<dt>\(term.html)</dt>\n" + meanings.map { "<dd>\($0.html)</dd>\n" }.joined()
            }
            return "<dl>\n\(rows.joined())</dl>\n"
        case .table(let table): return html(table)
        case .matrix(let matrix): return matrix.html
        case .boxes(let boxes, let sections):
            let parts = boxes.map { box in
                let content: Document.Block =
                    box.findings.isEmpty
                    ? .sentences([box.remark], as: .remark) : .findings(box.findings, sections: sections)
                return "<div>\n<h3>\(escaped(box.title))</h3>\n\(html(content))</div>\n"
            }
            return "<div class=\"boxes\">\n\(parts.joined())</div>\n"
        case .code(let code): return "<pre><code>\(escaped(code))</code></pre>\n"
        case .picture(let picture):
            return """
                <figure><img alt="\(escaped(picture.title))" \
                src="data:image/svg+xml;base64,\(picture.svg.base64EncodedString())">
                <figcaption>\(escaped(picture.caption))</figcaption></figure>

                """
        case .details(let title, let fold, let blocks): return details(title, fold, blocks)
        case .interactive: return "<div class=\"interactive\"></div>\n"
        }
    }

    private func escaped(_ text: String) -> String { MarkupText.escaped(text) }

    private func list(_ items: [String], class: String = "") -> String {
        "<ul\(`class`)>\n" + items.map { "<li>\($0)</li>\n" }.joined() + "</ul>\n"
    }

    private mutating func details(_ title: RichText, _ fold: Document.Fold, _ blocks: [Document.Block]) -> String {
        let id = fold.id.map { " id=\"\(escaped($0))\"" } ?? ""
        let state =
            switch fold.state {
            case .closed: ""
            case .open: " open"
            case .folded: " class=\"folded\" open"
            }
        let heading = fold.level.map { "<h\($0)>\(title.html)</h\($0)>" } ?? title.html
        let about = fold.about.isEmpty ? "" : " <span class=\"quiet\">\(escaped(fold.about))</span>"
        return "<details\(id)\(state)>\n<summary>\(heading)\(about)</summary>\n\(html(blocks))</details>\n"
    }

    /// Returns the figures that a finding follows from, closed: tables have them too.
    private func evidence(_ evidence: [Finding.Evidence], _ sections: [String: String]) -> String {
        guard !evidence.isEmpty else { return "" }
        let rows = evidence.map { figure -> [RichText] in
            let column = SummaryColumns[figure.metric]
            let trace = NameList.name(figure.place)
            return [
                sections[figure.place].map { "\(link: trace, to: $0)" } ?? RichText(trace),
                RichText(NameList.name(figure.cache)), RichText(column?.meaning ?? figure.metric),
                RichText(HumanText.figure(figure.value, column?.unit ?? .count)),
            ]
        }
        let headings: [TextGrid.Heading] = [.text("trace"), .text("cache"), .text("figure"), .figure("value")]
        return """
            <details class="evidence">
            <summary class="quiet">\(HumanText.count(evidence.count, "figure")) behind this</summary>
            \(html(Document.Table("Figures behind the finding", headings, rows)))</details>
            """
    }
}

// MARK: Tables

extension PageWriter {
    /// The most rows of a table that does not scroll by itself.
    private static let mostRows = 24
    /// The columns of a text above which its column gets a least width.
    private static let wideText = 24

    /// Returns a table in a region that scrolls, also with the keyboard.
    fileprivate func html(_ table: Document.Table) -> String {
        let isInteractive = !table.figures.isEmpty
        let isTall = isInteractive && table.rows.count > Self.mostRows
        let name = table.caption.isEmpty ? "\(table.headings.first?.title ?? "") · \(title)" : table.caption
        let classes = table.headings.indices.map { column -> [String] in
            guard table.headings[column].alignment == .left, column > 0 else { return [] }
            let isWide = table.rows.contains { column < $0.count && $0[column].text.plain.count > Self.wideText }
            return isWide ? ["left", "wide"] : ["left"]
        }
        let headings = table.headings.enumerated().map { column, heading in
            let figure = isInteractive && column > 0 ? table.figures[column - 1] : nil
            return self.heading(heading.title, classes[column], figure)
        }
        let rows = table.rows.map { row in
            "<tr>" + zip(row, classes).enumerated().map { cell($1.0, $1.1, isHeading: $0 == 0) }.joined() + "</tr>\n"
        }
        let marks =
            attribute("class", isInteractive ? "results" : "") + attribute("aria-describedby", table.about ?? "")
        // The headings above the other tables say what they show.
        let isCaptioned = !table.caption.isEmpty && !isInteractive && table.label == nil
        let caption = isCaptioned ? "<p class=\"caption\">\(escaped(table.caption))</p>\n" : ""
        return """
            \(caption)<div class="box\(isTall ? " tall" : "")" role="region" tabindex="0" \
            aria-label="\(escaped(table.label ?? name))"><table\(marks)>
            <thead><tr>\(headings.joined())</tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table></div>

            """
    }

    /// - Parameter figure: What an interactive column shows. The script knows some columns by a key.
    private func heading(_ title: String, _ classes: [String], _ figure: ResultsTable.Entry?) -> String {
        var marks = attribute("class", classes.joined(separator: " "))
        if let figure {
            marks += figure.unit == .text ? "" : attribute("data-unit", figure.unit.rawValue)
            marks += attribute("data-key", ["blank": "blank", "peak mem": "peak"][title] ?? "")
            marks += attribute("data-better", figure.polarity.rawValue) + attribute("title", figure.meaning)
        }
        return "<th scope=\"col\"\(marks)>\(escaped(title))</th>"
    }

    private func cell(_ cell: Document.Table.Cell, _ classes: [String], isHeading: Bool) -> String {
        guard !isHeading else {
            let marks = attribute("id", cell.id ?? "") + attribute("data-name", cell.name ?? "")
            return "<th scope=\"row\"\(marks)>\(cell.text.html)</th>"
        }
        let marks =
            attribute("class", (classes + (cell.isBest ? ["best"] : [])).joined(separator: " "))
            + attribute("data-value", cell.value.map { "\($0)" } ?? "")
        return "<td\(marks)>\(cell.text.html)</td>"
    }

    /// Returns an attribute; nothing for an empty value.
    fileprivate func attribute(_ name: String, _ value: String) -> String {
        value.isEmpty ? "" : " \(name)=\"\(escaped(value))\""
    }
}

/// The colours that pages share with charts, as properties of a style sheet: pictures by gnuplot, and what the script
/// of a page draws, have one language.
enum PageColours {
    /// The states of a cell that the user saw, with their areas: its image from memory, from disk or from the network,
    /// one from a cache past its lifetime, or none, because it is late, its fetch failed, or it is the picture of
    /// another key.
    static let fills: [(name: String, fill: Fill)] = [
        ("memory", .memory), ("disk", .disk), ("network", .network), ("stale", .violet), ("blank", .late),
        ("failed", .never), ("wrong", .wrong),
    ]

    /// The properties: `--film-NAME` of an area, `--film-NAME-ink` of text on it, and `--c0` to `--c6` of the lines of
    /// caches. `--heat` and `--higher` are the full colours of a matrix, whose text has the colour of all text.
    static let style: String = {
        let areas = fills.map { name, fill in
            "--film-\(name): \(fill.colour); --film-\(name)-ink: \(fill.ink);"
        }
        func lines(_ colour: (String) -> String) -> [String] {
            ChartStyle.colours.enumerated().map { "--c\($0): \(colour($1));" }
        }
        func heat(_ blank: Fill, _ hits: Fill) -> [String] { ["--heat: \(blank.colour); --higher: \(hits.colour);"] }
        func rule(_ properties: [String]) -> String { ":root {\n\(properties.joined(separator: "\n"))\n}\n" }
        return rule(areas + lines { $0 } + heat(.late, .within100ms))
            + "@media screen and (prefers-color-scheme: dark) {\n"
            + rule(lines(ChartStyle.onDark) + heat(.never, .within16ms)) + "}\n"
    }()
}

/// The scripts and the style sheet that `report.html` and the page of `cachereplay play` share.
///
/// The scripts are plain ones, without a build step: a page loads ``base``, ``plots`` and ``film`` in this order, and
/// then its own script, which uses their functions. `report.html` has all of them in one function.
package enum PageFiles {
    /// Elements, figures as text, ticks of axes, colours and the selection of caches.
    package static var base: String { text(PackageResources.base_js) }

    /// Charts of figures: one against another, and over time.
    package static var plots: String { text(PackageResources.plots_js) }

    /// The film: the phones and the bar of time.
    package static var film: String { text(PackageResources.film_js) }

    /// The colours of charts as properties, in light and dark, and the rules of all pages.
    package static let style: String = PageColours.style + text(PackageResources.page_css)

    /// The script of `report.html`.
    static let report: String = {
        let parts = [base, plots, film, text(PackageResources.report_js)]
        return "'use strict';\n(() => {\n" + parts.joined() + "})();\n"
    }()

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
