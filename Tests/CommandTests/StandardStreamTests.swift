import Foundation
import Testing

@Suite("Standard streams that are closed, full or pipes", .namesCommands)
struct StandardStreamTests {
    /// Runs a line of shell in which `$C` is the command and `$T` a trace of one request.
    private func shell(_ line: String) throws -> Binary.Outcome {
        try withTemporaryFolder { folder in
            let trace = try folder.write(
                BadInputTests.header + "{\"t\":0,\"e\":\"appear\",\"key\":\"a\"}\n", to: "one.jsonl")
            return try Binary.execute(
                "/bin/sh", ["-c", line], in: folder, environment: ["C": Binary.path, "T": trace])
        }
    }

    @Test("A message that cannot be written does not change the exit code", arguments: ["2>&-", "2>/dev/full"])
    func errorsUnwritable(redirection: String) throws {
        #expect(try shell("\"$C\" trace info missing \(redirection)").status == 66)
    }

    @Test("All three closed: a measured replay runs to its end, and no file gets what was meant for them")
    func allClosed() throws {
        #expect(
            try shell(
                """
                "$C" replay "$T" --cache none --no-charts --output r <&- >&- 2>&-; s=$?; grep -q '^one,' r/summary.csv \
                && exit $s
                """
            ).status == 0)
    }

    @Test(
        "A result that cannot be printed whole is an I/O error",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func outputFull() throws {
        let run = try shell("\"$C\" trace info \"$T\" > /dev/full")
        #expect(run.status == 74)
        #expect(run.errors.contains("standard output: writing failed"), "\(run.errors)")
        for text in ["--help", "replay --help", "--version"] {
            #expect(try shell("\"$C\" \(text) > /dev/full").status == 74, "\(text)")
        }
    }

    @Test("A trace in a pipe is refused in words: every run reads it again")
    func pipe() throws {
        let run = try shell("cat \"$T\" | \"$C\" replay /dev/stdin --cache none --output r")
        #expect(run.status == 64)
        #expect(run.errors.contains("not a pipe"), "\(run.errors)")
    }
}
