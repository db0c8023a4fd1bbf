import Testing

/// A name that could break a script, a picture, a page or a table.
struct HostileName: Sendable, CustomTestStringConvertible {
    var name: String
    /// The name as a picture shows it.
    var drawn: String

    init(_ name: String, drawn: String? = nil) {
        self.name = name
        self.drawn = drawn ?? name
    }

    var testDescription: String { String(drawn.prefix(30)) }

    /// A few names, for charts in which only the title has a name.
    static let some = all.filter { ["'q'", "]]>", "<script>alert(1)</script>"].contains($0.name) } + all.suffix(2)

    static let all: [HostileName] = [
        HostileName("'q'"), HostileName("a'b''c"), HostileName("'"), HostileName("''''"), HostileName("it's 'it''"),
        HostileName("\"q\""), HostileName("a\"b\"\"c"), HostileName("\"'\"'"), HostileName("back\\slash\\"),
        HostileName("\\n \\' \\\\"), HostileName("`touch hostile`"), HostileName("$(touch hostile)"),
        HostileName("@macro @'x"), HostileName("$x $data $1"), HostileName("100% %s %d %n %%"),
        HostileName("{/Symbol a}{"), HostileName("}{ {{ }}"), HostileName("a_b^c_{d}^{e}"), HostileName("# comment"),
        HostileName("a;b | c & d > e < f"), HostileName("=1+1"), HostileName("-3.5"), HostileName("--"),
        HostileName("a\nplot x\nb", drawn: "a plot x b"), HostileName("tab\tCR\r", drawn: "tab CR"),
        HostileName("]]>", drawn: "]] >"), HostileName("<![CDATA[x]]>y", drawn: "<![CDATA[x]] >y"),
        // A sign of numbers or a combining mark makes one character of it and of the quote or bracket beside it.
        HostileName("\u{600}'; system('touch hostile') #"), HostileName("'\u{301}.system('touch hostile').'"),
        HostileName("]]>\u{301}<b>", drawn: "]] >\u{301}<b>"), HostileName("\u{600}\",b"),
        HostileName("<script>alert(1)</script>"), HostileName("</text></svg><svg>"), HostileName("&amp;&#0;&lt;"),
        HostileName("\u{1B}]0;t\u{7}\u{0}", drawn: "\\u{1b}]0;t\\u{7}\\u{0}"),
        HostileName("\u{85}\u{9B}31m\u{7F}", drawn: "\\u{85}\\u{9b}31m\\u{7f}"),
        HostileName("a\u{202E}gvs.b\u{2066}", drawn: "a\\u{202e}gvs.b\\u{2066}"),
        HostileName("\u{FFFE}\u{FFFF}", drawn: "□□"),
        HostileName("👩‍👩‍👧‍👦 📷", drawn: "□ □"),
        HostileName("写真キャッシュ"), HostileName("שלום عالم"), HostileName("e\u{301}\u{200D}\u{FE0F}"),
        HostileName("../../x"),
        HostileName("cache,with,commas"), HostileName(" "),
        HostileName(String(repeating: "long ", count: 2_000), drawn: "long long"),
        HostileName(String(repeating: "x'", count: 5_000), drawn: "x'x'x'"),
    ]
}
