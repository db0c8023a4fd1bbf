import Testing

@testable import Basics

@Suite("Text for a terminal")
struct TerminalTextTests {
    private func wrapped(_ text: String, _ width: Int?, indent: String = "") -> [Substring] {
        TextGrid.wrapped(text, width: width, indent: indent).split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("Lines break at words, and later lines are indented")
    func words() {
        // "one two three" has 13 columns, "  four five" has 11.
        #expect(wrapped("one two three four five", 13, indent: "  ") == ["one two three", "  four five"])
        #expect(wrapped("one two three four five", nil) == ["one two three four five"])
        // A word that is wider than a line is not divided.
        #expect(wrapped("a verylongword b c", 6) == ["a", "verylongword", "b c"])
        // East Asian characters take two columns.
        #expect(wrapped("写真 写真 a b", 9) == ["写真 写真", "a b"])
    }

    @Test("The last line has no word alone, where the line before it can spare one")
    func lastWords() {
        // Without the rule, "three" ends the first line.
        #expect(wrapped("one two three four", 13) == ["one two", "three four"])
        // "three four" and the indent would be wider than the line.
        #expect(wrapped("one two three fouuuuuuuur", 13) == ["one two three", "fouuuuuuuur"])
        // The line before it would have one word alone.
        #expect(wrapped("three three four", 11) == ["three three", "four"])
    }

    @Test("Lines of the text and blanks before it stay")
    func lines() {
        #expect(wrapped("  one two\nthree", 40, indent: "    ") == ["  one two", "three"])
        #expect(wrapped("  one two three four", 11, indent: "    ") == ["  one two", "    three", "    four"])
        #expect(wrapped("\na\n", 10) == ["", "a", ""])
    }

    @Test("A long text loses its middle, and values continue below their beginning")
    func narrow() {
        #expect(TextGrid.withoutMiddle("thumbnail/aitzgorri-7.jpg", width: 12) == "thumbn…7.jpg")
        #expect(TextGrid.withoutMiddle("short.jpg", width: 9) == "short.jpg")
        // The end has two columns, and the beginning three, of which a character fills two.
        #expect(TextGrid.withoutMiddle("写写写写", width: 6) == "写…写")
        let pairs = [(label: "a", value: "one"), (label: "title", value: "one two three four five six")]
        // Values begin in the eighth column, and have 20 columns then.
        #expect(TextGrid.list(pairs, width: 27) == ["a      one", "title  one two three four\n       five six"])
        #expect(TextGrid.list(pairs)[1] == "title  one two three four five six")
    }

    @Test("Parts that stand out have control sequences, line by line, and the plain text has none")
    func styles() {
        var text = StyledText()
        text.append("a ")
        text.append("b\n\nc", .bold)
        text.append("", .red)
        text.append(" d\n", .dim)
        #expect(text.plain == "a b\n\nc d\n")
        #expect(text.sequences { $0 } == "a \u{1B}[1mb\u{1B}[0m\n\n\u{1B}[1mc\u{1B}[0m\u{1B}[2m d\u{1B}[0m\n")
        // What people do not see is taken out before.
        var hostile = StyledText()
        hostile.append("\u{1B}[5m", .red)
        #expect(hostile.sequences(VisibleText.lines) == "\u{1B}[31m\\u{1b}[5m\u{1B}[0m")
        #expect(StyledText().isEmpty && !hostile.isEmpty)
    }

    @Test("Fields of a grid stand out, and blanks between them do not")
    func grid() {
        let grid = TextGrid(
            headings: [.text("cache"), .figure("blank"), .text("note")],
            rows: [["lru", "1 %", "x "], ["fifo", "12 %", ""]])
        #expect(grid.plain() == "cache  blank  note\n-----  -----  ----\nlru      1 %  x\nfifo    12 %\n")
        let styled = grid.styled { row, column in row == 0 && column == 1 ? .bold : nil }
        #expect(styled.plain == grid.plain())
        #expect(styled.sequences { $0 }.contains("\nlru      \u{1B}[1m1 %\u{1B}[0m  x\n"))
        #expect(TextGrid.lines([["a", "b"], ["long", ""]]) == ["a     b", "long"])
    }
}
