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

    @Test("the same commit again: equal figures add nothing, others are refused or replace the earlier ones")
    func again() throws {
        try withTemporaryFolder { root in
            let file = "\(root)/history.csv"
            let first = ResultSet([Samples.ten()], source: "results")
            let time = try Date("2026-01-31T12:00:00Z", strategy: .iso8601)
            #expect(try History.add(first, commit: "abc", time: time, to: file).new == 12)
            #expect(try History.add(first, commit: "abd", time: time, to: file).new == 12)
            // Equal figures at another time.
            #expect(try History.add(first, commit: "abc", time: time + 60, to: file).new == 0)

            var changed = Samples.ten()
            changed.tiers.originBytes += 500
            let second = ResultSet([changed], source: "results")
            let before = try text(of: file)
            let error = #expect(throws: ResultsError.self) {
                try History.add(second, commit: "abc", time: time, to: file)
            }
            #expect(error?.message.contains("such as origin_bytes of lru in feed") == true)
            #expect(try text(of: file) == before)
            #expect(try History.add(second, commit: "abc", time: time, to: file, same: .replace).new == 1)
            let history = try History.read(file)
            #expect(history.entries.count == 24 && history.problems.isEmpty)
            let bytes = history.entries.filter { $0.series.metric == "origin_bytes" }
            #expect(bytes.map(\.value).sorted() == [2_000, 2_500])
            #expect(bytes.first { $0.commit == "abc" }?.value == 2_500)
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

    private static func page(_ text: String, _ facts: CommitFacts? = nil) -> String {
        let history = History(text)
        return HistoryPage.document(history, history.changes, facts ?? CommitFacts(of: [], from: .noGit)).html()
    }

    /// A history in which the third commit lowers a share of hits.
    private func lines(of commits: [String]) -> String {
        zip(commits, ["0.5", "0.5", "0.4"]).enumerated().map { index, point in
            line.replacing("abc", with: point.0).replacing("01-31", with: "02-0\(index + 1)")
                .replacing("0.5", with: point.1)
        }.joined()
    }

    @Test("a change has the message, the date and the link of its commit, as text")
    func commits() throws {
        let id = "C0FFEE0123456789C0FFEE0123456789C0FFEE01"
        let found = CommitFacts.Commit(
            id: id.lowercased(), date: try Date("2026-02-14T09:00:00Z", strategy: .iso8601),
            subject: "Keep <b>less\u{1B} " + String(repeating: "long", count: 20))
        let address = CommitAddress(remote: "git@example.com:team/app.git")
        let facts = CommitFacts(of: [id], from: .repository([found]), address: address)
        #expect(facts.note == nil)
        let page = Self.page(lines(of: ["a", "b", id]), facts)
        #expect(
            page.contains(
                """
                <h3>C0FFEE0123, 2026-02-14</h3>
                <p><a href="https://example.com/team/app/commit/\(id.lowercased())" \
                rel="noreferrer">C0FFEE0123</a>: Keep
                """))
        // 72 columns, with an ellipsis as the last one.
        let message = "Keep &lt;b&gt;less\\u{1b} " + String(repeating: "long", count: 13) + "…"
        #expect(page.contains(": \(message)</p>"))
        #expect(page.contains("C0FFEE0123, 2026-02-03T12:00:00Z: 40.00%, changed: worse. \(message)</title>"))
        let history = History(lines(of: ["a", "b", id]))
        let records = facts.records(of: history.changes)
        #expect(records.map(\.message) == [found.subject] && records.map(\.id) == [id.lowercased()])

        // What is no id, or unknown, has no message, and a link only if the user has stated the address.
        let unknown = CommitFacts(of: ["v1.2", "1234567"], from: .repository([found]), address: address)
        #expect(unknown.note?.hasSuffix("so without a message: v1.2 and 1234567.") == true)
        #expect(unknown.link(to: "1234567") == RichText("1234567"))
        let template = try #require(CommitAddress(template: "https://example.com/app?id=%&view=all"))
        let stated = CommitFacts(of: ["v1/2 ü"], from: .noGit, address: address, stated: template)
        #expect(
            stated.link(to: "v1/2 ü").html == """
                <a href="https://example.com/app?id=v1%2F2%20%C3%BC&amp;view=all" rel="noreferrer">v1/2 ü</a>
                """)
        #expect(stated.note == "Commits have no messages, because git is not installed.")
        let plain = Self.page(lines(of: ["a", "b", "c"]), unknown)
        #expect(plain.contains("<h3>c, 2026-02-03</h3>\n<p>c</p>\n"))
        #expect(plain.contains(#"<th scope="row">feed, app: hit_ratio</th>"#))
    }

    @Test("a terminal shows each commit once, above the figures that it changed")
    func summary() {
        let more = lines(of: ["a", "b", "c"]).replacing("hit_ratio", with: "memory_hit_ratio")
        let history = History(lines(of: ["a", "b", "c"]) + more)
        let facts = CommitFacts(of: ["c"], from: .repository([]))
        #expect(
            HistoryPage.summary(history.changes, of: 2, facts).plain() == """
                2 of 2 figures changed, with c.

                commit  date
                ------  ----------
                c       2026-02-03

                commit  trace  cache  metric            before   after  direction
                ------  -----  -----  ----------------  ------  ------  ---------
                c       feed   app    hit_ratio         50.00%  40.00%  worse
                c       feed   app    memory_hit_ratio  50.00%  40.00%  worse

                No id of a commit in the git repository of the current folder, so without a message: c.

                """)
    }

    @Test(
        "the address of a remote repository leads to its commits, without users and passwords",
        arguments: [
            ("https://example.com/team/app.git", "https://example.com/team/app/commit/c1"),
            ("https://me:secret@example.com:8443/team/app/", "https://example.com:8443/team/app/commit/c1"),
            ("git@example.com:team/app.git", "https://example.com/team/app/commit/c1"),
            ("http://example.com/team/app", nil), ("/srv/app.git", nil), ("ssh://git@example.com/app", nil),
            ("https://example.com", nil), ("https://\"onload=x/app", nil), ("https://me@/app", nil),
            ("https://example.com/app?x", nil), ("git@exa mple.com:app", nil), ("", nil),
        ] as [(String, String?)])
    func remotes(remote: String, url: String?) {
        #expect(CommitAddress(remote: remote)?.url(of: "c1") == url)
    }

    @Test(
        "a template without https, a host or one placeholder behind it is none",
        arguments: [
            "http://example.com/%", "javascript:alert(%)", "https://example.com/", "https://example.com/%/%",
            "https://%/commit", "https://%.example.com/commit", "https:///%", "https://me@example.com/%",
            "https://example.com/<%>", "https://example.com/ %", "",
        ])
    func templates(text: String) {
        #expect(CommitAddress(template: text) == nil)
    }

    @Test("the page has a picture for each figure that varies, and its changes")
    func page() throws {
        let lines = [0.5, 0.5, 0.4].enumerated().map { index, value in
            line.replacing("abc", with: "c\(index)<").replacing("01-31", with: "02-0\(index + 1)")
                .replacing("0.5", with: "\(value)")
        }
        let constant = line.replacing("hit_ratio", with: "failed")
        let page = Self.page(lines.joined() + constant + "torn\n")
        #expect(page.contains(">feed, app: hit_ratio</h2>") && !page.contains(">feed, app: failed</h2>"))
        #expect(page.contains("<h3>c2&lt;, 2026-02-03</h3>") && page.contains("<td class=\"left\">worse</td>"))
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
        let page = Self.page(lines.joined())
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
