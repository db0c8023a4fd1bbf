import Foundation
import Testing

@Suite("scripts/fleets/slurm", .namesCommands)
struct SlurmTests {
    private static let isPossible =
        getuid() == 0
        && ["sbin/munged", "sbin/slurmctld", "sbin/slurmd", "bin/sbatch", "bin/python3"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "/usr/\($0)")
        }

    @Test(
        "an array job with a killed shard and a lost node joins to the bytes of the whole replay",
        .enabled(if: isPossible, "needs root, and Slurm and munge: scripts/install slurm-wlm munge"))
    func fleet() throws {
        let run = try Script.run("scripts/fleets/test-slurm", Binary.path)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }
}
