import Foundation
import Testing

@Suite("trace synthesize and trace info", .namesCommands)
struct TraceCommandTests {
    @Test("What synthesize writes, info, validate and simulate read; the same options give the same bytes")
    func roundTrip() throws {
        try withTemporaryFolder { folder in
            let options = [
                "--session", "search", "--requests", "400", "--network", "3g", "--offline-every", "20s", "--full-bytes",
                "100kB",
            ]
            let made = try Binary.run(["trace", "synthesize"] + options + ["--output", "made.jsonl"], in: folder)
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.isEmpty)
            let printed = try Binary.run(["trace", "synthesize"] + options, in: folder)
            #expect(try printed.output == folder.text("made.jsonl"))
            let zipped = try Binary.run(["trace", "synthesize"] + options + ["--output", "made.jsonl.gz"], in: folder)
            #expect(zipped.status == 0)
            let names = ["made.jsonl", "made.jsonl.gz"]
            let valid = try Binary.run(["validate", "--syntax", "--fail-on-warnings"] + names, in: folder)
            #expect(valid.status == 0, "\(valid.errors)")
            let info = try Binary.run("trace", "info", "made.jsonl", in: folder)
            #expect(info.status == 0)
            #expect(info.output.contains("title             Search (synthetic)"))
            #expect(info.output.contains("scroll speed"))
            #expect(info.output.contains("consistency       recorded: agrees, median "))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }

    @Test("The defaults that the help tells are those of the model")
    func defaults() throws {
        let help = try Binary.run("trace", "synthesize", "--help").output
        let options = [
            "thumbnail-bytes": "26kB", "full-bytes": "340kB", "deceleration": "normal", "drag": "180ms",
            "dwell": "1.2s",
            "scroll-interval": "100ms", "network": "lte", "offline-every": "never", "offline-length": "6s",
            "memory-warning-every": "never",
            "background-every": "never", "background-length": "40s", "away": "1d",
        ]
        let plain = try Binary.run("trace", "synthesize", "--requests", "50").output
        let flat = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for (name, value) in options {
            // The example names some of them too.
            let options = flat.components(separatedBy: " --\(name) ").dropFirst().compactMap {
                $0.components(separatedBy: " --").first
            }
            #expect(options.contains { $0.contains("(default: \(value))") }, "\(name)")
        }
        #expect(
            try Binary.run(["trace", "synthesize", "--requests", "50"] + options.flatMap { ["--\($0)", $1] }).output
                == plain)
    }

    @Test(
        "A knob turned too far, a file name without a format and a folder are refused",
        arguments: [
            (["--exponent", "11"], 64, "expected 0 to 10"), (["--output", "feed.xyz"], 64, "end it in"),
            (["--output", "."], 64, "end it in"),
            (["--network", "5g"], 64, "wifi"), (["--dwell", "3"], 64, "3s"),
            (["--output", "missing/feed.jsonl"], 73, "cannot be created"),
        ])
    func refused(options: [String], status: Int32, message: String) throws {
        try withTemporaryFolder { folder in
            let run = try Binary.run(["trace", "synthesize", "--requests", "10"] + options, in: folder)
            #expect(run.status == status)
            #expect(run.errors.contains(message), "\(run.errors)")
        }
    }

    @Test("A parameter without an effect is an error, also from a file; --model prints those of the app")
    func peopleParameters() throws {
        try withTemporaryFolder { folder in
            _ = try folder.write("look: 5\nchat-picture-share: 0.3\n", to: "people.yaml")
            let people = ["trace", "synthesize", "--people", "1", "--days", "1", "--output", "people"]
            for (options, message) in [
                (["--parameters", "people.yaml"], "chat-picture-share has no effect with --app feed; leave it out"),
                (["--device", "android", "--set", "ios-share=0.2"], "because --device android holds for all people"),
            ] {
                let run = try Binary.run(people + options, in: folder)
                #expect(run.status == 64)
                #expect(run.errors.contains(message), "\(run.errors)")
            }
            let model = ["trace", "synthesize", "--model", "--parameters", "people.yaml"]
            let chat = try Binary.run(model + ["--app", "chat"], in: folder)
            #expect(chat.status == 0, "\(chat.errors)")
            #expect(chat.output.contains("\nchat-picture-share ") && !chat.output.contains("\ngallery-pictures "))
            #expect(try Binary.run(model, in: folder).errors.contains("or use --app chat"))
        }
    }

    @Test("info --output writes a page beside what it prints")
    func page() throws {
        try withTemporaryFolder { folder in
            let photo = Binary.root.appendingPathComponent("Traces/photo-feed.jsonl").path
            let run = try Binary.run("trace", "info", photo, "--json", "--output", "page", in: folder)
            #expect(run.status == 0 || run.status == 69, "\(run.errors)")  // 69 where gnuplot is not installed.
            let json = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
            #expect(json["requests"] as? Int == 857)
            #expect(try folder.appendingPathComponent("page").text("trace.json") == run.output)
            #expect(FileManager.default.fileExists(atPath: folder.path + "/page/trace.html") == (run.status == 0))
        }
    }
}
