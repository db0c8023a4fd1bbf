import Foundation
import Testing

@testable import Basics
@testable import CacheReports

@Suite("Documents")
struct DocumentTests {
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
                .details("More & more", [.table(grid)]), .heading("Notes"), .sentences(["One."]),
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
}
