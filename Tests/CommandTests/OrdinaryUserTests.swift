import Foundation
import Testing

/// What root may do and other users may not is not needed. Tests are often run by root, in containers.
@Suite("An ordinary user", .namesCommands)
struct OrdinaryUserTests {
    private static let setpriv = "/usr/bin/setpriv"
    private static let isPossible = getuid() != 0 || FileManager.default.isExecutableFile(atPath: setpriv)

    @Test(
        "can make a measured replay, which needs a loopback server, processes and files",
        .enabled(if: isPossible, "root needs setpriv to become another user: scripts/install util-linux"))
    func measured() throws {
        try withTemporaryFolder { folder in
            let home = try folder.makeFolder("home")
            var program = Binary.path
            var command = ["--cache", "memory: lru(2MB); disk: lru(20MB)", "--no-charts", "--output", "results"]
            // The user can read neither root's folders nor write to them.
            let trace = home.appendingPathComponent("search.jsonl")
            try FileManager.default.copyItem(
                at: Binary.root.appendingPathComponent("Traces/stress-search.jsonl"), to: trace)
            command = ["replay", trace.path] + command
            if getuid() == 0 {
                let copy = try folder.copyProgram(Binary.path, to: "cachereplay")
                for path in [folder.path, home.path, trace.path, copy] {
                    try #require(chmod(path, 0o755) == 0)
                }
                try #require(chown(home.path, 65_534, 65_534) == 0)
                command = ["--reuid", "65534", "--regid", "65534", "--clear-groups", copy] + command
                program = Self.setpriv
            }
            let run = try Binary.execute(
                program, command, in: home, environment: ["HOME": home.path, "TMPDIR": home.path])
            try #require(run.status == 0, "\(run.errors)")
            let row = try #require(rows(try home.text("results/summary.csv")).first)
            let fetches = try #require(row["origin_fetches"].flatMap { Int($0) })
            #expect(row["timing"] == "measured+decode" && fetches > 0 && row["failed"] == "0", "\(row)")
        }
    }
}
