import Basics

/// A text of a document with code and links in it. Literals with interpolation make it; names in them are data, which
/// renderers escape.
package struct RichText: Sendable, Equatable, ExpressibleByStringInterpolation {
    package enum Part: Sendable, Equatable {
        case plain(String)
        case code(String)
        /// A text that leads to the section or the part with an identifier.
        case link(String, to: String)
        /// A text that leads to another page, by its address.
        case external(String, to: String)
    }

    package private(set) var parts: [Part]

    package init(_ text: String) { parts = [.plain(text)] }

    package init(stringLiteral text: String) { self.init(text) }

    package init(stringInterpolation interpolation: Interpolation) { parts = interpolation.parts }

    /// Creates the text of sentences in which backticks enclose code.
    package init(prose: String) {
        parts = prose.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            index % 2 == 1 ? .code(String(part)) : .plain(String(part))
        }
    }

    package var plain: String {
        parts.map { part in
            switch part {
            case .plain(let text), .code(let text), .link(let text, _), .external(let text, _): text
            }
        }.joined()
    }

    var html: String {
        parts.map { part in
            switch part {
            case .plain(let text): MarkupText.escaped(text)
            case .code(let text): "<code>\(MarkupText.escaped(text))</code>"
            case .link(let text, let id): "<a href=\"#\(MarkupText.escaped(id))\">\(MarkupText.escaped(text))</a>"
            case .external(let text, let address):
                "<a href=\"\(MarkupText.escaped(address))\" rel=\"noreferrer\">\(MarkupText.escaped(text))</a>"
            }
        }.joined()
    }

    /// The text as GitHub's Markdown. Links to parts of the page are text alone.
    var markdown: String {
        parts.map { part in
            switch part {
            case .plain(let text), .code(let text), .link(let text, _): TextGrid.markdown(text)
            case .external(let text, let address): "[\(TextGrid.markdown(text))](<\(MarkupText.escaped(address))>)"
            }
        }.joined()
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { if !text.isEmpty { parts.append(.plain(text)) } }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            parts.append(.plain(value.description))
        }

        package mutating func appendInterpolation(_ text: RichText) { parts += text.parts }

        package mutating func appendInterpolation(code text: String) { parts.append(.code(text)) }

        package mutating func appendInterpolation(link text: String, to id: String) {
            parts.append(.link(text, to: id))
        }

        /// - Parameter address: It begins with `https://` or `http://`.
        package mutating func appendInterpolation(external text: String, to address: String) {
            parts.append(.external(text, to: address))
        }
    }
}
