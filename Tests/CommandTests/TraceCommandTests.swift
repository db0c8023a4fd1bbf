import Foundation
import Testing

@Suite("trace synthesize and trace info", .namesCommands)
struct TraceCommandTests {
    @Test("What synthesize writes, info and validate read; the same options give the same bytes")
    func roundTrip() throws {
        try withTemporaryFolder { folder in
            let options = ["--people", "1", "--app", "search", "--requests", "400", "--days", "9", "--network", "3g"]
            let set = ["--set", "missing=0.1", "--output"]
            for output in ["made", "again"] {
                let made = try Command.run(["trace", "synthesize"] + options + set + [output], in: folder)
                #expect(made.status == 0 && made.output.isEmpty, "\(made.errors)")
            }
            let made = "made/person-0001.jsonl"
            #expect(try folder.text(made) == folder.text("again/person-0001.jsonl"))
            try Command.succeed(["validate", "--syntax", "--fail-on-warnings", made], in: folder)
            let info = try Command.succeed("trace", "info", made, in: folder)
            #expect(info.output.contains("title             Search of person-0001 (synthetic)"), "\(info.output)")
            #expect(info.output.contains("scroll speed"))
            #expect(info.output.contains("consistency       recorded: agrees, median "), "\(info.output)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }

    @Test(
        "A parameter turned too far or of the other generator, a file name without a format and a folder are refused",
        arguments: [
            (["--requests", "10", "--set", "exponent=11", "--output", "r.oracleGeneral.bin"], 64, "expected 0 to 10"),
            (["--requests", "10", "--set", "pause=3"], 64, "pause is no parameter of requests, which are objects"),
            (["--people", "1", "--set", "exponent=1"], 64, "exponent is no parameter of people, which are pause"),
            (["--people", "1", "--set", "zzzzzzzz=1"], 64, "the parameters are pause, pause-spread"),
            (["--people", "1", "--requests", "0", "--output", "p"], 64, "requests is 0; expected 1"),
            (["--requests", "10", "--output", "feed.xyz"], 64, "FILE.oracleGeneral.bin"),
            (["--requests", "10", "--output", "."], 64, "FILE.oracleGeneral.bin"),
            (["--requests", "10", "--days", "2"], 64, "--days describes modelled people"),
            (["--requests", "10", "--network", "lte"], 64, "--network describes modelled people"),
            (["--people", "1", "--network", "5g"], 64, "wifi"), (["--seed", "2"], 64, "Add --people 60"),
            (["--requests", "10", "--output", "missing/r.oracleGeneral.bin"], 73, "cannot be created"),
        ])
    func refused(options: [String], status: Int32, message: String) throws {
        try withTemporaryFolder { folder in
            let run = try Command.run(["trace", "synthesize"] + options, in: folder)
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
                let run = try Command.run(people + options, in: folder)
                #expect(run.status == 64)
                #expect(run.errors.contains(message), "\(run.errors)")
            }
            let model = ["trace", "synthesize", "--model", "--parameters", "people.yaml"]
            let chat = try Command.succeed(model + ["--app", "chat"], in: folder)
            #expect(chat.output.contains("\nchat-picture-share ") && !chat.output.contains("\ngallery-pictures "))
            #expect(try Command.run(model, in: folder).errors.contains("or use --app chat"))
        }
    }
}
