import Foundation
import Testing

@Suite("Several networks in one replay", .namesCommands)
struct SeveralNetworksTests {
    private static let files = ["summary.csv", "latency.csv", "timeline.csv", "runs.jsonl"]

    private func replay(_ options: [String], into folder: URL) throws -> Binary.Outcome {
        try Binary.run(
            [
                "replay", "Traces/photo-feed.jsonl", "--timing", "modelled", "--no-charts", "--output", folder.path,
                "--cache", "none=nuke-13; prefetch: none", "--cache", "ahead=nuke-13; prefetch: next(12)",
            ] + options)
    }

    /// Replays into a folder of a name, and returns the folder.
    private func results(_ name: String, in folder: URL, _ options: String...) throws -> URL {
        let results = folder.appendingPathComponent(name)
        let outcome = try replay(options, into: results)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return results
    }

    private func networks(_ names: String...) -> [String] { names.flatMap { ["--network", $0] } }

    @Test("The rows of each network are those of a command for it alone, in the order of the options")
    func rowsOfEach() throws {
        try withTemporaryFolder { folder in
            let link = try folder.write("start_ms,mbit_s\n0,8\n100,0\n200,4\n", to: "train.csv")
            let names = ["lte", "3g", link, "recorded"]
            let several = folder.appendingPathComponent("several")
            let outcome = try replay(names.flatMap { ["--network", $0] }, into: several)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let alone = try names.enumerated().map { try results("\($0)", in: folder, "--network", $1) }
            for file in Self.files {
                let header = file.hasSuffix(".csv") ? 1 : 0
                let parts = try alone.map { try $0.text(file).split(separator: "\n") }
                let expected = parts[0].prefix(header) + parts.flatMap { $0.dropFirst(header) }
                #expect(try several.text(file).split(separator: "\n") == Array(expected), "\(file)")
            }
            for file in ["summary.csv", "latency.csv", "timeline.csv"] {
                let found = Set(rows(try several.text(file)).compactMap { $0["network"] })
                #expect(found.count == 4 && found.isSuperset(of: ["lte", "3g", "recorded"]), "\(file): \(found)")
            }
            #expect(outcome.output.contains("\nphoto-feed over lte · "))
            #expect(outcome.output.contains("\nphoto-feed over 3g · "))
            #expect(outcome.output.contains("the least blank time on all 4 networks"), "\(outcome.output)")
            #expect(outcome.output.contains("decoding and the networks 3g, lte and 2 more"), "\(outcome.output)")
            #expect(try several.text("run.json").contains("\"networks\""))
        }
    }

    @Test("A sweep of networks is the same as the repeated option")
    func sweep() throws {
        try withTemporaryFolder { folder in
            let repeated = try results("repeated", in: folder, "--network", "3g", "--network", "wifi")
            let swept = try results("swept", in: folder, "--sweep", "network=3g,wifi")
            for file in Self.files { #expect(try repeated.text(file) == swept.text(file), "\(file)") }
            let both = try replay(["--sweep", "network=3g,wifi", "--network", "lte"], into: folder)
            #expect(both.status == 64 && both.errors.contains("exclude each other"), "\(both.errors)")
            let unknown = try replay(["--sweep", "network=5g"], into: folder)
            #expect(unknown.status == 64 && unknown.errors.contains("lte"), "\(unknown.errors)")
        }
    }

    @Test("Each cache of another sweep has rows for each network")
    func sweptCaches() throws {
        try withTemporaryFolder { folder in
            let swept = try results(
                "swept", in: folder, "--sweep", "connections=2,4", "--network", "lte", "--network", "3g")
            let found = rows(try swept.text("summary.csv")).map { "\($0["network"] ?? "") \($0["swept"] ?? "")" }
            let each = ["connections=2", "connections=4", "connections=2", "connections=4"]
            #expect(found == each.map { "lte \($0)" } + each.map { "3g \($0)" })
        }
    }

    @Test(
        "Networks that are or can be the same are refused, and so are several where nothing takes time",
        arguments: [
            (["lte", "3g", "lte"], "modelled", "--network lte is given twice"),
            (["auto", "shared"], "modelled", "--network auto and --network shared can be the same network"),
            (["auto", "recorded"], "modelled", "can be the same network"),
            (["recorded", "shared"], "instant", "nothing takes time"), (["lte", "5g"], "modelled", "5g"),
        ])
    func refused(names: [String], timing: String, message: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try replay(names.flatMap { ["--network", $0] } + ["--timing", timing], into: folder)
            #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome.errors)")
        }
    }

    @Test("Two files of one network are refused")
    func sameFile() throws {
        try withTemporaryFolder { folder in
            let rates = "start_ms,mbit_s\n0,8\n100,4\n"
            let other = folder.appendingPathComponent("other")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            let files = [try folder.write(rates, to: "train.csv"), try other.write(rates, to: "train.csv")]
            let outcome = try replay(files.flatMap { ["--network", $0] }, into: folder.appendingPathComponent("out"))
            #expect(outcome.status == 64 && outcome.errors.contains("can be the same network"), "\(outcome.errors)")
        }
    }

    @Test("A replay is resumed run by run, and can be extended by a network")
    func resume() throws {
        try withTemporaryFolder { folder in
            let straight = try results("straight", in: folder, "--network", "lte", "--network", "3g")
            let expected = try Self.files.map { try straight.text($0) }
            let runs = expected[3].split(separator: "\n")
            #expect(runs.count == 4)
            _ = try straight.write(runs.dropLast().map { "\($0)\n" }.joined(), to: "runs.jsonl")
            _ = try results("straight", in: folder, "--network", "lte", "--network", "3g", "--resume")
            #expect(try Self.files.map { try straight.text($0) } == expected)
            let extended = try results("extended", in: folder, "--network", "lte")
            _ = try results("extended", in: folder, "--network", "lte", "--network", "3g", "--resume")
            #expect(try Self.files.map { try extended.text($0) } == expected)
        }
    }

