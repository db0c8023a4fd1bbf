import Foundation
import Testing

@Suite("Sizes of views in commands", .namesCommands)
struct ViewSizeCommandTests {
    private static let session = """
        {"cachereplay_trace":1,"title":"Feed","synthetic":false}
        {"e":"object","o":0,"key":"https://a.example/1.jpg","bytes":700}
        {"t":0,"e":"appear","o":0,"variant":"thumbnail","width":240,"height":180}
        {"t":10,"e":"disappear","o":0,"variant":"thumbnail"}
        {"t":20,"e":"appear","o":0,"variant":"thumbnail","width":65535,"height":1}
        {"e":"object","o":1,"key":"https://a.example/2.jpg","bytes":900}
        {"t":30,"e":"prefetch","o":1,"width":8,"height":9}
        {"t":40,"e":"appear","o":1}

        """

    @Test("Conversions keep the sizes, to the byte; info and head show them")
    func conversions() throws {
        try withTemporaryFolder { folder in
            _ = try folder.write(Self.session, to: "in.jsonl")
            for (input, output) in [("in.jsonl", "a.crtrace"), ("a.crtrace", "b.jsonl.gz"), ("b.jsonl.gz", "c.jsonl")] {
                let run = try Command.run("trace", "convert", input, output, in: folder)
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            }
            #expect(try folder.text("c.jsonl") == Self.session)
            let info = try Command.run("trace", "info", "a.crtrace", in: folder)
            let row = "2 of 3 appearances; 1 image is shown in more than one size"
            #expect(info.output.contains(row), "\(info.output)")
            let json = try Command.run("trace", "info", "c.jsonl", "--json", in: folder)
            let figures = #""view_sizes":{"appearances":2,"prefetches":1,"objects_in_several_sizes":1}"#
            #expect(json.output.contains(figures), "\(json.output)")
            let head = try Command.run("trace", "head", "c.jsonl", "-n", "1", in: folder)
            #expect(head.output.contains("(view of 240 × 180 pixels)"), "\(head.output)")
            let table = try Command.run("trace", "convert", "in.jsonl", "d.csv", in: folder)
            #expect(table.errors.contains("the sizes of the views of 2 requests cannot be stored"), "\(table.errors)")
        }
    }

    @Test("Measured timing refuses a stated rule on sizes, and notes that one of a preset has no effect")
    func measured() throws {
        try withTemporaryFolder { folder in
            _ = try folder.write(Self.session, to: "in.jsonl")
            let options = ["replay", "in.jsonl", "--no-charts", "--output", "out", "--cache"]
            let stated = try Command.run(options + ["coil-3; memorySizes: each"], in: folder)
            #expect(stated.status == 64)
            #expect(stated.errors.contains("memorySizes: each needs --timing modelled or instant"), "\(stated.errors)")
            let preset = try Command.succeed(options + ["coil-3"], in: folder)
            #expect(preset.output.contains("apart (memorySizes: largest). Only"), "\(preset.output)")
        }
    }

    @Test("An anonymized trace keeps the sizes")
    func anonymized() throws {
        try withTemporaryFolder { folder in
            _ = try folder.write(Self.session, to: "in.jsonl")
            try Command.succeed("trace", "anonymize", "in.jsonl", "--salt", "7f1e", "-o", "out.jsonl", in: folder)
            func events(_ text: String) -> [Substring] { text.split(separator: "\n").filter { $0.hasPrefix("{\"t\"") } }
            #expect(try events(folder.text("out.jsonl")) == events(Self.session))
        }
    }

    @Test("A session with sizes is valid, and a wrong size names its line and the remedy")
    func validated() throws {
        try withTemporaryFolder { folder in
            _ = try folder.write(Self.session, to: "in.jsonl")
            try Command.succeed("validate", "in.jsonl", "--syntax", in: folder)
            _ = try folder.write(Self.session.replacing(#","height":9"#, with: ""), to: "wrong.jsonl")
            let wrong = try Command.run("validate", "wrong.jsonl", "--syntax", in: folder)
            #expect(wrong.status == 65, "\(wrong.errors)")
            #expect(wrong.errors.contains("wrong.jsonl:7"), "\(wrong.errors)")
            #expect(wrong.errors.contains(#"Add "height", or omit "width""#), "\(wrong.errors)")
        }
    }
}
