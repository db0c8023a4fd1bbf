import Basics

// MARK: A terminal

extension Document {
    /// Returns the document for a terminal, without its headline. Empty lines divide the blocks.
    ///
    /// - Parameter width: The widest line of sentences and tables, in columns; nil for any. Tables leave out columns
    ///   that do not fit, of those that they can do without.
    package func plain(width: Int? = nil) -> String { Self.plain(lead + blocks, width) }

    /// Returns what a command prints about results: findings, tables but the empty ones, and lines below them.
    ///
    /// - Parameter areNotes: Whether the title Notes stands above the lines.
    static func plain(
        _ findings: [Finding], _ tables: [Table], lines: [String], areNotes: Bool, width: Int?
    ) -> String {
        let tables = tables.filter { !$0.rows.isEmpty }.map { Block.table($0) }
        guard !tables.isEmpty else { return "No results.\n" }
        let title = areNotes ? [Block.heading("Notes", level: 3)] : []
        return plain([.findings(findings)] + tables + title + [.sentences(lines)], width)
    }

    private static func plain(_ blocks: [Block], _ width: Int?) -> String {
        var text = ""
        // Sentences of a part follow its title at once.
        var followsTitle = true
        for block in blocks {
            guard let part = plain(block, width) else { continue }
            text += (followsTitle && block.isText || text.isEmpty ? "" : "\n") + part
            followsTitle = if case .heading(_, 3...) = block { true } else { false }
        }
        return text
    }

    /// Returns nil for what only a page shows.
    private static func plain(_ block: Block, _ width: Int?) -> String? {
        func wrapped(_ text: String) -> String { TextGrid.wrapped(text, width: width, indent: "  ") + "\n" }
        switch block {
        case .heading(let title, _): return VisibleText.printable(title) + "\n"
        case .section(let title, _, let blocks): return plain([.heading(title)] + blocks, width)
        case .sentences(let texts, _, _): return texts.map { wrapped($0.plain) }.joined()
        case .findings(let findings, _, let bullet):
            return findings.map { wrapped(bullet + VisibleText.printable($0.text)) }.joined()
        case .list(let items): return items.map { "  \($0.plain)\n" }.joined()
        case .terms(let terms):
            return terms.map { term, meanings in
                "\(term.plain)\n" + meanings.map { "  \($0.plain)\n" }.joined()
            }.joined()
        case .table(let table):
            let caption = table.caption.isEmpty ? "" : TextGrid.wrapped(table.caption, width: width) + "\n"
            return caption + (width.map { table.grid.fitted(to: $0, table.dispensable) } ?? table.grid).plain()
        case .matrix(let matrix): return matrix.grid.plain()
        case .boxes(let boxes, let sections): return plain(unboxed(boxes, sections), width)
        case .code(let code): return indented(code)
        case .details(_, _, let blocks): return plain(blocks, width)
        case .picture, .drawing, .interactive: return nil
        }
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

extension TextGrid {
    /// Returns the grid without the columns for which there is no room, of those that can be left out.
    fileprivate func fitted(to width: Int, _ dispensable: [String]) -> TextGrid {
        var grid = self
        for title in dispensable where grid.plainWidth > width {
            guard let column = grid.headings.firstIndex(where: { $0.title == title }) else { continue }
            grid.headings.remove(at: column)
            for row in grid.rows.indices { grid.rows[row].remove(at: column) }
        }
        return grid
    }
}

// MARK: Markdown

extension Document {
    /// Returns the document as GitHub's Markdown, without its headline.
    ///
    /// No text becomes an element of HTML, a link in brackets, code, emphasis, or a cell of a table. What GitHub makes
    /// of `~~`, of addresses, of mentions and of numbers of issues is not escaped, and neither is `#` or `1.` at the
    /// beginning of an item.
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
        func escaped(_ text: RichText) -> String { TextGrid.markdown(text.plain) }
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
