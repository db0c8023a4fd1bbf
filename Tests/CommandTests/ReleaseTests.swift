import Foundation
import Testing

/// `scripts/release`, on a small repository in a temporary folder.
@Suite("scripts/release", .namesCommands)
struct ReleaseTests {
    private static let version = "Sources/CacheReplayCommand/Version.swift"
    private static let changes =
        "# Changelog\n\n## Unreleased\n\n- A change.\n\n## 0.1.0 — 2026-01-01\n\n- The first.\n"
    private static let source = "enum Version {\n    public static let version = \"0.1.0\"\n}\n"

    /// Makes a repository whose only commit has the version 0.1.0 and one unreleased change.
    private func makeRepository(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent(Self.version).deletingLastPathComponent(),
            withIntermediateDirectories: true)
        _ = try folder.write(Self.source, to: Self.version)
        _ = try folder.write(Self.changes, to: "CHANGELOG.md")
        for arguments in [
            ["init", "--quiet"], ["add", "--all"],
            ["-c", "user.name=Test", "-c", "user.email=test@example.org", "commit", "--quiet", "--message", "First"],
        ] {
            #expect(try git(arguments, in: folder) == 0, "\(arguments)")
        }
    }

    private func git(_ arguments: [String], in folder: URL) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder.path] + arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func release(_ folder: URL, _ options: String...) throws -> Binary.Outcome {
        try Script.run(["scripts/release", "--folder", folder.path, "--date", "2026-02-03"] + options)
    }

    @Test("It states the version, gives the changes a heading below an empty one, and prints the tag's command")
    func prepares() throws {
        try withTemporaryFolder { folder in
            try makeRepository(folder)
            let dry = try release(folder, "0.2.0", "--dry-run")
            #expect(dry.status == 0, "\(dry.errors)")
            var source = try folder.text(Self.version)
            #expect(source == Self.source)

            let run = try release(folder, "0.2.0")
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.contains("git tag --annotate v0.2.0 --message"))
            source = try folder.text(Self.version)
            #expect(source == Self.source.replacing("0.1.0", with: "0.2.0"))
            let changes = try folder.text("CHANGELOG.md")
            let expected = Self.changes.replacing("## Unreleased\n", with: "## Unreleased\n\n## 0.2.0 — 2026-02-03\n")
            #expect(changes == expected)

            // The files are not committed now.
            let again = try release(folder, "0.3.0")
            #expect(again.status == 65 && again.errors.contains("no change below"), "\(again.errors)")
        }
    }

    @Test("It refuses what is no higher version, and a work tree that is not clean")
    func refuses() throws {
        try withTemporaryFolder { folder in
            try makeRepository(folder)
            for (version, message) in [
                ("0.2", "no version of three numbers"), ("v0.2.0", "no version of three numbers"),
                ("0.1.0", "is not above 0.1.0"), ("0.0.9", "is not above 0.1.0"),
            ] {
                let run = try release(folder, version)
                #expect(run.status == 64 && run.errors.contains(message), "\(version): \(run.errors)")
            }
            let same = try release(folder, "0.1.0", "--same")
            #expect(same.status == 65 && same.errors.contains("has a section 0.1.0"), "\(same.errors)")
            _ = try folder.write("A note.\n", to: "note.txt")
            let dirty = try release(folder, "0.2.0")
            #expect(dirty.status == 73 && dirty.errors.contains("note.txt"), "\(dirty.errors)")
            #expect(try git(["tag", "v0.2.0"], in: folder) == 0)
            let tagged = try release(folder, "0.2.0")
            #expect(tagged.status == 65 && tagged.errors.contains("v0.2.0 exists"), "\(tagged.errors)")
        }
    }
}
