import Basics
import Foundation
import ResultColumns

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
        case .drawing(let svg): return "<figure class=\"drawing\">\(svg.element)</figure>\n"
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
