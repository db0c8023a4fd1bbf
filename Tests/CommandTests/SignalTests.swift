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
            #expect(called.wait(timeout: .now() + 60) == .success)
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
            #expect(newer.wait(timeout: .now() + 60) == .success)
            second.cancel()
            kill(getpid(), SIGINT)
            #expect(older.wait(timeout: .now() + 60) == .success)
            #expect(newer.wait(timeout: .now()) == .timedOut)
            first.cancel()
        }
    }

    @Test("A signal removes the scratch folder of a watch, and unfinished files, before the process ends")
    func removal() async throws {
        let result = await #expect(processExitsWith: .exitCode(130), observing: [\.standardErrorContent]) {
            let (scratch, watch) = try InterruptWatch.scratch(prefix: "cachereplay-test")
            let file = try AtomicFile(scratch.path + "-file")
            FileHandle.standardError.write(Data("SCRATCH=\(scratch.path)\n".utf8))
            kill(getpid(), SIGINT)
            withExtendedLifetime((scratch, watch, file)) { while true { pause() } }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("SCRATCH=") })
        let path = URL(fileURLWithPath: String(line.dropFirst("SCRATCH=".count)))
        let left = try FileManager.default.contentsOfDirectory(atPath: path.deletingLastPathComponent().path)
        #expect(left.filter { $0.contains(path.lastPathComponent) } == [])
    }

    @Test(
        "Without a watch, a signal ends the process with its code, after unfinished files are removed",
        arguments: EndSignals.numbers)
    func noWatch(number: Int32) throws {
        try withTemporaryFolder { folder in
            let process = try Binary.start(
                ["trace", "synthesize", "--requests", "3000000", "--output", folder.path + "/out.jsonl"],
                output: .nullDevice, errors: .nullDevice)
            let deadline = ContinuousClock.now + .seconds(60)
            while try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty, .now < deadline {
                sched_yield()
            }
            kill(process.processIdentifier, number)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 128 + number)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }
}
