import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("Options for recordings and logs", .namesCommands)
struct RecordingOptionsTests {
    private static let har: String = {
        let entries = ["one", "two", "one"].enumerated().map { second, page in
            #"{"pageref":"\#(page)","startedDateTime":"2026-01-01T10:00:0\#(second)Z","#
                + #""request":{"url":"https://e.x/\#(second).png"},"#
                + #""response":{"status":200,"content":{"size":5,"mimeType":"image/png"}}}"#
        }
        return #"{"log":{"pages":[{"id":"one","title":"First"},{"id":"two","title":"Second"}],"#
            + #""entries":[\#(entries.joined(separator: ","))]}}"#
    }()

    private static let log =
        ["/a.png", "/index.html", "/b.png"].map {
            "1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET \($0) HTTP/1.1\" 200 5\n"
        }.joined() + "what\n"

    private func requests(_ output: String) throws -> Int? {
        try (JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])?["requests"] as? Int
    }

    @Test("trace info lists the pages, and --page reads one of them")
    func page() throws {
        try withTemporaryFolder { folder in
            let file = try folder.write(Self.har, to: "site.har")
            let all = try Command.run("trace", "info", file)
            #expect(
                all.output.contains("1 'one' (First): 2 entries, 2 of images\n")
                    && all.output.contains("2 'two' (Second): 1 entries, 1 of images"))
            #expect(all.errors.contains("2 pages or runs with images are read as one trace"))
            #expect(try requests(Command.run("trace", "info", file, "--json").output) == 3)
            #expect(try requests(Command.run("trace", "info", file, "--json", "--page", "First").output) == 2)
            #expect(try requests(Command.run("trace", "info", file, "--json", "--page", "2").output) == 1)
            try Command.refuse(65, "1 'one' (First), 2 'two' (Second)", "trace", "info", file, "--page", "third")
        }
    }

    @Test("trace convert --each-page writes a file for each page")
    func eachPage() throws {
        try withTemporaryFolder { folder in
            let file = try folder.write(Self.har, to: "site.har")
            let outcome = try Command.succeed("trace", "convert", file, "out.jsonl.gz", "--each-page", in: folder)
            #expect(outcome.output == "out-1.jsonl.gz: 2 requests of First\nout-2.jsonl.gz: 1 requests of Second\n")
            #expect(try requests(Command.run("trace", "info", "out-1.jsonl.gz", "--json", in: folder).output) == 2)
            #expect(try requests(Command.run("trace", "info", "out-2.jsonl.gz", "--json", in: folder).output) == 1)
        }
    }

    @Test("--content and --max-bad-lines reach the readers of access logs")
    func logs() throws {
        try withTemporaryFolder { folder in
            let file = try folder.write(Self.log, to: "access.log")
            let all = try Command.run("trace", "info", file, "--json")
            #expect(try requests(all.output) == 3)
            #expect(all.errors.contains("1 lines cannot be read and are skipped; line 4: "))
            #expect(try requests(Command.run("trace", "info", file, "--json", "--content", "images").output) == 2)
            #expect(try Command.run("trace", "info", file, "--max-bad-lines", "0").status == 65)
            #expect(try Command.run("trace", "info", file, "--max-bad-lines", "25%").status == 0)
            #expect(try Command.run("trace", "info", file, "--max-bad-lines", "lots").status == 64)
            #expect(
                try Command.run("simulate", file, "--policy", "lru(1MB)", "--content", "images", "--json").output
                    .contains("\"requests\" : 2"))
            #expect(try requests(Command.run("trace", "info", file, "--json", "--content", "all").output) == 3)
            #expect(try requests(Command.run("trace", "info", file, "--json", "--match", "/a*").output) == 1)
            #expect(
                try requests(Command.run("trace", "info", file, "--json", "--match", "/a*", "--match", "*.html").output)
                    == 2)
            try Command.refuse(64, "write '*a.png'", "trace", "info", file, "--match", "a.png")
        }
    }

    @Test("trace compile reads a log with the options that it is given")
    func compiledLog() throws {
        try withTemporaryFolder { folder in
            let file = try folder.write(Self.log, to: "access.log")
            let outcome = try Command.run("trace", "compile", file, "log.crtrace", "--content", "images", in: folder)
            #expect(outcome.output == "log.crtrace: 2 accesses to 2 objects\n")
        }
    }

    @Test(
        "Pages are numbered ahead of the file's endings",
        arguments: [
            ("out.jsonl", "out-2.jsonl"), ("a.b/out.jsonl.gz", "a.b/out-2.jsonl.gz"), ("my.site.csv", "my.site-2.csv"),
            ("a.b/out", "a.b/out-2"), (".har", ".har-2"),
        ])
    func numbering(path: String, expected: String) {
        #expect(TraceConvertCommand.numbered(path, 2) == expected)
    }
}
