import Foundation
import Testing

@Suite("The documentation page")
struct DocumentationTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let page = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/SessionRecorder/SessionRecorder.docc/SessionRecorder.md")

    @Test("Its code compiles, except SwiftUI: DocumentedCode.swift contains the same text")
    func code() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        let compiled = try String(
            contentsOf: Self.tests.appendingPathComponent("DocumentedCode.swift"), encoding: .utf8)
        let ours = blocks.filter { !$0.contains(": View") && !$0.hasPrefix(".on") }
        #expect(ours.count == 6)
        for block in ours {
            let code = block.replacingOccurrences(of: "import SessionRecorder\n\n", with: "")
            #expect(Self.words(compiled).contains(Self.words(code)), "not compiled: \(code)")
        }
    }

    /// The text with normalized white space.
    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
