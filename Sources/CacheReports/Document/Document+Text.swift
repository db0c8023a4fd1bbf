import Basics

// MARK: A terminal

extension Document {
    /// Creates what a command prints about results: findings, tables but the empty ones, and notes below them.
    ///
    /// - Parameter areTitled: Whether the title Notes stands above the notes.
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

    /// Returns nil for what only a page shows.
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
        case .picture, .drawing, .interactive: return nil
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
    /// - Parameter count: The shortened names of other columns.
    /// - Returns: What the short names stand for.
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
        case .picture, .drawing, .interactive: return ""
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
