import Foundation
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Histories")
struct HistoryTests {
    private let line = "2026-01-31T12:00:00Z,abc,feed,app,modelled,hit_ratio,0.5,1,0.5,0.5\n"

    @Test("lines in any order, repeated headers and repeated lines give the same figures")
    func union() {
        let other = line.replacing("abc", with: "def").replacing("01-31", with: "02-01")
        let history = History(History.header + line + other)
        #expect(history.entries.map(\.commit) == ["abc", "def"])
        let merged = History(History.header + other + History.header + line + line)
        #expect(merged.entries == history.entries)
        #expect(merged.problems.isEmpty)
    }

    @Test(
        "a wrong line is named, and those behind it count",
        arguments: [
            ("2026-01-31T12:0", "1 fields, expected 10"), ("a,\"b\n", "not a line of CSV"),
            ("x,abc,feed,app,modelled,hit_ratio,0.5,1,0.5,0.5\n", "time is 'x'"),
            ("2026-01-31T12:00:00Z,ab,feed,app,modelled,hit_ratio,nan,1,0.5,0.5\n", "value is 'nan'"),
            ("2026-01-31T12:00:00Z,ab,feed,app,modelled,hit_ratio,0.5,0,0.5,0.5\n", "repeats is '0'"),
            ("2026-01-31T12:00:00Z,abc,feed,app,modelled,hit_ratio,0.6,1,0.6,0.6\n", "the first counts"),
        ])
    func problems(wrong: String, reason: String) {
        let text = History.header + line + (wrong.hasSuffix("\n") ? wrong : wrong + "\n")
        let history = History(text + line.replacing("abc", with: "def"))
        #expect(history.entries.map(\.commit) == ["abc", "def"])
        #expect(history.problems.map(\.line) == [3])
        #expect(history.problems.first?.reason.contains(reason) == true, "\(history.problems)")
    }

