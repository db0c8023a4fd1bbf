import Basics
import Foundation
import Testing

@testable import CacheReplayCommand

/// Each test runs in a process of its own, whose signals it may take.
@Suite("Signals that end the command") struct SignalTests {
    @Test("A watch receives a signal that comes right after its creation") func earliest() async {
        await #expect(processExitsWith: .success) {
            let called = DispatchSemaphore(value: 0)
            let watch = InterruptWatch { called.signal() }
            kill(getpid(), SIGTERM)
            #expect(called.wait(timeout: .now() + 300) == .success)
            watch.cancel()
            #expect(EndSignals.status == 143)
        }
    }

    @Test("The newest watch receives a signal; after its end, an older one does") func order() async {
        await #expect(processExitsWith: .success) {
            let (older, newer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let first = InterruptWatch { older.signal() }
            let second = InterruptWatch { newer.signal() }
            kill(getpid(), SIGINT)
            #expect(newer.wait(timeout: .now() + 300) == .success)
            second.cancel()
            kill(getpid(), SIGINT)
            #expect(older.wait(timeout: .now() + 300) == .success)
            #expect(newer.wait(timeout: .now()) == .timedOut)
            first.cancel()
        }
    }

    @Test(
        "Without a watch, a signal ends the process with its code, after temporary files are removed",
        arguments: EndSignals.numbers)
    func noWatch(number: Int32) throws {
        try withTemporaryFolder { folder in
            // The files of so many people take minutes.
            let people = folder.appendingPathComponent("people")
            let process = try Binary.start(
                ["trace", "synthesize", "--people", "100000", "--output", people.path],
                output: .nullDevice, errors: .nullDevice)
            #expect(eventually(while: process) { (try? !Self.names(in: people).isEmpty) ?? false })
            kill(process.processIdentifier, number)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 128 + number)
            #expect(try Self.names(in: people).filter { $0.hasPrefix(AtomicFile.temporaryPrefix) } == [])
        }
    }

    @Test(
        "A signal that comes while charts are drawn removes unfinished ones",
        arguments: [
            ["replay", "--cache", "lru(5%)", "--timing", "modelled"],
            ["simulate", "--policy", "lru", "--capacity", "5%,20%"],
        ])
    func charts(arguments: [String]) throws {
        try withTemporaryFolder { folder in
            let (output, scratch) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("tmp"))
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            let trace = Binary.root.appendingPathComponent("Traces/photo-feed.jsonl").path
            let process = try Binary.start(
                arguments + [trace, "--output", output.path], environment: ["TMPDIR": scratch.path],
                output: .nullDevice, errors: .nullDevice)
            let charts = output.appendingPathComponent("charts")
            #expect(
                eventually {
                    !process.isRunning
                        || ((try? Self.names(in: charts).contains { $0.hasPrefix(".unfinished-") }) ?? false)
                })
            // Without gnuplot, no chart is drawn, and the command has ended.
            if process.isRunning { kill(process.processIdentifier, SIGTERM) }
            process.waitUntilExit()
            let left = ((try? Self.names(in: charts)) ?? []).filter { $0.hasPrefix(".") }
            #expect(try left + Self.names(in: scratch) == [])
        }
    }

    private static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

}
