import Foundation
import Testing

/// The page that answers whether SIEVE helps an image cache. Its figures are those of `Results/policies`, which
/// `scripts/studies/compare-policies` writes.
@Suite("DoesSieveHelp.md", .namesCommands)
struct PoliciesPageTests {
    typealias Row = [String: String]

    private static let path = "Sources/CacheReplayCommand/CacheReplayCommand.docc/DoesSieveHelp.md"

    @Test("Each figure on it is one of Results/policies, and nothing else has a decimal point")
    func figures() throws {
        let page = try Binary.root.text(Self.path)
        let tables = page.split(separator: "\n").filter { $0.hasPrefix("|") }.map(String.init)
        let expected = try PoliciesFigures().tables
        for row in expected { #expect(tables.contains(row), "\(row)") }
        #expect(tables.filter { $0.contains("`") || $0.contains(" % |") }.count == expected.count)

        var text = Self.prose(of: page)
        for fragment in try PoliciesFigures().fragments {
            #expect(text.contains(fragment), "\(fragment)")
        }
        // The longest ones first: some are a part of others.
        for fragment in try PoliciesFigures().fragments.sorted(by: { $0.count > $1.count }) {
            text = text.replacingOccurrences(of: fragment, with: " ")
        }
        for constant in ["0.1 points", "95 % intervals"] { text = text.replacingOccurrences(of: constant, with: " ") }
        let left = text.matches(of: /[0-9]+\.[0-9]+|[0-9]+ %/).map { String(text[$0.range]) }
        #expect(left.isEmpty, "figures without a source: \(left)")
    }

    @Test(
        "Its verdicts follow from the intervals: only the disk of a gallery has policies with less blank time than LRU")
    func verdicts() throws {
        let rows = try PoliciesFigures.rows("people.csv")
        let others = rows.filter { $0["policy"] != "lru" && $0["policy"] != "no limit" }
        #expect(others.count == 319)
        for row in others {
            let value = PoliciesFigures.number(row["blank_difference"])
            let low = row["difference_low"].flatMap(Double.init)
            let high = row["difference_high"].flatMap(Double.init)
            let verdict: String
            if let low, let high {
                if low <= 0 && high >= 0 {
                    verdict = "tie: the interval has 0"
                } else if abs(value) < 0.001 {
                    verdict = "tie: too small"
                } else {
                    verdict = value > 0 ? "more blank" : "less blank"
                }
            } else {
                verdict = "tie: no interval"
            }
            #expect(row["blank_verdict"] == verdict, "\(row)")
        }
        for row in others where row["blank_verdict"] == "less blank" {
            #expect(row["app"] == "gallery" && row["tier"] == "disk", "\(row)")
        }
        for row in others where row["tier"] == "disk" && ["chat", "search"].contains(row["app"]) {
            #expect(row["blank_verdict"]?.hasPrefix("tie") == true, "\(row)")
            #expect(row["bytes_verdict"]?.hasPrefix("tie") == true, "\(row)")
        }
        for row in others where row["app"] == "gallery" && row["tier"] == "disk" && row["limit"] == "256MB" {
            #expect(PoliciesFigures.number(row["blank_difference"]) == 0, "\(row)")
        }
        // What the page says of FIFO, CLOCK and SIEVE with a disk, and of bytes.
        let memory = others.filter { $0["tier"] == "memory" }
        for row in memory where ["fifo", "clock", "sieve"].contains(row["policy"]) {
            #expect(row["blank_verdict"]?.hasPrefix("tie") == true, "\(row)")
        }
        for row in memory where row["app"] == "feed" {
            #expect(row["bytes_verdict"]?.hasPrefix("tie") == true, "\(row)")
        }
    }

    @Test("With 32 MB in the feed, no policy has a point fewer misses than LRU")
    func misses() throws {
        let rows = try PoliciesFigures.rows("misses.csv").filter { $0["app"] == "feed" && $0["capacity"] == "32000000" }
        let lru = PoliciesFigures.number(rows.first { $0["policy"] == "lru" }?["miss_ratio"])
        let others = rows.filter { $0["policy"] != "least" && $0["policy"] != "known" }
        #expect(others.count == 12)
        for row in others { #expect(PoliciesFigures.number(row["miss_ratio"]) > lru - 0.01, "\(row)") }
    }

    @Test("In no bundled session does a policy leave 0.1 points less blank time than LRU")
    func sessions() throws {
        let rows = try PoliciesFigures.rows("sessions.csv")
        let base = rows.filter { $0["policy"] == "lru" }
        #expect(base.count == 50)
        for row in rows where row["policy"] != "no limit" {
            let lru = base.first { $0["trace"] == row["trace"] && $0["limit"] == row["limit"] }
            let blank = PoliciesFigures.number(row["blank_ratio"])
            #expect(blank > PoliciesFigures.number(lru?["blank_ratio"]) - 0.001, "\(row)")
        }
    }

    @Test(
        "What is kept of the bundled people is what they come to today, and the rows of other apps stay",
        .enabled(if: PythonPeers.isInstalled, "scripts/test installs a Python"))
    func today() throws {
        try withTemporaryFolder { folder in
            let script = Binary.root.appendingPathComponent("scripts/studies/compare-policies").path
            let kept = try Binary.root.text("Results/policies/people.csv").split(separator: "\n")
            let stays = kept.filter { $0.hasPrefix("app,") || $0.hasPrefix("gallery,") }.joined(separator: "\n")
            _ = try folder.write(stays + "\n", to: "people.csv")
            let run = try PythonPeers.script([
                script, "--binary", Binary.path, "--apps", "feed", "--tiers", "memory", "--limits", "32MB",
                "--policies", "lru,sieve", "--parts", "people,public", "--public", folder.path + "/none", "--output",
                folder.path,
            ])
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.contains("so public.csv is as it was"), "\(run.errors)")
            let made = try folder.text("people.csv").split(separator: "\n")
            #expect(Set(made).isSuperset(of: kept.filter { $0.hasPrefix("gallery,") }))
            for policy in ["lru", "sieve", "no limit"] {
                let row = "feed,memory,32MB,\(policy),"
                #expect(made.filter { $0.hasPrefix(row) } == kept.filter { $0.hasPrefix(row) }, "\(policy)")
            }
        }
    }

    @Test("Its commands run on a recorded session")
    func commands() throws {
        let commands = ReadmeTests.commands(in: try Binary.root.text(Self.path))
        #expect(
            commands.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
                "cachereplay replay", "cachereplay simulate", "cachereplay explain",
            ])
        try withTemporaryFolder { folder in
            let sessions = folder.appendingPathComponent("Sessions")
            try FileManager.default.createDirectory(at: sessions, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Binary.root.appendingPathComponent("Traces/stress-return.jsonl"),
                to: sessions.appendingPathComponent("return.jsonl"))
            for command in commands {
                let run = try Binary.run(ReadmeTests.words(command), in: folder)
                #expect(run.status == 0 && !run.output.isEmpty, "\(command)\n\(run.errors)")
            }
        }
    }

    /// The text of a page without code, tables, links and line ends.
    private static func prose(of page: String) -> String {
        let blocks = page.components(separatedBy: "```")
        let text = stride(from: 0, to: blocks.count, by: 2).map { blocks[$0] }.joined()
        return text.split(separator: "\n").filter { !$0.hasPrefix("|") }.map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
    }
}
