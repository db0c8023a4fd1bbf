import Foundation
import Testing

@Suite("The command gate", .namesCommands)
struct GateCommandTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-feed.jsonl").path

    private func write(_ memory: String, to file: String, in folder: URL, _ more: String = "") throws {
        try Data("caches:\n  app: \"\(memory)\"\n\(more)".utf8).write(to: folder.appendingPathComponent(file))
    }

    private struct Report: Decodable {
        struct Finding: Decodable {
            var metric: String, verdict: String, failed: Bool, chance: Chance?
        }
        struct Chance: Decodable {
            var baseline_repeats: Int, candidate_repeats: Int
        }
        var worse: Bool, undecided: Bool, findings: [Finding], warnings: [String]
    }

    private func report(_ text: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    }

    @Test("modelled: a limit that is 1 % lower fails, and the same limit passes")
    func modelled() throws {
        try withTemporaryFolder { folder in
            try write("lru(20MB); disk: lru(200MB)", to: "main.yaml", in: folder)
            try write("lru(19.8MB); disk: lru(200MB)", to: "branch.yaml", in: folder)
            let worse = try Command.run(
                "gate", "main.yaml", "branch.yaml", Self.trace, "--timing", "modelled", "--output", "worse", in: folder)
            #expect(worse.status == 1, "\(worse.output)\(worse.errors)")
            #expect(worse.output.contains("WORSE"))
            let same = try Command.succeed(
                "gate", "main.yaml", "main.yaml", Self.trace, "--timing", "modelled", "--output", "same", "--as",
                "json", in: folder)
            #expect(try !report(same.output).worse)

            // The two sides are ordinary results, also as sides of another gate.
            let compared = try Command.run("compare", "worse/baseline", "worse/candidate", in: folder)
            #expect(worse.output.hasPrefix(compared.output) && worse.output.contains("To accept, paste this into"))
            let again = try Command.run(
                "gate", "worse/baseline", "worse/candidate", Self.trace, "--timing", "modelled", "--output", "again",
                in: folder)
            #expect(again.status == 1)
            #expect(again.output == compared.output)
        }
    }

    @Test("measured: a limit that is 10 % lower fails in bytes, which do not vary, and the new repeats confirm it")
    func measured() throws {
        try withTemporaryFolder { folder in
            try write("lru(20MB); disk: lru(40MB)", to: "main.yaml", in: folder)
            try write("lru(18MB); disk: lru(36MB)", to: "branch.yaml", in: folder)
            let run = try Command.run(
                "gate", "main.yaml", "branch.yaml", Self.trace, "--timing", "measured", "--max-repeats", "5",
                "--output", "out", "--as", "json", in: folder)
            #expect(run.status == 1, "\(run.output)\(run.errors)")
            let report = try report(run.output)
            #expect(report.findings.contains { $0.metric == "memory_peak_bytes" && $0.verdict == "better" })
            #expect(report.findings.contains { $0.failed })
            #expect(run.errors.contains("Confirming the alarms with 5 new repeats."))
            // Five repeats of both sides, and five more that confirm.
            for side in ["out/baseline", "out/candidate", "out/confirmation/baseline", "out/confirmation/candidate"] {
                #expect(rows(try folder.text("\(side)/summary.csv")).count == 5, "\(side)")
            }
        }
    }

    @Test("a time limit ends the repeats, and what is open is undecided")
    func timeLimit() throws {
        try withTemporaryFolder { folder in
            try write("lru(20MB); disk: lru(200MB)", to: "main.yaml", in: folder)
            let run = try Command.run(
                "gate", "main.yaml", "main.yaml", Self.trace, "--timing", "measured", "--time-limit", "1us",
                "--undecided", "fail", "--output", "out", in: folder)
            // One repeat is always made.
            #expect(run.status == 1, "\(run.output)\(run.errors)")
            #expect(run.output.hasPrefix("UNDECIDED: nothing is known to be worse"), "\(run.output)")
            #expect(run.output.contains("\nverdict ") && run.output.contains("1 repeat finds no change"))
        }
    }

    @Test("the caches of a results folder keep their names, also those of a sweep, which have an equals sign")
    func sweptCaches() throws {
        try withTemporaryFolder { folder in
            try Command.succeed(
                "replay", Self.trace, "--cache", "app=lru(20MB); disk: lru(200MB)", "--sweep", "memory=19MB,20MB",
                "--timing", "instant", "--no-charts", "-q", "--output", "swept", in: folder)
            try Command.succeed(
                "gate", "swept", "swept", Self.trace, "--timing", "instant", "--output", "out", in: folder)
            let results = rows(try folder.appendingPathComponent("out/candidate").text("summary.csv"))
            let caches = Set(results.map { $0["cache"] ?? "" })
            #expect(caches.count == 2 && caches.allSatisfy { $0.hasPrefix("app ") && $0.contains("=") }, "\(caches)")
        }
    }

    @Test("a red figure is accepted by the entry that the verdict prints, and another value of it is red again")
    func accept() throws {
        try withTemporaryFolder { folder in
            try write("lru(20MB); disk: lru(200MB)", to: "main.yaml", in: folder)
            try write("lru(19.8MB); disk: lru(200MB)", to: "branch.yaml", in: folder)
            let gate = ["gate", "main.yaml", "branch.yaml", Self.trace, "--force", "--output", "out"]
            let red = try Command.run(gate, in: folder)
            #expect(red.status == 1, "\(red.errors)")
            let printed = red.output.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let entries = printed.filter { $0.hasPrefix("- {figure: ") }
            #expect(!entries.isEmpty, "\(red.output)")
            // The annotation leads to the line of the cache.
            #expect(try folder.text("out/annotations.txt").contains("::error file=branch.yaml,line=2,title="))
            #expect(try folder.text("out/verdict.md").contains("lru(20MB) → lru(19.8MB)"))

            let lines = "accept:\n" + entries.map { "  \($0)\n" }.joined()
            try write("lru(19.8MB); disk: lru(200MB)", to: "branch.yaml", in: folder, lines)
            let report = "https://example.com/runs/1"
            let accepted = try Command.run(gate + ["--base-commit", "1a2b3c4", "--report-url", report], in: folder)
            #expect(accepted.status == 0, "\(accepted.output)\(accepted.errors)")
            #expect(accepted.output.contains("accepted: say why") && !accepted.output.contains("To accept"))
            #expect(try folder.text("out/verdict.md").contains("base: commit 1a2b3c4"))
            #expect(try folder.text("out/verdict.md").contains("](<\(report)>)"))
            try Command.refuse(64, "expected an address", gate + ["--report-url", "javascript:1"], in: folder)

            try write("lru(10MB); disk: lru(200MB)", to: "branch.yaml", in: folder, lines)
            let other = try Command.run(gate, in: folder)
            #expect(other.status == 1 && other.output.contains("is outdated: it is "), "\(other.output)")
            // After the merge, the figure does not change any more.
            try write("lru(20MB); disk: lru(200MB)", to: "branch.yaml", in: folder, lines)
            let merged = try Command.run(gate, in: folder)
            #expect(merged.status == 0 && merged.output.contains("is outdated: the figure is not worse than allowed"))
        }
    }

    @Test("without a baseline only budgets are judged: an empty file, the word none, and a cache under a new name")
    func firstRun() throws {
        try withTemporaryFolder { folder in
            try Data().write(to: folder.appendingPathComponent("empty.yaml"))
            try Data("caches:\n  old: lru(20MB)\n".utf8).write(to: folder.appendingPathComponent("old.yaml"))
            try write("lru(20MB)", to: "branch.yaml", in: folder, "budgets: [\"wrong<1\"]\n")
            for baseline in ["empty.yaml", "none", "old.yaml"] {
                let run = try Command.run(
                    "gate", baseline, "branch.yaml", Self.trace, "--output", "out-\(baseline)", in: folder)
                #expect(run.status == 0, "\(baseline): \(run.output)\(run.errors)")
                #expect(
                    run.output.hasPrefix("First run, no baseline: all budgets are kept (1 figure)."), "\(run.output)")
                #expect(try folder.text("out-\(baseline)/junit.xml").contains("tests=\"1\" failures=\"0\""))
            }
            let over = try Command.run(
                "gate", "none", "branch.yaml", Self.trace, "--budget", "memory_peak_bytes<1MB", "--output", "over",
                in: folder)
            #expect(over.status == 1 && over.output.contains("first run, no baseline"), "\(over.output)")
        }
    }

    @Test("a wrong entry of accept or allow is an error with its line")
    func wrongEntries() throws {
        try withTemporaryFolder { folder in
            try write("lru(20MB)", to: "main.yaml", in: folder)
            let cases = [
                ("allow: [\"hit_ratio:0.01\"]\n", "write 1pt"),
                ("allow: [\"hit_rato:1pt\"]\n", "did you mean hit_ratio?"),
                ("accept: [{figure: hit_ratio, cache: app, value: 70%}]\n", "needs 'reason'"),
                ("accept: [{figure: hit_rato, cache: app, value: 70%, reason: r}]\n", "did you mean hit_ratio?"),
                ("accept: [{figure: hit_ratio, cache: app, value: 7MB, reason: r}]\n", "is no value of hit_ratio"),
            ]
            for (text, reason) in cases {
                try write("lru(20MB)", to: "branch.yaml", in: folder, text)
                let run = try Command.run("gate", "main.yaml", "branch.yaml", Self.trace, in: folder)
                #expect(run.status == 65 && run.errors.contains(reason), "\(text): \(run.errors)")
                #expect(run.errors.contains("branch.yaml:3: "), "\(run.errors)")
            }
        }
    }
}
