import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("What cachereplay prints without arguments", .namesCommands) struct BeginningTests {
    @Test("In a clone, it names five commands, each with an example that works")
    func examples() throws {
        try withTemporaryFolder { folder in
            try folder.link("Traces", "scripts")
            let shown = try Command.run([], in: folder)
            #expect(shown.status == 0 && shown.errors.isEmpty)
            let commands = shown.output.replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n")
                .filter { $0.hasPrefix("    cachereplay ") }.map { ReadmeTests.words(String($0)) }
            #expect(commands.map(\.first) == ["play", "record", "advise", "replay", "gate"])
            // Those that serve a page until they are interrupted are run by the tests of README.
            for words in commands.dropFirst(2) {
                let run = try Command.run(words + (words[0] == "replay" ? ["--no-charts"] : []), in: folder)
                #expect(run.status == 0 && !run.output.isEmpty, "\(words)\n\(run.errors)")
            }
        }
    }
}
