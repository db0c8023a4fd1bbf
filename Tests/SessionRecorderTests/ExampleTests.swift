import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

@Suite(
    "The example, as a process",
    .enabled("scripts/test builds Examples/SessionRecorderExample") {
        FileManager.default.isExecutableFile(atPath: Example.path)
    })
struct ExampleTests {
    let folder: TemporaryFolder
    let server: ImageServer

    init() throws {
        folder = try TemporaryFolder()
        server = try ImageServer()
    }

    @Test("Records downloads from a server")
    func download() throws {
        let example = try Example(
            folder,
            ["feed.jsonl", server.url("5000"), server.url("70000?token=1"), server.url("none"), "--rounds", "3"])
        let output = example.output()
        #expect(example.status == 0)
        let trace = try read(folder.url("feed.jsonl"))
        #expect(output == "round 1\nround 2\nround 3\n\(trace.events.count) events in feed.jsonl\n")
        #expect(Set(trace.objects.map(\.key)) == [server.url("5000"), server.url("70000?token=1"), server.url("none")])
        let object = try #require(trace.objects.first { $0.key == server.url("70000?token=1") })
        #expect(object.bytes == 70000)
        #expect(object.contentType == "image/jpeg")
        #expect(object.headers == [HTTPField("etag", "\"e70000\"")])
        var fetches = 0
        for case .fetch(let object, let fetch) in trace.events.map(\.action) {
            fetches += 1
            let key = trace.objects[Int(object)].key
            #expect(fetch.status == (key == server.url("none") ? 404 : 200))
            #expect(fetch.timeToFirstByte != nil)
        }
        #expect(fetches == 9)
        #expect(trace.events.filter { $0.action.name == "appear" }.count == 9)
        #expect(trace.events.filter { $0.action.name == "disappear" }.count == 9)
        #expect(trace.events.filter { $0.action.name == "scroll" }.count >= 3)
        #expect(trace.events.last?.action == .background)
        #expect(ListOrder(trace).changes(.full).map(\.item.position) == [0, 1, 2])
        #expect(ListOrder(trace).contradictions(in: trace) == ListOrder.Contradictions())
        let served = ServedRequests(trace)
        #expect(served.sources.count { $0 == .network } == 6 && served.count == 6, "the third image is a 404")
        #expect(served.unmatched == 0)
    }

    @Test(
        "Killed at any moment, also between files, it leaves valid traces of all flushed events",
        arguments: 1...12)
    func killed(rounds: Int) throws {
        let example = try Example(
            folder,
            ["feed.jsonl", server.url("1000"), server.url("2000")] + [
                "--rounds", "1000000", "--file-bytes", "1500", "--files", "100000",
            ])
        // It prints "round N" when that round is in the file, and then runs the next one.
        example.waitForLine("round \(rounds)")
        example.kill()
        #expect(example.status == -SIGKILL)

        let names = folder.files.filter { !$0.hasPrefix(".") }
        #expect(names.count > (rounds > 3 ? 1 : 0))
        var appeared = 0
        for name in names {
            let (reading, errors) = TraceReading.validate(contentsOf: folder.url(name).path, limit: 10)
            #expect(errors.isEmpty)
            let trace = try #require(reading).trace
            appeared += trace.events.filter { $0.action.name == "appear" }.count
        }
        #expect(appeared >= 2 * rounds)
    }

    @Test("Usage errors name what was expected")
    func usage() throws {
        for arguments in [
            [], ["feed.jsonl"], ["feed.jsonl", "no url"], ["feed.jsonl", "http://a/1", "--rounds", "0"], ["--nonsense"],
        ] {
            let example = try Example(folder, arguments)
            _ = example.output()
            #expect(example.status == 64)
        }
    }
}

/// The built example, started in a folder.
final class Example {
    private let process = Process()
    private let pipe = Pipe()

    /// Beside the test bundle, where the package manager places both.
    static let path: String = {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = tests.deletingLastPathComponent().appendingPathComponent("SessionRecorderExample").path
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(".build/debug/SessionRecorderExample").path
    }()

    init(_ folder: TemporaryFolder, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// All output until the end.
    func output() -> String {
        String(decoding: (try? pipe.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    }

    /// Waits until it has printed this line, or has ended.
    func waitForLine(_ line: String) {
        var text = Data()
        while !text.split(separator: UInt8(ascii: "\n")).contains(Data(line.utf8)[...]) {
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { return }
            text += more
        }
    }

    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// The exit status; negative for a signal.
    var status: Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
