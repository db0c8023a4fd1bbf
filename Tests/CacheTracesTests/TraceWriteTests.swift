import Basics
import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

@Suite("Writing traces")
struct TraceWriteTests {
    @Test(
        "The name's ending compresses, and the same trace gives the same bytes", arguments: ["gz", "bz2", "xz", "zst"])
    func compressed(ending: String) throws {
        let folder = try TemporaryFolder()
        let paths = ["a", "b"].map { "\(folder.path)/\($0).jsonl.\(ending)" }
        for path in paths { try TraceSummaryTests.trace.write(to: path) }
        #expect(try TraceInput(path: paths[0]).compression != nil)
        #expect(try Trace(contentsOf: paths[0]) == TraceSummaryTests.trace)
        #expect(FileManager.default.contentsEqual(atPath: paths[0], andPath: paths[1]))
    }

    @Test("An existing file is replaced, and nothing else is left in the folder")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("feed.jsonl", "old")
        try TraceSummaryTests.trace.write(to: path)
        #expect(try Trace(contentsOf: path) == TraceSummaryTests.trace)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["feed.jsonl"])
    }

    @Test("What cannot be written says so, and leaves what was there")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: FileError.self) { try Trace().write(to: folder.path + "/none/feed.jsonl") }
        #expect(missing?.reason.contains("No such file") == true)
        #expect(throws: FileError.self) { try Trace().write(to: folder.path) }
        let har = #expect(throws: FileError.self) { try Trace().write(to: folder.path + "/a.har", format: .har) }
        #expect(har?.reason.contains("choose one of compiled, jsonl, oracleGeneral, csv") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("A full disk is an error, not half a file", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() {
        let error = #expect(throws: FileError.self) { try TraceSummaryTests.trace.write(to: "/dev/full") }
        #expect(error?.reason.contains("writing failed") == true)
    }

    @Test("What a format cannot hold is said")
    func losses() throws {
        let folder = try TemporaryFolder()
        let losses = try TraceSummaryTests.trace.write(to: folder.path + "/a.oracleGeneral", format: .oracleGeneral)
        #expect(
            losses == [
                "keys are not distinct numbers: objects are written with their numbers in the trace",
                "6 events that are not requests cannot be stored in this format and are left out",
                "1 requests without a size are written with size 1",
            ])
    }
}
