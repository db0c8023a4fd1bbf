import Foundation
import Testing

@testable import Basics
@testable import CacheReports

@Suite("Documents")
struct DocumentTests {
    private static let document: Document = {
        var grid = TextGrid(headings: [.init(title: "cache", alignment: .left), .init(title: "blank")])
        grid.rows = [["a|b", "12 %"], ["<c>", "3 %"]]
        return Document(
            "trace", title: "feed", headline: "Which cache?",
            [
                .heading("feed: 10 requests"), .sentences(["One <b> sentence.", "Another one."]),
                .heading("a|b", level: 3), .list(["first", "second"]), .table(grid),
                .picture(.init(title: "chart", caption: "How to read it.", svg: Data("<svg/>".utf8))),
                .heading("c", level: 3), .code("let x = 1\n\nlet y = 2\n"), .details("More", [.sentences(["Rest."])]),
            ])
    }()

    @Test("On a terminal, empty lines divide the blocks, and the text of a part follows its title")
    func plain() {
        #expect(
            Self.document.plain() == """
                feed: 10 requests

                One <b> sentence.
                Another one.

                a|b
                  first
                  second

                cache  blank
                -----  -----
                a|b     12 %
                <c>      3 %

                c

                    let x = 1

                    let y = 2

                Rest.

                """)
    }

    @Test("A page has every block, escapes text, and asks for nothing from outside")
    func html() {
        let html = Self.document.html()
        #expect(html.hasPrefix(Document.beginning("trace")) && html.hasSuffix("</html>\n"))
        for part in [
            "<title>CacheReplay · feed</title>", "<h1>Which cache?</h1>", "<h2>feed: 10 requests</h2>",
            "<p>One &lt;b&gt; sentence.</p>",
            "<li>second\n", "<td class=left>&lt;c&gt;<td>3 %", "<p>How to read it.</p>",
            "<img alt=\"chart\" src=\"data:image/svg+xml;base64,PHN2Zy8+\">",
            "<pre><code>let x = 1&#10;&#10;let y = 2&#10;</code></pre>",
            "<details><summary>More</summary>\n<p>Rest.</p>\n</details>",
        ] { #expect(html.contains(part), "\(part)") }
        for reference in ["href=", "src=\"http", "<script", "url("] { #expect(!html.contains(reference)) }
    }
}
