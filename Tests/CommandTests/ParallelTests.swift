import Foundation
import TestSupport
import Testing

/// `scripts/fleets/parallel`: the shards of a replay under GNU parallel, and what is repeated after faults.
@Suite("scripts/fleets/parallel", .namesCommands)
struct ParallelTests {
    private static let isInstalled: Bool = {
        let run = try? Binary.outcome { output, errors in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["parallel", "--version"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            return process
        }
        return run?.output.hasPrefix("GNU parallel") == true
    }()

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
            let sessions = folder.appendingPathComponent("sessions")
            try FileManager.default.createDirectory(at: sessions, withIntermediateDirectories: true)
            for number in 1...6 {
                let made = try Binary.run(
                    "trace", "synthesize", "--requests", "\(requests)", "--seed", "\(number)", "--output",
                    "\(sessions.path)/s\(number).jsonl")
                #expect(made.status == 0, "\(made.errors)")
            }
            let whole = try Binary.run(["replay"] + Self.arguments + ["--output", "whole"], in: folder)
            #expect(whole.status == 0, "\(whole.errors)")
            try body(folder)
        }
    }

    private func parallel(
        _ folder: URL, program: String = Binary.path, _ options: [String] = [], environment: [String: String] = [:]
    ) throws -> Binary.Outcome {
        let own = [
            "scripts/fleets/parallel", "--shards", "3", "--output", "all", "--jobs", "2", "--cachereplay", program,
        ]
        return try Script.run(own + options + ["--"] + Self.arguments, in: folder, environment: environment)
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
            let log = try folder.text("all.shards/logs/\(number).txt")
            return log.components(separatedBy: "shard \(number) of 3 on ").count - 1
        }
    }

    @Test(
        "the joined shards are the bytes of the whole replay; a second call is refused, and makes only what is missing",
        .enabled(if: isInstalled, "needs GNU parallel: scripts/install parallel"))
    func whole() throws {
        try withSessions(of: 60) { folder in
            let made = try parallel(folder)
            #expect(made.status == 0, "\(made.errors)")
            try expectWhole(folder)
            let again = try parallel(folder)
            #expect(again.status == 73 && again.errors.contains("holds results already"), "\(again.errors)")

            // Without the joined folder and one shard, only these are made again.
            for name in ["all", "all.shards/shard-2"] {
                try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            }
            #expect(try parallel(folder).status == 0)
            #expect(try starts(folder) == [1, 2, 1])
            try expectWhole(folder)

            // A shard that is made twice stays as it is.
            let shard = folder.appendingPathComponent("all.shards/shard-1")
            let before = try shard.text("run.json")
            let twice = try Script.run("scripts/fleets/shards/make", "\(folder.path)/all.shards", "1")
            #expect(twice.status == 0, "\(twice.errors)")
            #expect(try shard.text("run.json") == before)
            #expect(try folder.text("all.shards/logs/1.txt").hasSuffix("is complete already\n"))

            // The folder of the shards is of one command.
            try FileManager.default.removeItem(at: folder.appendingPathComponent("all"))
            let other = try Script.run(
                ["scripts/fleets/parallel", "--shards", "4", "--output", "all", "--cachereplay", Binary.path, "--"]
                    + Self.arguments, in: folder)
            #expect(other.status == 73 && other.errors.contains("has 3 shards of another command"), "\(other.errors)")
        }
    }

    @Test(
        "a shard that is killed with -9 is named; a second call continues only this one",
        .enabled(if: isInstalled, "needs GNU parallel: scripts/install parallel"))
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
            #expect(failed.errors.contains("1 of 3 shards are not complete: 2\n"), "\(failed.errors)")
            #expect(failed.errors.contains("all.shards/logs/2.txt: shard 2: cachereplay was ended by signal 9"))
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/all"))
            let kept = try #require(Int(try folder.text("killed").trimmingCharacters(in: .whitespacesAndNewlines)))
            let description = try folder.text("all.shards/shard-2/run.json")
            #expect(kept >= 1 && !description.contains("\"end\""), "the shard was not killed in its middle")

            let second = try parallel(folder, program: program)
            #expect(second.status == 0, "\(second.errors)")
            #expect(try starts(folder) == [1, 2, 1])
            try expectWhole(folder)
        }
    }

    @Test(
        "a shard whose disk is full is named; when there is space, a second call makes only this one",
        .enabled(
            if: isInstalled && SmallDisk.isAvailable, "needs GNU parallel (scripts/install parallel), and root to mount"
        ))
    func fullDisk() throws {
        try withSessions(of: 60) { folder in
            let shard = folder.appendingPathComponent("all.shards/shard-2")
            try FileManager.default.createDirectory(at: shard, withIntermediateDirectories: true)
            let disk = try SmallDisk(shard.path, kilobytes: 16)
            let failed = Result { try parallel(folder) }
            disk.unmount()
            let run = try failed.get()
            #expect(run.status == 1)
            #expect(run.errors.contains("1 of 3 shards are not complete: 2\n"), "\(run.errors)")
            #expect(run.errors.contains("No space left on device"), "\(run.errors)")
            #expect(try folder.text("all.shards/joblog").split(separator: "\n").count == 4)
            let second = try parallel(folder)
            #expect(second.status == 0, "\(second.errors)")
            #expect(try starts(folder) == [1, 2, 1])
            try expectWhole(folder)
        }
    }

    @Test(
        "over ssh, the shards of a machine that cannot be reached are made by the others",
        .enabled(if: isInstalled, "needs GNU parallel: scripts/install parallel"))
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
            let made = try parallel(folder, ["--hosts", hosts], environment: ["PARALLEL_SSH": ssh, "SHELL": ""])
            let joblog = (try? folder.text("all.shards/joblog")) ?? "no job log"
            try #require(made.status == 0, "\(made.errors)\n\(joblog)")
            #expect(try starts(folder) == [1, 1, 1])
            try expectWhole(folder)
            let used = try folder.text("all.shards/joblog").split(separator: "\n").dropFirst()
                .map { $0.split(separator: "\t")[1] }
            #expect(used.allSatisfy { ["a", "b"].contains($0) }, "\(used)")
        }
    }

    @Test("it says what is wrong with its arguments, and that the parallel of moreutils is another program")
    func arguments() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("o").path
            let wrong: [([String], Int32, String)] = [
                (["--output", output, "--", "s"], 64, "--shards is a number"),
                (["--shards", "0", "--output", output, "--", "s"], 64, "--shards is a number"),
                (["--shards", "2", "--", "s"], 64, "--output is missing"),
                (["--shards", "2", "--output", output], 64, "arguments of the replay are missing"),
                (["--shards", "2", "--output"], 64, "--output needs a value"),
                (["--shards", "2", "--output", output, "s"], 64, "unknown argument: s"),
                (["--shards", "2", "--output", output, "--jobs", "x", "--", "s"], 64, "--jobs is a number"),
                (["--shards", "2", "--output", output, "--", "s", "--shard", "1/2"], 64, "--shard is an option that"),
                (["--shards", "2", "--output", output, "--", "s", "-o", "x"], 64, "-o is an option that"),
                (["--shards", "2", "--output", output, "--hosts", "\(output)/h", "--", "s"], 66, "cannot be read"),
            ]
            for (options, status, message) in wrong {
                let run = try Script.run(["scripts/fleets/parallel", "--cachereplay", Binary.path] + options)
                #expect(run.status == status && run.errors.contains(message), "\(options): \(run.errors)")
            }
            let absent = try Script.run(
                "scripts/fleets/parallel", "--cachereplay", "\(output)/none", "--shards", "2", "--output", output, "--",
                "s")
            #expect(absent.status == 66 && absent.errors.contains("not a program"), "\(absent.errors)")

            _ = try folder.writeProgram("#!/bin/sh\necho 'parallel: invalid option' >&2; exit 1\n", to: "parallel")
            let path = "\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
            let other = try Script.run(
                [
                    "scripts/fleets/parallel", "--cachereplay", Binary.path, "--shards", "2", "--output", output, "--",
                    "s",
                ],
                environment: ["PATH": path])
            #expect(other.status == 69 && other.errors.contains("GNU parallel is missing"), "\(other.errors)")
            #expect(!FileManager.default.fileExists(atPath: output + ".shards"))
        }
    }
}
