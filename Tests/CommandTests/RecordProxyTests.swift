import CacheTraces
import Foundation
import SessionModel
import Testing

/// The output of the command, its memory, and its end by signals.
@Suite(.namesCommands) struct RecordProxyTests {
    @Test("A killed recorder leaves a valid trace of the completed requests")
    func killed() throws {
        try withTemporaryFolder { folder in
            let trace = try folder.write(Self.upstreamTrace(sizes: [3_000, 50_000]), to: "upstream.jsonl")
            let origin = try Service(["origin", trace])
            let path = folder.appendingPathComponent("session.jsonl").path
            let proxy = try Service([
                "record", "proxy", "--upstream", origin.address, "--output", path, "--title", "Feed", "--all",
            ])
            for object in [0, 1, 0] {
                #expect(try PlainHTTP.bodyLength("\(proxy.address)/run/\(object)") == [3_000, 50_000][object])
            }
            kill(proxy.process.processIdentifier, SIGKILL)
            proxy.process.waitUntilExit()
            let outcome = try Binary.run("validate", "--syntax", path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let left = try Trace(contentsOf: path)
            #expect(left.header.title == "Feed" && left.objects.count == 2)
            #expect(
                left.events.count { if case .fetch = $0.action { true } else { false } } >= 2,
                "the last may have been on its way")
        }
    }

    @Test("The proxy says that the app's own cache hides repeats, and creates the folder of its trace")
    func hiddenRepeats() throws {
        try withTemporaryFolder { folder in
            let help = try Binary.run("record", "proxy", "--help")
            #expect(help.output.contains("The app's own cache hides repeats"))
            let trace = try folder.write(Self.upstreamTrace(sizes: [3_000]), to: "upstream.jsonl")
            let origin = try Service(["origin", trace])
            let path = folder.path + "/new/folder/session.jsonl"
            let proxy = try Service(["record", "proxy", "--upstream", origin.address, "--output", path, "--all"])
            #expect(try PlainHTTP.bodyLength("\(proxy.address)/run/0") == 3_000)
            proxy.process.interrupt()
            proxy.process.waitUntilExit()
            #expect(try Trace(contentsOf: path).objects.count == 1)
        }
    }

    @Test(
        "A body of 200 MB reaches a client with a small buffer, in 64 MB of memory",
        .enabled(if: residentPeak(getpid()) != nil))
    func memory() throws {
        try withTemporaryFolder { folder in
            let trace = try folder.write(Self.upstreamTrace(sizes: [200_000_000]), to: "upstream.jsonl")
            let origin = try Service(["origin", trace])
            let path = folder.appendingPathComponent("session.jsonl").path
            let proxy = try Service([
                "record", "proxy", "--upstream", origin.address, "--output", path, "--all", "--keep-bodies",
                folder.path + "/bodies",
            ])
            #expect(try PlainHTTP.bodyLength("\(proxy.address)/run/0") == 200_000_000)
            let peak = try #require(residentPeak(proxy.process.processIdentifier))
            #expect(peak < 64 << 20, "\(peak >> 20) MiB")
            let ended = proxy.end()
            #expect(ended.status == 0)
            #expect(
                ended.errors.contains("1 of 1 requests recorded, 200000000 bytes; 1 bodies kept"), "\(ended.errors)")
            #expect(ended.errors.contains("Next: cachereplay replay \(path)"))
        }
    }

    @Test("A recording is replayed with its kept bodies, and a changed byte is detected")
    func replaysBodies() throws {
        try withTemporaryFolder { folder in
            let trace = try folder.write(Self.upstreamTrace(sizes: [3_000, 50_000, 700]), to: "upstream.jsonl")
            let origin = try Service(["origin", trace])
            let path = folder.appendingPathComponent("session.jsonl").path
            let bodies = folder.appendingPathComponent("bodies").path
            let proxy = try Service([
                "record", "proxy", "--upstream", origin.address, "--output", path, "--all", "--keep-bodies", bodies,
            ])
            for object in [0, 1, 2, 0, 1, 2] { _ = try PlainHTTP.bodyLength("\(proxy.address)/run/\(object)") }
            #expect(proxy.end().status == 0)
            func replay(_ name: String) throws -> (wrong: String?, note: Bool) {
                let output = folder.appendingPathComponent(name)
                let outcome = try Binary.run(
                    "replay", path, "--cache", "memory: lru(1KB); disk: lru(1MB)", "--bodies", bodies, "--no-charts",
                    "--output", output.path)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let row = rows(try output.text("summary.csv")).first
                return (
                    row?["wrong"],
                    outcome.output.contains("3 of 3 objects have the bodies that were kept, and are checked by")
                )
            }
            #expect(try replay("right") == ("0", true))
            let index = try BodyIndex(folder: bodies)
            let entry = try #require(index.entries["\(origin.address)/run/1"]?.first)
            var content = try Data(contentsOf: URL(fileURLWithPath: index.path(entry)))
            content[40_000] ^= 1
            try content.write(to: URL(fileURLWithPath: index.path(entry)))
            #expect(try replay("spoiled") == ("2", true), "as it came from the origin, and as it came from disk")
            let other = try Binary.run(
                "replay", trace, "--cache", "lru(1MB)", "--bodies", bodies, "--output", folder.path + "/other")
            #expect(other.status == 65 && other.errors.contains("holds no body"), "\(other)")
        }
    }

    @Test("Wrong options are reported before anything is written")
    func wrongOptions() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("session.jsonl").path
            for (arguments, status, word) in [
                (["--upstream", "images.example.com"], 64, "scheme"), (["--upstream", "https://a/b"], 64, "path"),
                (["--upstream", "http://127.0.0.1:1", "--cacert", folder.path + "/such.pem"], 66, "such.pem"),
                (["--upstream", "http://127.0.0.1:1", "--port", "70000"], 64, "70000"),
                (["--upstream", "http://127.0.0.1:1", "--keep-bodies", "/dev/null/x"], 73, "folder for bodies"),
            ] as [([String], Int32, String)] {
                let outcome = try Binary.run(["record", "proxy", "--output", path] + arguments)
                #expect(outcome.status == status && outcome.errors.contains(word), "\(arguments): \(outcome)")
                #expect(!FileManager.default.fileExists(atPath: path))
            }
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            let taken = try Binary.run("record", "proxy", "--output", path, "--upstream", "http://127.0.0.1:1")
            #expect(taken.status == 73 && taken.errors.contains("exists already"))
        }
    }

    /// Returns a trace whose objects have the given sizes.
    private static func upstreamTrace(sizes: [Int]) -> String {
        let objects = sizes.enumerated().map {
            #"{"e":"object","o":\#($0),"key":"https://photos.example/\#($0).jpg","bytes":\#($1),"type":"image/jpeg"}"#
        }
        return ([#"{"cachereplay_trace":1}"#] + objects + [#"{"t":0,"e":"appear","o":0}"#]).joined(separator: "\n")
            + "\n"
    }
}

/// Returns the peak of a process's resident memory in bytes, or nil if the system does not report it.
private func residentPeak(_ process: Int32) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
}
