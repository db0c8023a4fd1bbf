import Basics
import Foundation
import Testing

@Suite("JSON text")
struct JSONTests {
    private static let document = JSONValue.object([
        ("b", .array([])), ("a", .object([])),
        ("c", .array([.number("1.50"), .null, .object([("x", .bool(true))])])), ("d", .string("\n/")),
    ])

    @Test("members keep their order in each layout")
    func layouts() {
        #expect(Self.document.text(.line) == #"{"b":[],"a":{},"c":[1.50,null,{"x":true}],"d":"\n/"}"#)
        #expect(
            Self.document.text(.indented) == """
                {
                  "b": [],
                  "a": {},
                  "c": [
                    1.50,
                    null,
                    {
                      "x": true
                    }
                  ],
                  "d": "\\n/"
                }
                """)
        #expect(JSONValue.object([("a", .array([]))]).text(.spaced) == "{\n  \"a\" : [\n\n  ]\n}")
    }

    @Test("control characters have a letter or their number")
    func escapes() {
        func text(_ escapes: JSONWriter.Escapes) -> String {
            var writer = JSONWriter(escapes: escapes)
            writer.string("a\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}é😀z")
            return writer.text
        }
        #expect(text(.none) == #""a\"\\/\u0008\u000c\u000a\u000d\u0009\u0001\u001f\u007fé😀z""#)
        #expect(text(.breaks) == #""a\"\\/\u0008\u000c\n\r\t\u0001\u001f\u007fé😀z""#)
        #expect(text(.all) == #""a\"\\/\b\f\n\r\t\u0001\u001f\u007fé😀z""#)
    }

    @Test("characters that control a terminal or the order of text are escaped, and no others beyond ASCII")
    func hidden() throws {
        let shown = "\u{A0}\u{C2}\u{200F}\u{2027}\u{202F}\u{2065}\u{206A}\u{E2}写"
        let text = "a\u{80}\u{9F}\u{2028}\u{202E}\u{2066}\u{2069}\(shown)"
        var writer = JSONWriter()
        writer.string(text)
        #expect(writer.text == #""a\u0080\u009f\u2028\u202e\u2066\u2069\#(shown)""#)
        #expect(try JSONDecoder().decode(String.self, from: Data(writer.bytes)) == text)
    }

    @Test("numbers have the shortest digits, and null stands for those that are not finite")
    func numbers() {
        var writer = JSONWriter()
        writer.beginArray()
        for number in [0.1, 2, -0.5, 1e16, 1e-7, .infinity, .nan] { writer.double(number) }
        writer.integer(Int64.min)
        writer.integer(UInt64.max)
        writer.integer(0)
        writer.endArray()
        #expect(writer.text == "[0.1,2,-0.5,1e+16,1e-07,null,null,-9223372036854775808,18446744073709551615,0]")
    }

    @Test("a line breaks behind a comma, or before a bracket")
    func breaks() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.breakLine()
        writer.integer(1)
        writer.breakLine()
        writer.integer(2)
        writer.endArray()
        writer.breakLine()
        writer.beginArray()
        writer.breakLine()
        writer.endArray()
        #expect(writer.text == "[\n1,\n2],\n[\n]")
    }

    private struct Sample: Encodable {
        struct Point: Encodable {
            var y = 2.0
            var x: Int?
        }

        enum Word: String, Encodable { case one = "o/n" }

        enum Choice: Encodable { case number(Int), nothing }

        var text = "q\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}é😀"
        var empty: [Int] = []
        var objects = [
            "z": [:], "Z": ["q": 1], "é": [:], "_": [:], "a10": [:], "a9": [:], "\u{10000}": [:], "\u{FFFF}": [:],
        ]
        var points = [Point(), Point(x: 3)]
        var absent: Int?
        var optionals: [Int?] = [nil, 1]
        var date = Date(timeIntervalSince1970: 1_764_000_000.999)
        var numbers = [0.1, 3, 3.0e22, 1e16, 1e-7, -0.0]
        var float = Float(0.1)
        var large = UInt64.max
        var small = Int8(-3)
        var flag = true
        var word = Word.one
        var choices = [Choice.number(3), .nothing]
        var byNumber = [1: 2, 10: 3, 2: 1]
        var range = 1...2
        var nested = Nested()
    }

    /// Encodes with each kind of container.
    private struct Nested: Encodable {
        enum Key: String, CodingKey { case a, b, c, d }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            var inner = members.nestedContainer(keyedBy: Key.self, forKey: .b)
            try inner.encode(1, forKey: .d)
            try inner.encodeNil(forKey: .a)
            var elements = members.nestedUnkeyedContainer(forKey: .a)
            try elements.encode("s")
            try elements.encodeNil()
            var list = elements.nestedUnkeyedContainer()
            try list.encode(2.5)
            try members.encodeIfPresent(nil as Int?, forKey: .c)
            var again = encoder.container(keyedBy: Key.self)
            try again.encode(5, forKey: .d)
            try again.encode(6, forKey: .d)
        }
    }

    @Test("values are encoded as JSONEncoder encodes them")
    func twin() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        func expect(_ value: some Encodable) throws {
            for (layout, formatting) in [
                (JSONWriter.Layout.line, JSONEncoder.OutputFormatting()), (.spaced, .prettyPrinted),
            ] {
                encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
                let expected = String(decoding: try encoder.encode(value), as: UTF8.self)
                #expect(try JSONWriter.encoding(value, layout).text == expected)
            }
        }
        try expect(Sample())
        try expect([Sample.Point]())
        try expect("x")
        try expect(3.0)
        try expect(nil as Int?)
        #expect(throws: EncodingError.self) { try JSONWriter.encoding([1, Double.nan], .line) }
    }

    @Test("members of some types keep their order, the .0 of whole numbers, and the numbers of control characters")
    func ordered() throws {
        struct Outer: Encodable {
            var b = 1.0
            var a = "x\ny"
            var inner = Inner()
            var list = [1.0]
        }
        struct Inner: Encodable {
            var d = 2.0
            var c = "x\ny"
        }
        #expect(
            try JSONWriter.encoding(Outer(), .line, ordered: [Outer.self]).text == """
                {"b":1.0,"a":"x\\u000ay","inner":{"c":"x\\ny","d":2},"list":[1]}
                """)
    }
}
