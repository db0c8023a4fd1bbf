import Basics
import Testing

@testable import SessionModel

@Suite("The JSON scanner")
struct JSONScannerTests {
    func scan<R>(_ text: String, _ body: (inout JSONScanner) throws -> R) throws -> R {
        try scan(Array(text.utf8), body)
    }

    func scan<R>(_ bytes: [UInt8], _ body: (inout JSONScanner) throws -> R) throws -> R {
        try bytes.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            let result = try body(&scanner)
            try scanner.endOfInput()
            return result
        }
    }

    @Test(
        "Strings: every escape, surrogate pairs, long and short runs",
        arguments: [
            (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\ud83d\ude00x""#, "😀x"), (#""\u0000""#, "\0"), ("\"é漢😀\"", "é漢😀"),
            (#""0123456789abcdef\n0123456789""#, "0123456789abcdef\n0123456789"),
        ])
    func strings(text: String, expected: String) throws {
        #expect(try scan(text) { try $0.string() } == expected)
        for padding in 0..<9 {
            let spaces = String(repeating: " ", count: padding)
            #expect(try scan(spaces + text + spaces) { try $0.string() } == expected)
        }
    }

    @Test(
        "Strings that are none are refused where they go wrong",
        arguments: [
            (#""a"#, 2), (#""\x""#, 2), (#""\"#, 2), ("\"a\nb\"", 2), (#""\u12G4""#, 1), (#""\ud83d""#, 1),
            (#""\ude00\ud83d""#, 1), (#""\u12""#, 1), ("7", 0), ("", 0),
        ])
    func badStrings(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try scan(text) { try $0.string() } }
        #expect(error?.offset == offset)
    }

    @Test("Bytes that are not UTF-8 are refused when read, and passed over when skipped")
    func invalidUTF8() throws {
        for bad: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            #expect(throws: JSONError.self) { try scan([0x22] + bad + [0x22]) { try $0.string() } }
            #expect(throws: Never.self) { try scan([0x22] + bad + [0x22]) { try $0.skipValue() } }
        }
    }

    @Test(
        "Whole numbers",
        arguments: [
            ("0", Int64(0)), ("-0", 0), ("42", 42), ("-7", -7), ("1.50e2", 150), ("12.000", 12), ("1e3", 1000),
            ("0e99", 0), ("0.0", 0),
            ("9223372036854775807", .max), ("-9223372036854775807", -.max),
        ])
    func integers(text: String, expected: Int64) throws {
        #expect(try scan(text) { try $0.integer() } == expected)
    }

    @Test(
        "What is no whole number of 64 bits is refused",
        arguments: [
            "1.5", "9223372036854775808", "1e19", "1e-1", "01", "-", "+1", "1.", ".5", "1e", "0x1",
            "99999999999999999999999", "NaN", "\"1\"",
        ])
    func badIntegers(text: String) {
        #expect(throws: JSONError.self) { try scan(text) { try $0.integer() } }
    }

    @Test(
        "Decimals are the nearest Double, as the standard library reads them",
        arguments: [
            "0.1", "-0.30000000000000004", "1e22", "1e23", "123456789.123456789", "5e-324", "1.7976931348623157e308",
            "9007199254740993", "0.000001", "31.75", "1e-30",
            "123456789012345678901234567890",
        ])
    func doubles(text: String) throws {
        #expect(try scan(text) { try $0.double() } == Double(text))
    }

    @Test("Random decimals are the nearest Double too")
    func randomDoubles() throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            let whole = Int64.random(in: -99_999_999...99_999_999, using: &random)
            let fraction = UInt32.random(in: 0...9_999_999, using: &random)
            let text = "\(whole).\(fraction)e\(Int.random(in: -30...30, using: &random))"
            #expect(try scan(text) { try $0.double() } == Double(text))
        }
    }

    @Test("Plain decimals are read as all decimals are, to the bit, and other forms are left to that reader")
    func plainDecimals() throws {
        func plain(_ text: String) throws -> Double? {
            try scan(text + ",") { scanner in
                let value = scanner.takeDecimal()
                scanner.position = scanner.end
                return value
            }
        }
        var random = SplitMix64(seed: 2)
        for _ in 0..<20_000 {
            let whole = Int64.random(in: -99_999_999...99_999_999, using: &random)
            let places = Int.random(in: 0...7, using: &random)
            let padded = String(10_000_000 + UInt32.random(in: 0...9_999_999, using: &random))
            let digits = padded.dropFirst().prefix(places)
            let text = places == 0 ? "\(whole)" : "\(whole).\(digits)"
            let expected = try scan(text) { try $0.double() }
            let value = try plain(text)
            #expect(value?.bitPattern == expected.bitPattern, "\(text)")
        }
        let zero = try plain("-0.0")
        #expect(zero?.bitPattern == (-0.0).bitPattern)
        let longest = try plain("123456789.123456")
        #expect(longest == 123_456_789.123456)
        for text in ["", "-", ".5", "1.", "01.5", "+1", " 1", "1234567890.123456", "1234567890123456", "x"] {
            let value = try plain(text)
            #expect(value == nil, "\(text)")
        }
    }

    @Test(
        "Objects and arrays",
        arguments: [
            "{}", "[]", "[ ]", "{ }", #"{"a":1}"#,
            #" { "a" : [ 1 , { } , [ ] , null , true , false , -1.5e-3 , "x" ] , "b" : { "c" : { } } } "#, "[[[[]]]]",
        ])
    func structures(text: String) throws {
        #expect(throws: Never.self) { try scan(text) { try $0.skipValue() } }
    }

    @Test(
        "Broken structure is refused",
        arguments: [
            "{", "[", "{]", "[}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "[1,]", "[1 2]", "[,1]", #"{,"a":1}"#,
            #"{"a":1 "b":2}"#, "{1:2}", "tru", "nul", "truer", "nulll", "[1]]", "'a'", "", " ",
        ])
    func brokenStructures(text: String) {
        #expect(throws: JSONError.self) { try scan(text) { try $0.skipValue() } }
    }

    @Test(
        "Text that ends too early is distinguished from text that is wrong",
        arguments: [
            (#"{"a":tr"#, true), (#"{"a":1"#, true), (#"["x"#, true), (#"{"a":1x"#, false), (#"{"a":trx"#, false),
            ("[1 2", false),
        ])
    func cutShort(text: String, isCutShort: Bool) {
        let error = #expect(throws: JSONError.self) { try scan(text) { try $0.skipValue() } }
        #expect(error?.isCutShort == isCutShort)
    }

    @Test("A key is compared without its escapes")
    func keys() throws {
        let found = try scan(#"{"sz":1,"s\u0069ze":2}"#) { scanner in
            var sizes: [Int64] = []
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                switch key {
                case "size": sizes.append(try scanner.integer())
                default: try scanner.skipValue()
                }
            }
            return sizes
        }
        #expect(found == [2])
    }
}
