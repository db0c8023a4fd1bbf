import Foundation
import TestSupport
import Testing

@testable import CacheTraces

@Suite("Archives of traces")
struct TraceArchiveTests {
    /// Writes empty files below a folder, and a tar archive of it.
    private func archive(_ names: [String], in folder: TemporaryFolder) throws -> String {
        let root = folder.url("in")
        for name in names {
            let path = "\(root.path)/\(name)"
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            #expect(FileManager.default.createFile(atPath: path, contents: Data(name.utf8)))
        }
        let archive = folder.url("traces.tar").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["tar", "-cf", archive, "-C", root.path, "."]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return archive
    }

    @Test(
        "a file is extracted into its folder, whatever letters its name has, and nothing is made outside",
        arguments: [
            "anna/über.jsonl", "e\u{301}.jsonl", "\u{202E}.jsonl", String(repeating: "日", count: 60) + ".jsonl",
            "写真/日/👩‍👩‍👧‍👦.jsonl", "a/\u{301}b.jsonl", "x\u{600}/y\u{600}.jsonl", "\u{301}/\u{301}/c.jsonl",
        ])
    func letters(name: String) throws {
        let folder = try TemporaryFolder()
        let archive = try archive([name], in: folder)
        try FileManager.default.createDirectory(at: folder.url("out/scratch"), withIntermediateDirectories: true)
        let target = folder.url("out/scratch").path
        let found = try TraceArchive.extract(archive, to: target)
        #expect(found.map { Array($0.utf8) } == [Array(name.utf8)])
        #expect(FileManager.default.contents(atPath: "\(target)/\(name)") == Data(name.utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url("out").path) == ["scratch"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).count == 1)
    }

    @Test("names that differ in their bytes alone are two files, and a hidden file stays hidden")
    func bytes() throws {
        let folder = try TemporaryFolder()
        let archive = try archive(["\u{E9}.jsonl", "e\u{301}.jsonl", ".\u{301}hidden.jsonl"], in: folder)
        let target = folder.url("out")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let found = try TraceArchive.extract(archive, to: target.path)
        #expect(found.map { Array($0.utf8) } == [Array("e\u{301}.jsonl".utf8), Array("\u{E9}.jsonl".utf8)])
    }

    @Test("an ending is recognised in any case, and behind any letter")
    func endings() {
        #expect(TraceArchive.isArchive("x\u{600}.TAR.gz") && !TraceArchive.isArchive("tar"))
        #expect(TraceInput.name(of: "a/\u{301}/X\u{600}.HAR.gz") == "x\u{600}.har")
        #expect(PictureFiles.isNamed("\u{600}.PNG"))
    }
}
