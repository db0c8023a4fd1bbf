import Foundation
import Testing

@Suite("The tutorial", .namesCommands)
struct TutorialTests {
    /// Returns the blocks of shell commands of a page.
    private func blocks(_ name: String = "GateTutorial") throws -> [String] {
        let page = try Binary.root.text("Sources/CacheReplayCommand/CacheReplayCommand.docc/\(name).md")
        return page.components(separatedBy: "```sh\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    /// Runs blocks in order, with the program of the tests in `PATH`.
    private func run(_ blocks: [String], in folder: URL) throws -> [Binary.Outcome] {
        let programs = URL(fileURLWithPath: Binary.path).deletingLastPathComponent().path
        let path = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        return try blocks.map { block in
            try Binary.execute("/bin/bash", ["-eo", "pipefail", "-c", block], in: folder, environment: ["PATH": path])
        }
    }

    @Test("the commands for iOS teams run: advice about the cache of an app, and a gate of equal caches")
    func teams() throws {
        try withTemporaryFolder { folder in
            let sessions = try folder.makeFolder("Sessions")
            try sessions.copyTrace("stress-feed.jsonl", to: "feed.jsonl")
            let outcomes = try run(try blocks("IOSTeams"), in: folder)
            #expect(outcomes.map(\.status.code) == [0, 0], "\(outcomes.map(\.errors))")
            #expect(outcomes[0].output.contains("kingfisher-8"))
            #expect(outcomes[1].output.contains("Nothing got worse than allowed"))
        }
    }

    @Test("its commands run in order: the gate fails after the limit is lowered, and passes when accepted and restored")
    func commands() throws {
        try withTemporaryFolder { folder in
            try folder.link("Traces")
            let outcomes = try run(try blocks(), in: folder)
            let texts = outcomes.map { "\($0.output)\($0.errors)" }
            #expect(outcomes.map(\.status.code) == [0, 0, 0, 1, 0, 0], "\(texts)")
            #expect(outcomes[3].output.contains("WORSE") && outcomes[3].output.contains("more misses of memory"))
            #expect(outcomes[4].output.contains("accepted: old phones need the memory"), "\(texts[4])")
            #expect(outcomes[5].output.contains("Nothing got worse than allowed"))
            #expect(FileManager.default.fileExists(atPath: folder.path + "/Results/main/report.html"))
        }
    }
}
