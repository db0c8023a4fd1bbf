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

    @Test("A narrow terminal wraps sentences, and tables leave out what they can do without")
    func width() {
        let grid = TextGrid(
            headings: [.text("cache"), .figure("blank"), .figure("p99")], rows: [["lru", "1 %", "9 s"]])
        let finding = Finding(subject: .best, text: "Least blank time\non feed: lru.")
        let document = Document(
            "trace", title: "", headline: "", [.findings([finding]), .table(grid, "feed", dispensable: ["p99"])])
        #expect(
            document.plain(width: 16) == """
                * Least blank
                  time on
                  feed: lru.

                feed
                cache  blank
                -----  -----
                lru      1 %

                """)
    }

    @Test("A table that is still too wide has shorter names, which stay different, and lines below it spell them out")
    func names() {
        let names = ["memory: lru(64MB); disk: lru(200MB)", "memory: lru(32MB); disk: lru(200MB)", "fifo"]
        let grid = TextGrid(
            headings: [.text("cache"), .figure("blank")], rows: names.enumerated().map { [$1, "\($0) %"] })
        let document = Document("trace", title: "", headline: "", [.table(grid)])
        // 35 columns of names, 2 blanks, and 5 columns: the names lose 8 columns, and the word that all begin with.
        #expect(
            document.plain(width: 34) == """
                cache                        blank
                ---------------------------  -----
                …lru(64MB);… lru(200MB) [1]    0 %
                …lru(32MB);… lru(200MB) [2]    1 %
                fifo                           2 %
                [1] memory: lru(64MB);
                  disk: lru(200MB)
                [2] memory: lru(32MB);
                  disk: lru(200MB)

                """)
        #expect(document.plain(width: 42) == document.plain())
    }

    @Test("A table of figures that is too wide becomes several, each with the first column")
    func parts() {
        let grid = TextGrid(
            headings: [.text("misses"), .figure("kingfisher-8"), .figure("nuke-13"), .figure("glide")],
            rows: [["first request", "299", "298", "297"]])
        let document = Document("trace", title: "", headline: "", [.table(grid)])
        #expect(
            document.plain(width: 36) == """
                misses         kingfisher-8  nuke-13
                -------------  ------------  -------
                first request           299      298

                misses         glide
                -------------  -----
                first request    297

                """)
    }

    @Test("On a terminal, the best figures are bold, notes dim, and wrong pictures red")
    func styles() {
        var table = Document.Table("", [.text("cache"), .figure("wrong")], [["a", "1 %"], ["b", "0 %"]])
        table.rows[0][1].isWrong = true
        table.rows[1][1].isBest = true
        let findings = [Finding(subject: .best, text: "b."), Finding(subject: .wrongPictures, text: "a is wrong.")]
        let document = Document.results(findings, [table], notes: ["Note."], areTitled: true)
        let red = "\u{1B}[31m"
        let end = "\u{1B}[0m"
        #expect(
            document.styled().sequences { $0 } == """
                * b.
                \(red)* a is wrong.\(end)

                cache  wrong
                -----  -----
                a        \(red)1 %\(end)
                b        \u{1B}[1m0 %\(end)

                Notes
                \u{1B}[2mNote.\(end)

                """)
    }

    @Test("Markdown has an empty line behind each block but a list, and escapes every text")
    func markdown() {
        let grid = TextGrid(headings: [.text("cache"), .figure("blank")], rows: [["a|b", "12 %"]])
        let document = Document(
            "comparison", title: "", headline: "",
            [
                .sentences(["WORSE: 1 * 2"], as: .notice), .table(grid), .list(["<b>", "c_d"]),
                .details("More & more", [.table(grid)]),
                .heading("Notes"), .sentences(["One."]),
            ])
        #expect(
            document.markdown() == """
                **WORSE: 1 \\* 2**

                | cache | blank |
                | :-- | --: |
                | a\\|b | 12 % |

                - &lt;b&gt;
                - c\\_d

                <details><summary>More &amp; more</summary>

                | cache | blank |
                | :-- | --: |
                | a\\|b | 12 % |

                </details>

                ## Notes

                One.


                """)
    }

    @Test("Sections are in the contents, links and code are elements, and names in them stay text")
    func sections() {
        let name = "<i>"
        let finding = Finding(
            subject: .best, text: "\(name) is best.",
            evidence: [.init(trace: name, cache: "lru", metric: "blank_ratio", value: 0.5)])
        var table = Document.Table("", [.text("cache")], [["lru"]])
        table.label = "Rows of \(name)"
        table.about = "t1-about"
        let html = Document(
            "replay", title: name, headline: "Which?",
            [
                .section(name, id: "t1", [.findings([finding], sections: [name: "t1"])]),
                .sentences([RichText(prose: "Use `<code>`."), "See \(link: name, to: "t1")."]),
                .sentences(["About the table."], as: .remark, id: "t1-about"), .table(table),
                .terms([("\(code: name)", ["A tag."])]),
                .details("More", as: .init(state: .folded, level: 3, id: "c1", about: name), []),
            ]
        ).html()
        for part in [
            "<li><a href=\"#t1\">&lt;i&gt;</a></li>", "<h2 id=\"t1-title\">&lt;i&gt;</h2>",
            "<li>&lt;i&gt; is best.<details class=\"evidence\">",
            "<summary class=\"quiet\">1 figure behind this</summary>",
            "<th scope=\"row\"><a href=\"#t1\">&lt;i&gt;</a></th><td class=\"left\">lru</td>", "<td>50.00%</td>",
            "<p class=\"quiet\" id=\"t1-about\">About the table.</p>", "<table aria-describedby=\"t1-about\">",
            "aria-label=\"Rows of &lt;i&gt;\"",
            "<p>Use <code>&lt;code&gt;</code>.</p>", "<p>See <a href=\"#t1\">&lt;i&gt;</a>.</p>",
            "<dt><code>&lt;i&gt;</code></dt>\n<dd>A tag.</dd>",
            "<details id=\"c1\" class=\"folded\" open>\n<summary><h3>More</h3> <span class=\"quiet\">&lt;i&gt;</span>",
        ] { #expect(html.contains(part), "\(part)") }
        #expect(!html.contains(name) && !html.contains("<script"))
    }

    @Test("A matrix is a table, and boxes are findings under titles, in every form")
    func matrix() {
        let name = "<i>"
        let matrix = Document.Matrix(
            caption: "Blank time", corner: "cache",
            columns: [
                .init(title: "feed", about: name, kind: .share), .init(title: "mean", kind: .plain),
                .init(title: "memory", kind: .bar("memory")),
            ],
            rows: [
                .init(
                    head: RichText(name),
                    cells: [
                        .init(text: "25%", value: 0.25, isFramed: true), .init(text: "25%", value: 0.25),
                        .init(text: "–"),
                    ])
            ])
        let boxes = [
            Document.Box(title: "Why", findings: [Finding(subject: .memory, text: "It holds all.")]),
            Document.Box(title: "What else", findings: [], remark: "Nothing."),
        ]
        var document = Document("replay", title: "", headline: "Which?", [.matrix(matrix), .boxes(boxes)])
        document.context = name
        #expect(
            document.plain() == """
                cache  feed  mean  memory
                -----  ----  ----  ------
                <i>     25%   25%       –

                Why
                * It holds all.

                What else
                Nothing.

                """)
        #expect(document.markdown().hasSuffix("### Why\n\n- It holds all.\n\n### What else\n\nNothing.\n\n"))
        let html = document.html()
        for part in [
            "<h1>Which?</h1>\n<p class=\"context\">&lt;i&gt;</p>",
            "<th scope=\"col\" data-unit=\"ratio\">feed<span>&lt;i&gt;</span></th>",
            "<th scope=\"row\">&lt;i&gt;</th>",
            "--colour:47%\" data-value=\"0.25\">25%<span class=\"said\"> best</span>",
            "<td class=\"mean\" data-value=\"0.25\">25%</td><td class=\"left\">–</td>",
            "<h3>What else</h3>\n<p class=\"quiet\">Nothing.</p>",
        ] { #expect(html.contains(part), "\(part)") }
        #expect(!html.contains(name))
    }

    @Test("The answer of a page is its title, and what made the difference stands below it")
    func titled() {
        func page(_ answer: Finding, _ rest: [Finding]) -> Document {
            Document("advice", title: "", headline: "Which?", [.findings([answer] + rest)]).titledByAnswer()
        }
        let lever = Finding(subject: .difference, text: "What gains most with a: two rows prefetched (3.2 points).")
        let memory = Finding(subject: .memory, text: "8 MB are enough.")
        var answer = Finding(subject: .best, text: "Use a.")
        let own = page(answer, [lever, memory])
        #expect(own.headline == answer.text && own.context == lever.text)
        #expect(own.markdown().contains("8 MB are enough.") && !own.markdown().contains("What gains most"))
        // Another finding stays where it is, and so does the difference if the answer has a context.
        #expect(page(answer, [memory, lever]).context.isEmpty)
        (answer.headline, answer.context) = ("a is best.", "The next is b.")
        let next = page(answer, [lever])
        #expect(next.headline == "a is best." && next.context == "The next is b.")
        #expect(next.markdown().contains("What gains most"))
    }

    @Test("A page has every block, escapes text, and asks for nothing from outside")
    func html() {
        let html = Self.document.html()
        #expect(html.hasPrefix(Document.beginning("trace")) && html.hasSuffix("</html>\n"))
        for part in [
            "<title>CacheReplay · feed</title>", "<h1>Which cache?</h1>",
            "<li><a href=\"#s1\">feed: 10 requests</a></li>",
            "<section id=\"s1\" aria-labelledby=\"s1-title\">\n<h2 id=\"s1-title\">feed: 10 requests</h2>",
            "<p>One &lt;b&gt; sentence.</p>",
            "<li>second</li>", "<th scope=\"row\">&lt;c&gt;</th><td>3 %</td>",
            "<figcaption>How to read it.</figcaption>",
            "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"cache · feed: 10 requests\">",
            "<img alt=\"chart\" src=\"data:image/svg+xml;base64,PHN2Zy8+\">",
            "<pre><code>let x = 1&#10;&#10;let y = 2&#10;</code></pre>",
            "<details>\n<summary>More</summary>\n<p>Rest.</p>\n</details>", "default-src 'none'",
        ] { #expect(html.contains(part), "\(part)") }
        #expect(html.components(separatedBy: "href=\"").dropFirst().allSatisfy { $0.hasPrefix("#") })
        for reference in ["src=\"http", "<script", "url("] { #expect(!html.contains(reference)) }
    }
}
