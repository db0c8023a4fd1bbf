import Foundation
import TestSupport
import Testing

@Suite("cachereplay advise")
struct AdviseCommandTests {
    private static func trace(_ name: String) -> String {
        Binary.root.appendingPathComponent("Traces/\(name).jsonl").path
    }

    private static func json(_ run: Binary.Outcome) throws -> [String: Any] {
        #expect(run.status == 0, "\(run.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    @Test("The figures are those of a replay with the same limit, and the smaller limit is enough")
    func budget() throws {
        try withTemporaryFolder { folder in
            let arguments = ["advise", Self.trace("gallery-grid"), "--memory", "64MB", "--for", "nuke-13,fresco"]
            let advice = try Self.json(try Binary.run(arguments + ["--json"]))
            let rows = try #require(advice["rows"] as? [[String: Any]])
            #expect(rows.count == 2 && advice["users"] as? Int == 1)
            // One session says nothing about others.
            #expect(rows.allSatisfy { $0["low"] == nil })
            let first = try #require(rows[0]["blank_ratio"] as? Double)
            #expect(first <= (try #require(rows[1]["blank_ratio"] as? Double)))
            for row in rows {
                let cache = try #require(row["cache"] as? String)
                let limits = ["64MB"] + ((row["enough_bytes"] as? Int).map { ["\($0)B"] } ?? [])
                for limit in limits {
                    let output = folder.appendingPathComponent("\(cache)-\(limit)").path
                    let replay = try Binary.run(
                        "replay", Self.trace("gallery-grid"), "--timing", "modelled", "--no-charts", "--cache",
                        "\(cache); memory: \(limit)", "--output", output)
                    #expect(replay.status == 0, "\(replay.errors)")
                    let lines = try String(contentsOfFile: "\(output)/summary.csv", encoding: .utf8)
                        .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
                    let column = try #require(lines[0].firstIndex(of: "blank_ratio"))
                    let blank = try #require(Double(lines[1][column]))
                    let asked = try #require(row["blank_ratio"] as? Double)
                    if limit == "64MB" { #expect(abs(blank - asked) < 1e-6, "\(cache): \(blank) \(asked)") }
                    #expect(blank <= asked * 1.01 + 1e-6, "\(cache) \(limit)")
                }
            }
        }
    }

    @Test("Several sessions have intervals, and any number of threads the same answer")
    func sessions() throws {
        try withTemporaryFolder { folder in
            for seed in 1...60 {
                let run = try Binary.run(
                    "trace", "synthesize", "--session", "grid", "--requests", "60", "--seed", "\(seed)", "--output",
                    folder.appendingPathComponent("s\(seed).jsonl").path)
                #expect(run.status == 0, "\(run.errors)")
            }
            let arguments = ["advise", folder.path, "--memory", "20MB", "--for", "nuke-13,kingfisher-8", "--quiet"]
            let one = try Binary.run(arguments + ["--jobs", "1"])
            let two = try Binary.run(arguments + ["--jobs", "2"])
            #expect(one.status == 0, "\(one.errors)")
            #expect(one.output == two.output && !one.output.isEmpty)
            let advice = try Self.json(try Binary.run(arguments + ["--json"]))
            let rows = try #require(advice["rows"] as? [[String: Any]])
            #expect(advice["users"] as? Int == 60)
            for row in rows {
                let (low, high) = (row["low"] as? Double ?? .nan, row["high"] as? Double ?? .nan)
                let blank = try #require(row["blank_ratio"] as? Double)
                #expect(low <= blank && blank <= high, "\(row)")
            }
        }
    }

    @Test("Sessions that do not fill the limit, and without a limit: the answer says so")
    func cannotTell() throws {
        let loose = try Binary.run("advise", Self.trace("gallery-search"), "--memory", "2GB", "--for", "nuke-13,fresco")
        #expect(loose.status == 0 && loose.output.contains("cannot tell"), "\(loose.output) \(loose.errors)")
        let open = try Binary.run("advise", Self.trace("gallery-grid"), "--for", "nuke-13")
        #expect(open.output.contains("with no limit of memory") && open.output.contains("is enough"), "\(open.output)")
    }

    @Test("The code of the recommended cache, and of the second one if it is of another library")
    func settings() throws {
        let grid = Self.trace("gallery-grid")
        let text = try Binary.run("advise", grid, "--memory", "64MB", "--for", "fresco,nuke-13", "--quiet")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.output.contains("nuke-13 with memory: 64 MB, in Swift\n\n    import Nuke\n\n"))
        #expect(text.output.contains("    ImageCache.shared.costLimit = 64000000\n"))
        #expect(text.output.contains("        MemoryCacheParams(64000000, 256, Int.MAX_VALUE"))
        let json = try Self.json(
            try Binary.run("advise", grid, "--memory", "64MB", "--for", "fresco,nuke-13", "--json"))
        let settings = try #require(json["settings"] as? [[String: Any]])
        #expect(settings.map { $0["library"] as? String } == ["Nuke", "Fresco"])
        #expect(settings.map { $0["limit_bytes"] as? Int } == [64_000_000, 64_000_000])
        #expect((settings[0]["source"] as? String)?.hasPrefix("kean/Nuke: ") == true)
        // Two presets of one library have one code. A policy is of no library.
        let same = try Self.json(
            try Binary.run("advise", grid, "--memory", "64MB", "--for", "nuke-12,nuke-13", "--json"))
        #expect((same["settings"] as? [Any])?.count == 1)
        let policy = try Binary.run("advise", grid, "--memory", "64MB", "--for", "lru(64MB)", "--quiet")
        #expect(policy.output.contains("is no library's cache, so no library has a setting for it."))
    }

    @Test("Bad input: a limit below an image, a cache without a limit, a trace without sizes or cells")
    func badInput() throws {
        let small = try Binary.run("advise", Self.trace("gallery-grid"), "--memory", "1KB", "--for", "nuke-13")
        #expect(small.status == 64 && small.errors.contains("the largest image"), "\(small.errors)")
        let none = try Binary.run("advise", Self.trace("gallery-grid"), "--memory", "64MB", "--for", "none")
        #expect(none.status == 64 && none.errors.contains("no limit that could be set"), "\(none.errors)")
        let unit = try Binary.run("advise", Self.trace("gallery-grid"), "--memory", "5%")
        #expect(unit.status == 64 && unit.errors.contains("such as 64MB"), "\(unit.errors)")
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("unsized.csv")
            try Data("time,key\n1,a\n2,b\n".utf8).write(to: file)
            let run = try Binary.run("advise", file.path, "--memory", "64MB", "--for", "nuke-13")
            #expect(run.status == 65 && run.errors.contains("no sizes"), "\(run.errors)")
        }
    }
}
