import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

/// Session replays as users convert them.
@Suite("Session replays by commands", .namesCommands)
struct SessionReplayCommandTests {
    /// An image that comes and goes, as an app states it.
    private static let recording = """
        {"type":5,"timestamp":1000,"data":{"tag":"cachereplay","payload":{"v":1,"e":"appear","key":"a","bytes":9}}}
        {"type":5,"timestamp":1900,"data":{"tag":"cachereplay","payload":{"v":1,"e":"disappear","key":"a"}}}
        """

    @Test("A recording names the script that converts it, and its trace states the route of the appearances")
    func conversion() throws {
        try withTemporaryFolder { folder in
            let path = try folder.write(Self.recording, to: "visit.jsonl")
            let error = #expect(throws: TraceError.self) { try TraceReading(contentsOf: path) }
            #expect(error?.message.contains("`scripts/convert-replay FILE --output TRACE.jsonl`") == true)
            let converted = folder.appendingPathComponent("trace.jsonl").path
            let run = try runPython(["scripts/convert-replay", path, "--output", converted])
            #expect(run.status == 0, "\(run.errors)")
            let reading = try TraceReading(contentsOf: converted)
            #expect(reading.trace.events.map(\.time) == [0, 900_000])
            #expect(reading.trace.objects.map(\.bytes) == [9])
            #expect(ReplayRoute(format: reading.format, recorder: reading.trace.header.recorder) == .customEvents)
        }
    }
}

private func runPython(_ arguments: [String]) throws -> Binary.Outcome {
    try Binary.execute("/usr/bin/env", ["python3"] + arguments)
}

/// The tests in Python of `scripts/convert-replay` and of the snippet for web apps, both of which need Chromium.
/// `scripts/test --thorough` runs them.
@Suite("Session replays in a real Chromium", .serialized, .namesCommands)
struct SessionReplayBrowserTests {
    private static let hasChromium = ["chromium", "chromium-browser", "google-chrome"].contains { name in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    private static let hasPlayer: Bool = {
        let folder = Binary.root.path + "/.build/rrweb"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return versions.contains { FileManager.default.fileExists(atPath: "\(folder)/\($0)/rrweb-player.js") }
    }()

    @Test("recordings that are small, broken or hostile are read without a browser")
    func reading() throws { try expectPassing("scripts/recording/test_replays.py", "ReadingTests", "StatedTests") }

    @Test(
        "a visit as session replays has the appearances of the gallery's own trace",
        .enabled(
            if: FileManager.default.fileExists(atPath: SharedData.path("session-replays/feed.truth.jsonl")),
            "the recordings of shared/data are missing"))
    func sharedData() throws { try expectPassing("scripts/recording/test_replays.py", "SharedDataTests") }

    @Test(
        "recordings are played",
        .enabled(
            if: hasChromium && hasPlayer,
            "Chromium or rrweb's player is missing; scripts/test --thorough installs them"))
    func playing() throws { try expectPassing("scripts/recording/test_replays.py", "PlayingTests") }

    @Test(
        "the snippet for web apps writes what is on the screen", .enabled(if: hasChromium, "Chromium is not installed"))
    func snippet() throws { try expectPassing("scripts/recording/test_snippet.py") }

    private func expectPassing(_ arguments: String...) throws {
        let run = try runPython(arguments)
        #expect(run.status == 0, "\(run.output.suffix(4_000))\(run.errors.suffix(4_000))")
        #expect(run.errors.contains("OK"), "\(run.errors.suffix(4_000))")
    }
}
