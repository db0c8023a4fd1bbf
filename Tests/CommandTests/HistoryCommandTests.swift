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
            let changes = lines.dropFirst()
            #expect(!changes.isEmpty && changes.allSatisfy { $0.hasPrefix("c7 stress-feed app ") }, "\(page.output)")
            #expect(changes.contains { $0.contains(" memory_hit_ratio ") })
            #expect(try folder.text("history.html").contains("<th scope=\"row\">c7<"))

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
