import CacheReplayCommand
import Foundation
import Testing

/// `--version` and `scripts/package`.
@Suite("Packages and releases", .namesCommands)
struct PackageTests {
    private static let isPackaging = ["strip", "objdump", "dpkg-query", "python3"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    @Test("--version prints the version, and the commit or that the build names none")
    func version() throws {
        let printed = try Binary.run("--version")
        #expect(printed.output == "\(CacheReplay.version) (\(CacheReplay.commit ?? "development"))\n")
        #expect(CacheReplay.version.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/) != nil)
    }

    @Test(
        "the archive has the sums of its bytes and a program that runs; one of no commit is not packaged for a tag",
        .enabled(if: isPackaging, "needs dpkg and binutils: scripts/install binutils"))
    func contents() throws {
        try withTemporaryFolder { folder in
            func package(_ options: String...) throws -> Binary.Outcome {
                try Script.run(["scripts/package", "--binary", Binary.path, "--output", folder.path] + options)
            }
            let made = try package("--dynamic")
            try #require(made.status == 0, "\(made.errors)")
            let archive = try #require(made.output.split(separator: "\n").first)
            let unpacked = try PipelineTools.shell(
                """
                sha256sum --check --quiet SHA256SUMS
                mkdir usr && tar -xzf \(archive) -C usr --strip-components=1
                usr/bin/cachereplay --version
                """, in: folder, [:])
            #expect(unpacked.status == 0, "\(unpacked.errors)")
            #expect(try unpacked.output == Binary.run("--version").output)
            let refused = try package("--dynamic", "--tag", "v99.0.0")
            #expect(refused.status == 65 && refused.errors.contains("whose tag is v"), "\(refused.errors)")
        }
    }
}
