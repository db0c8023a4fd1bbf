import Basics
import Foundation

/// What a command says, as a value: sentences, tables, pictures.
///
/// The renderers are pure functions from a document to text: ``plain()`` for a terminal, and ``html()`` for a page.
package struct Document: Sendable {
    /// A part of a document.
    package enum Block: Sendable {
        /// The title of what follows. Level 2 is a section, level 3 a part of it.
        case heading(String, level: Int = 2)
        /// Sentences, each on a line of its own.
        case sentences([String])
        /// Items of a list.
        case list([String])
        case table(TextGrid)
        /// Statements of a program.
        case code(String)
        /// A picture that a page shows. Other forms leave it out: they are read beside the folder of pictures.
        case picture(Picture)
        /// A picture in the text of a page, with its title.
        case drawing(SVGText)
        /// Blocks that a page shows on demand.
        case details(String, [Block])
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

    /// What the page is of: one word, by which the command knows its own pages.
    package var kind: String
    /// The name of the page.
    package var title: String
    /// The first line of the page.
    package var headline: String
    package var blocks: [Block]

    package init(_ kind: String, title: String, headline: String, _ blocks: [Block] = []) {
        (self.kind, self.title, self.headline, self.blocks) = (kind, title, headline, blocks)
    }
}

extension Document.Block {
    /// Creates the picture of a chart.
    init(_ chart: Chart, _ svg: Data, caption: String) {
        self = .picture(Document.Picture(title: chart.title, caption: caption, svg: svg))
    }
}

// MARK: Text

extension Document {
    /// Returns the document for a terminal, without its headline. Empty lines divide the blocks.
    package func plain() -> String { Self.plain(blocks) }

    private static func plain(_ blocks: [Block]) -> String {
        var text = ""
        // Sentences of a part follow its title at once.
        var followsTitle = true
        for block in blocks {
            let part: String
            switch block {
            case .heading(let title, _): part = VisibleText.printable(title) + "\n"
            case .sentences(let lines): part = lines.map { $0 + "\n" }.joined()
            case .list(let items): part = items.map { "  \($0)\n" }.joined()
            case .table(let grid): part = grid.plain()
            case .code(let code): part = indented(code)
            case .details(_, let blocks): part = plain(blocks)
            case .picture, .drawing: continue
            }
            let isText =
                switch block {
                case .sentences, .list: true
                default: false
                }
            text += (followsTitle && isText || text.isEmpty ? "" : "\n") + part
            followsTitle = if case .heading(_, 3...) = block { true } else { false }
        }
        return text
    }

    /// Returns lines behind four blanks, which no line of code can end.
    private static func indented(_ code: String) -> String {
        let lines = code.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return (lines.last == "" ? lines.dropLast() : lines).map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
    }
}

// MARK: HTML

extension Document {
    /// Returns the document as a page that needs no other file and no network.
    package func html() -> String {
        Self.beginning(kind) + """
            <title>CacheReplay · \(MarkupText.escaped(title))</title>
            <style>
            \(Self.style)
            </style>
            <h1>\(MarkupText.escaped(headline))</h1>
            \(Self.html(blocks))</html>

            """
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

    private static func html(_ blocks: [Block]) -> String {
        blocks.map { block in
            switch block {
            case .heading(let title, let level): "<h\(level)>\(MarkupText.escaped(title))</h\(level)>\n"
            case .sentences(let lines): lines.map { "<p>\(MarkupText.escaped($0))</p>\n" }.joined()
            case .list(let items): "<ul>\n" + items.map { "<li>\(MarkupText.escaped($0))\n" }.joined() + "</ul>\n"
            case .table(let grid):
                // A wide table scrolls by itself, also with the keyboard.
                "<div class=\"table\" tabindex=\"0\">\n\(grid.html())</div>\n"
            case .code(let code): "<pre><code>\(MarkupText.escaped(code))</code></pre>\n"
            case .picture(let picture):
                """
                <p>\(MarkupText.escaped(picture.caption))</p>
                <img alt="\(MarkupText.escaped(picture.title))" \
                src="data:image/svg+xml;base64,\(picture.svg.base64EncodedString())">

                """
            case .drawing(let svg): svg.element
            case .details(let title, let blocks):
                "<details><summary>\(MarkupText.escaped(title))</summary>\n\(html(blocks))</details>\n"
            }
        }.joined()
    }

    private static let style =
        PageStyle.plain + """

            :root { color-scheme: light dark }
            img { background: #fff }
            .left { text-align: left }
            pre { overflow-x: auto }
            svg { max-width: 100%; height: auto; display: block }
            polyline { fill: none; stroke: #0b62a4; stroke-width: 1.5 }
            circle { fill: #0b62a4 }
            circle.change { fill: #b3261e }
            circle:focus { stroke: currentColor; stroke-width: 3 }
            text { fill: currentColor; font: 12px system-ui, sans-serif }
            .table { overflow-x: auto }
            @media (prefers-color-scheme: dark) {
            body { color: #e4e4e4; background: #16181b }
            th, td { border-color: #444 }
            polyline { stroke: #7ab8f0 }
            circle { fill: #7ab8f0 }
            circle.change { fill: #ff8a80 }
            }
            """
}
