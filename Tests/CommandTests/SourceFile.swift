import Foundation

/// A file of `Sources` as tests of the sources read it: words and signs, without comments and texts.
struct SourceFile {
    /// The path below `Sources`.
    let path: String
    let tokens: [Token]

    /// A word, a number, or one sign.
    struct Token {
        var text: Substring
        /// Counted from 1.
        var line: Int
        var isFirstOfLine: Bool
        /// Whether nothing is between the token and the one before.
        var isAttached: Bool
    }

    /// The folder below `Sources`, which is the module.
    var module: String { String(path.prefix { $0 != "/" }) }

    static let all: [SourceFile] = {
        let root = Binary.root.appendingPathComponent("Sources")
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
                .map { SourceFile(path: path, text: $0) }
        }
    }()

    init(path: String, text: String) {
        self.path = path
        var scanner = Scanner(bytes: Array(text.utf8))
        scanner.blank()
        let code = String(decoding: scanner.bytes, as: UTF8.self)
        tokens = Self.tokens(code)
    }

    private static func tokens(_ code: String) -> [Token] {
        let bytes = code.utf8
        var tokens: [Token] = []
        var (line, isFirst, isAttached) = (1, true, false)
        var place = bytes.startIndex
        while place < bytes.endIndex {
            var end = bytes.index(after: place)
            switch bytes[place] {
            case UInt8(ascii: "\n"): (line, isFirst, isAttached) = (line + 1, true, false)
            case UInt8(ascii: " "): isAttached = false
            case let byte:
                if Self.isWord(byte) {
                    end = bytes[place...].firstIndex { !Self.isWord($0) } ?? bytes.endIndex
                }
                tokens.append(
                    Token(text: code[place..<end], line: line, isFirstOfLine: isFirst, isAttached: isAttached))
                (isFirst, isAttached) = (false, true)
            }
            place = end
        }
        return tokens
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 128...:
            true
        default: false
        }
    }

    /// Replaces comments and texts by spaces, and keeps the ends of lines. A text becomes the sign `"`.
    private struct Scanner {
        var bytes: [UInt8]
        private var place = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func blank() {
            while place < bytes.count {
                let start = place
                if isAt("//") {
                    while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
                } else if isAt("/*") {
                    skipComment()
                } else if !skipText() {
                    place += 1
                    continue
                }
                let isText = bytes[start] != UInt8(ascii: "/")
                for index in start..<place where bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
                if isText { bytes[start] = UInt8(ascii: "\"") }
            }
        }

        private func isAt(_ text: StaticString, _ offset: Int = 0) -> Bool {
            guard place + offset + text.utf8CodeUnitCount <= bytes.count else { return false }
            return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[place + offset + $0] == text.utf8Start[$0] }
        }

        private mutating func skipComment() {
            var depth = 0
            repeat {
                let change = isAt("/*") ? 1 : isAt("*/") ? -1 : 0
                depth += change
                place += change == 0 ? 1 : 2
            } while depth > 0 && place < bytes.count
        }

        /// Skips a text with its interpolations, if one begins here.
        private mutating func skipText() -> Bool {
            let first = bytes[place]
            guard first == UInt8(ascii: "\"") || first == UInt8(ascii: "#") else { return false }
            var hashes = 0
            while place + hashes < bytes.count, bytes[place + hashes] == UInt8(ascii: "#") { hashes += 1 }
            guard isAt("\"", hashes) else { return false }
            let quotes = isAt("\"\"\"", hashes) ? 3 : 1
            place += hashes + quotes
            func has(_ count: Int, of sign: StaticString, at offset: Int) -> Bool {
                (0..<count).allSatisfy { isAt(sign, offset + $0) }
            }
            while place < bytes.count {
                if has(quotes, of: "\"", at: 0), has(hashes, of: "#", at: quotes) {
                    place += quotes + hashes
                    return true
                }
                guard isAt("\\"), has(hashes, of: "#", at: 1) else {
                    place += 1
                    continue
                }
                place += 1 + hashes
                if isAt("(") { skipInterpolation() } else { place += 1 }
            }
            return true
        }

        private mutating func skipInterpolation() {
            var depth = 0
            repeat {
                if isAt("(") { depth += 1 } else if isAt(")") { depth -= 1 }
                if !skipText() { place += 1 }
            } while depth > 0 && place < bytes.count
        }
    }
}

extension SourceFile {
    /// A function, an initializer or a subscript.
    struct Function {
        var name: String
        var line: Int
        var parameters: Int
        /// From the line with its name to the one with its last brace; 1 without a body.
        var lines: Int
    }

    var functions: [Function] {
        tokens.indices.compactMap { index in
            let token = tokens[index]
            guard ["func", "init", "subscript"].contains(token.text), index == 0 || tokens[index - 1].text != "." else {
                return nil
            }
            var place = index + 1
            var name = String(token.text)
            if name == "func", place < tokens.count {
                name = String(tokens[place].text)
                place += 1
            }
            // Signs of operators, `?` of an initializer, and generic parameters.
            var angles = 0
            while place < tokens.count, tokens[place].text != "(" || angles > 0 {
                if tokens[place].text == "<" { angles += 1 }
                if tokens[place].text == ">" { angles -= 1 }
                guard angles > 0 || "<>?!=+-*/&|^~%.".contains(tokens[place].text) else { return nil }
                place += 1
            }
            guard let (parameters, end) = parameters(from: place) else { return nil }
            let last = body(after: end).map { tokens[$0].line }
            return Function(
                name: name, line: token.line, parameters: parameters, lines: (last ?? token.line) - token.line + 1)
        }
    }

    /// Counts the parameters in the parentheses that open at `start`, and returns the place behind them.
    private func parameters(from start: Int) -> (count: Int, end: Int)? {
        var (depth, angles, count, hasAny, endsWithComma) = (0, 0, 0, false, false)
        for place in start..<tokens.count {
            let token = tokens[place]
            switch token.text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return (hasAny ? count + (endsWithComma ? 0 : 1) : 0, place + 1) }
            case "<" where token.isAttached && tokens[place - 1].text.utf8.allSatisfy(Self.isWord): angles += 1
            case ">" where angles > 0 && tokens[place - 1].text != "-": angles -= 1
            case "," where depth == 1 && angles == 0: count += 1
            default: break
            }
            if place > start { (hasAny, endsWithComma) = (true, token.text == "," && depth == 1) }
        }
        return nil
    }

    /// Returns the place of the last brace of the body that begins behind a signature; nil without a body.
    private func body(after start: Int) -> Int? {
        let declarations: Set<Substring> = [
            "func", "var", "let", "init", "subscript", "static", "mutating", "nonmutating", "public", "package",
            "private", "fileprivate", "internal", "associatedtype", "typealias", "case", "#", "@",
        ]
        var place = start
        var depth = 0
        while place < tokens.count, depth > 0 || tokens[place].text != "{" {
            let token = tokens[place]
            if token.text == "}" || token.isFirstOfLine && declarations.contains(token.text) { return nil }
            depth += token.text == "(" || token.text == "[" ? 1 : token.text == ")" || token.text == "]" ? -1 : 0
            place += 1
        }
        while place < tokens.count {
            depth += tokens[place].text == "{" ? 1 : tokens[place].text == "}" ? -1 : 0
            if depth == 0 { return place }
            place += 1
        }
        return nil
    }
}
