import Foundation
import Testing

@Suite("trace anonymize", .namesCommands)
struct TraceAnonymizeTests {
    private static let photo = Binary.root.appendingPathComponent("Traces/photo-feed.jsonl").path
    private static let page = Binary.root.appendingPathComponent("Tests/Goldens/Inputs/page.har").path

    @Test("A trace without its texts has the same summary of a replay, to the digit")
    func figures() throws {
        try withTemporaryFolder { folder in
            let run = try Command.succeed("trace", "anonymize", Self.photo, "--salt", "7f1e", "-o", "out/", in: folder)
            #expect(run.output.hasPrefix("out/photo-feed.jsonl: ") && run.output.contains(" of 1 host, "))
            #expect(run.output.contains("What stays: events"))
            let text = try folder.text("out/photo-feed.jsonl")
            for word in ["photos.test", "kite-0", "Photo feed", "Playwright", "7a73b36e", "public"] {
                #expect(!text.contains(word), "\(word)")
            }
            var summaries: [String] = []
            for trace in [Self.photo, "out/photo-feed.jsonl"] {
                try Command.succeed(
                    "replay", trace, "--cache", "kingfisher-8", "--cache", "two-tier-as-written", "--timing",
                    "modelled", "--no-charts", "--output", "results\(summaries.count)", in: folder)
                summaries.append(try folder.text("results\(summaries.count)/summary.csv"))
            }
            #expect(summaries[0] == summaries[1])
        }
    }

    @Test("Figures and intervals over people are equal to the digit before and after")
    func people() throws {
        try withTemporaryFolder { folder in
            try Command.succeed(
                "trace", "synthesize", "--people", "60", "--days", "1", "--app", "chat", "--seed", "1", "-o", "people",
                in: folder)
            try Command.succeed("trace", "anonymize", "people", "--salt", "7f1e", "-q", "-o", "out", in: folder)
            for sessions in ["people", "out"] {
                try Command.succeed(
                    "replay", sessions, "--cache", "coil-3", "--cache", "urlcache", "--timing", "modelled",
                    "--no-charts", "-o", "\(sessions)-results", in: folder)
            }
            for file in ["fleet.csv", "fleet-pairs.csv", "fleet-latency.csv"] {
                let texts = try ["people", "out"].map { try folder.text("\($0)-results/\(file)") }
                #expect(texts[0] == texts[1] && texts[0].split(separator: "\n").count > 4, "\(file)")
            }
        }
    }

    @Test("One salt joins files, and formats; a compiled trace and a table stay what they are")
    func formats() throws {
        try withTemporaryFolder { folder in
            #expect(try Command.run("trace", "compile", Self.photo, "in.crtrace", in: folder).status == 0)
            _ = try folder.write("7f1e\n", to: "salt.txt")
            let outputs = ["a.jsonl", "b.jsonl.gz", "c.crtrace", "d.csv"]
            for (input, output) in zip([Self.photo, Self.photo, "in.crtrace", Self.photo], outputs) {
                let run = try Command.run(
                    "trace", "anonymize", input, "--salt-file", "salt.txt", "-q", "-o", output, in: folder)
                #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
            }
            let first = try Set(
                outputs.map { output in
                    let head = try Command.succeed("trace", "head", output, "-n", "1", in: folder)
                    return head.output.split(separator: " ").last { $0.hasPrefix("x") } ?? ""
                })
            #expect(first.count == 1 && first.first?.hasPrefix("xh://~") == true, "\(first)")
            let info = try ["in.crtrace", "c.crtrace"].map { try Command.run("trace", "info", $0, in: folder).output }
            let rows = info.map { text in
                text.split(separator: "\n").filter { row in
                    !["title", "recorder", "started"].contains { row.hasPrefix($0) }
                }
            }
            #expect(rows[0] == rows[1] && rows[0].count > 10)
        }
    }

    @Test("A folder is written with its names; a format that can only be read is skipped there, and refused by itself")
    func folder() throws {
        try withTemporaryFolder { folder in
            let sessions = try folder.makeFolder("in/anna")
            try FileManager.default.copyItem(atPath: Self.photo, toPath: sessions.path + "/monday.jsonl")
            try FileManager.default.copyItem(atPath: Self.page, toPath: sessions.path + "/page.har")
            let run = try Command.succeed("trace", "anonymize", "in", "--salt", "7f1e", "-o", "out", in: folder)
            #expect(run.errors.contains("skipped: in/anna/page.har: the format har can only be read"), "\(run.errors)")
            #expect(run.errors.contains("cachereplay trace convert in/anna/page.har"), "\(run.errors)")
            let out = folder.appendingPathComponent("out")
            #expect(FileManager.default.enumerator(atPath: out.path)?.allObjects.count == 2)
            #expect(try out.text("anna/monday.jsonl").contains("xh://~"))
            let strict = try Command.run(
                "trace", "anonymize", "in", "--salt", "7f1e", "-o", "out", "--strict", in: folder)
            #expect(strict.status == 65, "\(strict.errors)")
            let alone = try Command.run("trace", "anonymize", Self.page, "--salt", "7f1e", "-o", "out", in: folder)
            #expect(alone.status == 65 && alone.errors.contains("can only be read"), "\(alone.errors)")
            try Command.succeed("trace", "anonymize", Self.page, "--salt", "7f1e", "-o", "p.jsonl", in: folder)
        }
    }

    @Test(
        "What cannot be done is refused, with a remedy",
        arguments: [
            (["--salt", "", "-o", "out.jsonl"], 64, "openssl rand -hex 16"),
            (["--salt", "  ", "-o", "out.jsonl"], 64, "The salt is empty"),
            (["--salt-file", "empty.txt", "-o", "out.jsonl"], 65, "empty.txt: the salt is empty"),
            (["--salt-file", "none.txt", "-o", "out.jsonl"], 66, "none.txt: no such file"),
            (["-o", "out.jsonl"], 64, "Which salt?"), (["--salt", "7f1e"], 64, "--output"),
            (["--salt", "7f1e", "--salt-file", "empty.txt", "-o", "out.jsonl"], 64, "exclude each other"),
            (["--salt", "7f1e", "-o", "out.har"], 64, "end it in .jsonl"),
            (["--salt", "7f1e", "-o", "in.jsonl"], 64, "would be lost"),
            (["--salt", "7f1e", "-o", "."], 64, "would be lost"),
            (["other/in.jsonl", "--salt", "7f1e", "-o", "out"], 64, "Two traces are called"),
        ])
    func refused(options: [String], status: Int32, message: String) throws {
        try withTemporaryFolder { folder in
            let header = "{\"cachereplay_trace\":1}\n{\"t\":0,\"e\":\"appear\",\"key\":\"a\"}\n"
            _ = try folder.write(header, to: "in.jsonl")
            _ = try folder.write("\n", to: "empty.txt")
            let run = try Command.run(["trace", "anonymize", "in.jsonl"] + options, in: folder)
            #expect(run.status == status, "\(run.errors)")
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(try folder.text("in.jsonl") == header)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/out.jsonl"))
        }
    }
}
