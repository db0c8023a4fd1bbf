import Foundation
import Testing

@Suite("The commands history and export", .namesCommands)
struct HistoryCommandTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-feed.jsonl").path

    /// Replays ten commits, of which the seventh lowers the limit of memory by 1 %, and adds them to a history.
    private func makeHistory(in folder: URL) throws {
        for (name, memory) in [("before", "20MB"), ("after", "19.8MB")] {
            let made = try Binary.run(
                "replay", Self.trace, "--cache", "app=lru(\(memory))", "--timing", "modelled", "--no-charts", "--quiet",
                "--output", name, in: folder)
            #expect(made.status == 0, "\(made.errors)")
        }
        for commit in 1...10 {
            let added = try Binary.run(
                "history", "add", commit < 7 ? "before" : "after", "--commit", "c\(commit)", "--time",
                "2026-01-\(commit + 10)T12:00:00Z", in: folder)
            #expect(added.status == 0 && added.output == "Added 12 figures of c\(commit) to history.csv.\n")
        }
    }

    @Test("the page attributes a step in modelled figures to its commit")
    func page() throws {
        try withTemporaryFolder { folder in
            try makeHistory(in: folder)
            let page = try Binary.run(
                "history", "page", "history.csv", "--output", "history.html", "--changes", in: folder)
            #expect(page.status == 0, "\(page.errors)")
            let lines = page.output.split(separator: "\n")
            #expect(lines.first?.hasSuffix(" of 12 figures changed, with c7.") == true, "\(page.output)")
            #expect(page.output.contains("\nc7      2026-01-17\n"), "\(page.output)")
            let changes = lines.filter { $0.hasPrefix("c7 ") }.dropFirst()
            #expect(
                !changes.isEmpty && changes.allSatisfy { $0.hasPrefix("c7      stress-feed  app    ") },
                "\(page.output)")
            #expect(changes.contains { $0.contains(" memory_hit_ratio ") })
            #expect(try folder.text("history.html").contains("<h3>c7, 2026-01-17</h3>"))

            try Data("torn".utf8).write(to: folder.appendingPathComponent("foreign.csv"))
            let foreign = try Binary.run("history", "page", "foreign.csv", "--output", "x.html", in: folder)
            #expect(
                foreign.status == 65 && foreign.errors.contains("no figure of a commit: line 1"), "\(foreign.errors)")
            let missing = try Binary.run("history", "page", "none.csv", "--output", "x.html", in: folder)
            #expect(missing.status == 66)
            let time = try Binary.run("history", "add", "before", "--commit", "x", "--time", "now", in: folder)
            #expect(time.status == 64 && time.errors.contains("2026-01-31T12:00:00Z"))
        }
    }

    /// Runs a script in a folder.
    private func shell(_ script: String, in folder: URL) throws -> Binary.Outcome {
        try Binary.outcome {
            try Binary.launch(URL(fileURLWithPath: "/bin/sh"), ["-ec", script], in: folder, [:], $0, $1)
        }
    }

    private static let hasGit = FileManager.default.isExecutableFile(atPath: "/usr/bin/git")

    @Test("changes have the messages, dates and links of commits in the repository", .enabled(if: hasGit, "needs git"))
    func commits() throws {
        try withTemporaryFolder { folder in
            let made = try shell(
                """
                git init -q .
                git remote add origin https://me:secret@example.com/team/app.git
                for day in 1 2 3; do
                    export GIT_COMMITTER_DATE="2026-03-0${day}T12:00:00Z"
                    git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m "Number $day <b>

                A body."
                    printf '2026-01-0%sT12:00:00Z,%s,feed,app,modelled,hit_ratio,0.%s,1,0.5,0.5\\n' \
                        $day "$(git rev-parse HEAD)" "$((day / 3 + 5))"
                done >history.csv
                git rev-parse HEAD
                """, in: folder)
            #expect(made.status == 0, "\(made.errors)")
            let id = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let page = try Binary.run("history", "page", "history.csv", "-o", "h.html", "--changes", in: folder)
            #expect(page.status == 0 && page.errors.isEmpty, "\(page.errors)")
            #expect(page.output.contains("\n\(id.prefix(10))  2026-03-03  Number 3 <b>\n"), "\(page.output)")
            let html = try folder.text("h.html")
            #expect(html.contains("href=\"https://example.com/team/app/commit/\(id)\""))
            #expect(html.contains("</a>: Number 3 &lt;b&gt;</p>") && !html.contains("secret"))
            let json = try Binary.run(
                "history", "page", "history.csv", "-o", "h.html", "--json", "--commit-url",
                "https://example.org/%/diff", in: folder)
            struct Change: Decodable {
                var message: String, committed: String, url: String
            }
            let changes = try JSONDecoder().decode([Change].self, from: Data(json.output.utf8))
            #expect(changes.map(\.message) == ["Number 3 <b>"])
            #expect(changes.map(\.committed) == ["2026-03-03T12:00:00Z"])
            #expect(changes.map(\.url) == ["https://example.org/\(id)/diff"])

            // Without git, and outside of a repository, the page says why messages are missing.
            let absent = try Binary.run(
                "history", "page", "history.csv", "-o", "h.html", "--changes", in: folder,
                environment: ["PATH": "/nowhere"])
            #expect(absent.status == 0 && absent.output.contains("git is not installed."), "\(absent.output)")
            let outside = try Binary.run(
                "history", "page", "history.csv", "-o", "h.html", "--changes", in: folder,
                environment: ["GIT_DIR": "\(folder.path)/none"])
            #expect(outside.status == 0 && outside.output.contains("is in no git repository"), "\(outside.output)")
            #expect(try folder.text("h.html").contains("is in no git repository"))
            let wrong = try Binary.run(
                "history", "page", "history.csv", "-o", "h.html", "--commit-url", "http://example.com/%", in: folder)
            #expect(wrong.status == 64 && wrong.errors.contains("https://example.com/owner/app/commit/%"))
        }
    }

    @Test("exports are JSON, and a wrong metric has a remedy")
    func export() throws {
        try withTemporaryFolder { folder in
            let example = Binary.root.appendingPathComponent("Results/example").path
            let bencher = try Binary.run("export", example, "--as", "bencher", "--metric", "hit_ratio", in: folder)
            #expect(bencher.status == 0, "\(bencher.errors)")
            let parsed = try JSONSerialization.jsonObject(with: Data(bencher.output.utf8)) as? [String: Any]
            #expect(parsed?.isEmpty == false)
            let wrong = try Binary.run("export", example, "--as", "bencher", "--metric", "hit_ration", in: folder)
            #expect(wrong.status == 64 && wrong.errors.contains("did you mean hit_ratio?"))
        }
    }

    /// Apache Otava, which `scripts/test` installs.
    private static let otava = Binary.root.appendingPathComponent(".build/test-python/bin/otava").path

    @Test(
        "Apache Otava reads the history, and attributes the step to the same commit",
        .enabled(if: FileManager.default.isExecutableFile(atPath: otava), "Apache Otava is not installed"))
    func peer() throws {
        try withTemporaryFolder { folder in
            try makeHistory(in: folder)
            let made = try Binary.run("export", "history.csv", "--as", "otava", "--output", "otava", in: folder)
            #expect(made.output == "stress-feed--app\n", "\(made.errors)")
            let report = try Binary.outcome {
                try Binary.launch(
                    URL(fileURLWithPath: Self.otava),
                    ["analyze", "--config-file", "otava/otava.yaml", "stress-feed--app", "--since", "2026-01-01"],
                    in: folder, [:], $0, $1)
            }
            #expect(report.status == 0, "\(report.errors)")
            // Its report has two lines of dots above the commit that changed figures.
            let lines = report.output.split(separator: "\n")
            let marks = lines.indices.filter { lines[$0].contains("····") }
            #expect(marks.count == 2 && lines[(marks.last ?? 0) + 1].contains(" c7 "), "\(report.output)")
        }
    }
}
