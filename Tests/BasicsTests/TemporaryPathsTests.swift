import Basics
import Foundation
import Testing

@Suite("Temporary files when a signal ends the process") struct TemporaryPathsTests {
    @Test("Unfinished files and scratch folders are removed; finished files stay") func exit() async throws {
        let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
            // A TemporaryFolder would be removed too.
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cachereplay-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try AtomicFile.write("whole", to: folder.path + "/whole")
            let parts = try (0..<3).map { try AtomicFile("\(folder.path)/part-\($0)") }
            let scratch = try ScratchFolder(in: folder.path, prefix: "scratch")
            try AtomicFile.write("inside", to: scratch.path + "/inside")
            let removed = try ScratchFolder(in: folder.path, prefix: "removed")
            removed.remove()
            #expect(parts.count == 3 && access(scratch.path, F_OK) == 0)
            // The test looks at the folder after the end of this process.
            FileHandle.standardError.write(Data("FOLDER=\(folder.path)\n".utf8))
            withExtendedLifetime((parts, scratch)) { TemporaryPaths.exit(7) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("FOLDER=") })
        let folder = String(line.dropFirst("FOLDER=".count))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["whole"])
    }

    @Test("A thread that creates folders by their whole path does not create a removed scratch folder again")
    func recreated() async throws {
        let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
            let scratch = try ScratchFolder(prefix: "cachereplay-recreated")
            FileHandle.standardError.write(Data("FOLDER=\(scratch.path)\n".utf8))
            let path = scratch.path
            try DetachedThread.start {
                while true {
                    TemporaryPaths.delayingExit {
                        for name in [path, path + "/inner"] { mkdir(name, 0o700) }
                    }
                }
            }
            withExtendedLifetime(scratch) { TemporaryPaths.exit(7) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("FOLDER=") })
        let folder = String(line.dropFirst("FOLDER=".count))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
