import Foundation
import TestSupport
import Testing

/// `scripts/fleets/parallel`: the shards of a replay under GNU parallel, and what is made again after faults.
/// Other programs of the name `parallel` exist.
private let isInstalled =
    (try? Binary.execute("/usr/bin/env", ["parallel", "--version"]))?.output.hasPrefix("GNU parallel") == true

@Suite(
    "scripts/fleets/parallel", .namesCommands,
    .enabled(if: isInstalled, "needs GNU parallel: scripts/install parallel"))
struct ParallelTests {
    private static let arguments = [
        "sessions", "--cache", "lru(20MB)", "--cache", "kingfisher-8; memory: 32MB", "--timing", "modelled", "--jobs",
        "1", "--no-charts", "--quiet",
    ]
    private static let files = [
        "runs.jsonl", "summary.csv", "latency.csv", "timeline.csv", "fleet.csv", "fleet-pairs.csv", "fleet-latency.csv",
    ]

    /// A folder with sessions, and their replay without shards in `whole`.
    private func withSessions(of requests: Int, _ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let sessions = try folder.makeFolder("sessions")
            for number in 1...6 {
                try SmallSessions.write(requests: requests, person: number, to: "\(sessions.path)/s\(number).jsonl")
            }
            try Command.succeed(["replay"] + Self.arguments + ["--output", "whole"], in: folder)
            try body(folder)
        }
    }

    private func parallel(
        _ folder: URL, program: String = Binary.path, _ options: [String] = [], environment: [String: String] = [:]
    ) throws -> Binary.Outcome {
        try Script.run(
            ["scripts/fleets/parallel", "3", "all", "--jobs", "2"] + options + ["--"] + Self.arguments, in: folder,
            environment: environment.merging(["CACHEREPLAY": program]) { $1 })
    }

    private func expectWhole(_ folder: URL) throws {
        let (whole, joined) = (folder.appendingPathComponent("whole"), folder.appendingPathComponent("all"))
        for file in Self.files where FileManager.default.fileExists(atPath: "\(whole.path)/\(file)") {
            #expect(try whole.text(file) == joined.text(file), "\(file)")
        }
    }

    /// The number of times that a shard began, by the shard's log.
    private func starts(_ folder: URL) throws -> [Int] {
        try (1...3).map { number in
            let log = try folder.text("all.shards/shard-\(number).txt")
            return log.components(separatedBy: "shard \(number) of 3 on ").count - 1
        }
    }

    @Test("the joined shards are the bytes of the whole replay; a second call is refused")
    func whole() throws {
        try withSessions(of: 60) { folder in
            let made = try parallel(folder)
            #expect(made.status == 0, "\(made.errors)")
            #expect(try starts(folder) == [1, 1, 1])
            try expectWhole(folder)
            let again = try parallel(folder)
            #expect(again.status == 73 && again.errors.contains("holds results already"), "\(again.errors)")
        }
    }

    @Test("a shard that is killed with -9 is named; a second call continues only this one")
    func killed() throws {
        // Sessions so long that a shard is still replaying some time after its first result is in the file.
        try withSessions(of: 20_000) { folder in
            // Kills shard 2 when it has the result of its first run, once. `read` succeeds at the end of a line.
            let program = try folder.writeProgram(
                """
                #!/usr/bin/env bash
                if [[ " $* " == *" --shard 2/3 "* ]] && [ ! -e killed ]; then
                    "\(Binary.path)" "$@" &
                    until read -r _ 2>/dev/null <all.shards/shard-2/runs.jsonl; do :; done
                    kill -9 $!
                    wc -l <all.shards/shard-2/runs.jsonl >killed
                    wait $!
                    exit $?
                fi
                exec "\(Binary.path)" "$@"
                """, to: "program")
            let failed = try parallel(folder, program: program)
            #expect(failed.status == 1)
            #expect(failed.errors.contains("all.shards/shard-2.txt: exit status "), "\(failed.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/all"))
            let kept = try #require(Int(try folder.text("killed").trimmingCharacters(in: .whitespacesAndNewlines)))
            let description = try folder.text("all.shards/shard-2/run.json")
            #expect(kept >= 1 && !description.contains("\"end\""), "the shard was not killed in its middle")

            let second = try parallel(folder, program: program)
            #expect(second.status == 0, "\(second.errors)")
            try expectWhole(folder)
        }
    }

    @Test("over ssh, the shards of a machine that cannot be reached are made by the others")
    func hosts() throws {
        try withSessions(of: 60) { folder in
            // In place of ssh: machine c is lost, and the others are this machine. As sshd does, it sets SHELL,
            // without which GNU parallel runs nothing there and calls the job done; here SHELL may be unset.
            let ssh = try folder.writeProgram(
                """
                #!/usr/bin/env bash
                while [ $# -gt 0 ]; do
                    case "$1" in c) exit 255 ;; a | b) shift && break ;; esac
                    shift
                done
                [ "$1" != -- ] || shift
                SHELL=/bin/sh exec bash -c "$*"
                """, to: "ssh")
            let hosts = try folder.write("1/c\n1/a\n1/b\n", to: "hosts")
            let made = try parallel(
                folder, ["--sshloginfile", hosts, "--retries", "3"], environment: ["PARALLEL_SSH": ssh, "SHELL": ""])
            let joblog = (try? folder.text("all.shards/joblog")) ?? "no job log"
            try #require(made.status == 0, "\(made.errors)\n\(joblog)")
            #expect(try starts(folder) == [1, 1, 1])
            try expectWhole(folder)
            let used = try folder.text("all.shards/joblog").split(separator: "\n").dropFirst()
                .map { $0.split(separator: "\t")[1] }
            #expect(used.allSatisfy { ["a", "b"].contains($0) }, "\(used)")
        }
    }
}
