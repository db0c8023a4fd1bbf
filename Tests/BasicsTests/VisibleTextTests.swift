import Basics
import Testing

@Suite("Text as people see it")
struct VisibleTextTests {
    @Test(
        "a character that controls a terminal or the order of text is written as its number",
        arguments: [
            "\u{0}": "0", "\u{7}": "7", "\u{8}": "8", "\u{B}": "b", "\u{1B}": "1b", "\u{1F}": "1f", "\r": "d",
            "\u{7F}": "7f", "\u{80}": "80", "\u{85}": "85", "\u{9B}": "9b", "\u{9F}": "9f", "\u{2028}": "2028",
            "\u{2029}": "2029", "\u{202A}": "202a", "\u{202B}": "202b", "\u{202C}": "202c", "\u{202D}": "202d",
            "\u{202E}": "202e", "\u{2066}": "2066", "\u{2067}": "2067", "\u{2068}": "2068", "\u{2069}": "2069",
        ])
    func hidden(text: String, number: String) {
        #expect(VisibleText.line("a\(text)b") == "a\\u{\(number)}b")
        #expect(VisibleText.lines("a\(text)b\n") == "a\\u{\(number)}b\n")
    }

    @Test("line feeds and tabs remain in several lines, and not in one")
    func breaks() {
        #expect(VisibleText.lines("a\tb\nc\r\nd") == "a\tb\nc\\u{d}\nd")
        #expect(VisibleText.line("a\tb\nc\r\nd") == "a\\u{9}b\\u{a}c\\u{d}\\u{a}d")
    }

    @Test(
        "all other text remains",
        arguments: [
            "", "plain", "ü 写真 שלום 👩‍👩‍👧‍👦 e\u{301} \u{A0}\u{200F}", "\\u{1b} $`'\"<",
        ])
    func visible(text: String) {
        #expect(VisibleText.line(text) == text)
        #expect(VisibleText.lines(text) == text)
    }

    @Test("columns stay aligned, each row on one line")
    func columns() {
        #expect(TextGrid.lines([["a\nb", "c"], ["d\u{1B}e", "f"]]) == ["a\\u{a}b   c", "d\\u{1b}e  f"])
    }
}