    @Test("figures are added once; a torn last line stays, and does not tear the next one")
    func adding() throws {
        try withTemporaryFolder { root in
            let file = "\(root)/history.csv"
            let results = ResultSet([Samples.ten()], source: "results")
            let time = try Date("2026-01-31T12:00:00Z", strategy: .iso8601)
            #expect(try History.add(results, commit: "abc", time: time, to: file).new == 12)
            #expect(try History.add(results, commit: "abc", time: time, to: file).new == 0)
            try write(try text(of: file) + "2026-01", to: file)
            let added = try History.add(results, commit: "def", time: time, to: file)
            #expect(added.new == 12 && added.problems.map(\.line) == [14])
            let history = try History.read(file)
            #expect(history.entries.count == 24)
            #expect(try text(of: file).contains("\n2026-01\n2026-01-31T12:00:00Z,def,"))
            #expect(history.entries.first { $0.series.metric == "hit_ratio" }?.value == 0.7)
            let wrong = #expect(throws: ResultsError.self) {
                try History.add(results, commit: "a\nb", time: time, to: file)
            }
            #expect(wrong?.kind == .badData)
        }
    }

    @Test("a FIFO, a device, a folder and a file above the limit hold no history, and nothing waits for them")
    func kinds() throws {
        try withTemporaryFolder { root in
            let results = ResultSet([Samples.ten()], source: "results")
            let fifo = "\(root)/fifo"
            #expect(mkfifo(fifo, 0o600) == 0)
            for file in [fifo, "/dev/full", "/dev/null"] {
                let error = #expect(throws: ResultsError.self) {
                    try History.add(results, commit: "abc", time: .now, to: file)
                }
                #expect(error?.kind == .badData && error?.message.contains("not a regular file") == true, "\(file)")
                let read = #expect(throws: ResultsError.self) { try History.read(file) }
                #expect(read?.kind == .badData, "\(file)")
            }
            let folder = #expect(throws: ResultsError.self) {
                try History.add(results, commit: "abc", time: .now, to: root)
            }
            #expect(folder?.kind == .cannotCreate)
            let sparse = "\(root)/sparse.csv"
            try write("", to: sparse)
            #expect(truncate(sparse, off_t(History.largestFile + 1)) == 0)
            let large = #expect(throws: ResultsError.self) {
                try History.add(results, commit: "abc", time: .now, to: sparse)
            }
            #expect(large?.message.contains("at most 256 MiB") == true)
        }
    }

    @Test("adding replaces the file as a whole, keeps its permissions and links, and leaves nothing beside it")
    func replacing() throws {
        try withTemporaryFolder { root in
            let results = ResultSet([Samples.ten()], source: "results")
            let (file, link) = ("\(root)/history.csv", "\(root)/link.csv")
            #expect(try History.add(results, commit: "abc", time: .now, to: file).new == 12)
            #expect(chmod(file, 0o640) == 0 && symlink(file, link) == 0)
            // A reader that has the old file open keeps its content.
            let old = try #require(FileHandle(forReadingAtPath: file))
            #expect(try History.add(results, commit: "def", time: .now, to: link).new == 12)
            #expect(try old.readToEnd()?.split(separator: 0x0A).count == 13)
            #expect(try History.read(file).entries.count == 24)
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o640)
            #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
            #expect(try names(in: root) == ["history.csv", "link.csv"])
        }
    }

    @Test("processes that add at once lose no line")
    func together() async throws {
        let root = FileManager.default.temporaryDirectory.path + "/cachereplay-reports-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let file = "\(root)/history.csv"
        // Each opens the file by itself, as a process does: flock is a lock of the opened file.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let results = ResultSet([Samples.ten()], source: "results")
                    let added = try History.add(results, commit: "c\(number)", time: .now, to: file)
                    #expect(added.new == 12)
                }
            }
            try await group.waitForAll()
        }
        #expect(try History.read(file).entries.count == 96)
    }

    @Test("the page has a picture for each figure that varies, and its changes")
    func page() throws {
        let lines = [0.5, 0.5, 0.4].enumerated().map { index, value in
            line.replacing("abc", with: "c\(index)<").replacing("01-31", with: "02-0\(index + 1)")
                .replacing("0.5", with: "\(value)")
        }
        let constant = line.replacing("hit_ratio", with: "failed")
        let page = HistoryPage.document(History(lines.joined() + constant + "torn\n")).html()
        #expect(page.contains(">feed, app: hit_ratio</h2>") && !page.contains(">feed, app: failed</h2>"))
        #expect(page.contains("<th scope=\"row\">c2&lt;</th>") && page.contains("<td class=\"left\">worse</td>"))
        #expect(page.contains("<title>c2&lt;, 2026-02-03T12:00:00Z: 40.00%, changed: worse</title>"))
        #expect(page.contains("<h1>1 change of level: 1 worse, 0 better.</h1>"))
        #expect(page.contains("<circle class=\"worse\" "))
        // The days of the first and the last commit.
        #expect(page.contains(">2026-02-01</text>") && page.contains(">2026-02-03</text>"))
        #expect(page.contains("Line 5 is not used: 1 fields"))
    }

    @Test("the axis of a share covers at least a point, so that a change within the tolerance is no cliff")
    func axis() throws {
        // A point above the lower of 6.00 % and 5.94 %, and as much below it as the axis is above the higher one.
        let lines = [0.06, 0.0594].enumerated().map { index, value in
            line.replacing("abc", with: "c\(index)").replacing("01-31", with: "02-0\(index + 1)")
                .replacing("0.5", with: "\(value)")
        }
        let page = HistoryPage.document(History(lines.joined())).html()
        #expect(page.contains(">6.94%</text>") && page.contains(">5.00%</text>"))
    }

    @Test("exports have the forms that Bencher and github-action-benchmark document")
    func exports() throws {
        let results = ResultSet(
            [1, 2, 3].map { repetition in
                var result = Samples.ten(Samples.identity(repetition: repetition, timing: "measured"))
                result.latencies[0].p99 = Int64(repetition) * 1_000_000
                return result
            }, source: "results")
        let bencher = try BenchmarkExport.bencher.json(results, metrics: ["latency_p99_us"])
        #expect(
            try JSONDecoder().decode([String: [String: [String: Double]]].self, from: Data(bencher.utf8)) == [
                "feed / lru": ["latency_p99_us": ["value": 2_000, "lower_value": 1_000, "upper_value": 3_000]]
            ])
        struct Entry: Decodable, Equatable {
            var name: String, unit: String, value: Double, range: String, extra: String
        }
        func entries(_ form: BenchmarkExport) throws -> [Entry] {
            try JSONDecoder().decode([Entry].self, from: Data(form.json(results, metrics: []).utf8))
        }
        let smaller = try entries(.githubSmaller)
        #expect(
            smaller.contains(
                Entry(
                    name: "feed / lru / latency_p99_us", unit: "microseconds", value: 2_000, range: "± 1000.000",
                    extra: "median of 3 repeats")))
        let bigger = try entries(.githubBigger)
        #expect(bigger.map(\.name).contains("feed / lru / hit_ratio"))
        #expect(Set(smaller.map(\.name)).isDisjoint(with: bigger.map(\.name)) && smaller.count + bigger.count == 12)
        #expect(throws: ResultsError.self) { try BenchmarkExport.bencher.json(results, metrics: ["wall_s"]) }
    }
}
