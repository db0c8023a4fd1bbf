import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("What cachereplay prints without arguments", .namesCommands) struct BeginningTests {
    @Test("In a clone, it names five commands, each with an example that works")
    func examples() throws {
        try withTemporaryFolder { folder in
            for name in ["Traces", "scripts"] {
                try FileManager.default.createSymbolicLink(
                    at: folder.appendingPathComponent(name),
                    withDestinationURL: Binary.root.appendingPathComponent(name))
            }
            let shown = try Binary.run([], in: folder)
            #expect(shown.status == 0 && shown.errors.isEmpty)
            let commands = shown.output.replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n")
                .filter { $0.hasPrefix("    cachereplay ") }.map { ReadmeTests.words(String($0)) }
            #expect(commands.map(\.first) == ["play", "record", "advise", "replay", "gate"])
            // Those that serve a page until they are interrupted are run by the tests of README.
            for words in commands.dropFirst(2) {
                let run = try Binary.run(words + (words[0] == "replay" ? ["--no-charts"] : []), in: folder)
                #expect(run.status == 0 && !run.output.isEmpty, "\(words)\n\(run.errors)")
            }
        }
    }

    @Test("Without bundled files, the examples have the session that one of them records, in short lines")
    func elsewhere() throws {
        let shown = Beginning(session: "session.jsonl", baseline: "main.yaml", candidate: "candidate.yaml").text
        #expect(shown.contains("cachereplay advise session.jsonl "))
        #expect(shown.split(separator: "\n").allSatisfy { $0.count <= 88 })
        try withTemporaryFolder { folder in
            let run = try Binary.run([], in: folder)
            #expect(run.output == shown + "\n", "\(run.output)")
        }
    }
}
