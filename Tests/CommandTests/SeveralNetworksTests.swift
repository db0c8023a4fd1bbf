import Foundation
import Testing

@Suite("Several networks in one replay", .namesCommands)
struct SeveralNetworksTests {
    private static let files = ["summary.csv", "latency.csv", "timeline.csv", "runs.jsonl"]

    private func replay(_ options: [String], into folder: URL) throws -> Binary.Outcome {
        try Command.run(
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

    @Test("export names the network of a result")
    func pairs() throws {
        try withTemporaryFolder { folder in
            let several = try results("several", in: folder, "--network", "lte", "--network", "3g")
            let exported = try Command.succeed("export", several.path, "--as", "bencher", "--metric", "hit_ratio")
            for name in ["photo-feed over lte / none", "photo-feed over 3g / none"] {
                #expect(exported.output.contains("\"\(name)\": {"), "\(exported.output)")
            }
        }
    }
}
