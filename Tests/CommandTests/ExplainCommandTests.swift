import Basics
import Foundation
import TestSupport
import Testing

@Suite("cachereplay explain", .namesCommands)
struct ExplainCommandTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-return.jsonl").path

    @Test("Causes and waits are in the terminal, in JSON, in CSV files and in charts, and agree")
    func outputs() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("why").path
            let arguments = ["explain", Self.trace, "--cache", "nuke-13; memory: 24MB", "--cache", "small=lru(2MB)"]
            let run = try Command.succeed(arguments + ["--output", output])
            for text in ["misses of memory", "misses of disk", "blank time, waiting for", "worst keys", "small"] {
                #expect(run.output.contains(text), "\(text)")
            }
            // All tables have the words of people, and the JSON has those of the files.
            #expect(!run.output.contains("first_request") && run.output.contains("first request"))
            let json = try Command.run(arguments + ["--json"])
            let runs = try json.objects()
            #expect(runs.count == 2)
            for run in runs {
                let causes = try #require(run["causes"] as? [[String: Any]])
                let memory = causes.filter { $0["tier"] as? String == "memory" }
                let misses = try #require(run["requests"] as? Int) - (try #require(run["memory_hits"] as? Int))
                #expect(memory.reduce(0) { $0 + ($1["requests"] as? Int ?? 0) } == misses)
                let waits = try #require(run["waits"] as? [[String: Any]])
                let blank = try #require(run["blank_ms"] as? Double)
                #expect(abs(waits.reduce(0) { $0 + ($1["blank_ms"] as? Double ?? 0) } - blank) < 0.001)
                let least = try #require(run["least_blank"] as? [String: Any])
                let unavoidable = try #require(least["ms"] as? Double)
                let exemptions = try #require(least["exemptions"] as? [String])
                #expect(unavoidable > 0 && (!exemptions.isEmpty || unavoidable <= blank))
                let parts = least.filter { $0.key.hasSuffix("_ms") }.compactMap { $0.value as? Double }
                #expect(parts.count == 6 && abs(parts.reduce(0, +) - unavoidable) < 0.001)
                let hitches = try #require(run["hitches"] as? [[String: Any]])
                #expect(hitches.map { $0["hz"] as? Int } == [60, 120])
                for display in hitches {
                    let works = try #require(display["works"] as? [[String: Any]])
                    let all = try #require(display["ms"] as? Double)
                    #expect(abs(works.reduce(0) { $0 + ($1["ms"] as? Double ?? 0) } - all) < 0.001)
                }
            }
            let rows = try String(contentsOfFile: "\(output)/requests.csv", encoding: .utf8)
            #expect(rows.split(separator: "\n").count == 1 + 2 * (runs[0]["requests"] as? Int ?? 0))
            for file in ["causes.csv", "waits.csv", "charts/stress-return-causes.svg"] {
                #expect(FileManager.default.fileExists(atPath: "\(output)/\(file)"), "\(file)")
            }
            try Command.refuse(73, "--force", arguments + ["--output", output])
        }
    }

    @Test("Without a limit, at most the misses that it caused become hits; without relaunches and lifetimes, all")
    func changes() throws {
        for (trace, isExact) in [("stress-feed", true), ("photo-feed", true), ("stress-return", false)] {
            let run = try Command.run(
                "explain", Binary.root.appendingPathComponent("Traces/\(trace).jsonl").path, "--cache", "lru(3MB)",
                "--timing", "instant", "--json")
            let runs = try run.objects()
            let changes = try #require(runs.first?["changes"] as? [[String: Any]])
            let unlimited = try #require(changes.first { $0["name"] as? String == "no memory limit" })
            let attributed = try #require(unlimited["attributed_misses"] as? Int)
            let gained = try #require(unlimited["gained_memory_hits"] as? Int)
            #expect(attributed > 0 && gained <= attributed, "\(trace): \(gained) of \(attributed)")
            if isExact { #expect(gained == attributed, "\(trace): \(gained) of \(attributed)") }
        }
    }

    @Test("Without lifetimes, the requests of expired images become hits")
    func lifetimes() throws {
        try withTemporaryFolder { folder in
            // The image is stored at 0 s, has expired at 61 s, and is stored again; at 62 s, it is a hit.
            let times = [0, 61_000_000, 62_000_000]
            let events = times.flatMap { time in
                [#"{"t":\#(time),"e":"appear","o":0}"#, #"{"t":\#(time + 500_000),"e":"disappear","o":0}"#]
            }
            let lines = [#"{"cachereplay_trace":1}"#, #"{"e":"object","o":0,"key":"k","bytes":1000}"#] + events
            let trace = try folder.write(lines.joined(separator: "\n") + "\n", to: "expired.jsonl")
            let run = try Command.run(
                "explain", trace, "--cache", "ttl(lru(1MB), lifetime: 60s)", "--timing", "instant", "--json")
            let runs = try run.objects()
            #expect(runs.first?["memory_hits"] as? Int == 1)
            let changes = try #require(runs.first?["changes"] as? [[String: Any]])
            let without = try #require(changes.first { $0["name"] as? String == "no lifetimes" })
            #expect(without["attributed_misses"] as? Int == 1 && without["gained_memory_hits"] as? Int == 1)
            #expect(without["lever"] as? String == "lifetime" && without["by"] as? String == "cache")
        }
    }

    @Test("Each lever has the figures of a replay with its rule, to the digit, and none is the cache's own")
    func levers() throws {
        let cache = "nuke-13; memory: 8MB"
        let explained = try Command.run("explain", Self.trace, "--cache", cache, "--json")
        let runs = try explained.objects()
        let changes = try #require(runs.first?["changes"] as? [[String: Any]])
        let levers = changes.filter { $0["lever"] != nil }
        // Nuke cancels, has 6 connections, an order of arrival and a disk. It decodes off the main lane.
        let settings = levers.compactMap { $0["setting"] as? String }
        #expect(
            settings == [
                "prefetch=rows(2)", "cancelOnDisappear=false", "order=lifo", "order=visibleFirst", "connections=12",
                "disk=none", "policy=lru", "policy=s3fifo", "memory=4000000B", "memory=16000000B", "memory=unlimited",
            ])
        #expect(levers.count { $0["by"] as? String == "app" } == 1)
        for change in levers where change["lever"] as? String != "policy" {
            let setting = try #require(change["setting"] as? String)
            let rule = setting.replacing("=", with: ": ").replacing("unlimited", with: "1000000TB")
            let changed = "nuke-13; \(rule)" + (rule.hasPrefix("memory") ? "" : "; memory: 8MB")
            let row = try Command.modelledRow(Self.trace, changed, "--decode")
            let blank = try #require(row["blank_s"].flatMap(Double.init))
            #expect(abs(blank * 1_000 - (change["blank_ms"] as? Double ?? -1)) < 0.001, "\(setting)")
            #expect(row["memory_hits"] == (change["memory_hits"] as? Int).map(String.init), "\(setting)")
        }
    }

    /// Images of 3, 2, 2 and 1 kB, with room for 5 kB: LRU misses always, and six misses are the optimum, which
    /// `LeastMissesStories` works out. With room for 8 kB, the limit causes no miss.
    @Test("The fewest misses of any policy with the same memory, where its limit causes misses")
    func leastMisses() throws {
        try withTemporaryFolder { folder in
            let objects = [3, 2, 2, 1].enumerated().map {
                #"{"e":"object","o":\#($0.offset),"key":"\#($0.offset)","bytes":\#($0.element * 1_000)}"#
            }
            let order = [0, 1, 2, 0, 1, 3, 0, 2, 1, 3, 0, 1]
            let events = order.enumerated().flatMap { index, object in
                [
                    #"{"t":\#(index * 1_000_000),"e":"appear","o":\#(object)}"#,
                    #"{"t":\#(index * 1_000_000 + 500_000),"e":"disappear","o":\#(object)}"#,
                ]
            }
            let lines = [#"{"cachereplay_trace":1}"#] + objects + events
            let trace = try folder.write(lines.joined(separator: "\n") + "\n", to: "four.jsonl")
            let arguments = [
                "explain", trace, "--cache", "lru(5kB); holds: encoded", "--cache", "lru(8kB); holds: encoded",
                "--timing", "instant",
            ]
            let json = try Command.run(arguments + ["--json"])
            let runs = try json.objects()
            #expect(runs.map { $0["memory_hits"] as? Int } == [0, 8])
            #expect(runs.map { $0["least_misses"] as? [String: Int] } == [["least": 6, "known": 6], nil])
            let text = try Command.run(arguments)
            #expect(
                text.output.contains(
                    """
                    If fetches took no time, no policy with the same memory would have fewer than 6 misses. A schedule \
                    that knows the future has as few.
                    """), "\(text.output)")
            #expect(text.output.ranges(of: "no policy with the same memory").count == 1)
        }
    }

    @Test("A rule of the app is equal for libraries whose presets assume it, and --app own leaves each its own")
    func rulesOfTheApp() throws {
        let arguments = ["explain", Self.trace, "--cache", "kingfisher-8", "--cache", "yycache", "--json", "--quiet"]
        func cancels(_ app: String...) throws -> [Bool] {
            let run = try Command.succeed(arguments + app.flatMap { ["--app", $0] })
            let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
            let runs = try #require(json as? [[String: Any]])
            // One of the changes is the other value of the rule.
            return runs.map { run in
                let changes = run["changes"] as? [[String: Any]] ?? []
                return changes.contains { $0["setting"] as? String == "cancelOnDisappear=false" }
            }
        }
        #expect(try cancels() == [true, true])
        #expect(try cancels("own") == [true, false])
        #expect(try cancels("cancelOnDisappear: false") == [false, false])
        let said = try Command.run(arguments)
        #expect(said.errors.contains("here for yycache:") && said.errors.contains("--app own"), "\(said.errors)")
    }
}
