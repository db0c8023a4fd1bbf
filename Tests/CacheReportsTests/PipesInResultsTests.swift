import Foundation
import Testing

@testable import CacheReports
@testable import Runs

/// A named pipe in the place of a result would let a reader wait for a writer, and a writer for a reader.
@Suite("Named pipes in the place of results")
struct PipesInResultsTests {
    @Test("each way to read or write a file of results is an error that names it", .timeLimit(.minutes(1)))
    func ways() throws {
        try withTemporaryFolder { root in
            let pipe = "\(root)/run.json"
            #expect(mkfifo(pipe, 0o600) == 0)
            let ways: [(String, () throws -> Void)] = [
                ("text", { _ = try ResultFile.text(at: pipe) }),
                ("JSON", { _ = try JSONFile.read([String].self, at: pipe, remedy: "") }),
                ("lines", { _ = try FileLines(pipe) }), ("range", { _ = try FileRanges.read(0..<1, of: pipe) }),
                ("copy", { try FileRanges.copy(pipe, to: "\(root)/copy") }),
                ("write", { try ResultFile.write("a", to: pipe) }),
                ("parts", { try ResultFile.write(to: pipe) { _ in } }),
                ("append", { _ = try ResultFile.append([1], to: pipe) }),
                ("results", { _ = try ResultSet.read(root) }), ("named", { _ = try ResultSet.read(pipe) }),
            ]
            for (name, way) in ways {
                let error = #expect(throws: ResultsError.self, "\(name)") { try way() }
                #expect(error.map { "\($0)" }?.contains("is not a regular file") == true, "\(name): \(error as Any)")
                #expect(error.map { "\($0)" }?.contains("\n") == false)
            }
        }
    }

    @Test("a file that the system does not open is an error with the system's reason")
    func reason() throws {
        try withTemporaryFolder { root in
            let link = "\(root)/run.json"
            #expect(symlink(link, link) == 0)
            let error = #expect(throws: ResultsError.self) { try ResultFile.bytes(at: link) }
            #expect(error.map { "\($0)" }?.contains("cannot be read: \(String(cString: strerror(ELOOP)))") == true)
        }
    }

    @Test(
        "each file of a results folder that is a pipe is an error, or is replaced, and nothing waits",
        .timeLimit(.minutes(1)), arguments: ["run.json", "runs.jsonl", "summary.csv", "latency.csv", "timeline.csv"])
    func folders(name: String) throws {
        try withTemporaryFolder { root in
            let store = try ReplayStore.begin(at: root, Samples.describe(), resume: false)
            try store.add(Samples.ten())
            try store.finish(at: Date())
            try? FileManager.default.removeItem(atPath: "\(root)/\(name)")
            #expect(mkfifo("\(root)/\(name)", 0o600) == 0)
            // What follows is an error or not: it ends.
            _ = try? ResultSet.read(root)
            _ = try? ReplayStore.open(root).finish(at: Date())
            _ = try? ReplayStore.begin(at: root, Samples.describe(), resume: true)
            _ = try? ReplayStore.begin(at: root, Samples.describe(), resume: false)
        }
    }
}