    @Test("Requests and the courses of runs are kept by network")
    func requests() throws {
        try withTemporaryFolder { folder in
            let several = try results(
                "several", in: folder, "--network", "lte", "--network", "3g", "--requests", "csv", "--events")
            let counts = Dictionary(grouping: rows(try several.text("requests.csv"))) { $0["network"] ?? "" }
                .mapValues(\.count)
            #expect(counts.count == 2 && counts["lte"] == counts["3g"], "\(counts)")
            // A replay that is extended by a network keeps those of the first one.
            let extended = try results("extended", in: folder, "--network", "lte", "--requests", "csv", "--events")
            _ = try results(
                "extended", in: folder, "--network", "lte", "--network", "3g", "--requests", "csv", "--events",
                "--resume")
            #expect(try extended.text("requests.csv") == several.text("requests.csv"))
            for results in [several, extended] {
                let events = try FileManager.default.contentsOfDirectory(atPath: "\(results.path)/events").sorted()
                // A file of all caches over a network comes first.
                let names = ["3g", "3g--ahead", "3g--none", "lte", "lte--ahead", "lte--none"]
                #expect(events == names.map { "photo-feed--\($0)--1.json" })
            }
        }
    }

    @Test("compare and history pair results by network, also those of a command for one network")
    func pairs() throws {
        try withTemporaryFolder { folder in
            let several = try results("several", in: folder, "--network", "lte", "--network", "3g")
            let alone = try results("alone", in: folder, "--network", "3g")
            let same = try Binary.run("compare", several.path, several.path + "/summary.csv")
            #expect(same.status == 0 && same.output.contains("4 pairs of trace and cache"), "\(same.output)")
            let more = try Binary.run("compare", alone.path, several.path)
            #expect(more.status == 0, "\(more.output)\(more.errors)")
            #expect(more.output.contains("New in the candidate: photo-feed over lte, none"), "\(more.output)")
            let fewer = try Binary.run("compare", several.path, alone.path)
            #expect(fewer.status == 1, "\(fewer.output)\(fewer.errors)")
            #expect(fewer.output.contains("MISSING in the candidate: photo-feed over lte, ahead"), "\(fewer.output)")
            let other = try results("other", in: folder, "--network", "wifi")
            let nothing = try Binary.run("compare", several.path, other.path)
            #expect(nothing.status == 65 && nothing.errors.contains("no trace, network and cache"), "\(nothing.errors)")
            let added = try Binary.run(
                "history", "add", several.path, "--commit", String(repeating: "1", count: 40), "--time",
                "2026-11-01T00:00:00Z", in: folder)
            #expect(added.status == 0, "\(added.errors)")
            let traces = Set(rows(try folder.text("history.csv")).compactMap { $0["trace"] })
            #expect(traces == ["photo-feed over lte", "photo-feed over 3g"])
        }
    }

    @Test("gate compares each network")
    func gate() throws {
        try withTemporaryFolder { folder in
            let caches = try folder.write("caches:\n  app: lru(2MB)\n", to: "main.yaml")
            let outcome = try Binary.run(
                [
                    "gate", caches, caches, "Traces/stress-flicks.jsonl", "--timing", "modelled", "--output",
                    folder.appendingPathComponent("gate").path,
                ] + networks("lte", "3g"))
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("2 pairs of trace and cache"), "\(outcome.output)")
        }
    }

    @Test("Shards over several networks are joined to the same bytes")
    func shards() throws {
        try withTemporaryFolder { folder in
            func replay(_ name: String, _ options: String...) throws -> URL {
                let results = folder.appendingPathComponent(name)
                let outcome = try Binary.run(
                    [
                        "replay", "Traces/stress-flicks.jsonl", "Traces/stress-grid.jsonl", "--timing", "modelled",
                        "--no-charts", "--cache", "lru(8MB)", "--output", results.path,
                    ] + networks("lte", "3g") + options)
                #expect(outcome.status == 0, "\(outcome.errors)")
                return results
            }
            let whole = try replay("whole")
            let parts = try ["1/2", "2/2"].enumerated().map { try replay("part\($0)", "--shard", $1) }
            let joined = folder.appendingPathComponent("joined")
            let merged = try Binary.run(
                ["merge"] + parts.map(\.path) + ["--no-charts", "--output", joined.path])
            #expect(merged.status == 0, "\(merged.errors)")
            for file in Self.files + ["fleet.csv"] { #expect(try whole.text(file) == joined.text(file), "\(file)") }
            // Over all sessions too, figures are those of one network.
            let caches = Set(rows(try whole.text("fleet.csv")).compactMap { $0["cache"] })
            #expect(caches == ["lru(8MB) over lte", "lru(8MB) over 3g"])
        }
    }

    @Test("explain and advise replay over one network, and say what to do with several")
    func others() throws {
        for command in [["explain", "--cache", "lru(2MB)"], ["advise", "--for", "kingfisher-8"]] {
            let outcome = try Binary.run(command + ["Traces/photo-feed.jsonl"] + networks("lte", "3g"))
            #expect(outcome.status == 64, "\(outcome.output)")
            #expect(outcome.errors.contains("run the command once for each network"), "\(outcome.errors)")
        }
    }
}
