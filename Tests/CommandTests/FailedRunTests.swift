import Basics
import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("Runs whose process fails", .namesCommands)
struct FailedRunTests {
    @Test("A signal that interrupts a read of standard input is not its end")
    func interruptedRead() {
        // A byte, two interruptions, a byte, and the end; what follows is not read.
        var results = [1, -Int(EINTR), -Int(EINTR), 1, 0, 1]
        ParentInput.waitForEnd { results.removeFirst() }
        #expect(results == [1])
        var failing = [-Int(EINTR), -Int(EBADF), 1]
        ParentInput.waitForEnd { failing.removeFirst() }
        #expect(failing == [1])
    }

    @Test(
        "The exit code is that of a failed run, and the message has the signal; interruptions have codes of their own")
    func reasons() {
        func failure(_ end: SpawnedProcess.End, _ errors: String = "") -> (
            status: CacheReplayCommand.ExitStatus, text: String
        ) {
            let failure = IsolatedRun.failure(of: "feed, lru, repeat 1", end, errors)
            return (failure.status, failure.description)
        }
        #expect(
            failure(.signal(SIGSEGV)) == (
                .ioError,
                "feed, lru, repeat 1: its process ended with signal 11 (Segmentation fault); --resume replays it."
            ))
        #expect(failure(.signal(SIGKILL)).text.contains("signal 9 (Killed), as the system does when memory runs out"))
        for code: Int32 in [129, 130, 143, 5] {
            #expect(failure(.exit(code)).status == .ioError)
            #expect(failure(.exit(code)).text.contains("ended with exit code \(code)"))
        }
        #expect(
            failure(.exit(65), "cachereplay: no cell appears\n") == (.badData, "feed, lru, repeat 1: no cell appears"))
        // A crash can print where each thread was.
        #expect(failure(.signal(SIGABRT), String(repeating: "x", count: 1_000_000)).text.count < 3_000)
    }

    @Test(
        "A plugin that crashes ends its run alone, whose message has the signal",
        .enabled(if: OwnPolicyCommandTests.compiler != nil))
    func crash() throws {
        try withTemporaryFolder { folder in
            let example = try Binary.root.text("Examples/Plugin/second_chance.c")
            let lookup = "int cachereplay_lookup(void *self, const cachereplay_access *access) {"
            #expect(example.contains(lookup))
            let source = try folder.write(
                example.replacingOccurrences(of: lookup, with: lookup + " *(volatile int *)0 = 1;"), to: "crash.c")
            let library = folder.path + "/crash.so"
            try OwnPolicyCommandTests.compile(source, to: library)
            let made = try Command.run(
                "replay", "Traces/stress-flicks.jsonl", "--plugin", library, "--timing", "instant", "--no-charts",
                "--cache", "second-chance(2MB)", "--cache", "lru(2MB)", "--output", folder.path + "/o")
            #expect(made.status == 74, "\(made.errors)")
            #expect(
                made.errors.contains(
                    """
                    stress-flicks, second-chance(2MB), repeat 1: its process ended with signal 11 (Segmentation \
                    fault)
                    """
                ),
                "\(made.errors)")
            #expect(rows(try folder.text("o/summary.csv")).map { $0["cache"] } == ["lru(2MB)"])
        }
    }
}
