import CacheReplayCommand
import Foundation
import Testing

/// The package of `Sources/Python`, with pandas, Polars and pyarrow, which `scripts/test --thorough` installs.
@Suite(
    "The Python package", .namesCommands,
    .enabled(
        if: FileManager.default.fileExists(atPath: Binary.root.path + "/.build/test-python/package-ready"),
        "scripts/test --thorough installs pandas, Polars, pyarrow, pytest and mypy from PyPI"))
struct PythonPackageTests {
    private static let folder = Binary.root.appendingPathComponent("Sources/Python")

    /// Runs a module of Python in the folder of the package, on the built command.
    private func python(_ arguments: [String], caches: URL) throws -> Binary.Outcome {
        try Binary.execute(
            PythonPeers.python, arguments, in: Self.folder,
            environment: ["CACHEREPLAY": Binary.path, "MPLCONFIGDIR": caches.path, "MPLBACKEND": "Agg"])
    }

    @Test("its tests pass on the built command")
    func tests() throws {
        try withTemporaryFolder { folder in
            let run = try python(["-m", "pytest", "-q"], caches: folder)
            #expect(run.status == 0, "\(run.output.suffix(4_000))\(run.errors)")
            #expect(run.output.contains(" passed"), "\(run.output)")
        }
    }

    @Test("its types are complete")
    func types() throws {
        try withTemporaryFolder { folder in
            let run = try python(["-m", "mypy", "--cache-dir", folder.path, "cachereplay"], caches: folder)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }
    }
}
