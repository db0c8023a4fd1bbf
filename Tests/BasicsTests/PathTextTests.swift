import Basics
import Testing

/// U+0301 is a mark that one `Character` shares with what is before it, and U+0600 one that it shares with what
/// follows.
@Suite("Paths and names as bytes")
struct PathTextTests {
    @Test("A path is cut at each slash, also between marks")
    func parts() {
        #expect("/a//b\u{301}/\u{301}c/x\u{600}/d".pathParts == ["a", "b\u{301}", "\u{301}c", "x\u{600}", "d"])
        #expect("a/\u{301}b.jsonl".fileName.utf8.elementsEqual("\u{301}b.jsonl".utf8))
        #expect("".fileName == "" && "a/b/".fileName == "b")
        #expect("x\u{600}:b:\u{301}c".parts(between: ":") == ["x\u{600}", "b", "\u{301}c"])
        #expect("/a/\u{301}b".foldersAbove == ["/a", "/a/\u{301}b"])
        #expect("a/b".foldersAbove == ["a", "a/b"])
    }

    @Test("The folder and the name of a file")
    func split() {
        #expect("a/x\u{600}/b".splitPath == ("a/x\u{600}", "b"))
        #expect("a/\u{301}".splitPath == ("a", "\u{301}"))
        #expect("b".splitPath == (".", "b") && "/b".splitPath == ("/", "b"))
    }

    @Test("Beginnings and endings are compared and cut as bytes")
    func ends() {
        #expect("日/\u{301}x".dropping(start: "日/") == "\u{301}x")
        #expect("e\u{301}x".dropping(start: "\u{E9}") == nil)
        #expect("x\u{600}.JSONL".dropping(ending: ".jsonl") == nil)
        #expect("x\u{600}.JSONL".dropping(ending: ".jsonl", anyCase: true) == "x\u{600}")
        #expect("日.tar.gz".hasEnding(".TAR.gz") && !"gz".hasEnding(".gz") && "日".dropping(ending: "") == "日")
    }

    @Test("Only the streams of a process are streams, not the files of a folder in memory")
    func streams() {
        for path in ["/dev/stdin", "/dev/stdout", "/dev/fd/63"] { #expect(path.isStream) }
        for path in ["/dev/shm/a.jsonl", "/dev/mqueue/a", "dev/stdin", "/dev/fd"] { #expect(!path.isStream) }
    }

    @Test("A quote ends no word of a shell, whatever shares its character")
    func quotes() {
        #expect(ShellText.quoted("a'b") == "'a'\\''b'")
        #expect(
            ShellText.quoted("\u{600}';touch x").unicodeScalars.elementsEqual("'\u{600}'\\'';touch x'".unicodeScalars))
        #expect(ShellText.quoted("'\u{301}").unicodeScalars.elementsEqual("''\\''\u{301}'".unicodeScalars))
        #expect(CSVText.field("\u{600}\",b").utf8.elementsEqual("\"\u{600}\"\",b\"".utf8))
    }

    @Test("A word with control characters has their bytes as octal numbers")
    func controls() {
        #expect(ShellText.quoted("e\u{1B}[31m.jsonl") == "$'e\\033[31m.jsonl'")
        #expect(ShellText.quoted("a\n'\\\t") == "$'a\\012\\'\\\\\\011'")
        #expect(ShellText.quoted("\u{9B}\u{202E}7") == "$'\\302\\233\\342\\200\\2567'")
        #expect(ShellText.line(["replay", "a b", "-x", "写.jsonl"]) == "replay 'a b' -x '写.jsonl'")
    }
}
