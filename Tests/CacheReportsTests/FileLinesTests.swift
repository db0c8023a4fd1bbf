import Foundation
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Lines of a file")
struct FileLinesTests {
    private func lines(_ path: String, longest: Int = FileLines.longest) throws -> (all: [String], end: Int) {
        var lines = try FileLines(path, longest: longest)
        var all: [String] = []
        var last = 0
        while let line = try lines.next() {
            #expect(line.place.lowerBound == last && line.place.count == line.bytes.count + 1)
            last = line.place.upperBound
            all.append(String(decoding: line.bytes, as: UTF8.self))
        }
        #expect(lines.end == last && lines.number == all.count + 1)
        return (all, lines.end)
    }

    @Test("whole lines are read, also across blocks of a MiB; a torn last line is none")
    func whole() throws {
        try withTemporaryFolder { root in
            let long = String(repeating: "x", count: 2_500_000)
            let text = ["a", "", long, "b"].map { $0 + "\n" }.joined()
            try write(text + "torn", to: "\(root)/lines")
            let read = try lines("\(root)/lines")
            #expect(read.all == ["a", "", long, "b"])
            #expect(read.end == text.utf8.count)
            try write("", to: "\(root)/empty")
            #expect(try lines("\(root)/empty").all.isEmpty)
        }
    }

    @Test("a file with a hole of 8 GB is refused after the longest line, with the number of the line")
    func hole() throws {
        try withTemporaryFolder { root in
            try write("a\n", to: "\(root)/hole")
            try #require(truncate("\(root)/hole", 8 << 30) == 0)
            let error = #expect(throws: ResultsError.self) { try lines("\(root)/hole", longest: 4 << 20) }
            #expect(error?.kind == .badData && error?.message.contains("longer than 4 MB") == true)
            #expect(error?.description.contains("hole:2:") == true, "\(error as Any)")
        }
    }

    @Test("JSON ends at a byte that it cannot have: a description with a hole of 8 GB is refused at once")
    func json() throws {
        try withTemporaryFolder { root in
            try write("{\"kind\":\"simulation\"", to: "\(root)/run.json")
            try #require(truncate("\(root)/run.json", 8 << 30) == 0)
            let error = #expect(throws: ResultsError.self) { try SimulationStore.manifest(in: root) }
            #expect(error?.kind == .badData && error?.message.contains("not whole, or not JSON") == true)
        }
    }
}
