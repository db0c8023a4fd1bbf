import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("The origin command")
struct OriginCommandTests {
    private static let feed = "Traces/photo-feed.jsonl"

    @Test("--json prints the address and the counts as one JSON object, without --json as one sentence")
    func startLine() throws {
        let json = try firstLine("--json")
        let start = try JSONDecoder().decode(OriginStart.self, from: Data(json.utf8))
        #expect(start.address.hasPrefix("http://127.0.0.1:") && !start.address.hasSuffix("/"))
        #expect(start.objects > 0 && start.bodies == 0)
        #expect(json == "\(try start.jsonLine())\n")
        let sentence = try firstLine()
        #expect(sentence.contains("/ serves \(start.objects) objects of "), "\(sentence)")
    }

    /// Starts the command at a free port, reads what it prints first, and ends it.
    private func firstLine(_ options: String...) throws -> String {
        let output = Pipe()
        let process = try Binary.start(
            ["origin", Self.feed] + options, output: output.fileHandleForWriting, errors: .nullDevice)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        return String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }
}
