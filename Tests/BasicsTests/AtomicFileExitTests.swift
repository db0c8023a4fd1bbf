import Basics
import Foundation
import TestSupport
import Testing

@Suite("Files that are unfinished when the process ends") struct AtomicFileExitTests {
    @Test("They are removed; finished ones stay") func exit() async throws {
        let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
            let folder = try TemporaryFolder()
            try AtomicFile.write("whole", to: folder.path + "/whole")
            let parts = try (0..<3).map { try AtomicFile("\(folder.path)/part-\($0)") }
            #expect(parts.count == 3)
            // The test looks at the folder after the end of this process.
            FileHandle.standardError.write(Data("FOLDER=\(folder.path)\n".utf8))
            AtomicFile.exit(7)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("FOLDER=") })
        let folder = String(line.dropFirst("FOLDER=".count))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["whole"])
    }
}
