import Foundation
import Testing

/// `scripts/fleets/slurm`, on a Slurm with one node that the test starts.
@Suite("scripts/fleets/slurm", .namesCommands)
struct SlurmTests {
    private static let isPossible: Bool = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return getuid() == 0
            && ["munged", "slurmctld", "slurmd", "sbatch", "python3"].allSatisfy { program in
                (folders + ["/usr/sbin"]).contains {
                    FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
                }
            }
    }()

    @Test(
        "an array job with a killed shard and a lost node joins to the bytes of the whole replay",
        .enabled(if: isPossible, "needs root, and Slurm and munge: scripts/install slurm-wlm munge"))
    func fleet() throws {
        let run = try Script.run("scripts/fleets/slurm/test", "--cachereplay", Binary.path)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("Shard 2 was killed"), "\(run.output)")
    }

    @Test("submit says what is wrong with its arguments, and what is missing")
    func arguments() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("o").path
            let wrong: [([String], String)] = [
                (["--output", output, "--", "s"], "--shards is a number"),
                (["--shards", "2", "--", "s"], "--output is missing"),
                (["--shards", "2", "--output", output, "--attempts", "0", "--", "s"], "--attempts is a number"),
                (["--shards", "2", "--output", output], "arguments of the replay are missing"),
                (["--shards", "2", "--output", output, "--", "s", "--resume"], "--resume is an option that"),
                (["--shards", "2", "--output", output, "--nodes", "3", "--", "s"], "unknown argument: --nodes"),
            ]
            for (options, message) in wrong {
                let run = try Script.run(["scripts/fleets/slurm/submit", "--cachereplay", Binary.path] + options)
                #expect(run.status == 64 && run.errors.contains(message), "\(options): \(run.errors)")
            }
            // Programs of the system, without those of Slurm.
            let bin = folder.appendingPathComponent("bin")
            try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
            for program in ["bash", "dirname", "realpath"] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(bin.path)/\(program)", withDestinationPath: "/usr/bin/\(program)")
            }
            let missing = try Script.run(
                [
                    "scripts/fleets/slurm/submit", "--cachereplay", Binary.path, "--shards", "2", "--output", output,
                    "--", "s",
                ],
                environment: ["PATH": bin.path])
            #expect(missing.status == 69 && missing.errors.contains("Slurm is missing"), "\(missing.errors)")
            #expect(!FileManager.default.fileExists(atPath: output + ".shards"))
        }
    }
}
